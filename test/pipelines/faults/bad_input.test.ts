/** A source whose pages are wrong is set aside with a reason: its last good rows stay, and the run continues. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Layout } from '../../../pipelines/layout.ts';
import type { RunResult } from '../../../pipelines/run/run.ts';
import { collectWarnings } from '../../../pipelines/run/summary/summary.ts';
import type { Alter } from '../../../sandbox/server.ts';
import type { World } from '../../../sandbox/world/types.ts';
import { makeWorld, worldOn } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay, TINY } from '../runs.ts';
import { afterFirstDay, FIRST_RUN } from '../starting_points.ts';

const text = (body: Uint8Array): string => new TextDecoder('latin1').decode(body);
const bytes = (body: string): Uint8Array => Buffer.from(body, 'latin1');

type Request = Parameters<Alter>[0];
type Fault = readonly [what: string, source: string, reason: RegExp, alter: Alter];
/** The answers to some requests with another body. */
const changed =
  (isMeant: (request: Request, body: string) => boolean, to: (body: string) => string): Alter =>
  (request, response) => {
    const body = text(response.body);
    return isMeant(request, body) ? { ...response, body: bytes(to(body)) } : undefined;
  };
const replaced = (isMeant: Parameters<typeof changed>[0], from: string, to: string): Alter =>
  changed(isMeant, (body) => body.replaceAll(from, to));
const isColorado = ({ path }: Request): boolean => path === '/resource/4ykn-tg5h.json';
const UNKNOWN_COLUMN: Fault = [
  'an unknown column',
  'colorado_sos',
  /^unknown_column$/,
  replaced(isColorado, '"entityid"', '"extra":"1","entityid"'),
];

/** Faults of a site's pages, one per source, and the reason that a read must end with. */
const FAULTS: readonly Fault[] = [
  [
    'a malformed answer',
    'colorado_sos',
    /^(malformed_page|template_changed)$/,
    changed(isColorado, () => '[{"entityid":"20261'),
  ],
  [
    'an empty body',
    'oh_montgomery_tax',
    /^empty_body$/,
    changed(
      ({ host, path }, body) => host === 'go.mcohio.org' && body !== '' && !path.endsWith('robots.txt'),
      () => '',
    ),
  ],
  [
    'a truncated download',
    'oh_cuyahoga_tax',
    /^truncated_download$/,
    (q, r) => (q.host === 'gis.cuyahogacounty.us' && q.path.endsWith('/query') ? { ...r, truncateAt: 300 } : undefined),
  ],
  [
    'an index whose template changed',
    'buckeye_income_property',
    /^template_changed$/,
    replaced(
      ({ host, path }) => host.includes('buckeye-income') && path === '/properties',
      'class="property"',
      'class="building"',
    ),
  ],
  [
    'tokens that the auction page no longer explains',
    'oh_cuyahoga_sheriff',
    /^template_changed$/,
    replaced(({ host }, body) => host.startsWith('cuyahoga') && body.includes('"retHTML"'), '@A', '@Z'),
  ],
  [
    'an auction session that answers as if the day were empty',
    'oh_hamilton_sheriff',
    /^count_mismatch$/,
    changed(
      ({ host }, body) => host.startsWith('hamilton.') && body.includes('"retHTML"'),
      () => '{"retHTML":"","rlist":""}',
    ),
  ],
  [
    'a layer that lost a field',
    'oh_stark_tax',
    /^(missing_column|template_changed)$/,
    replaced(({ host }) => host === 'utility.arcgis.com', 'FINAL_BALANCE', 'FINAL_BAL'),
  ],
  [
    'an HTML page in place of a register file',
    'ohio_sos',
    /./,
    (q, r) =>
      /WI0[01]\d\dR\.TXT$/.test(q.path)
        ? {
            ...r,
            headers: { 'content-type': 'text/html' },
            body: bytes('<title>Just a moment...</title>'),
            status: 403,
          }
        : undefined,
  ],
  [
    'a site that refuses',
    'heartland_multifamily',
    /^refused$/,
    (q, r) => (q.host.includes('heartland') ? { ...r, status: 403 } : undefined),
  ],
];
/** Sources whose site refuses; the pages of the others are wrong. */
const UNAVAILABLE = ['ohio_sos', 'heartland_multifamily'];

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
  SOUND.includes(name) || FAULTS.some(([, source]) => source === name);

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
    const perSource = new Map(FAULTS.map((fault) => [fault[1], fault]));
    const bad = await runDay({
      layout,
      world,
      day: '2026-11-21',
      only: read,
      tables,
      alter: (q, r) => {
        for (const [, , , alter] of FAULTS) {
          const altered = alter(q, r);
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
      const [what, , reason] = fault;
      const status = UNAVAILABLE.includes(spec.name) ? 'unavailable' : 'quarantined';
      assert.equal(row.status, status, `${what} on ${spec.name}: ${row.reason ?? ''} ${row.detail ?? ''}`);
      assert.match(row.reason ?? '', reason, `${what}: ${row.detail ?? ''}`);
      assert.ok(row.page_url !== null || row.reason === 'count_mismatch', `${what} names its page`);
      assert.equal(row.last_good_at, '2026-11-20T12:00:00Z', `${what}: the rows that stand are yesterday's`);
      assert.equal(row.age_days, 1);
      assert.equal(
        row.rows_out,
        good.sources.find((s) => s.spec.name === spec.name)?.row.rows_out,
        `${what}: none of them is lost`,
      );
      assert.ok(
        warnings.some((w) => w.startsWith(`${spec.name} ${status}`)),
        `${what} is in the warnings`,
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
    const [, colorado, , alterColumn] = UNKNOWN_COLUMN;
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
      only: (s) => ['heartland_multifamily', colorado].includes(s.name),
      tables: ['listing_history', 'rejects'],
      alter: (q, r) =>
        q.path === path
          ? { status: 200, headers: { 'content-type': 'text/html' }, body: bytes('<html><body>Sorry</body></html>') }
          : alterColumn(q, r),
    });
    const column = run.sources.find((s) => s.spec.name === colorado)?.row;
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
