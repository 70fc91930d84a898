/**
 * A facilitator that settles whatever payment it is asked about, and a node that settles whatever signature it sees:
 * neither sees one before the ledger has everything that it pays for.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import type { SignedAuthorization } from '../../api/payments/chain/authorization.ts';
import { LedgerUnavailable, type Ledger, type Purchase } from '../../ledger/ledger.ts';
import { NETWORK, USDC } from '../../lib/network.ts';
import { codeOf } from '../api/support/contracts.ts';
import { honest } from '../support/facilitators.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openShop, type Shop } from '../support/shop.ts';
import { attempt, checkBooks, reasonOf, type Attempt } from './books.ts';
import { contractWallet, sendAsStranger, signInAs, type ContractWallet } from './wallets.ts';

const PRICE = DOLLAR / 20n;
/** Selector of isValidSignature. */
const ASKS_THE_WALLET = '1626ba7e';

const signedIn = (header: string): SignedAuthorization =>
  decodePaymentSignatureHeader(header).payload as unknown as SignedAuthorization;

describe('a signature', () => {
  let shop: Shop;
  before(async () => {
    // The limit of unpaid responses asks for payers too.
    shop = await openShop({ env: { UNBILLED_PER_MINUTE: '100' } });
  });
  after(() => shop.close());
  /** Calls of the node that contained this text. */
  let shown: (text: string) => number;
  beforeEach(() => {
    const calls: string[] = [];
    shop.node.before(async (_, params) => {
      calls.push(JSON.stringify(params));
    });
    shown = (text) => calls.filter((call) => call.includes(text)).length;
  });
  afterEach(() => {
    shop.node.before(null);
    shop.facilitator.behave(honest);
  });

  const present = async (path: string, header: string): Promise<string> => {
    const made = await attempt(shop.url + path, header);
    if (made.status !== 200) assert.equal(made.json['billed'], false);
    return `${made.status} ${reasonOf(made)}`.trim();
  };
  /** Present a payment while a method of the ledger does something else. */
  const presentWhile = async (changed: Partial<Ledger>, path: string, header: string): Promise<string> => {
    const { ledger } = shop.server.running;
    const real = { ...ledger };
    Object.assign(ledger, changed);
    try {
      return await present(path, header);
    } finally {
      Object.assign(ledger, real);
    }
  };

  it('of a call that is refused, fails or finds nothing is shown to nobody, and nothing is moved', async () => {
    const [buyer, contract] = [await shop.buyer(), await contractWallet(shop.chain, DOLLAR)];
    const takings = await shop.takings();
    const [noDeals, noLeads] = [`${DEALS}?state=ZZ`, `${EXCLUSIVE}?county=nowhere`];
    const headers = await Promise.all([
      buyer.sign(shop.url + DEALS),
      buyer.sign(shop.url + EXCLUSIVE),
      buyer.sign(shop.url + DEALS),
      buyer.sign(shop.url + DEALS),
      contract.sign(shop.url + DEALS),
    ]);
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = headers;
    const locked = async (): Promise<never> => {
      throw new LedgerUnavailable('the ledger is locked');
    };
    assert.deepEqual(
      [
        await present(noDeals, first),
        await present(noLeads, second),
        await presentWhile({ begin: locked }, DEALS, third),
        await presentWhile(
          { begin: async () => ({ kind: 'refused', reason: 'too_many_open_purchases' }) },
          DEALS,
          fourth,
        ),
        await present(noDeals, fifth),
      ],
      ['404 no_matches', '404 no_matches', '503 payments_unavailable', '429 too_many_open_purchases', '404 no_matches'],
    );
    assert.equal(shop.facilitator.settlements(), 0, 'payments that the facilitator saw');
    for (const header of headers) assert.equal(shown(signedIn(header).signature.slice(2)), 0, 'calls of the node');
    assert.equal(await shop.takings(), takings);
    assert.equal(await present(DEALS, first), '200', 'the payment is still good');
  });

  describe('of a contract wallet, which the node settles when it is asked about it,', () => {
    let wallet: ContractWallet;
    let header: string;
    let rowAtTheCall: Purchase | null = null;
    /** Let the node settle the payment inside the call, and then say what the wallet answers. */
    const settleInside = (accepts: boolean): void => {
      const signed = signedIn(header);
      const { from, nonce } = signed.authorization;
      shop.node.before(async (method, params) => {
        if (method !== 'eth_call' || !JSON.stringify(params).includes(ASKS_THE_WALLET)) return;
        const payment = { network: NETWORK, asset: USDC.toLowerCase(), payer: from.toLowerCase(), nonce };
        rowAtTheCall = await shop.server.running.ledger.find({ payment });
        await sendAsStranger(shop.chain, signed);
        if (!accepts) await shop.admin.setCode({ address: wallet.address, bytecode: codeOf('RefusesAll') });
      });
    };
    const buy = (): Promise<Attempt> => attempt(shop.url + DEALS, header, signInAs(wallet.address));
    beforeEach(async () => {
      wallet = await contractWallet(shop.chain, DOLLAR);
      header = await wallet.sign(shop.url + DEALS);
      rowAtTheCall = null;
    });

    it('has a row by then, and is sold', async () => {
      settleInside(true);
      const takings = await shop.takings();
      const made = await buy();
      assert.equal(made.status, 200, made.text);
      assert.equal(rowAtTheCall?.state, 'settling');
      assert.equal((await shop.takings()) - takings, PRICE);
      await checkBooks(shop, [{ ...made, signIn: null }]);
    });

    it('has a row if the wallet refuses it, which the late transfer sells, and the wallet collects', async () => {
      settleInside(false);
      const settlements = shop.facilitator.settlements();
      const takings = await shop.takings();
      const made = await buy();
      assert.deepEqual(
        [made.status, reasonOf(made), made.json['payment_error']],
        [402, 'payment_invalid', 'invalid_exact_evm_signature'],
      );
      assert.equal((await shop.takings()) - takings, PRICE, 'the node has moved the money');
      assert.equal(shop.facilitator.settlements(), settlements);
      const { ledger } = shop.server.running;
      const id = rowAtTheCall?.id ?? assert.fail('there is no row');
      assert.equal((await ledger.find({ id }))?.state, 'released');
      shop.node.before(null);
      await shop.mine(6);
      await shop.server.running.audit.pass();
      assert.equal((await ledger.find({ id }))?.state, 'sold');
      await shop.admin.setCode({ address: wallet.address, bytecode: codeOf('AcceptsAnything') });
      const url = `${shop.url}/api/purchases/${made.nonce}`;
      const collected = await fetch(url, { headers: { 'SIGN-IN-WITH-X': await signInAs(wallet.address)(url) } });
      assert.equal(collected.status, 200, await collected.text());
    });
  });
});
