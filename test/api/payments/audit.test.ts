/**
 * Every transfer pays at most one purchase, and every sold purchase has its transfer. On the real local chain.
 * ledger/simulation.test.ts has auditors at once, reorganizations at any moment, and nodes that are away.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Hex } from 'viem';
import { privateKeyToAddress, generatePrivateKey } from 'viem/accounts';
import { auditPass, type Auditor, type AuditPass } from '../../../api/payments/audit/audit.ts';
import { watchAudit, watchSettlements, watchToken } from '../../../api/payments/audit/watchers.ts';
import { paymentHealth } from '../../../api/payments/health.ts';
import { differencesOf } from '../../../ledger/differences.ts';
import { resolve } from '../../../api/payments/audit/reconcile.ts';
import type { BookedTransfer, Ledger, Purchase } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { ledgerProblems } from '../../../pipelines/operate/health.ts';
import { AMOUNT, startChainPayments, THEM, type ChainPayments } from '../support/chain_payments.ts';

const NONE: AuditPass['booked'] = { matched: 0, owed: 0, resolved: 0, dust: 0 };
const folder = mkdtempSync(join(tmpdir(), 'dealfeed-audit-'));

describe('the audit', () => {
  let on: ChainPayments;
  /** Each test has a ledger and an account of its own, to which nothing was ever transferred. */
  let [ledger, payTo, files]: [Ledger, Hex, number] = [undefined as never, '0x', 0];
  const auditor = (more: Partial<Auditor> = {}): Auditor => ({
    ledger,
    chain: on.payments,
    payTo,
    holder: 'a',
    nowMs: Date.now,
    ...more,
  });
  const pass = (more?: Partial<Auditor>): Promise<AuditPass> => auditPass(auditor(more));
  const differences = async (): Promise<string[]> => {
    const found = await differencesOf(ledger, { chain: await on.payments.id(), payTo });
    return found.map((d) => `${d.kind} ${d.kind === 'owed' ? d.transfer.transaction : d.purchase.id}`);
  };
  const settling = (nowMs = Date.now()): Promise<Purchase> => on.settling(ledger, { payTo, nowMs });
  const stateOf = async ({ id }: Purchase): Promise<Purchase> =>
    (await ledger.find({ id })) ?? assert.fail('the purchase is gone');
  const booked = async (): Promise<BookedTransfer[]> => Array.fromAsync(ledger.transfers(null));
  /** Sell by what the chain shows at its latest block. */
  const sell = async (purchase: Purchase): Promise<Purchase> => {
    const reconciler = { ledger, chain: on.payments, money: 'test', nowMs: Date.now } as const;
    assert.equal(await resolve(reconciler, await stateOf(purchase)), 'sold');
    return stateOf(purchase);
  };
  const sold = async (): Promise<Purchase> => {
    const purchase = await settling();
    await on.pay(purchase.payment);
    return sell(purchase);
  };
  const within =
    (work: (path: string) => Promise<void>): (() => Promise<void>) =>
    async () => {
      payTo = privateKeyToAddress(generatePrivateKey()).toLowerCase() as Hex;
      const path = join(folder, `${(files += 1)}.sqlite`);
      ledger = await openSqliteLedger(path);
      try {
        await work(path);
      } finally {
        await ledger.close();
      }
    };

  before(async () => {
    on = await startChainPayments();
  });
  after(async () => {
    await on.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'books a transfer once its block is final, and sells the purchase that it pays',
    within(async () => {
      const purchase = await settling();
      const { transactionHash, blockNumber } = await on.pay(purchase.payment);
      assert.deepEqual((await pass()).booked, NONE, 'its block may be replaced');
      await on.mine(1);
      assert.deepEqual((await pass()).booked, NONE, 'it is safe, not final');
      await on.mine(1);
      const through = await on.payments.finalBlock();
      assert.deepEqual(await pass(), {
        isAuditor: true,
        booked: { ...NONE, matched: 1 },
        sentByOthers: 0,
        isBehind: false,
        through,
      });
      const { state, transaction, block } = await stateOf(purchase);
      assert.deepEqual([state, transaction, block], ['sold', transactionHash, blockNumber]);
      assert.deepEqual((await pass()).booked, NONE);
      assert.deepEqual(await differences(), []);
    }),
  );

  it(
    'a transfer for a released purchase sells it, or is owed where that cannot be',
    within(async () => {
      const [good, lost] = [await settling(), await settling()];
      for (const { id } of [good, lost]) await ledger.release(id, 'not_sent', Date.now());
      await on.pay(good.payment);
      await on.mine(2);
      assert.deepEqual((await pass()).booked, { ...NONE, matched: 1 });
      assert.equal((await stateOf(good)).state, 'sold');
      assert.ok(await ledger.answerOf(good.id));
      assert.deepEqual(await differences(), []);

      const late = await on.pay(lost.payment);
      await on.mine(2);
      assert.ok((await ledger.forgetAnswers(Number(lost.payment.validBefore + 1n) * 1000)) > 0);
      assert.deepEqual((await pass()).booked, { ...NONE, owed: 1 });
      assert.equal((await stateOf(lost)).state, 'released');
      assert.deepEqual(await differences(), [`owed ${late.transactionHash}`]);
      const [owed] = (await booked()).filter(({ kind }) => kind === 'owed');
      assert.ok(owed);
      assert.deepEqual([owed.payer, owed.amount, owed.nonce], [on.payer, AMOUNT, lost.payment.nonce]);
      assert.equal(await ledger.settleDebt(owed, 'refunded'), true);
      assert.deepEqual(await differences(), []);
    }),
  );

  it(
    'names the same problems in /health as in make status',
    within(async (path) => {
      const [lost, unpaid] = [await settling(), await settling()];
      await ledger.release(lost.id, 'not_sent', Date.now());
      assert.ok((await ledger.forgetAnswers(Number(lost.payment.validBefore + 1n) * 1000)) > 0);
      const { blockNumber } = await on.pay(lost.payment);
      await ledger.markSold(unpaid.id, { transaction: `0x${'9'.repeat(64)}`, block: blockNumber }, Date.now());
      const stuck = await settling(Date.now() - 3_600_000);
      await ledger.markUnknown(stuck.id, 'not_seen', null);
      await on.mine(2);
      const options = { ...auditor(), money: 'test' } as const;
      const [audit, watch] = [watchAudit(options), watchSettlements(options)];
      const token = watchToken(on.payments, payTo, () => undefined);
      await Promise.all([audit.pass(), watch.pass()]);
      const health = paymentHealth({ ledger, audit, watch, token, chain: on.payments, facilitator: {} }, Date.now);
      const { warnings, unresolved } = await health();
      await Promise.all([audit.stop(), watch.stop(), token.stop()]);
      const expected = ['sales_unpaid', 'settlement_unknown', 'transfers_owed'];
      assert.deepEqual([warnings.map(({ code }) => code).sort(), unresolved], [expected, 1]);
      const problems = await ledgerProblems({ DATA_DIR: folder, LEDGER: path });
      assert.deepEqual(problems.map(({ kind }) => kind).sort(), expected);
    }),
  );

  it(
    'the first audit begins an hour before the first purchase of this chain and account',
    within(async () => {
      await on.plainTransfer(payTo, 1n);
      const { timestamp } = await on.chain.reader.getBlock({ blockTag: 'latest' });
      await on.mineAt(timestamp + 10_000n);
      await on.plainTransfer(payTo, 2n);
      const startMs = Number(timestamp + 10_000n + 3_600n) * 1000;
      const elsewhere = await on.settling(ledger, { nowMs: 0, payTo: THEM });
      await ledger.release(elsewhere.id, 'not_sent', 1);
      const purchase = await settling(startMs);
      await on.pay(purchase.payment);
      await on.mine(2);
      assert.deepEqual((await pass()).booked, { ...NONE, matched: 1, dust: 1 });
      assert.deepEqual(
        (await booked()).map(({ amount }) => amount),
        [2n, AMOUNT],
      );
    }),
  );

  it(
    'a purchase whose payment a reorganization removed is unpaid until it is paid again',
    within(async () => {
      const [kept, removed] = [await sold(), await sold()];
      await on.reorganize(1);
      await on.mine(3);
      assert.deepEqual((await pass()).booked, { ...NONE, matched: 1 });
      assert.deepEqual(await differences(), [`unpaid ${removed.id}`]);
      assert.equal((await stateOf(kept)).state, 'sold');
      await on.pay(removed.payment);
      await pass();
      assert.deepEqual(await differences(), [], 'it is in a block that is not final yet');
      await on.mine(2);
      assert.deepEqual((await pass()).booked, { ...NONE, matched: 1 });
      assert.deepEqual(await differences(), []);
    }),
  );
});
