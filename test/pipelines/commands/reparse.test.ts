/**
 * Past reads parsed again from the archive: the same rows from the same parser, and the changes of another one.
 * reparse.proof.ts parses every source.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sha256OfFile } from '../../../lib/files.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { stagedParquet, standingRead } from '../../../pipelines/ingest/reads.ts';
import { reparse, type Reparsed } from '../../../pipelines/commands/reparse.ts';
import { formatReparse } from '../../../pipelines/commands/reparse_format.ts';
import type { World } from '../../../sandbox/world/types.ts';
import type { Candidate, SourceSpec } from '../../../sources/contract.ts';
import { openArchive } from '../../../sources/fetch/archive.ts';
import { loadSources } from '../../../sources/index.ts';
import { published, runDay } from '../runs.ts';
import { assertSameRows } from './same_rows.ts';
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
  const again = async (spec: SourceSpec, options: { since?: string; apply?: boolean } = {}): Promise<Reparsed[]> =>
    reparse({
      layout,
      archive: await openArchive(layout.root),
      spec,
      apply: options.apply ?? false,
      ...(options.since === undefined ? {} : { since: options.since }),
    });
  const specOf = (name: string): SourceSpec => specs.find((s) => s.name === name) ?? assert.fail(name);

  before(async () => {
    ({ layout, world } = await afterBadDay());
    specs = await loadSources();
  });

  test("today's parser gives the sources the rows they had, confirmed and unreadable pages included", async () => {
    await assertSameRows(layout, KINDS.map(specOf));
    assert.equal((await again(specOf('oh_cuyahoga_tax'))).length, 1, 'a day without an answer is no good read');
  });

  test('reads before SINCE stay unchanged', async () => {
    assert.deepEqual(
      (await again(specOf('oh_stark_tax'), { since: BAD_DAY })).map((r) => r.runId),
      [BAD_RUN],
    );
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
    const seen = await again(later, { since: BAD_DAY });
    const difference = { key: `39151 ${changed}`, field: 'amount', old: String(rows[0]?.['amount']), new: '7.00' };
    assert.deepEqual(
      [seen[0]?.differences?.changed, seen[0]?.differences?.gone, seen[0]?.differences?.added],
      [[difference], [`39151 ${dropped}`], []],
    );
    assert.equal(seen[0]?.after?.rows_out, (seen[0]?.before.rows_out ?? 0) - 1);
    assert.match(
      formatReparse(seen, stark.name, false).join('\n'),
      new RegExp(`~ 39151 ${changed}: amount: ${String(rows[0]?.['amount'])} -> 7\\.00`),
    );
    assert.deepEqual(await standingRead(layout, stark.name, BAD_DAY), standing, 'nothing was written');

    assert.deepEqual(
      (await again(later, { since: BAD_DAY, apply: true })).map((r) => r.applied),
      [2],
    );
    assert.deepEqual(
      (await again(later, { since: BAD_DAY })).map((r) => [r.version, r.differences?.changed.length, r.applied]),
      [[2, 0, null]],
      'and then it is what stands',
    );
    assert.equal(
      await sha256OfFile(stagedParquet(layout, stark.name, standing?.run_id ?? '')),
      standing?.parquet?.sha256,
      'the rows as first read are kept',
    );
    const next = await runDay({ layout, world, day: BAD_DAY, only: () => false, tables });
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
    const results = await again(
      {
        ...hud,
        parse: () => {
          throw new TypeError('cells is undefined');
        },
      },
      { apply: true },
    );
    assert.ok(results.length > 0 && results.every((r) => r.applied === null && r.after === null));
    assert.match(results[0]?.problem ?? '', /parser_error.*cells is undefined/);
  });
});
