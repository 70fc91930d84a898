/** The chain ends a purchase of unknown outcome; the clock of this machine never does. On the real local chain. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { base, baseSepolia } from 'viem/chains';
import { ChainUnavailable, evmChainOf, MULTICALL } from '../../../api/payments/chain/node.ts';
import { paymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { reconcile, type Pass, type Reconciler } from '../../../api/payments/audit/reconcile.ts';
import type { Ledger, Purchase } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { BASE, BASE_SEPOLIA } from '../../../lib/network.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts';
import { AMOUNT, startChainPayments, THEM, US, type ChainPayments } from '../support/chain_payments.ts';

it('the chains are those of viem, without the parts that nothing here uses', () => {
  const unused = ['contracts', 'extend', 'blockExplorers', 'rpcUrls', 'sourceId'];
  const used = (chain: object): object =>
    Object.fromEntries(Object.entries(chain).filter(([name]) => !unused.includes(name)));
  assert.deepEqual(used(evmChainOf(BASE)), used(base));
  for (const [network, chain] of [
    [BASE, base],
    [BASE_SEPOLIA, baseSepolia],
  ] as const) {
    assert.equal(evmChainOf(network).id, chain.id);
    assert.equal(MULTICALL, chain.contracts.multicall3.address);
  }
});

const sold = (count: number): Pass => ({ sold: count, released: 0, waiting: 0, failure: null });
const released = (count: number): Pass => ({ sold: 0, released: count, waiting: 0, failure: null });
const waiting = (count: number, failure: string | null = null): Pass => ({
  sold: 0,
  released: 0,
  waiting: count,
  failure,
});

describe('the reconciler', () => {
  let on: ChainPayments;
  let ledger: Ledger;
  const pass = (more: Partial<Reconciler> = {}, settlementMs = 0): Promise<Pass> => {
    return reconcile({ ledger, chain: on.payments, money: 'test', nowMs: Date.now, ...more }, settlementMs);
  };
  const settling = (seconds = 300n): Promise<Purchase> => on.settling(ledger, { seconds });
  const stateOf = async ({ id }: Purchase): Promise<Purchase> =>
    (await ledger.find({ id })) ?? assert.fail('the purchase is gone');

  before(async () => {
    on = await startChainPayments();
    ledger = await openSqliteLedger(':memory:');
  });
  after(async () => {
    await ledger.close();
    await on.close();
  });

  it('finds the payment, and writes down its transaction and block', async () => {
    const purchase = await settling();
    const { transactionHash, blockNumber } = await on.pay(purchase.payment);
    assert.deepEqual(await pass(), sold(1));
    const { state, transaction, block } = await stateOf(purchase);
    assert.deepEqual([state, transaction, block], ['sold', transactionHash, blockNumber]);
  });

  it('finds it by the transaction that was named, and in the other form of the call', async () => {
    const purchase = await settling();
    const { transactionHash, blockNumber } = await on.mined(await on.authorizedInParts(purchase.payment));
    await ledger.markUnknown(purchase.id, 'not_seen', transactionHash);
    assert.deepEqual(await pass(), sold(1));
    const { transaction, block } = await stateOf(purchase);
    assert.deepEqual({ transaction, block }, { transaction: transactionHash, block: blockNumber });
  });

  it('releases a payment whose nonce was spent on someone else, or on less, once that block is safe', async () => {
    for (const [to, value] of [
      [THEM, AMOUNT],
      [US, AMOUNT - 1n],
    ] as const) {
      const purchase = await settling();
      await on.mined(await on.authorized(purchase.payment, to, value));
      assert.deepEqual(await pass(), waiting(1), 'its block may still be replaced');
      await on.mine(1);
      assert.deepEqual(await pass(), released(1));
      const { state, why } = await stateOf(purchase);
      assert.deepEqual({ state, why }, { state: 'released', why: 'used_elsewhere' });
    }
  });

  it("waits for a safe block past the payment's end, wherever the clock of this machine stands", async () => {
    const purchase = await settling(60n);
    const year = 365 * DAY_MS;
    for (const now of [Date.now() + year, Date.now(), Date.now() - year]) {
      assert.deepEqual(await pass({ nowMs: () => now }), waiting(1));
    }
    await on.mineAt(purchase.payment.validBefore - 1n);
    await on.mineAt(purchase.payment.validBefore);
    // The latest block is late enough but may be replaced; the safe one is a second too early.
    assert.deepEqual(await pass(), waiting(1));
    await on.mineAt(purchase.payment.validBefore + 1n);
    assert.deepEqual(await pass({ nowMs: () => Date.now() - year }), released(1));
    assert.equal((await stateOf(purchase)).why, 'expired_unused');
    await assert.rejects(on.pay(purchase.payment), /authorization is expired/);
  });

  it('takes nothing from a node of another chain, and ends nothing where the chain cannot be read', async () => {
    const purchase = await settling();
    await on.pay(purchase.payment);
    const other = paymentChain({ ...on.chain.reader, getChainId: async () => 1 });
    assert.deepEqual(await pass({ chain: other }), waiting(1, 'the node serves chain 1, expected 8453'));
    const away = async (): Promise<never> => {
      throw new ChainUnavailable('the node did not respond in time');
    };
    assert.deepEqual(
      await pass({ chain: { ...on.payments, evidenceOf: away } }),
      waiting(1, 'the node did not respond in time'),
    );
    const faulty = async (): Promise<never> => {
      throw new Error('https://user:key@node.example failed');
    };
    const unexpected = waiting(1, 'an unexpected error; see the log');
    assert.deepEqual(
      await pass({ chain: { ...on.payments, evidenceOf: faulty } }),
      unexpected,
      "a library's text is not repeated",
    );
    assert.equal((await stateOf(purchase)).state, 'settling');
    assert.deepEqual(await pass(), sold(1));
  });

  it('releases test purchases of a sandbox chain that is gone, and never purchases paid with real money', async () => {
    const [gone, real] = [await settling(), await settling()];
    const another = { ...on.payments, id: async () => `0x${'e'.repeat(64)}` };
    await on.pay(real.payment);
    const ofRealMoney = await pass({ money: 'real', chain: another });
    assert.deepEqual(ofRealMoney, { ...sold(1), waiting: 1 }, "the chain's id ends no purchase paid with real money");
    assert.deepEqual(await pass({ chain: another }), released(1));
    assert.equal((await stateOf(gone)).why, 'chain_gone');
  });

  it('leaves a purchase alone while its request may settle it, unless its outcome was noted as unknown', async () => {
    const purchase = await settling();
    await on.pay(purchase.payment);
    assert.deepEqual(await pass({}, HOUR_MS), waiting(0));
    await ledger.markUnknown(purchase.id, 'not_seen', null);
    assert.deepEqual(await pass({}, HOUR_MS), sold(1));
  });
});
