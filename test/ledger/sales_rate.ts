/**
 * Measures the sales per second of both ledgers (begin, settling and sold, with an answer of 2 kB): the median of
 * RUNS=5 runs of SALES=1000 sales, with one and with 16 concurrent callers.
 *   node test/ledger/sales_rate.ts
 */
import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { openServingLedger } from '../../ledger/open.ts';
import { startPostgres } from './postgres_started.ts';

const RUNS = Number(process.env['RUNS'] ?? 5);
const SALES = Number(process.env['SALES'] ?? 1000);
const ANSWER_BYTES = 2_000;

const CHAIN = `0x${'cc'.repeat(32)}`;
const LIMITS = { balance: 1_000_000n, maxOpen: 20 };

const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`;

async function sell(ledger: Ledger): Promise<void> {
  const nowMs = Date.now();
  const begun = await ledger.begin({
    payment: {
      network: 'eip155:8453',
      asset: `0x${'aa'.repeat(20)}`,
      payTo: `0x${'bb'.repeat(20)}`,
      payer: hex(20),
      nonce: hex(32),
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
  const buffer = Buffer.from(randomBytes(ANSWER_BYTES / 2).toString('hex'));
  const headers = { 'Content-Type': 'application/json' };
  const answer = {
    headers,
    sha256: hash('sha256', buffer, 'hex'),
    bytes: buffer.length,
    buffer,
    async *body() {
      yield buffer;
    },
  };
  if (begun.kind !== 'reserved' || !(await ledger.startSettling(begun.purchase.id, answer, nowMs)))
    throw new Error('the sale was refused');
  await ledger.markSold(begun.purchase.id, { transaction: hex(32), block: 1n }, nowMs);
}

async function salesPerSecond(ledger: Ledger, callers: number, sales: number): Promise<number> {
  let left = sales;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (; left > 0;) {
        left -= 1;
        await sell(ledger);
      }
    }),
  );
  return sales / ((performance.now() - startedMs) / 1000);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-sales-rate-'));
const server = await startPostgres();
try {
  for (const [name, place] of [
    ['SQLite', join(folder, 'ledger.sqlite')],
    ['PostgreSQL', await server.database()],
  ] as const) {
    const ledger = await openServingLedger({ DATA_DIR: join(folder, name), LEDGER: place });
    await salesPerSecond(ledger, 16, 100);
    for (const callers of [1, 16]) {
      const rates: number[] = [];
      for (let run = 0; run < RUNS; run += 1) rates.push(await salesPerSecond(ledger, callers, SALES));
      const shown = rates.map((rate) => rate.toFixed(0)).join(', ');
      process.stdout.write(
        `${name}, ${callers} concurrent: ${median(rates).toFixed(0)} sales per second (runs: ${shown})\n`,
      );
    }
    await ledger.close();
  }
} finally {
  await server.remove();
  rmSync(folder, { recursive: true });
}
