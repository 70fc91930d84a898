/** The main job, end to end: pages in, a snapshot out that says what the world knows to be true. */
import assert from 'node:assert/strict';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { closing } from '../../../lib/closing.ts';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { loadMarts } from '../../../models/index.ts';
import { awaitsOperator } from '../../../pipelines/ingest/source_state.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import type { RunResult } from '../../../pipelines/run/run.ts';
import { verifySnapshot } from '../../../pipelines/snapshots.ts';
import { formatComparisons } from '../../../sandbox/comparison/compare.ts';
import { reconcile } from '../../../sandbox/comparison/records.ts';
import type { World } from '../../../sandbox/world/types.ts';
import type { WorldDay } from '../../../sandbox/world/world.ts';
import { loadSources } from '../../../sources/index.ts';
import { hashesOf, newLayout, published, runDay, smallWorld, withoutChanges } from '../runs.ts';
import { DISTRESS_AND_PARCELS } from '../some_tables.ts';
import { afterFirstDay, FIRST_RUN, publishedRun } from '../starting_points.ts';

describe('a run over one day', () => {
  let layout: Layout;
  let world: World;
  let first: Awaited<ReturnType<typeof publishedRun>>;
  before(async () => {
    const start = await afterFirstDay();
    ({ layout, world } = start);
    first = await publishedRun(start, FIRST_RUN);
  });

  test('every source is read and every row accounted for', async () => {
    assert.equal(first.manifest.sources.length, (await loadSources()).length);
    for (const row of first.manifest.sources) {
      if (awaitsOperator(row)) continue;
      assert.equal(row.status, 'good', `${row.source}: ${row.reason ?? ''} ${row.detail ?? ''}`);
      assert.equal(row.rows_in, row.rows_out + row.rows_rejected + row.rows_merged, row.source);
    }
  });

  test('the published rows equal the facts of the world', async () => {
    const { comparisons } = await reconcile(layout.snapshot(first.runId), world);
    const empty = comparisons.filter(({ compared }) => compared === 0).map(({ record }) => record);
    assert.deepEqual(empty, [], 'every record was compared');
    const different = comparisons.filter(({ differences }) => differences.length > 0);
    assert.deepEqual(different, [], formatComparisons(different).join('\n'));
  });

  test('the snapshot is complete, current, and its hashes verify', async () => {
    assert.equal(await readlink(layout.current), join('snapshots', first.runId));
    assert.deepEqual(await verifySnapshot(layout, first.runId), []);
    const { manifest } = first;
    const names = (await loadMarts()).map(({ name }) => name);
    assert.deepEqual(Object.keys(manifest.tables).sort(), names.sort());
    assert.ok(manifest.audits.length > 50);
    assert.ok(manifest.audits.every((a) => !a.blocking || a.failing_rows === 0));
    assert.ok(
      manifest.sources.every(
        (s) => awaitsOperator(s) || (s.staged_sha256 !== null && (s.pages > 0 || s.rows_in === 0)),
      ),
    );
    assert.match(manifest.notice, /made-up/i);
  });

  test('the database file holds the same tables by itself', async () => {
    await using duck = closing(await openDuck());
    await duck.connection.run(`ATTACH ${literal(join(layout.current, 'dealfeed.duckdb'))} AS snapshot (READ_ONLY)`);
    await duck.connection.run(`SET file_search_path = ${literal(layout.current)}`);
    for (const [name, { rows }] of Object.entries(first.manifest.tables)) {
      const [count] = await rowsOf(duck.connection, `SELECT count(*) AS n FROM snapshot."${name}"`);
      assert.equal(Number(count?.['n']), rows, name);
    }
  });

  test('no lead is without an address', async () => {
    const leads = await published(layout, first.runId, 'leads');
    assert.ok(leads.length > 50 && leads.every((l) => l['address'] !== null));
  });

  test('ids, states, ZIPs, counties and links have the specified forms', async () => {
    const FORMS: Readonly<Record<string, RegExp>> = {
      id: /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u,
      state: /^[A-Z]{2}$/u,
      source_state: /^[A-Z]{2}$/u,
      zip: /^\d{5}$/u,
      county: /^.+, [A-Z]{2}$/u,
      source_url: /^https?:\/\/\S+$/u,
      listing_url: /^https?:\/\/\S+$/u,
    };
    for (const table of ['deals', 'signals', 'auctions', 'leads', 'filings']) {
      const rows = await published(layout, first.runId, table);
      assert.ok(rows.length > 20, table);
      for (const row of rows)
        for (const [field, form] of Object.entries(FORMS))
          if (typeof row[field] === 'string' || field === 'source_url')
            assert.match(String(row[field]), form, `${table}.${field}`);
    }
  });
});

describe('the days after', () => {
  const days = ['2026-11-18', '2026-11-20', '2026-11-23'];
  /** A layer of parcels, a printed list, two sites with few pages, and a sheriff: the others have the same reader. */
  const READ = [
    'oh_cuyahoga_tax',
    'oh_summit_tax',
    'buckeye_income_property',
    'reso_sandbox_mls',
    'oh_franklin_sheriff',
  ];
  const world = smallWorld();
  const runs: (RunResult & { truth: WorldDay })[] = [];
  let layout: Layout;
  before(async () => {
    layout = await newLayout();
    // What changes from day to day; the registers' days are in registers.test.ts.
    const only = READ;
    const history = ['listing_history', 'signals', 'auctions'];
    for (const day of days) {
      const tables = day === days.at(-1) ? [...history, 'assumptions', 'deals'] : history;
      runs.push(await runDay({ layout, world, day, only, tables, empty: DISTRESS_AND_PARCELS }));
    }
    // And one of them again, after the later ones.
    runs.push(await runDay({ layout, world, day: '2026-11-20', only, tables: history, empty: DISTRESS_AND_PARCELS }));
  });

  test('a snapshot has the ninety days of each source, and a second run of a day replaces that day', () => {
    const historyOf = (i: number): string | undefined =>
      runs[i]?.manifest?.sources.find(({ source }) => source === 'oh_franklin_sheriff')?.history;
    assert.deepEqual(
      [0, 1, 2, 3].map(historyOf),
      ['=', '=.=', '=.=..=', '=.='].map((strip) => strip.padStart(90, '.')),
    );
  });

  test('price cuts, delistings, paid debts and sold auctions appear, and all of them are true', async () => {
    const { runId } = runs[days.length - 1] ?? assert.fail();
    const isCompared = (record: string): boolean => /^(?:listings|tax debts of|sales of sheriffs)/u.test(record);
    const { comparisons } = await reconcile(layout.snapshot(runId), world, { isCompared });
    const different = comparisons.filter(({ differences }) => differences.length > 0);
    assert.deepEqual(different, [], formatComparisons(different).join('\n'));
    for (const [table, where] of [
      ['listing_history', "change = 'price_cut'"],
      ['listing_history', 'gone_on IS NOT NULL'],
      ['signals', "signal_type = 'tax_delinquent' AND signal_state = 'removed'"],
      ['auctions', "sale_status = 'sold'"],
      ['deals', 'price_reduction_pct > 0 AND motivation_price_cut > 0'],
    ] as const)
      assert.ok((await published(layout, runId, table, `WHERE ${where}`)).length > 0, where);
  });

  test('a repeated earlier day publishes the same bytes, and the later day stays current', async () => {
    const [then, again, last] = [runs[1] ?? assert.fail(), runs.at(-1) ?? assert.fail(), runs[days.length - 1]];
    assert.equal(again.runId, '2026-11-20.02');
    assert.ok(Object.keys(hashesOf(then)).length > 5);
    assert.deepEqual(withoutChanges(again), withoutChanges(then));
    assert.equal(again.current, false);
    assert.equal(await readlink(layout.current), join('snapshots', last?.runId ?? ''));
  });
});
