/** Asserts that the reads up to the bad day, parsed again, give the rows that they had. */
import assert from 'node:assert/strict';
import { reparse } from '../../../pipelines/commands/reparse.ts';
import { readsUpTo } from '../../../pipelines/ingest/reads.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import { openArchive } from '../../../sources/fetch/archive.ts';
import { BAD_DAY, BAD_RUN } from '../starting_points.ts';

/** @param layout after the bad day, on which some pages were confirmed and one could not be read */
export async function assertSameRows(layout: Layout, specs: readonly SourceSpec[]): Promise<void> {
  const { sources } = await readManifest(layout, BAD_RUN);
  assert.ok(
    sources.some(({ source, traffic }) => specs.some(({ name }) => name === source) && traffic.not_modified > 0),
    'some pages of the bad day came by 304',
  );
  const heartland = sources.find(({ source }) => source === 'heartland_multifamily');
  assert.equal(heartland?.rows_carried, 1, 'one page could not be read');
  for (const spec of specs) {
    const results = await reparse({ layout, archive: await openArchive(layout.root), spec, apply: false });
    const good = (await readsUpTo(layout, spec.name, BAD_DAY)).filter((r) => r.status === 'good');
    assert.equal(results.length, good.length, spec.name);
    assert.ok(!spec.fetch || good.length >= 1, spec.name);
    for (const r of results) {
      assert.equal(r.problem, null, spec.name);
      assert.deepEqual(r.after, r.before, spec.name);
      assert.deepEqual(r.differences, { added: [], gone: [], changed: [], moved: 0 }, spec.name);
      assert.ok(!r.hasOtherRejects, spec.name);
    }
  }
}
