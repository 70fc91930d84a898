/**
 * The back-test over a simulated quarter of weekly snapshots: every count it gives is counted again here, and nothing
 * learned after a deal was first scored is used. `make quarter` does it over weeks of the sandbox world.
 */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { openDuck } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import type { BacktestRow } from '../../models/analysis/backtest.ts';
import { backtest, formatBacktest } from '../../pipelines/commands/backtest.ts';
import { runIdOf, type Layout } from '../../pipelines/layout.ts';
import { newLayout } from './runs.ts';

const DAYS = Array.from({ length: 14 }, (_, week) =>
  new Date(Date.UTC(2026, 9, 3 + 7 * week)).toISOString().slice(0, 10),
);
const NEVER = DAYS.length;

/** A deal through the weeks: numbers of the week in which something happens, NEVER where it does not. */
interface Story {
  readonly appears: number;
  readonly score: number;
  readonly price: number | null;
  readonly cut: number;
  readonly gone: number;
  readonly debt: number | null;
  readonly cleared: number;
  readonly sale: number | null;
  readonly sold: number;
}
const week = fc.oneof(fc.integer({ min: 1, max: NEVER - 1 }), fc.constant(NEVER));
const stories = fc.sample(
  fc.record({
    appears: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 })),
    score: fc.integer({ min: 0, max: 60 }),
    price: fc.option(fc.integer({ min: 100_000, max: 900_000 }), { freq: 12 }),
    cut: week,
    gone: week,
    debt: fc.option(fc.integer({ min: 0, max: 1 }), { freq: 3 }),
    cleared: week,
    sale: fc.option(fc.integer({ min: 0, max: 1 }), { freq: 3 }),
    sold: week,
  }),
  { numRuns: 900, seed: 5 },
) as Story[];

/** Write a week's snapshot: the three tables with the columns that the back-test reads. */
async function publish(layout: Layout, at: number): Promise<void> {
  const folder = layout.snapshot(runIdOf(DAYS[at] ?? '', 1));
  await mkdir(folder, { recursive: true });
  const shown = stories.map((s, i) => ({ s, i })).filter(({ s }) => s.appears <= at);
  const deals = shown.map(({ s, i }) => ({
    // A score that changes later must not count.
    id: `d${i}`,
    deal_score: s.score + (at > s.appears ? 30 : 0),
    listing_status: s.gone <= at && s.gone > s.appears ? (i % 2 ? 'sold' : 'delisted') : 'active',
    list_price: s.price === null ? null : `${s.cut <= at && s.cut > s.appears ? s.price - 1000 : s.price}.00`,
    // So must not a record that is matched only afterwards.
    distress_matches: JSON.stringify([
      ...(s.debt !== null && (s.debt === 0 || at > s.appears) ? [{ kind: 'tax_delinquent', id: `t${i}` }] : []),
      ...(s.sale !== null && (s.sale === 0 || at > s.appears) ? [{ kind: 'sheriff_sale', id: `s${i}` }] : []),
    ]),
  }));
  const signals = shown
    .filter(({ s }) => s.debt !== null)
    .map(({ s, i }) => ({
      id: `t${i}`,
      signal_state: s.cleared <= at && s.cleared > s.appears ? 'removed' : 'listed',
    }));
  const auctions = shown
    .filter(({ s }) => s.sale !== null)
    .map(({ s, i }) => ({ id: `s${i}`, sale_status: s.sold <= at && s.sold > s.appears ? 'sold' : 'scheduled' }));
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
  try {
    for (const [name, rows, types] of [
      [
        'deals',
        deals,
        {
          id: 'VARCHAR',
          deal_score: 'INTEGER',
          listing_status: 'VARCHAR',
          list_price: 'DECIMAL(14,2)',
          distress_matches: 'JSON',
        },
      ],
      ['signals', signals, { id: 'VARCHAR', signal_state: 'VARCHAR' }],
      ['auctions', auctions, { id: 'VARCHAR', sale_status: 'VARCHAR' }],
    ] as const) {
      const shape = `[{${Object.keys(types)
        .map((c) => `"${c}": "VARCHAR"`)
        .join(', ')}}]`;
      await duck.connection.run(
        `COPY (SELECT ${Object.entries(types)
          .map(([c, type]) => `CAST(r.${c} AS ${type}) AS ${c}`)
          .join(', ')} FROM (SELECT unnest(from_json(CAST($1 AS JSON), ${literal(shape)})) AS r))
        TO ${literal(join(folder, `${name}.parquet`))} (FORMAT parquet)`,
        [JSON.stringify(rows)],
      );
    }
  } finally {
    duck.close();
  }
}

/** Who counts for an outcome, and in which week it happened to them. */
const OUTCOMES: Readonly<Record<string, readonly [counts: (s: Story) => boolean, happened: (s: Story) => number]>> = {
  price_cut: [(s) => s.price !== null, (s) => s.cut],
  off_market: [() => true, (s) => s.gone],
  sale_held: [(s) => s.sale === 0, (s) => s.sold],
  debt_cleared: [(s) => s.debt === 0, (s) => s.cleared],
};
const LAST = DAYS.length - 1;

describe('the back-test of fourteen weeks', () => {
  let rows: readonly BacktestRow[] = [];
  let lines = '';
  before(async () => {
    const layout = await newLayout();
    await publish(layout, 0);
    const first = await backtest(layout);
    assert.ok(
      first.rows.length === 132 &&
        first.rows.every((r) => r.n === 0 && r.status === 'not enough history' && r.share_pct === null),
      'one day is no history',
    );
    for (let at = 1; at < DAYS.length; at += 1) await publish(layout, at);
    const result = await backtest(layout);
    rows = result.rows;
    lines = formatBacktest(result).join('\n');
  });

  it('counts what a recount from the stories counts, by outcome, horizon and decile of the first score', () => {
    const scores = stories.map((s) => s.score);
    const decileOf = (s: Story): number =>
      1 + Math.floor((10 * scores.filter((x) => x < s.score).length) / scores.length);
    let hits = 0;
    for (const r of rows) {
      const [counts, happened] = OUTCOMES[r.outcome] ?? assert.fail(r.outcome);
      const mine = stories.filter(
        (s) => counts(s) && (r.decile === null || decileOf(s) === r.decile) && (LAST - s.appears) * 7 >= r.days,
      );
      const struck = mine.filter(
        (s) => happened(s) > s.appears && happened(s) < NEVER && (happened(s) - s.appears) * 7 <= r.days,
      );
      assert.deepEqual(
        [r.n, r.hits],
        [mine.length, struck.length],
        `${r.outcome} within ${r.days} days, decile ${r.decile}`,
      );
      hits += struck.length;
    }
    assert.ok(hits > 1000);
    for (const outcome of Object.keys(OUTCOMES))
      for (const days of [30, 60, 90])
        assert.ok(
          rows.some((r) => r.outcome === outcome && r.days === days && r.hits > 0),
          `${outcome} within ${days} days`,
        );
  });

  it("gives a share from thirty deals on, with Wilson's interval as textbooks print it, and says so below", () => {
    for (const r of rows) {
      assert.equal(r.status, r.n >= 30 ? 'measured' : 'not enough history');
      if (r.status !== 'measured') {
        assert.deepEqual([r.share_pct, r.low_pct, r.high_pct], [null, null, null]);
        continue;
      }
      const [p, n, z] = [r.hits / r.n, r.n, 1.96];
      const [middle, half] = [
        (p + (z * z) / (2 * n)) / (1 + (z * z) / n),
        (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n)),
      ];
      for (const [got, exact] of [
        [r.share_pct, p],
        [r.low_pct, middle - half],
        [r.high_pct, middle + half],
      ] as const)
        assert.ok(Math.abs(Number(got) - 100 * exact) <= 0.0501, `${got} of ${r.hits} in ${r.n}`);
    }
    assert.ok(rows.some((r) => r.status === 'measured') && rows.some((r) => r.status !== 'measured'));
  });

  it('is printed with what was counted and what could not be', () => {
    assert.match(
      lines,
      /^14 days of snapshots, 2026-10-03 to 2027-01-02\. Each deal counts once, as first scored\.$/mu,
    );
    assert.match(lines, /price_cut within 30 days\n +decile +n +happened +share % +95 % interval\n/u);
    assert.match(lines, /^not enough history: decile \d+ n=\d+/mu);
  });
});
