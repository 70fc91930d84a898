/** Two days are made again from their pages: every source read on both, and the bytes of every table. */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatRebuild, isSame, rebuild } from '../../../pipelines/commands/rebuild.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../starting_points.ts';

test('without staged rows, both days are rebuilt byte for byte', async () => {
  const { layout } = await afterSecondDay();
  const staged = (await readdir(layout.root, { recursive: true })).filter(
    (name) => name.startsWith('staged/') && name.endsWith('.parquet'),
  );
  for (const name of staged) await rm(join(layout.root, name));
  for (const run of [FIRST_RUN, SECOND_RUN]) {
    const { sources, tables } = await readManifest(layout, run);
    const read = sources.filter(({ staged_sha256 }) => staged_sha256 !== null).length;
    assert.ok(read > 50, String(read));
    const result = await rebuild(layout, run);
    assert.ok(isSame(result), formatRebuild(result).join('\n'));
    assert.deepEqual([result.tables.length, result.parsed, result.copied], [Object.keys(tables).length, read, []]);
  }
});
