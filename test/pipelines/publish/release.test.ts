/** `make release`: what a stranger gets, checked with other tools and against the snapshot itself. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Layout } from '../../../pipelines/layout.ts';
import { findDamage, release, type Release } from '../../../pipelines/commands/release.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { published } from '../runs.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../starting_points.ts';

let layout: Layout;
let first: Release;
let second: Release;
const fileOf = (name: string, { folder } = second): Promise<string> => readFile(join(folder, name), 'utf8');

before(async () => {
  ({ layout } = await afterSecondDay());
  first = await release(layout, FIRST_RUN);
  second = await release(layout, SECOND_RUN);
});

describe('a release', () => {
  test('has every published table except those that resell leads or disclose sold ones', async () => {
    const { tables } = await readManifest(layout, SECOND_RUN);
    const manifest = JSON.parse(await fileOf('manifest.json')) as Record<string, unknown>;
    const released = Object.keys(manifest['tables'] as object);
    const leftOut = Object.keys(tables).filter((name) => !released.includes(name));
    assert.deepEqual(leftOut.sort(), [
      'change_feeds',
      'changes',
      'endings',
      'lead_steps',
      'leads',
      'metro_days',
      'property_keys',
    ]);
    assert.ok(released.includes('deals') && released.includes('signals'));
    const files = (await readdir(second.folder)).filter((name) => name.endsWith('.parquet'));
    assert.deepEqual(files, released.map((name) => `${name}.parquet`).sort());
    for (const hidden of ['sold_leads', 'sold_properties', 'database']) assert.ok(!(hidden in manifest), hidden);
  });

  test('is checked by sha256sum, file by file', async () => {
    const checked = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: second.folder, encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
    const names = (await readdir(second.folder)).filter((name) => name !== 'SHA256SUMS');
    assert.equal(checked.stdout.trim().split('\n').length, names.length);
  });

  test('has every change since the previous release, as the tables show them', async () => {
    const changes = (await fileOf('changes.ndjson'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string | null>)
      .filter((change) => change['table'] === 'deals');
    const keysOf = (kind: string, field: string | null): unknown[] =>
      changes.filter((change) => change['kind'] === kind && change['field'] === field).map(({ key }) => key);
    const byId = async (runId: string) =>
      new Map((await published(layout, runId, 'deals')).map((row) => [row['id'], row]));
    const [old, now] = [await byId(FIRST_RUN), await byId(SECOND_RUN)];
    assert.deepEqual(keysOf('added', null), [...now.keys()].filter((id) => !old.has(id)).sort());
    const repriced = [...now].filter(([id, row]) => old.has(id) && old.get(id)?.['list_price'] !== row['list_price']);
    assert.ok(repriced.length > 0);
    assert.deepEqual(keysOf('changed', 'list_price'), repriced.map(([id]) => id).sort());
    assert.ok(!(await readdir(first.folder)).includes('changes.ndjson'), 'the first release has nothing to compare');
  });

  test('names every source with rows in it, and its terms', async () => {
    const { sources } = await readManifest(layout, SECOND_RUN);
    const page = await fileOf('LICENSES.md');
    for (const { source, staged_run } of sources)
      assert.equal(page.includes(`\`${source}\``), staged_run !== null, source);
    assert.match(await fileOf('README.md'), /Made-up data of the sandbox world/);
  });

  test('is written once: the same bytes elsewhere, and never overwritten', async () => {
    assert.equal((await release(layout, SECOND_RUN)).isNew, false);
    const sums = await fileOf('SHA256SUMS');
    await rm(second.folder, { recursive: true });
    assert.equal((await release(layout, SECOND_RUN)).isNew, true);
    assert.equal(await fileOf('SHA256SUMS'), sums);
  });

  test('is refused, and not overwritten, if one of its files was changed', async () => {
    await appendFile(join(first.folder, 'deals.parquet'), 'x');
    assert.deepEqual(await findDamage(first.folder), ['deals.parquet changed since it was released']);
    await assert.rejects(
      release(layout, FIRST_RUN),
      /deals\.parquet changed since it was released\. Delete the folder/,
    );
  });

  test('of a snapshot with unknown columns is refused', async () => {
    const manifest = await readManifest(layout, SECOND_RUN);
    const older = { ...manifest, versions: { ...manifest.versions, schema: '0'.repeat(64) } };
    await writeFile(join(layout.snapshot(SECOND_RUN), 'manifest.json'), JSON.stringify(older));
    await rm(second.folder, { recursive: true });
    await assert.rejects(release(layout, SECOND_RUN), /has other columns than this version of Dealfeed describes/);
  });
});
