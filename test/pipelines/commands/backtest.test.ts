/**
 * The back-test over a simulated quarter of weekly snapshots: every count and every correlation is computed again here
 * from pairs of deals, and nothing learned after a deal was scored is used. docs/backtest.md has the result for
 * eighteen weeks of the sandbox world.
 */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { openDuck } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import type { BacktestRow, CorrelationRow } from '../../../models/analysis/backtest.ts';
import { backtest, formatBacktest } from '../../../pipelines/commands/backtest.ts';
import { runIdOf, type Layout } from '../../../pipelines/layout.ts';
import { newLayout } from '../runs.ts';

const DAYS = Array.from({ length: 19 }, (_, week) =>
  new Date(Date.UTC(2026, 9, 3 + 7 * week)).toISOString().slice(0, 10),
);
const NEVER = DAYS.length;

/** A deal through the weeks: numbers of the week in which something happens, NEVER where it does not. */
interface Story {
  readonly appears: number;
  readonly score: number;
  readonly cap: number | null;
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
    cap: fc.option(fc.integer({ min: 300, max: 330 }), { freq: 9 }),
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

/** A score that changes later must not count for an earlier landmark. */
const scoreOn = (s: Story, i: number, at: number): number => s.score + (at > s.appears ? (i % 3) * 20 : 0);

/** Write a week's snapshot: the three tables with the columns that the back-test reads. */
async function publish(layout: Layout, at: number): Promise<void> {
  const folder = layout.snapshot(runIdOf(DAYS[at] ?? '', 1));
  await mkdir(folder, { recursive: true });
  const shown = stories.map((s, i) => ({ s, i })).filter(({ s }) => s.appears <= at);
  const deals = shown.map(({ s, i }) => ({
    id: `d${i}`,
    deal_score: scoreOn(s, i, at),
    cap_rate_underwritten: s.cap === null ? null : `${(s.cap / 100).toFixed(2)}`,
    days_on_feed: (at - s.appears) * 7,
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
          cap_rate_underwritten: 'DECIMAL(14,2)',
          days_on_feed: 'INTEGER',
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

/** A deal as scored on a landmark: the week, and what is known of its records in that week. */
interface Scored {
  readonly s: Story;
  /** Stories with an odd number leave the market as sold. */
  readonly isSold: boolean;
  readonly at: number;
  readonly score: number;
}

/**
 * Whether a record was matched when the deal was scored, and not over: some are matched a week after it appears.
 * @param over week in which the sale is held or the debt cleared
 */
const isOpen = (matched: number | null, over: number, { s, at }: Scored): boolean =>
  matched !== null && (matched === 0 || at > s.appears) && !(over > s.appears && over <= at);

/** Who counts for an outcome, and in which week it happened to them. */
type Outcome = readonly [counts: (deal: Scored) => boolean, happened: (deal: Scored) => number];
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  price_cut: [({ s }) => s.price !== null, ({ s, at }) => (s.cut > at ? s.cut : NEVER)],
  off_market: [() => true, ({ s }) => s.gone],
  sold: [() => true, ({ s, isSold }) => (isSold ? s.gone : NEVER)],
  withdrawn: [() => true, ({ s, isSold }) => (isSold ? NEVER : s.gone)],
  sale_held: [(deal) => isOpen(deal.s.sale, deal.s.sold, deal), ({ s }) => s.sold],
  debt_cleared: [(deal) => isOpen(deal.s.debt, deal.s.cleared, deal), ({ s }) => s.cleared],
};
const LAST = DAYS.length - 1;
const LANDMARKS = [0, 7, 30, 60, 90];

/** The deals that reach a landmark for sale, in the first weekly snapshot on or after it. */
const scoredOn = (landmark: number): Scored[] =>
  stories
    .map((s, i): Scored => {
      const at = s.appears + Math.ceil(landmark / 7);
      return { s, isSold: i % 2 === 1, at, score: scoreOn(s, i, at) };
    })
    .filter(({ s, at }) => at <= LAST && (at === s.appears || s.gone <= s.appears || s.gone > at));

interface Cell {
  readonly landmark: number;
  readonly outcome: string;
  readonly days: number;
}

/** The deals that can be followed for a horizon, and whether the outcome happened in it. */
function followed({ landmark, outcome, days }: Cell): readonly (readonly [deal: Scored, happened: boolean])[] {
  const [counts, weekOf] = OUTCOMES[outcome] ?? assert.fail(outcome);
  return scoredOn(landmark)
    .filter((deal) => counts(deal) && (LAST - deal.at) * 7 >= days)
    .map((deal) => {
      const on = weekOf(deal);
      return [deal, on > deal.at && on < NEVER && (on - deal.at) * 7 <= days];
    });
}

/** Pairs of a deal with the outcome and one without it: those that rank right less those that rank wrong, over all. */
function correlation(deals: ReturnType<typeof followed>, rank: (deal: Scored) => number): number {
  const [hits, misses] = [true, false].map((is) =>
    deals.filter(([, happened]) => happened === is).map(([deal]) => rank(deal)),
  ) as [number[], number[]];
  let right = 0;
  for (const hit of hits) for (const miss of misses) right += Math.sign(hit - miss);
  return right / (hits.length * misses.length);
}

describe('the back-test of nineteen weeks', () => {
  let rows: readonly BacktestRow[] = [];
  let correlations: readonly CorrelationRow[] = [];
  let lines = '';
  before(async () => {
    const layout = await newLayout();
    await publish(layout, 0);
    const first = await backtest(layout);
    assert.ok(
      first.rows.length === 990 &&
        first.correlations.length === 0 &&
        first.rows.every((r) => r.n === 0 && r.status === 'not enough history' && r.share_pct === null),
      'one day is no history',
    );
    for (let at = 1; at < DAYS.length; at += 1) await publish(layout, at);
    const result = await backtest(layout);
    ({ rows, correlations } = result);
    lines = formatBacktest(result).join('\n');
  });

  it('agrees with a recount from the stories, by landmark, outcome, horizon and decile of the score', () => {
    let hits = 0;
    for (const landmark of LANDMARKS) {
      const deals = scoredOn(landmark);
      const deciles = new Map(
        deals.map(({ s, score }) => [
          s,
          1 + Math.floor((10 * deals.filter((other) => other.score < score).length) / deals.length),
        ]),
      );
      const cells = Map.groupBy(
        rows.filter((row) => row.landmark === landmark),
        ({ outcome, days }) => `${outcome} ${days}`,
      );
      for (const of of cells.values()) {
        const all = followed(of[0] ?? assert.fail());
        for (const r of of) {
          const mine = all.filter(([{ s }]) => r.decile === null || deciles.get(s) === r.decile);
          const struck = mine.filter(([, happened]) => happened);
          assert.deepEqual([r.n, r.hits], [mine.length, struck.length], JSON.stringify(r));
          hits += struck.length;
        }
      }
    }
    assert.ok(hits > 1000);
    for (const outcome of Object.keys(OUTCOMES))
      for (const days of [30, 60, 90])
        assert.ok(
          rows.some((r) => r.outcome === outcome && r.days === days && r.hits > 0),
          `${outcome} within ${days} days`,
        );
  });

  it('separates the deals that are sold from those that are withdrawn; together they are off the market', () => {
    for (const all of rows.filter(({ outcome }) => outcome === 'off_market')) {
      const of = (outcome: string): number =>
        rows.find(
          (r) => r.outcome === outcome && r.landmark === all.landmark && r.days === all.days && r.decile === all.decile,
        )?.hits ?? assert.fail(outcome);
      assert.equal(of('sold') + of('withdrawn'), all.hits);
    }
  });

  it('correlates score and cap rate with outcomes as a comparison of all pairs does, on the same deals', () => {
    const measured = correlations.filter(({ status }) => status === 'measured');
    const cells = Map.groupBy(measured, ({ landmark, outcome, days }) => `${landmark} ${outcome} ${days}`);
    for (const [cell, of] of cells) {
      const deals = followed(of[0] ?? assert.fail()).filter(([{ s }]) => s.cap !== null);
      const [score, cap] = [correlation(deals, (deal) => deal.score), correlation(deals, ({ s }) => s.cap ?? 0)];
      const expected = { score, cap_rate: cap, difference: score - cap };
      assert.deepEqual(of.map(({ measure }) => measure).sort(), Object.keys(expected).sort());
      for (const { measure, n, hits, correlation: found, low, high } of of) {
        assert.deepEqual([n, hits], [deals.length, deals.filter(([, happened]) => happened).length], cell);
        assert.ok(Math.abs(Number(found) - expected[measure]) <= 0.00501, `${measure} of ${cell}: ${found}`);
        assert.ok(Number(low) < Number(found) && Number(found) < Number(high), `${low}, ${found}, ${high}`);
      }
    }
    assert.deepEqual([...new Set(measured.map(({ landmark }) => landmark))], LANDMARKS);
    // Nothing in the stories depends on score or cap rate.
    const missed = measured.filter(({ low, high }) => (low ?? 0) > 0 || (high ?? 0) < 0);
    assert.ok(missed.length < measured.length / 5, `${missed.length} of ${measured.length} intervals miss 0`);
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

  it('prints the measured and the unmeasured outcomes', () => {
    assert.match(
      lines,
      /^19 days of snapshots, 2026-10-03 to 2027-02-06\. Each deal counts once for each landmark\.$/mu,
    );
    assert.match(lines, /price_cut within 30 days, as first scored\n +decile +n +happened +share % +95 % interval\n/u);
    assert.match(lines, /^sold within 30 days, as scored on day 30\n/mu);
    assert.match(lines, /rank correlation with the outcome, as first scored\n +outcome +n +happened +score +cap rate/u);
    assert.match(lines, /^not enough history: decile \d+ n=\d+/mu);
  });
});
