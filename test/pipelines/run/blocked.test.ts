/** A wrong table is never published: one of each kind of defect, all in one run, and what is left to read of it. */
import assert from 'node:assert/strict';
import { access, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Model } from '../../../models/index.ts';
import { runDay } from '../runs.ts';
import { modelsOf } from '../some_tables.ts';
import { afterFirstDay, FIRST_RUN } from '../starting_points.ts';

/** An id that no record has. */
const NOBODY = '00000000-0000-5000-8000-000000000000';

/** By model: what a defect does to its SELECT, and the audits that must see it. */
const DEFECTS: Readonly<
  Record<string, readonly [about: string, alter: (select: string) => string, sees: readonly string[]]>
> = {
  filings: [
    'a row twice, and a value outside its list',
    (sql) =>
      `WITH made AS (${sql})
      SELECT * REPLACE ('NEVER HEARD OF' AS entity_status) FROM made
      UNION ALL (SELECT * FROM made ORDER BY id LIMIT 1)`,
    ['filings.grain_unique', 'filings.entity_status_closed'],
  ],
  deals: [
    'a null without a status, a broken identity, a figure out of range, a score that is not the sum of its parts',
    (sql) =>
      `SELECT * REPLACE (
        CAST(NULL AS DECIMAL(14, 2)) AS dscr,
        CAST(cap_gap_pct + 0.01 AS DECIMAL(14, 2)) AS cap_gap_pct,
        CAST(-1 AS INTEGER) AS days_on_feed,
        CAST(deal_score + 1 AS INTEGER) AS deal_score
      ) FROM (${sql})`,
    ['deals.dscr_absent_as_said', 'deals.gap_identity', 'deals.figures_in_range', 'deals.score_is_sum_of_parts'],
  ],
  auctions: [
    'a bid one cent below two thirds',
    (sql) =>
      `SELECT * REPLACE (
        CASE
          WHEN opening_bid_basis = 'two_thirds_of_appraisal'
            THEN CAST(quotient_up_to_cent(2 * wide(appraised_value), 3) - 0.01 AS DECIMAL(14, 2))
          ELSE opening_bid
        END AS opening_bid
      ) FROM (${sql})`,
    ['auctions.two_thirds_holds'],
  ],
  leads: [
    'a link to nothing',
    (sql) => `SELECT * REPLACE ('${NOBODY}' AS signal_id) FROM (${sql}) WHERE lead_type = 'tax_delinquent'`,
    ['leads.signal_id_in_signals'],
  ],
  signals: [
    'most of a table gone',
    (sql) => `SELECT * FROM (${sql}) ORDER BY id LIMIT 3`,
    ['signals.all_but_gone', 'signals.none_lost'],
  ],
};

test('a run with wrong tables publishes nothing, writes the failing rows, and keeps the previous day', async () => {
  const start = await afterFirstDay();
  const { layout } = start;
  const models = (await modelsOf(Object.keys(DEFECTS))).map((model): Model => {
    const [, alter] = DEFECTS[model.name] ?? [];
    return alter ? { ...model, sql: alter(model.sql.trim().replace(/;$/u, '')) } : model;
  });
  // A register has rows of its own only on a day with a new read.
  const only = ['colorado_sos'];
  const second = await runDay({ ...start, day: '2026-11-21', only, models });
  assert.equal(second.manifest, null);
  assert.equal(await readlink(layout.current), join('snapshots', FIRST_RUN));
  await assert.rejects(access(layout.snapshot(second.runId)));
  const blocked = new Set(second.blocked.map((b) => b.name));
  for (const [about, name] of Object.values(DEFECTS).flatMap(([what, , sees]) =>
    sees.map((audit) => [what, audit] as const),
  )) {
    assert.ok(blocked.has(name), `${about}: ${name} is not among ${[...blocked].join(', ')}`);
    const kept = JSON.parse(await readFile(join(second.failuresFolder, `${name}.json`), 'utf8')) as {
      about: string;
      failing: number;
      rows: unknown[];
    };
    assert.ok(kept.about.length > 0 && kept.failing > 0 && kept.rows.length > 0 && kept.rows.length <= 20, name);
  }

  const mended = await runDay({ ...start, day: '2026-11-21', only: [], tables: ['listing_history'] });
  assert.ok(mended.manifest, 'the next run is not held back by it');
});
