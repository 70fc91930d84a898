/**
 * Forms of a signature that USDC does not take, or takes twice, and payloads that carry more than the authorization:
 * each is refused and nothing is charged. A facilitator and a node that settle whatever they see: neither sees a
 * signature before the ledger has everything that it pays for.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it, afterEach, beforeEach } from 'node:test';
import {
  concat,
  hexToBigInt,
  numberToHex,
  parseSignature,
  serializeCompactSignature,
  serializeErc6492Signature,
  signatureToCompactSignature,
  slice,
  toHex,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { fetchPaymentRequired } from '../api/support/buyers.ts';
import { codeOf } from '../api/support/contracts.ts';
import { attempt, checkBooks, reasonOf, type Attempt } from './books.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openShop, type Mode, type Shop } from '../support/shop.ts';
import { thorough } from '../thorough.ts';
import { signAuthorization } from '../api/support/base.ts';
import {
  authorizationFor,
  headerOf,
  headerWith,
  randomAddress,
  signInAs,
  contractWallet,
  sendAsStranger,
  type ContractWallet,
} from './wallets.ts';
import type { SignedAuthorization } from '../../api/payments/chain/authorization.ts';
import { LedgerUnavailable, type Ledger, type Purchase } from '../../ledger/ledger.ts';
import { NETWORK, USDC } from '../../lib/network.ts';
import { honest } from '../support/facilitators.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const REASONS = ['payment_invalid', 'payment_malformed'];

const partsOf = (signature: Hex): { r: Hex; s: Hex; v: number } => ({
  r: slice(signature, 0, 32),
  s: slice(signature, 32, 64),
  v: Number(hexToBigInt(slice(signature, 64, 65))),
});
const join = (r: Hex, s: Hex, v: number): Hex => concat([r, s, numberToHex(v, { size: 1 })]);

/** The same signature, written in another way. */
const FORMS: Readonly<Record<string, (signature: Hex) => Hex>> = {
  'with a high s and the other v': (signature) => {
    const { r, s, v } = partsOf(signature);
    return join(r, numberToHex(ORDER - hexToBigInt(s), { size: 32 }), v === 27 ? 28 : 27);
  },
  'with v 0 or 1': (signature) => {
    const { r, s, v } = partsOf(signature);
    return join(r, s, v - 27);
  },
  'with v 29 or 30': (signature) => {
    const { r, s, v } = partsOf(signature);
    return join(r, s, v + 2);
  },
  'with v of EIP-155': (signature) => {
    const { r, s, v } = partsOf(signature);
    return join(r, s, v + 8);
  },
  'in 64 bytes (EIP-2098)': (signature) =>
    serializeCompactSignature(signatureToCompactSignature(parseSignature(signature))),
  'in 64 bytes without v': (signature) => slice(signature, 0, 64),
  'in 66 bytes': (signature) => concat([signature, '0x00']),
  'twice in 130 bytes': (signature) => concat([signature, signature]),
  'wrapped by ERC-6492': (signature) =>
    serializeErc6492Signature({ address: randomAddress(), data: '0x12345678', signature }),
  'with an odd number of digits': (signature) => `${signature}0`,
  'in 3 kB': (signature) => concat([signature, toHex(new Uint8Array(3_000))]),
};

for (const mode of thorough<readonly Mode[]>(['self'], ['facilitator', 'sandbox', 'self'])) {
  describe(`a good signature, with payments by ${mode}`, () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop({ mode });
    });
    after(() => shop.close());

    const payer = async (): Promise<PrivateKeyAccount> => {
      const account = privateKeyToAccount(generatePrivateKey());
      await shop.chain.mint(account.address, DOLLAR);
      return account;
    };
    /** It is refused for one of these reasons, and neither the ledger nor the chain knows of it. */
    const isRefused = async (made: Attempt, reasons: readonly string[], name: string): Promise<void> => {
      assert.deepEqual([made.status, made.json['billed']], [402, false], name);
      assert.ok(reasons.includes(reasonOf(made)), `${name}: ${reasonOf(made)}`);
      assert.match(String(made.json['payment_error']), /^[a-z0-9_]{1,80}$/);
      assert.ok(!(await shop.purchases()).some((p) => p.payment.nonce === made.nonce), name);
      assert.equal(await shop.chain.authorizationUsed(made.payer, made.nonce), false, name);
    };
    const present = async (change: (signature: Hex) => Hex): Promise<Attempt> => {
      const account = await payer();
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const authorization = authorizationFor(asked, account.address);
      const signature = change(await signAuthorization(account, authorization));
      return attempt(shop.url + DEALS, headerWith(asked, { signature, authorization }));
    };

    it('in another form, or of another payer, is refused and charges nothing', async () => {
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const other = await payer();
      const foreign = await signAuthorization(other, authorizationFor(asked, other.address));
      const forms = { ...FORMS, 'of another payer': () => foreign };
      const attempts: Attempt[] = [];
      for (const [name, change] of Object.entries(forms)) {
        const made = await present(change);
        await isRefused(made, REASONS, name);
        attempts.push(made);
      }
      await checkBooks(shop, attempts);
    });

    it('wrapped by ERC-6492 is refused for a contract wallet that accepts anything', async () => {
      const wallet = randomAddress();
      await shop.contract(wallet, codeOf('AcceptsAnything'));
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const wrapped = serializeErc6492Signature({ address: randomAddress(), data: '0x12345678', signature: '0x1234' });
      const made = await attempt(shop.url + DEALS, headerOf(asked, wallet, wrapped), signInAs(wallet));
      await isRefused(made, [...REASONS, 'contract_wallet_refused'], 'wrapped');
      await checkBooks(shop, [made]);
    });

    it('next to Permit2 or an unknown member, of the payload or the authorization, is refused', async () => {
      const account = await payer();
      const attempts: Attempt[] = [];
      for (const [inPayload, inAuthorization] of [
        [{ permit2Authorization: { from: account.address, nonce: '1', deadline: '99999999999' } }, {}],
        [{ permit2Authorization: null }, {}],
        [{ voucher: {} }, {}],
        [{ type: 'exact' }, {}],
        [{}, { v: 27 }],
        [{}, { signature: '0x12' }],
        [JSON.parse('{"__proto__":{"permit2Authorization":{}}}') as object, {}],
      ] as const) {
        const asked = await fetchPaymentRequired(shop.url + EXCLUSIVE);
        const authorization = authorizationFor(asked, account.address);
        const signature = await signAuthorization(account, authorization);
        const payload = { signature, authorization: { ...authorization, ...inAuthorization }, ...inPayload };
        const made = await attempt(shop.url + EXCLUSIVE, headerWith(asked, payload));
        await isRefused(made, ['payment_malformed'], JSON.stringify([inPayload, inAuthorization]));
        attempts.push(made);
      }
      await checkBooks(shop, attempts);
    });

    it('buys in its own form', async () => {
      const made = await present((signature) => signature);
      assert.equal(made.status, 200, made.text);
      await checkBooks(shop, [made]);
    });
  });
}

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

  it('of a call that is refused, fails or finds nothing is not disclosed, and moves no money', async () => {
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

  describe('of a contract wallet that settles while it is checked', () => {
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

    it('is recorded before the check, and the purchase is sold', async () => {
      settleInside(true);
      const takings = await shop.takings();
      const made = await buy();
      assert.equal(made.status, 200, made.text);
      assert.equal(rowAtTheCall?.state, 'settling');
      assert.equal((await shop.takings()) - takings, PRICE);
      await checkBooks(shop, [{ ...made, signIn: null }]);
    });

    it('is recorded even if the wallet refuses it; the late transfer sells, and the wallet collects', async () => {
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
