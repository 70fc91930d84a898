/**
 * A past day is made again from the bytes that were archived on it, and comes out byte for byte. rebuild.proof.ts does
 * so with every source read on both days, and every table.
 */
import assert from 'node:assert/strict';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { SettingError } from '../../../lib/settings.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { standingRead } from '../../../pipelines/ingest/reads.ts';
import { isSame, formatRebuild, rebuild } from '../../../pipelines/commands/rebuild.ts';
import type { Manifest } from '../../../models/manifest.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { modelsOf } from '../some_tables.ts';
import { afterBadDay, BAD_DAY, BAD_DAY_TABLES, BAD_RUN, FIRST_RUN } from '../starting_points.ts';
import { openArchive } from '../../../lib/archive.ts';
import { replaceBody } from '../../lib/archive_files.ts';

/** A page of this source is damaged, and one of the other was erased on request. */
const DAMAGED = 'oh_stark_tax';
const ERASED = 'oh_cuyahoga_sheriff';

describe('after two days, the second with a failed page, a site that is down, sold leads and other assumptions', () => {
  let layout: Layout;
  /** Number of sources with rows. */
  let read = 0;
  /** Number of published tables. */
  let published = 0;
  before(async () => {
    ({ layout } = await afterBadDay());
    const { sources, tables, ...manifest } = await readManifest(layout, BAD_RUN);
    assert.ok(manifest.sold_leads.length > 0 && manifest.sold_properties.length > 0);
    published = Object.keys(tables).length;
    read = sources.filter(({ staged_sha256 }) => staged_sha256 !== null).length;
  });
  const files = async (): Promise<string[]> => (await readdir(layout.root, { recursive: true })).sort();

  test('the second day is rebuilt from its pages alone; differences and erased pages are reported', async () => {
    const away = `${layout.root}-away`;
    const path = join(layout.snapshot(BAD_RUN), 'manifest.json');
    const manifest = await readFile(path, 'utf8');
    const leads = (JSON.parse(manifest) as Manifest).tables['leads']?.files[0]?.sha256 ?? assert.fail('no leads');
    const names = await files();
    const hash = (await standingRead(layout, DAMAGED, BAD_DAY))?.pages[0]?.sha256 ?? assert.fail('no page');
    const isCopied = (name: string): boolean => [DAMAGED, ERASED].some((of) => name.startsWith(`staged/${of}/`));
    const staged = names.filter((n) => n.startsWith('staged/') && n.endsWith('.parquet') && !isCopied(n));
    assert.ok(staged.length > read, 'some sources have rows of both days');
    for (const [i, name] of staged.entries()) await rename(join(layout.root, name), `${away}-${i}`);
    const [part] = (await readManifest(layout, FIRST_RUN)).tables['filings']?.files ?? [];
    const filings = join(layout.snapshot(FIRST_RUN), part?.file ?? assert.fail('no filings'));
    await rename(filings, `${away}-filings`);
    await assert.rejects(
      rebuild(layout, BAD_RUN),
      /that snapshot is damaged: filings-[0-9a-f]{16}\.parquet is missing/,
    );
    await rename(`${away}-filings`, filings);
    const archive = await openArchive(layout.root);
    const body = await archive.read(hash);
    assert.equal(replaceBody(layout.root, hash, 'another page'), 1);
    await writeFile(path, manifest.replace(leads, 'f'.repeat(64)));
    const without = await files();
    const [erased] = (await standingRead(layout, ERASED, BAD_DAY))?.pages ?? [];
    await archive.erase(erased?.sha256 ?? assert.fail('no page'));
    const result = await rebuild(layout, BAD_RUN, { models: await modelsOf(BAD_DAY_TABLES) });
    assert.deepEqual(await files(), without, 'no file changes');
    assert.deepEqual(
      result.tables.filter((t) => t.was !== t.now).map((t) => [t.name, t.was, t.now]),
      [['leads', 'f'.repeat(64), leads]],
      formatRebuild(result).join('\n'),
    );
    assert.deepEqual([result.tables.length, result.parsed], [published, read - 2]);
    assert.deepEqual(
      result.copied.map(({ source }) => source),
      [ERASED, DAMAGED],
      'stored rows replace those of an erased and of a damaged page',
    );
    assert.match(
      formatRebuild(result).join('\n'),
      new RegExp(
        `1 of ${published} tables are DIFFERENT[^]*` +
          `not reproduced, the stored rows of ${ERASED} were copied: [^\n]*erased[^]*` +
          `the stored rows of ${DAMAGED} were copied: [^]*leads +f{16} +[0-9a-f]{16}`,
        'u',
      ),
    );
    assert.equal(isSame(result), false);
    await archive.put(body);
    await archive.close();
    await writeFile(path, manifest);
    for (const [i, name] of staged.entries()) await rename(`${away}-${i}`, join(layout.root, name));
  });

  test('a day that was built on a damaged snapshot is refused in one line', async () => {
    const path = join(layout.snapshot(FIRST_RUN), 'deals.parquet');
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(1));
    await assert.rejects(
      rebuild(layout, BAD_RUN),
      (e) => e instanceof SettingError && /damaged: deals\.parquet does not have the hash/u.test(e.message),
    );
    await writeFile(path, bytes);
  });
});
