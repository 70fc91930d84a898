/** What status says of the ledger, over a real one. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256 } from '../../lib/files.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { DAY_MS } from '../../lib/time.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { readFigures, formatReport } from '../../ledger/report.ts';
import { purchaseRow } from '../../ledger/records.ts';
import { chainIdentity, knownNetwork, usdOf } from '../../lib/network.ts';
import { CHAIN, payment, purchaseIn } from '../ledger/purchases.ts';
import { ACCOUNT, bookAll, transferFor } from '../ledger/transfer_booking.ts';
import { ledgerState, soldSnapshots } from '../../pipelines/operate/earnings.ts';
import { checkHealth } from '../../pipelines/operate/health.ts';
import { formatHealth } from '../../pipelines/commands/status_format.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const body = new TextEncoder().encode('[]');
const answer = {
  headers: {},
  sha256: sha256(body),
  bytes: body.length,
  async *body() {
    yield body;
  },
};

/** A purchase that was sent for settlement, and sold unless it is open; `clockMs` is its server's clock. */
async function buys(
  ledger: Ledger,
  n: number,
  atMs: number,
  snapshotId: string,
  amount: bigint,
  open = false,
  clockMs = atMs,
): Promise<string> {
  const begun = await ledger.begin({
    payment: {
      network: 'eip155:8453',
      asset: `0x${'a'.repeat(40)}`,
      payer: `0x${'b'.repeat(40)}`,
      nonce: `0x${String(n).padStart(64, '0')}`,
      payTo: `0x${'c'.repeat(40)}`,
      amount,
      validBefore: BigInt(Math.floor(atMs / 1000) + 60),
    },
    route: 'GET /api/deals',
    request: '/api/deals',
    snapshotId,
    identifierHash: null,
    nowMs: clockMs,
    leaseMs: 60_000,
    chain: `0x${'d'.repeat(64)}`,
    limits: { balance: 1_000_000_000n, maxOpen: 100, maxUnpaid: 100 },
  });
  if (begun.kind !== 'reserved') throw new Error(`payment ${n} is ${begun.kind}`);
  await ledger.startSettling(begun.purchase.id, answer, clockMs);
  if (!open)
    await ledger.markSold(
      begun.purchase.id,
      { transaction: `0x${String(n).padStart(64, '0')}`, block: BigInt(n) },
      atMs,
    );
  return begun.purchase.id;
}

test('sales are summed by day, by month and in total, exactly', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'dealfeed-earned-'));
  assert.equal(await ledgerState({ DATA_DIR }, NOW), null, 'no ledger is no trouble, and none is made by looking');
  const ledger = await openLedger({ DATA_DIR });
  await buys(ledger, 1, NOW - 1000, '2026-11-21.01', 50_000n);
  await buys(ledger, 2, NOW - 3 * DAY_MS, '2026-11-18.01', 250_000n);
  await buys(ledger, 3, NOW - 40 * DAY_MS, '2026-10-12.01', 5_000_000n);
  const stuck = await buys(ledger, 5, NOW - DAY_MS, '2026-11-20.01', 50_000n, true);
  await buys(ledger, 6, NOW - 1000, '2026-11-21.01', 50_000n, true);
  const ahead = await buys(ledger, 7, NOW - DAY_MS, '2026-11-20.01', 50_000n, true, NOW + 9 * DAY_MS);
  await ledger.close();
  const state = (await ledgerState({ DATA_DIR }, NOW)) ?? assert.fail('there is a ledger');
  assert.deepEqual(
    [state.earnings?.day, state.earnings?.month, state.earnings?.all],
    [
      { calls: 1, usd: '0.05' },
      { calls: 2, usd: '0.30' },
      { calls: 3, usd: '5.30' },
    ],
  );
  assert.deepEqual(
    state.problems.map((t) => [t.kind, t.subject, t.level]),
    [
      ['settlement_unknown', stuck, 'critical'],
      ['settlement_unknown', ahead, 'critical'],
    ],
    'one that was sent a second ago is not in doubt yet; one that was sent by a server whose clock is ahead is',
  );
  assert.match(
    state.problems[0]?.message ?? '',
    /GET \/api\/deals for \$0\.05 was sent for settlement at 2026-11-20T12:00:00\.000Z and its outcome is unknown/,
  );
  assert.deepEqual([...(await soldSnapshots({ DATA_DIR }))].sort(), [
    '2026-10-12.01',
    '2026-11-18.01',
    '2026-11-20.01',
    '2026-11-21.01',
  ]);
});

test('test money never counts as earnings; without a record of the payment mode, earnings are unknown', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'dealfeed-earned-'));
  const ledger = await openLedger({ DATA_DIR });
  await buys(ledger, 1, Date.now(), '2026-11-21.01', 50_000n);
  await ledger.close();
  const runs = join(DATA_DIR, 'runs', '2026-11-21.01');
  await mkdir(runs, { recursive: true });
  await writeFile(
    join(runs, 'run.json'),
    JSON.stringify({
      run_id: '2026-11-21.01',
      started_at: '2026-11-21T12:00:00Z',
      seconds: 2,
      published: true,
      current: true,
      blocked: [],
      reads: [],
    }),
  );
  const earned = async (payments?: 'sandbox' | 'self'): Promise<string> =>
    formatHealth(await checkHealth(layoutOf(DATA_DIR), [], { payments })).find((l) => l.startsWith('Earned')) ?? '';
  assert.match(await earned('sandbox'), /^Earned {4}in test money, last 24 hours \$0\.05 \(1 call\)/);
  assert.match(await earned('self'), /^Earned {4}last 24 hours \$0\.05/);
  assert.match(await earned(), /^Earned {4}\(test money, if PAYMENTS is sandbox for the server\) last 24 hours/);
});

test('dollars are written from whole units, never through a binary fraction', () => {
  assert.deepEqual([0n, 1n, 50_000n, 1_234_567n, 12_000_000n, 9_007_199_254_740_993_000_000n].map(usdOf), [
    '0.00',
    '0.000001',
    '0.05',
    '1.234567',
    '12.00',
    '9007199254740993.00',
  ]);
});

test('an unavailable ledger is a problem, not a crash', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'dealfeed-earned-'));
  await writeFile(join(DATA_DIR, 'ledger.sqlite'), 'this is no database, and was never one of ours'.repeat(100));
  const health = await checkHealth(layoutOf(DATA_DIR), []);
  assert.ok(
    health.troubles.some((t) => t.kind === 'ledger_unavailable'),
    JSON.stringify(health.troubles),
  );
  assert.match(
    formatHealth(health).join('\n'),
    /Problem {3}LEDGER is .*ledger\.sqlite.* See docs\/runbook\.md#ledger_unavailable/,
  );
});

test('sales on two networks are also shown by network', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'dealfeed-earned-'));
  const ledger = await openLedger({ DATA_DIR });
  const polygon = knownNetwork('eip155:137') ?? assert.fail('Polygon is not known');
  const chain = chainIdentity(polygon, CHAIN);
  const onPolygon = { ...payment(2), network: polygon.name, asset: polygon.usdc.address.toLowerCase() };
  await purchaseIn(ledger, 'sold', 1);
  const second = await purchaseIn(ledger, 'sold', 2, { payment: onPolygon, chain });
  await bookAll(ledger, [transferFor(1), transferFor(1, { logIndex: 3 })]);
  await bookAll(ledger, [], { account: { ...ACCOUNT, chain } });
  const screen = formatReport(await readFigures(ledger), 'the ledger', NOW, 7).join('\n');
  assert.match(
    screen,
    /Revenue by network, in total\n {2}all {2}Polygon {2}1 {2}\$1\.00\n {2}all {2}Base {5}1 {2}\$1\.00\n/,
  );
  assert.match(screen, /: Polygon through block 1000000, Base through block 1000000, 2 differences/);
  assert.match(screen, /unpaid .* on Polygon$/m);
  const { chain: exported, block, network } = purchaseRow(second);
  assert.deepEqual([exported, block, network], [chain, 2, polygon.name]);
  await ledger.close();
  const state = await ledgerState({ DATA_DIR }, NOW);
  const one = { calls: 1, usd: '1.00' };
  assert.deepEqual(state?.earnings?.by_network, { 'eip155:137': one, 'eip155:8453': one });
  const lines = formatHealth(await checkHealth(layoutOf(DATA_DIR), [], { payments: 'self' }));
  assert.match(lines.find((line) => line.startsWith('Earned')) ?? '', /of which Polygon \$1\.00 .*, Base \$1\.00/);
});
