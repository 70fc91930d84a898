/** A past day is made again from its pages: every source read on both days, and the bytes of every table. */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatRebuild, isSame, rebuild } from '../../../pipelines/commands/rebuild.ts';
import { writePrunedFiles } from '../../../pipelines/pruned_files.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { afterWholeBadDay, BAD_RUN, FIRST_RUN } from '../starting_points.ts';

test('without its staged rows and the filings of the day before, the second day is rebuilt byte for byte', async () => {
  const { layout } = await afterWholeBadDay();
  const { sources, tables } = await readManifest(layout, BAD_RUN);
  const read = sources.filter(({ staged_sha256 }) => staged_sha256 !== null).length;
  const staged = (await readdir(layout.root, { recursive: true })).filter(
    (name) => name.startsWith('staged/') && name.endsWith('.parquet'),
  );
  assert.ok(staged.length >= 2 * read - 5);
  for (const name of staged) await rm(join(layout.root, name));
  await writePrunedFiles(layout, FIRST_RUN, [{ file: 'filings.parquet', setting: 'KEEP_FILINGS_DAYS' }]);
  await rm(join(layout.snapshot(FIRST_RUN), 'filings.parquet'));
  const result = await rebuild(layout, BAD_RUN);
  assert.ok(isSame(result), formatRebuild(result).join('\n'));
  assert.deepEqual(
    [result.tables.length, result.parsed, result.copied, result.versionChanges],
    [Object.keys(tables).length, read, [], []],
  );
});
