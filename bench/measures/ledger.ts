/**
 * What a sale costs the ledger once it holds very many: the writes of whole sales, sixteen at the same time, into a ledger
 * on disk that holds 200,000 of them, against one that is nearly empty. Payers, nonces and answers are different each time,
 * so that nothing lies beside what was written last unless the ledger puts it there.
 */
import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { openSqliteLedger } from '../../ledger/sqlite/store.ts';
import { defineBench, type Size } from '../contract.ts';

const HELD: Readonly<Record<Size, number>> = { full: 200_000, quick: 10_000 };
const TIMED: Readonly<Record<Size, number>> = { full: 10_000, quick: 2_000 };
const AT_ONCE = 16;
const ANSWER_BYTES = 2_000;

const CHAIN = `0x${'cc'.repeat(32)}`;
const LIMITS = { balance: 1_000_000n, mostOpen: 20, mostUnpaid: 5 };

const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`;
const filler = 'a'.repeat(ANSWER_BYTES - 64);

/** One sale, from its reservation to the note of its delivery, for which nobody waits. @returns that note */
async function sell(ledger: Ledger): Promise<{ readonly noted: Promise<void> }> {
  const nowMs = Date.now();
  const begun = await ledger.begin({
    payment: {
      network: 'eip155:8453',
      asset: `0x${'aa'.repeat(20)}`,
      payer: hex(20),
      nonce: hex(32),
      payTo: `0x${'bb'.repeat(20)}`,
      amount: 50_000n,
      validBefore: BigInt(Math.floor(nowMs / 1000) + 290),
    },
    identifierHash: null,
    route: 'GET /api/deals',
    request: '/api/deals?state=OH',
    snapshotId: '2026-11-20.01',
    nowMs,
    leaseMs: 30_000,
    chain: CHAIN,
    limits: LIMITS,
  });
  const held = Buffer.from(randomBytes(32).toString('hex') + filler);
  const answer = {
    headers: { 'Content-Type': 'application/json' },
    sha256: hash('sha256', held, 'hex'),
    bytes: held.length,
    held,
    async *body() {
      yield held;
    },
  };
  if (begun.kind !== 'reserved' || !(await ledger.settling(begun.purchase.id, answer, nowMs)))
    throw new Error('a sale that nobody else wants was refused');
  await ledger.sold(begun.purchase.id, { transaction: hex(32), block: 1n }, nowMs);
  return { noted: ledger.delivered({ purchaseId: begun.purchase.id, kind: 'first', atMs: nowMs, complete: true }) };
}

/** Processor time of a sale in milliseconds, ledger and caller together, and sales per second. */
async function sales(ledger: Ledger, count: number): Promise<{ readonly processorMs: number; readonly rate: number }> {
  let left = count;
  const [startedMs, before] = [performance.now(), process.cpuUsage()];
  const notes: Promise<void>[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1;
        notes.push((await sell(ledger)).noted);
      }
    }),
  );
  await Promise.all(notes);
  const used = process.cpuUsage(before);
  return {
    processorMs: (used.user + used.system) / 1000 / count,
    rate: count / ((performance.now() - startedMs) / 1000),
  };
}

export default defineBench({
  name: 'ledger_growth',
  what: 'a sale written into a ledger on disk that holds 200,000 (quick: 10,000), sixteen at the same time',
  baseline: 'the same into one that holds a few thousand',
  unit: 'processor ms',
  target: { atMost: 1.5 },
  repetitions: { full: 5, quick: 1 },
  async open(size) {
    const folder = mkdtempSync(join(tmpdir(), 'dealfeed-bench-ledger-'));
    const large = await openSqliteLedger(join(folder, 'large.sqlite'));
    await sales(large, HELD[size]);
    let number = 0;
    return {
      async measure() {
        const small = await openSqliteLedger(join(folder, `${(number += 1)}.sqlite`));
        await sales(small, TIMED[size] / 4);
        const baseline = await sales(small, TIMED[size]);
        await small.close();
        const ours = await sales(large, TIMED[size]);
        return {
          ours: ours.processorMs,
          baseline: baseline.processorMs,
          also: { sales_per_s: ours.rate, baseline_sales_per_s: baseline.rate },
        };
      },
      async close() {
        await large.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
});
