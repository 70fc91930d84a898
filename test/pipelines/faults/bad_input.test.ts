/** A source whose pages are wrong is set aside with a reason: its last good rows stay, and the run continues. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Layout } from '../../../pipelines/layout.ts';
import type { RunResult } from '../../../pipelines/run/run.ts';
import { collectWarnings } from '../../../pipelines/run/summary/summary.ts';
import type { World } from '../../../sandbox/world/types.ts';
import { makeWorld, worldOn } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay, TINY } from '../runs.ts';
import { afterFirstDay, FIRST_RUN } from '../starting_points.ts';
import { FAULTS } from './page_faults.ts';

const bytes = (body: string): Uint8Array => Buffer.from(body, 'latin1');

/** Sources with which nothing is wrong: some of each family, one host of them shared with a broken one. */
const SOUND = [
  'buckeye_income_property',
  'reso_sandbox_mls',
  'hud_fmr',
  'oh_hamilton_tax',
  'oh_summit_tax',
  'oh_hamilton_parcels',
  'oh_stark_sheriff_page',
  'ohio_sos_amendments',
];
/** Tables of the first days. */
const tables = ['signals', 'listing_history'];
const read = ({ name }: { readonly name: string }): boolean =>
  SOUND.includes(name) || FAULTS.some((f) => f.source === name);

describe('after a good day', () => {
  let layout: Layout;
  let world: World;
  let good: RunResult;
  before(async () => {
    layout = await newLayout();
    world = makeWorld(TINY);
    // Without validators on the good day, each fault meets a whole answer and not a 304.
    good = await runDay({
      layout,
      world,
      day: '2026-11-20',
      only: read,
      tables,
      alter: (_, r) => ({ ...r, headers: { ...r.headers, etag: [], 'last-modified': [] } }),
    });
    assert.ok(good.manifest);
  });

  test('nine faults at once affect no other source, and every last good row stays', async () => {
    const perSource = new Map(FAULTS.filter((f) => f.what !== 'an unknown column').map((f) => [f.source, f]));
    const bad = await runDay({
      layout,
      world,
      day: '2026-11-21',
      only: read,
      tables,
      alter: (q, r) => {
        for (const f of perSource.values()) {
          const altered = f.alter(q, r);
          if (altered) return altered;
        }
        return undefined;
      },
    });
    assert.ok(bad.manifest, 'the run publishes');
    const warnings = collectWarnings(bad);
    for (const { row, spec } of bad.sources) {
      const fault = perSource.get(spec.name);
      if (!fault) {
        assert.equal(row.status, read(spec) ? 'good' : 'never_read', `${spec.name}: ${row.detail ?? ''}`);
        continue;
      }
      assert.equal(row.status, fault.status, `${fault.what} on ${spec.name}: ${row.reason ?? ''} ${row.detail ?? ''}`);
      assert.match(row.reason ?? '', fault.reason, `${fault.what}: ${row.detail ?? ''}`);
      assert.ok(
        row.page_url !== null || row.reason === 'count_mismatch' || row.reason === 'unknown_column',
        `${fault.what} names its page`,
      );
      assert.equal(row.last_good_at, '2026-11-20T12:00:00Z', `${fault.what}: the rows that stand are yesterday's`);
      assert.equal(row.age_days, 1);
      assert.equal(
        row.rows_out,
        good.sources.find((s) => s.spec.name === spec.name)?.row.rows_out,
        `${fault.what}: none of them is lost`,
      );
      assert.ok(
        warnings.some((w) => w.startsWith(`${spec.name} ${fault.status}`)),
        `${fault.what} is in the warnings`,
      );
    }
    const rows = await published(
      layout,
      bad.runId,
      'signals',
      "WHERE county_fips = '39151' AND signal_state = 'listed'",
    );
    assert.ok(
      rows.length > 0 && rows.every((r) => r['last_seen'] === '2026-11-20 12:00:00+00'),
      'rows of a broken source show their age',
    );
    assert.deepEqual(
      await published(
        layout,
        bad.runId,
        'listing_history',
        "WHERE source = 'heartland_multifamily' AND gone_on = '2026-11-21'",
      ),
      [],
      'a site that cannot be read delists nothing',
    );
  });

  test('an unknown column is named; one broken listing page is one reject, and its last version stays', async () => {
    const unknown = FAULTS.find((f) => f.what === 'an unknown column') ?? assert.fail();
    const day = '2026-11-23';
    const shown = await published(
      layout,
      good.runId,
      'listing_history',
      "WHERE source = 'heartland_multifamily' AND is_latest AND gone_on IS NULL ORDER BY listing_id",
    );
    const victim = shown.find((v) => smallWorldShows(world, String(v['listing_id']), day));
    assert.ok(victim);
    const path = new URL(String(victim['listing_url'])).pathname;
    const run = await runDay({
      layout,
      world,
      day,
      only: (s) => ['heartland_multifamily', unknown.source].includes(s.name),
      tables: ['listing_history', 'rejects'],
      alter: (q, r) =>
        q.path === path
          ? { status: 200, headers: { 'content-type': 'text/html' }, body: bytes('<html><body>Sorry</body></html>') }
          : unknown.alter(q, r),
    });
    const column = run.sources.find((s) => s.spec.name === unknown.source)?.row;
    assert.equal(column?.reason, 'unknown_column');
    assert.match(column.detail ?? '', /extra/);
    const row = run.sources.find((s) => s.spec.name === 'heartland_multifamily')?.row;
    assert.deepEqual([row?.status, row?.rows_rejected, row?.rows_carried], ['good', 1, 1], row?.detail ?? '');
    const [version] = await published(
      layout,
      run.runId,
      'listing_history',
      `WHERE is_latest AND source = 'heartland_multifamily' AND listing_id = '${String(victim['listing_id'])}'`,
    );
    assert.equal(version?.['gone_on'], null, 'it is not taken for gone');
    assert.ok(String(version['version_last_seen']) < '2026-11-23', 'and shows when it was last read');
    const [reject] = await published(layout, run.runId, 'rejects', "WHERE source = 'heartland_multifamily'");
    assert.ok(reject?.['detail']);
  });

  test('a run stops at a damaged snapshot and names the file', async () => {
    const start = await afterFirstDay();
    await writeFile(join(start.layout.snapshot(FIRST_RUN), 'deals.parquet'), 'not parquet');
    await assert.rejects(
      runDay({ ...start, day: '2026-11-21', only: ({ name }) => name === 'oh_stark_tax', tables }),
      /2026-11-20\.01.*damaged: deals\.parquet/,
    );
  });
});

/** Whether a listing of the site is still shown on a day. */
function smallWorldShows(world: World, listingId: string, day: string): boolean {
  return worldOn(world, day).listings.some((l) => l.site === 'heartland_multifamily' && l.listingId === listingId);
}
