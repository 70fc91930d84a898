/**
 * What the real local chain shows, and nothing else, ends a purchase: receipts and logs as a broken or lying node
 * returns them, clocks that are wrong, and the audit of transfers. ledger/simulation.test.ts has reorganizations,
 * nodes that are away and auditors at once.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, afterEach, it } from 'node:test';
import { pad, type Hex, type TransactionReceipt } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { base, baseSepolia } from 'viem/chains';
import { auditPass, type AuditPass, type Auditor } from '../../../api/payments/audit/audit.ts';
import {
  reconcile,
  type Pass,
  type Reconciler,
  watchAudit,
  watchSettlements,
  watchToken,
} from '../../../api/payments/audit/watchers.ts';
import { MULTICALL } from '../../../api/payments/chain/node.ts';
import { paymentChain, type ChainReader, type PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { paymentHealth } from '../../../api/payments/health.ts';
import { differencesOf } from '../../../ledger/differences.ts';
import type { Ledger, Purchase } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { BASE, BASE_SEPOLIA } from '../../../lib/network.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts';
import { ledgerProblems } from '../../../pipelines/operate/health.ts';
import { thorough } from '../../thorough.ts';
import { AMOUNT, startChainPayments, US, THEM, type ChainPayments } from '../support/chain_payments.ts';

type Plain = Record<string, unknown>;

const OTHER_HASH: Hex = `0x${'2'.repeat(64)}`;
/** Index of the payment's events in its receipt. */
const [USED, MOVED] = [0, 1];
const NONE: AuditPass['booked'] = { matched: 0, owed: 0, resolved: 0, dust: 0 };

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-chain-'));
let on: ChainPayments;
/** Each test has a ledger and an account of its own, to which nothing was ever transferred. */
let [ledger, payTo, path]: [Ledger, Hex, string] = [undefined as never, '0x', ''];
before(async () => {
  on = await startChainPayments();
});
beforeEach(async () => {
  payTo = privateKeyToAddress(generatePrivateKey()).toLowerCase() as Hex;
  path = join(folder, `${payTo}.sqlite`);
  ledger = await openSqliteLedger(path);
});
afterEach(() => ledger.close());
after(async () => {
  await on.close();
  rmSync(folder, { recursive: true, force: true });
});

const settling = (more: { seconds?: bigint; nowMs?: number } = {}): Promise<Purchase> =>
  on.settling(ledger, { payTo, ...more });
const stateOf = async ({ id }: Purchase): Promise<Purchase> =>
  (await ledger.find({ id })) ?? assert.fail('the purchase is gone');
const pass = (more: Partial<Reconciler> = {}, settlementMs = 0): Promise<Pass> =>
  reconcile({ ledger, chain: on.payments, money: 'test', nowMs: Date.now, ...more }, settlementMs);
const ended = (more: Partial<Pass>): Pass => ({ sold: 0, released: 0, waiting: 0, failure: null, ...more });
const auditor = (): Auditor => ({ ledger, chain: on.payments, payTo, holder: 'a', nowMs: Date.now });
const booked = async (): Promise<AuditPass['booked']> => (await auditPass(auditor())).booked;

/** A copy with another value at a path. */
function changed<T>(original: T, steps: readonly (string | number)[], value: unknown): T {
  const copy = structuredClone(original);
  let at = copy as Plain;
  for (const step of steps.slice(0, -1)) at = at[step] as Plain;
  at[steps.at(-1) ?? ''] = value;
  return copy;
}
const reading = (client: Partial<ChainReader>): PaymentChain => paymentChain({ ...on.chain.reader, ...client });
const withReceipt = (wrong: unknown): PaymentChain =>
  reading({ getTransactionReceipt: (async () => wrong) as unknown as ChainReader['getTransactionReceipt'] });
const orNone = (error: unknown): string => {
  assert.equal((error as Error).name, 'ChainUnavailable');
  return 'unavailable';
};

it('a receipt with any field changed is evidence only if that field says nothing about the payment', async () => {
  const { payment } = await on.settling(ledger);
  const receipt: TransactionReceipt = await on.pay(payment);
  const transfersIn = (chain: PaymentChain) => chain.incomingTransfers(US, receipt.blockNumber, receipt.blockNumber);
  await on.mine(4);
  /** Whether the value is the one that the receipt has there. */
  const isSame = (steps: readonly (string | number)[], value: unknown): boolean => {
    let original: unknown = receipt;
    for (const step of steps) original = (original as Plain)[step];
    return original === value;
  };
  const said = ['status', 'transactionHash', 'blockNumber', 'blockHash'].map((name) => [name]);
  const ofLog = ['address', 'data', 'blockNumber', 'blockHash', 'transactionHash', 'logIndex'];
  const ofLogs = [USED, MOVED].flatMap((i) => [
    ...ofLog.map((name) => ['logs', i, name]),
    ...[0, 1, 2].map((topic) => ['logs', i, 'topics', topic]),
  ]);
  const silent = ['gasUsed', 'logsBloom', 'type', 'effectiveGasPrice', 'contractAddress'].map((name) => [name]);
  // AuthorizationUsed has no data.
  const paths = [...said, ...ofLogs, ...silent].filter((steps) => steps.join() !== `logs,${USED},data`);
  const values = [null, undefined, OTHER_HASH, THEM, pad(THEM), pad('0x1'), 0, 1n, 77, 77n, 'reverted', '0x', [], {}];
  const removed = [USED, MOVED].map((i) => [['logs', i, 'removed'], true] as const);
  const all = paths.flatMap((steps) => values.map((value) => [steps, value] as const));
  for (const [steps, value] of [...removed, ...all.filter((_, i) => thorough(i % 5 === 0, true))]) {
    const chain = withReceipt(changed(receipt, steps, value));
    const isSilent = silent.some((field) => field.join() === steps.join()) || isSame(steps, value);
    const name = `${steps.join('.')} = ${String(value)}`;
    for (const transaction of [receipt.transactionHash, null]) {
      const evidence = await chain.evidenceOf(payment, { transaction }).then(({ kind }) => kind, orNone);
      assert.equal(evidence === 'paid', isSilent, name);
    }
    const audited = await transfersIn(chain).then(
      (transfers) => (transfers.some(({ nonce }) => nonce === payment.nonce) ? 'paid' : 'paid by nobody'),
      orNone,
    );
    // Without its other event, a transfer is a plain one.
    const isPlain = steps[1] === USED && audited === 'paid by nobody';
    assert.equal(isPlain ? 'unavailable' : audited, isSilent ? 'paid' : 'unavailable', name);
  }
  // A transfer that the node lists and that is no longer there, or is another, stops the audit.
  for (const [field, value] of [
    ['removed', true],
    ['blockNumber', null],
    ['blockNumber', 1n],
    ['transactionHash', OTHER_HASH],
    ['logIndex', 77],
  ] as const) {
    const getLogs = (async (filter: never) =>
      (await on.chain.reader.getLogs(filter)).map((log) => ({ ...log, [field]: value }))) as never;
    await assert.rejects(transfersIn(reading({ getLogs })), { name: 'ChainUnavailable' }, field);
  }
});

it('/health names the same problems as make status', async () => {
  const [lost, unpaid] = [await settling(), await settling()];
  await ledger.release(lost.id, 'not_sent', Date.now());
  assert.ok((await ledger.forgetAnswers(Number(lost.payment.validBefore + 1n) * 1000)) > 0);
  const { blockNumber } = await on.pay(lost.payment);
  await ledger.markSold(unpaid.id, { transaction: `0x${'9'.repeat(64)}`, block: blockNumber }, Date.now());
  const stuck = await settling({ nowMs: Date.now() - 3_600_000 });
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
});

it("a purchase waits for a safe block after its payment expires, whatever this machine's clock says", async () => {
  const purchase = await settling({ seconds: 60n });
  const year = 365 * DAY_MS;
  for (const now of [Date.now() + year, Date.now(), Date.now() - year])
    assert.deepEqual(await pass({ nowMs: () => now }), ended({ waiting: 1 }));
  await on.mineAt(purchase.payment.validBefore - 1n);
  await on.mineAt(purchase.payment.validBefore);
  // The latest block is late enough but may be replaced; the safe one is a second too early.
  assert.deepEqual(await pass(), ended({ waiting: 1 }));
  await on.mineAt(purchase.payment.validBefore + 1n);
  assert.deepEqual(await pass({ nowMs: () => Date.now() - year }), ended({ released: 1 }));
  assert.equal((await stateOf(purchase)).why, 'expired_unused');
  await assert.rejects(on.pay(purchase.payment), /authorization is expired/);
});

it('a node of another chain, or one that fails, ends no purchase, and no library message is repeated', async () => {
  const purchase = await settling();
  await on.pay(purchase.payment);
  const other = paymentChain({ ...on.chain.reader, getChainId: async () => 1 });
  const faulty = async (): Promise<never> => {
    throw new Error('https://user:key@node.example failed');
  };
  for (const [chain, failure] of [
    [other, 'the node serves chain 1, expected 8453'],
    [{ ...on.payments, evidenceOf: faulty }, 'an unexpected error; see the log'],
  ] as const)
    assert.deepEqual(await pass({ chain }), ended({ waiting: 1, failure }));
  assert.deepEqual(await pass({}, HOUR_MS), ended({}), 'its request may still settle it');
  await ledger.markUnknown(purchase.id, 'not_seen', null);
  assert.deepEqual(await pass({}, HOUR_MS), ended({ sold: 1 }));
});

it('a sandbox chain that is gone releases its test purchases, and never those paid with real money', async () => {
  const [gone, real] = [await settling(), await settling()];
  const another = { ...on.payments, id: async () => `0x${'e'.repeat(64)}` };
  await on.mined(await on.authorizedInParts(real.payment));
  assert.deepEqual(await pass({ money: 'real', chain: another }), ended({ sold: 1, waiting: 1 }));
  assert.deepEqual(await pass({ chain: another }), ended({ released: 1 }));
  assert.equal((await stateOf(gone)).why, 'chain_gone');
});

it('the audit records a transfer once its block is final, and marks its purchase as sold', async () => {
  const [good, lost] = [await settling(), await settling()];
  const { transactionHash, blockNumber } = await on.pay(good.payment);
  for (const { id } of [good, lost]) await ledger.release(id, 'not_sent', Date.now());
  assert.deepEqual(await booked(), NONE, 'its block may be replaced');
  await on.mine(1);
  assert.deepEqual(await booked(), NONE, 'it is safe, not final');
  await on.mine(1);
  assert.deepEqual(await booked(), { ...NONE, matched: 1 });
  const { state, transaction, block } = await stateOf(good);
  assert.deepEqual([state, transaction, block], ['sold', transactionHash, blockNumber]);
  assert.deepEqual(await booked(), NONE);
  // Where the answer is gone, the transfer is owed.
  await on.pay(lost.payment);
  await on.mine(2);
  assert.ok((await ledger.forgetAnswers(Number(lost.payment.validBefore + 1n) * 1000)) > 0);
  assert.deepEqual(await booked(), { ...NONE, owed: 1 });
  assert.equal((await stateOf(lost)).state, 'released');
  const [owed] = await differencesOf(ledger, { chain: await on.payments.id(), payTo });
  assert.ok(owed?.kind === 'owed');
  const { payer, amount, nonce } = owed.transfer;
  assert.deepEqual([payer, amount, nonce], [on.payer, AMOUNT, lost.payment.nonce]);
});

it('the first audit begins an hour before the first purchase of this chain and account', async () => {
  await on.plainTransfer(payTo, 1n);
  const { timestamp } = await on.chain.reader.getBlock({ blockTag: 'latest' });
  await on.mineAt(timestamp + 10_000n);
  await on.plainTransfer(payTo, 2n);
  const elsewhere = await on.settling(ledger, { nowMs: 0, payTo: THEM });
  await ledger.release(elsewhere.id, 'not_sent', 1);
  await on.pay((await settling({ nowMs: Number(timestamp + 13_600n) * 1000 })).payment);
  await on.mine(2);
  assert.deepEqual(await booked(), { ...NONE, matched: 1, dust: 1 });
});

it('the audit catches up after a long outage in several passes, without skipping or repeating a block', async () => {
  const final = 47_321n;
  const blocks = Array.from({ length: 1_893 }, (_, i) => BigInt(i) * 25n);
  const payer = `0x${'b'.repeat(40)}`;
  const transferIn = (block: bigint) => ({
    transaction: pad(`0x${block.toString(16)}`),
    block,
    logIndex: 0,
    payer,
    nonce: null,
    amount: block,
    sender: payer,
    receiver: payTo,
  });
  const chain: PaymentChain = {
    ...on.payments,
    finalBlock: async () => ({ block: final, seconds: 1 }),
    firstBlockAt: async () => 0n,
    incomingTransfers: async (_, from, to) => blocks.filter((n) => n >= from && n <= to).map(transferIn),
  };
  const passes: AuditPass[] = [];
  for (let i = 0; i < 4; i += 1) passes.push(await auditPass({ ...auditor(), chain }));
  assert.deepEqual(
    passes.map(({ isBehind, through }) => [isBehind, through?.block]),
    [19_999n, 39_999n, final, final].map((block) => [block < final, block]),
  );
  const found = await Array.fromAsync(ledger.transfers(null));
  assert.deepEqual(
    found.map(({ block }) => block),
    blocks,
  );
});

it('both networks have the contract that batches calls', () => {
  for (const [network, chain] of [
    [BASE, base],
    [BASE_SEPOLIA, baseSepolia],
  ] as const)
    assert.deepEqual([network.chainId, MULTICALL], [chain.id, chain.contracts.multicall3.address]);
});
