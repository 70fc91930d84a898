/** Problems of payments reach `make status` and the alerts, and those of transfers `make ledger` too. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { IncomingTransfer, Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { reportLines } from '../../ledger/report.ts';
import { DAY_MS } from '../../lib/time.ts';
import { formatHealth } from '../../pipelines/commands/status.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { checkHealth, ledgerProblems } from '../../pipelines/operate/health.ts';
import { CHAIN, payment, purchaseIn } from '../ledger/purchases.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const REPORT = { nowMs: NOW, days: 7, settlementCost: '0.001' };
const account = { chain: CHAIN, payTo: payment(1).payTo };
const hash = (n: number): string => `0x${String(n).padStart(64, '0')}`;

/** @param nowMs the clock of the server */
async function settle(ledger: Ledger, n: number, nowMs = NOW): Promise<string> {
  const paidBy = { ...payment(n), validBefore: BigInt(NOW / 1000 + 60) };
  return (await purchaseIn(ledger, 'settling', n, { nowMs, route: 'GET /api/deals', payment: paidBy })).id;
}

function transfer(n: number, block: bigint): IncomingTransfer {
  const { payer, nonce, amount } = payment(n);
  return { transaction: hash(100 + n), logIndex: 1, block, payer, nonce, amount };
}

test('owed transfers and unpaid sales are problems', async () => {
  const DATA_DIR = memoryFolder('dealfeed-audit-');
  const ledger = await openLedger({ DATA_DIR });
  const [paid, unpaid, late] = [await settle(ledger, 1), await settle(ledger, 2), await settle(ledger, 3)];
  await ledger.markSold(paid, { transaction: hash(101), block: 5n }, NOW);
  await ledger.markSold(unpaid, { transaction: hash(102), block: 6n }, NOW);
  await ledger.release(late, 'expired_unused', NOW);
  // Its answer is forgotten, and the money comes after all.
  assert.equal(await ledger.forgetAnswers(NOW + 400 * DAY_MS), 3);
  assert.ok(await ledger.leaseAudit(account, 'auditor', NOW, 60_000));
  const through = { block: 9n, seconds: NOW / 1000 };
  const booked = await ledger.bookTransfers({
    account,
    holder: 'auditor',
    transfers: [transfer(1, 5n), transfer(3, 8n), transfer(4, 9n)],
    from: 0n,
    through,
    latest: through,
    nowMs: NOW,
  });
  assert.deepEqual(
    booked.map(({ kind }) => kind),
    ['matched', 'owed', 'owed'],
  );

  const screen = (await reportLines(ledger, 'the ledger', REPORT)).join('\n');
  assert.match(screen, /Audit of incoming transfers: through block 9, 3 differences/);
  assert.match(screen, /owed {4}\$1\.00 {2}to 0x0{39}1 {2}0x0{61}103:1 {2}block 8, nonce 0x0{63}3: purchase /);
  assert.match(screen, new RegExp(`purchase ${late} of \\S+ was released: expired_unused`));
  assert.match(screen, /0x0{61}104:1 {2}block 9, nonce 0x0{63}4: no purchase has this payment/);
  assert.match(screen, new RegExp(`unpaid  \\$1\\.00 {2}by 0x0{39}1 {2}purchase ${unpaid}`));

  assert.match(screen, /all {2}every endpoint {2}2 {2}\$2\.00 {2}\$1\.998 after settlements/);

  const kinds = async (): Promise<string[]> =>
    (await ledgerProblems({ DATA_DIR }, NOW)).map((t) => `${t.kind}: ${t.message}`);
  assert.deepEqual(await kinds(), [
    'transfers_owed: 2 incoming transfers, $2.00 in total, paid for nothing that we can deliver: refund them',
    'sales_unpaid: 1 sold purchases, $1.00 in total, have no transfer on the chain',
  ]);
  for (const [i, owed] of booked.filter(({ kind }) => kind === 'owed').entries()) {
    assert.ok(await ledger.settleDebt(owed, hash(902 + i)));
    assert.equal(await ledger.settleDebt(owed, hash(901)), false, 'settled once');
  }
  assert.deepEqual(
    (await kinds()).map((line) => line.split(':')[0]),
    ['sales_unpaid'],
  );
  await ledger.close();
});

test('a settlement whose outcome is unknown for ten minutes is a problem', async () => {
  const DATA_DIR = memoryFolder('dealfeed-stuck-');
  assert.deepEqual(await ledgerProblems({ DATA_DIR }, NOW), [], 'no ledger is no problem');
  const ledger = await openLedger({ DATA_DIR });
  const stuck = await settle(ledger, 1, NOW - DAY_MS);
  await settle(ledger, 2, NOW - 1000);
  await ledger.close();
  const problems = await ledgerProblems({ DATA_DIR }, NOW);
  assert.deepEqual(
    problems.map((t) => [t.kind, t.subject, t.level]),
    [['settlement_unknown', stuck, 'critical']],
  );
  assert.match(
    problems[0]?.message ?? '',
    /GET \/api\/deals for \$1\.00 was sent for settlement at 2026-11-20T12:00:00\.010Z and its outcome is unknown/,
  );
});

test('an unavailable ledger is a problem, not a crash', async () => {
  const DATA_DIR = memoryFolder('dealfeed-no-ledger-');
  await writeFile(join(DATA_DIR, 'ledger.sqlite'), 'this is no database'.repeat(100));
  const health = await checkHealth(layoutOf(DATA_DIR), []);
  assert.ok(health.troubles.some((t) => t.kind === 'ledger_unavailable'));
  assert.match(formatHealth(health).join('\n'), /Problem {3}LEDGER is .*ledger\.sqlite.* See .*ledger_unavailable/);
});
