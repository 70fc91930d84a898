/** The back-test over a simulated quarter: what it counts is what the snapshots say, and nothing learned later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backtest, linesOf } from '../../pipelines/backtest.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { newLayout, published, runDay } from './runs.ts';

const DAYS = ['2026-08-22', '2026-09-21', '2026-10-21', '2026-11-20'];

test('score deciles over a quarter', async () => {
  const [layout, world] = [await newLayout(), makeWorld({ seed: 7, listings: 400, parcels: 150, auctions: 40, filings: 10 })];
  const only = ({ family, name }: { readonly family: string; readonly name: string }): boolean => family === 'listings' || name === 'hud_fmr';
  const snapshots: Record<string, unknown>[][] = [];
  for (const day of DAYS) {
    snapshots.push(await published(layout, (await runDay({ layout, world, day, only })).runId, 'deals'));
    if (snapshots.length === 1) {
      const { rows } = await backtest(layout);
      assert.ok(rows.length === 120 && rows.every((r) => r.n === 0 && r.status === 'not enough history' && r.share_pct === null), 'one day is no history');
    }
  }
  const result = await backtest(layout);
  const horizon = (outcome: string, days: number) => result.rows.filter((r) => r.outcome === outcome && r.days === days);
  const total = (outcome: string, days: number): { n: number; hits: number } =>
    ({ n: horizon(outcome, days).reduce((sum, r) => sum + r.n, 0), hits: horizon(outcome, days).reduce((sum, r) => sum + r.hits, 0) });
  // Counted again here: of the deals for sale on the first day, those cheaper on any later one.
  const first = (snapshots[0] ?? []).filter((d) => d['listing_status'] === 'active' && d['list_price'] !== null);
  const cut = first.filter((d) => snapshots.slice(1).some((deals) => deals.some((later) => later['id'] === d['id'] && Number(later['list_price'] ?? Infinity) < Number(d['list_price']))));
  assert.deepEqual(total('price_cut', 90), { n: first.length, hits: cut.length });
  assert.ok(cut.length > 0 && total('off_market', 90).hits > 0);
  assert.ok(total('price_cut', 30).n > total('price_cut', 90).n, 'deals scored later are followed for a shorter time');
  for (const r of result.rows) {
    assert.equal(r.status === 'measured', r.n >= 30);
    if (r.status === 'measured') assert.ok(r.low_pct !== null && r.share_pct !== null && r.high_pct !== null && 0 <= r.low_pct && r.low_pct <= r.share_pct && r.share_pct <= r.high_pct && r.high_pct <= 100);
  }
  const measured = result.rows.find((r) => r.status === 'measured' && r.hits > 0) ?? assert.fail('nothing is measured');
  // Wilson's interval as textbooks print it.
  const [p, n, z] = [measured.hits / measured.n, measured.n, 1.96];
  const [middle, half] = [(p + z * z / (2 * n)) / (1 + z * z / n), (z / (1 + z * z / n)) * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))];
  assert.deepEqual([measured.low_pct, measured.high_pct].map((x) => Number(x).toFixed(1)), [middle - half, middle + half].map((x) => (100 * x).toFixed(1)));
  assert.match(linesOf(result).join('\n'), /sale_held within 30 days\nnot enough history: decile 1 n=0/u);
});
