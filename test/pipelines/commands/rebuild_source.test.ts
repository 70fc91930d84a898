/**
 * Past reads parsed again from the archive: the same rows from the same parser, and the changes of another one.
 * rebuild.proof.ts parses every source.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sha256OfFile } from '../../../lib/files.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { readsUpTo, stagedParquet, standingRead } from '../../../pipelines/ingest/reads.ts';
import { formatRebuiltReads, rebuildSource, type RebuiltRead } from '../../../pipelines/commands/rebuild_source.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import type { World } from '../../../sandbox/world/types.ts';
import type { Candidate, SourceSpec } from '../../../sources/contract.ts';
import { openArchive } from '../../../lib/archive.ts';
import { loadSources } from '../../../sources/index.ts';
import { published, runDay } from '../runs.ts';
import { afterBadDay, BAD_DAY, BAD_RUN } from '../starting_points.ts';

/** One of each kind of page. */
const KINDS = [
  'heartland_multifamily',
  'reso_sandbox_mls',
  'oh_cuyahoga_tax',
  'oh_stark_tax',
  'oh_stark_sheriff_page',
  'colorado_sos',
  'ohio_sos',
  'hud_fmr',
];
/** The table that the tests read. */
const tables = ['signals'];

describe('after two days', () => {
  let layout: Layout;
  let world: World;
  let specs: SourceSpec[];
  const again = async (spec: SourceSpec, options: { since?: string; isDry?: boolean } = {}): Promise<RebuiltRead[]> =>
    rebuildSource({
      layout,
      archive: await openArchive(layout.root),
      spec,
      isDry: options.isDry ?? true,
      since: options.since,
    });
  const specOf = (name: string): SourceSpec => specs.find((s) => s.name === name) ?? assert.fail(name);

  before(async () => {
    ({ layout, world } = await afterBadDay());
    specs = await loadSources();
  });

  test("today's parser reproduces the rows of the sources, confirmed and unreadable pages included", async () => {
    const { sources } = await readManifest(layout, BAD_RUN);
    assert.ok(sources.some(({ source, traffic }) => KINDS.includes(source) && traffic.not_modified > 0));
    const heartland = sources.find(({ source }) => source === 'heartland_multifamily');
    assert.equal(heartland?.rows_carried, 1, 'one page could not be read');
    for (const name of KINDS) {
      const results = await again(specOf(name));
      const good = (await readsUpTo(layout, name, BAD_DAY)).filter(({ status }) => status === 'good');
      assert.ok(good.length > 0, name);
      assert.deepEqual(
        results.map(({ outcome, counts, problem }) => [outcome, counts, problem]),
        good.reverse().map(({ counts }) => ['same', counts, null]),
        name,
      );
    }
    assert.equal((await again(specOf('oh_cuyahoga_tax'))).length, 1, 'a day without an answer is no good read');
  });

  test('a changed parser shows its changes; applied, they are a new version, which the next run uses', async () => {
    const stark = specOf('oh_stark_tax');
    const rows = await published(
      layout,
      BAD_RUN,
      'signals',
      "WHERE source = 'oh_stark_tax' AND signal_state = 'listed' ORDER BY parcel_id",
    );
    const [changed, dropped] = rows.map((r) => String(r['parcel_id']));
    assert.ok(changed !== undefined && dropped !== undefined && rows[0]?.['amount'] !== '7.00');
    const parcelOf = (c: Candidate): unknown => ('values' in c ? c.values['parcel_raw'] : null);
    const later: SourceSpec = {
      ...stark,
      async *parse(page) {
        for await (const c of stark.parse(page)) {
          if (parcelOf(c) === dropped) continue;
          yield 'values' in c && parcelOf(c) === changed ? { ...c, values: { ...c.values, amount: '7.00' } } : c;
        }
      },
    };
    const standing = await standingRead(layout, stark.name, BAD_DAY);
    const [seen, ...others] = await again(later, { since: BAD_DAY });
    assert.ok(seen && others.length === 0);
    assert.equal(seen.outcome, 'changed');
    assert.equal(seen.lines.length, 2);
    assert.equal(seen.counts?.rows_out, seen.read.counts.rows_out - 1);
    const text = formatRebuiltReads([seen], stark.name, true).join('\n');
    assert.match(text, new RegExp(`~ 39151 ${changed}: amount ${String(rows[0]?.['amount'])} -> 7\\.00`));
    assert.match(text, new RegExp(`- 39151 ${dropped}`));
    assert.deepEqual(await standingRead(layout, stark.name, BAD_DAY), standing, 'nothing was written');

    assert.deepEqual(
      (await again(later, { since: BAD_DAY, isDry: false })).map((r) => r.version),
      [2],
    );
    assert.deepEqual(
      (await again(later, { since: BAD_DAY })).map((r) => [r.read.version, r.outcome, r.version]),
      [[2, 'same', null]],
      'and then it is what stands',
    );
    assert.equal(
      await sha256OfFile(stagedParquet(layout, stark.name, standing?.run_id ?? '')),
      standing?.parquet?.sha256,
      'the rows as first read are kept',
    );
    const next = await runDay({ layout, world, day: BAD_DAY, only: [], tables });
    const now = await published(
      layout,
      next.runId,
      'signals',
      `WHERE source = 'oh_stark_tax' AND signal_state = 'listed' AND parcel_id IN ('${changed}', '${dropped}')`,
    );
    assert.deepEqual(
      now.map((r) => [r['parcel_id'], r['amount']]),
      [[changed, '7.00']],
    );
  });

  test('pages that a later parser quarantines change nothing', async () => {
    const hud = specOf('hud_fmr');
    const later: readonly [SourceSpec['parse'], RegExp][] = [
      [
        () => {
          throw new TypeError('cells is undefined');
        },
        /parser_error.*cells is undefined/,
      ],
      [() => [], /rows/],
    ];
    for (const [parse, problem] of later) {
      const results = await again({ ...hud, parse }, { isDry: false });
      assert.ok(
        results.length > 0 && results.every((r) => r.outcome === 'failed' && r.version === null && r.counts === null),
      );
      assert.match(results[0]?.problem ?? '', problem);
    }
  });
});
