/**
 * Contract wallets whose check depends on the gas price, burns gas or never ends, and ordinary accounts that delegate
 * to a contract (EIP-7702) between the signature check and the settlement.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { closing } from '../../lib/closing.ts';
import { fetchPaymentRequired, type Buyer } from '../api/support/buyers.ts';
import { codeOf, type ContractName } from '../api/support/contracts.ts';
import { attempt, checkBooks, gasSpent, outcomes, reasonOf, untilHeldOrAnswered, type Attempt } from './books.ts';
import { gated, honest } from '../support/facilitators.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openShop, type Shop } from '../support/shop.ts';
import { thorough } from '../thorough.ts';
import { authorizationFor, delegationTo, headerOf, headerWith, randomAddress, signInAs } from './wallets.ts';
import { signAuthorization } from '../api/support/base.ts';

/** Open purchases that one payer may have, at most. */
const MAX_OPEN = 4;
const AT_ONCE = 7;
const COSTLY = (['BurnsTenMillionGas', 'NeverReturns', 'ReturnsOneMegabyte'] as const).slice(0, thorough(1, 3));
/** `make prove` tries 30. */
const NONCES = thorough(5, 30);

/** Far more than a transfer takes, far less than the attack burns. */
const MAX_GAS = 2_000_000n;
const CONTRACTS = ['AcceptsAnything', 'BurnsTenMillionGas', 'RefusesAll', 'NeverReturns'] as const;
const FEW = CONTRACTS.slice(0, thorough(2, 4));

describe('the wallets of contracts', () => {
  let shop: Shop;
  let selfShop: Shop;
  before(async () => {
    [shop, selfShop] = await Promise.all([openShop(), openShop({ mode: 'self' })]);
  });
  after(() => Promise.all([shop.close(), selfShop.close()]));

  describe('a contract wallet', () => {
    const walletOf = async (name: ContractName, at = shop): Promise<Hex> => {
      const address = randomAddress();
      await at.contract(address, codeOf(name));
      return address;
    };
    const present = async (payer: Hex, path: string, count: number, { url } = shop): Promise<Attempt[]> => {
      const asked = await fetchPaymentRequired(url + path);
      const headers = Array.from({ length: count }, () => headerOf(asked, payer, '0x1234'));
      return Promise.all(headers.map((header) => attempt(url + path, header, signInAs(payer))));
    };
    const openPurchases = async (payer: Hex): Promise<number> => {
      const own = (await shop.purchases()).filter((p) => p.payment.payer === payer.toLowerCase());
      return own.filter((p) => p.state === 'reserved' || p.state === 'settling').length;
    };
    const allRefused = (attempts: readonly Attempt[]): void => {
      assert.deepEqual(outcomes(attempts), { '402 contract_wallet_refused': attempts.length });
      for (const { json } of attempts) assert.equal(json['billed'], false);
    };

    it('that signs only at gas price 0 holds no leads, and has few open purchases of ordinary answers', async () => {
      const payer = await walletOf('ValidAtNoGasPrice');
      const attempts = await present(payer, EXCLUSIVE, AT_ONCE);
      allRefused(attempts);
      assert.equal((await shop.server.running.ledger.heldLeads(Date.now())).size, 0);
      const ordinary = await present(payer, DEALS, AT_ONCE);
      assert.ok((await openPurchases(payer)) <= MAX_OPEN, JSON.stringify(outcomes(ordinary)));
      const refused = ['402 payment_invalid', '402 contract_wallet_refused', '429 too_many_open_purchases'];
      for (const outcome of Object.keys(outcomes(ordinary)))
        assert.ok([...refused, '502 settlement_unknown'].includes(outcome), outcome);
      await checkBooks(shop, [...attempts, ...ordinary]);
    });

    it('with a costly signature check costs our own key no gas, and is refused before settlement', async () => {
      for (const name of [...COSTLY, 'AcceptsAnything'] as const) {
        const firstBlock = await selfShop.admin.getBlockNumber();
        const payer = await walletOf(name, selfShop);
        const lists = await present(payer, DEALS, 3, selfShop);
        const attempts = [...lists, ...(await present(payer, EXCLUSIVE, 1, selfShop))];
        assert.equal(await gasSpent(selfShop, firstBlock), 0n, name);
        allRefused(attempts);
        await checkBooks(selfShop, attempts);
      }
      for (const name of COSTLY) {
        const { settlements } = shop.facilitator;
        const [earlier, payer] = [settlements(), await walletOf(name)];
        const attempts = await present(payer, DEALS, 3);
        for (const { status, json } of attempts) assert.deepEqual([status, json['billed']], [402, false], name);
        assert.deepEqual([settlements(), await openPurchases(payer)], [earlier, 0], name);
        await checkBooks(shop, attempts);
      }
    });

    it('with a proper signature buys an ordinary answer, but no exclusive lead', async () => {
      const payer = await walletOf('AcceptsAnything');
      const ordinary = await present(payer, DEALS, 1);
      const exclusive = await present(payer, EXCLUSIVE, 1);
      await checkBooks(shop, [...ordinary, ...exclusive]);
      assert.deepEqual(outcomes(ordinary), { 200: 1 });
      allRefused(exclusive);
    });

    it('that accepts any signature gets no unpaid answer if the facilitator accepts its signatures', async () => {
      // The facilitator remembers pending settlements by signature, and reports one transaction for all of them.
      await using quick = closing(await openShop({ receiptTimeoutMs: 300 }));
      const payer = randomAddress();
      await quick.contract(payer, codeOf('AcceptsAnything'), DOLLAR / 10n);
      await quick.stopBlocks();
      const pending = await present(payer, DEALS, 1, quick);
      await quick.mine();
      await quick.admin.setAutomine(true);
      const gate = gated();
      quick.facilitator.behave(gate.behavior);
      const settlementsBefore = quick.facilitator.settlements();
      const asked = await fetchPaymentRequired(quick.url + DEALS);
      const headers = Array.from({ length: NONCES }, () => headerOf(asked, payer, '0x1234'));
      const others = headers.map((header) => attempt(quick.url + DEALS, header, signInAs(payer)));
      await untilHeldOrAnswered(quick, others, settlementsBefore);
      gate.open();
      const attempts = [...pending, ...(await Promise.all(others))];
      quick.facilitator.behave(honest);
      await checkBooks(quick, attempts);
      const seen = JSON.stringify(outcomes(attempts));
      for (const { status } of attempts) assert.ok([200, 402, 429, 502].includes(status), seen);
      assert.ok(attempts.filter(({ status }) => status === 200).length <= 2, seen);
    });
  });

  describe('a delegation', () => {
    /** A hook that throws would leave a test without its attack. */
    const delegated = new Set<string>();
    afterEach(() => {
      shop.facilitator.behave(honest);
      selfShop.node.before(null);
    });

    const delegate = async (
      buyer: Pick<Buyer, 'address'>,
      name: ContractName,
      { admin }: Pick<Shop, 'admin'> = shop,
    ): Promise<void> => {
      const contract = randomAddress();
      await admin.setCode({ address: contract, bytecode: codeOf(name) });
      await admin.setCode({ address: buyer.address, bytecode: delegationTo(contract) });
      delegated.add(buyer.address);
    };

    for (const name of FEW) {
      it(`to ${name} set between verification and settlement gives nothing unpaid`, async () => {
        const attempts: Attempt[] = [];
        for (const path of [DEALS, EXCLUSIVE]) {
          const buyer = await shop.buyer();
          shop.facilitator.behave(async (request) => {
            await delegate(buyer, name);
            await honest(request);
          });
          attempts.push(await attempt(shop.url + path, await buyer.sign(shop.url + path)));
          assert.ok(delegated.has(buyer.address));
        }
        await checkBooks(shop, attempts);
        for (const made of attempts) {
          const outcome = `${made.status} ${reasonOf(made)}`.trim();
          assert.ok(['200', '502 settlement_unknown'].includes(outcome), outcome);
        }
      });
    }

    it('set just before our own key sends or estimates the gas costs a bounded amount of gas', async () => {
      for (const name of FEW.slice(1))
        for (const methods of [
          ['eth_sendRawTransaction', 'eth_sendRawTransactionSync'],
          ['eth_estimateGas', 'eth_fillTransaction'],
        ]) {
          const buyer = await selfShop.buyer();
          const header = await buyer.sign(selfShop.url + DEALS);
          const firstBlock = await selfShop.admin.getBlockNumber();
          selfShop.node.before(async (method) => {
            if (methods.includes(method)) await delegate(buyer, name, selfShop);
          });
          const made = await attempt(selfShop.url + DEALS, header);
          selfShop.node.before(null);
          assert.ok(delegated.has(buyer.address));
          await checkBooks(selfShop, [made]);
          const gas = await gasSpent(selfShop, firstBlock);
          assert.ok(gas < MAX_GAS, `${gas} gas: ${made.status} ${reasonOf(made)}`);
        }
    });

    it('that exists before the payment makes the account a contract wallet, which buys no exclusive lead', async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      await shop.chain.mint(account.address, 5n * DOLLAR);
      await delegate(account, 'AcceptsAnything');
      const asked = await fetchPaymentRequired(shop.url + EXCLUSIVE);
      const authorization = authorizationFor(asked, account.address);
      const signature = await signAuthorization(account, authorization);
      const made = await attempt(shop.url + EXCLUSIVE, headerWith(asked, { signature, authorization }));
      assert.equal(`${made.status} ${reasonOf(made)}`, '402 contract_wallet_refused');
      assert.equal(made.json['billed'], false);
      await checkBooks(shop, [made]);
    });
  });
});
