/**
 * Writes the published snapshots as Iceberg tables: `iceberg/<table>/metadata/` in the data folder. Only metadata: the
 * data files are the Parquet files of the snapshots. It follows from what is published, so a crash loses nothing: the
 * next run writes what is missing.
 */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../lib/files.ts';
import type { Layout } from '../layout.ts';
import { currentSnapshot } from '../snapshots.ts';
import { forEachTable, HINT, metadataFile, nextVersion } from './table.ts';

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.tmp`, content);
  await rename(`${path}.tmp`, path);
}

/**
 * Write what is missing of the Iceberg tables.
 * @param url where readers find the data folder. Default: its absolute path
 * @returns names of the tables whose metadata changed
 */
export async function writeOpenTables(layout: Layout, url?: string): Promise<readonly string[]> {
  const current = await currentSnapshot(layout);
  if (current === null) return [];
  const written: string[] = [];
  await forEachTable(layout, url ?? resolve(layout.root), async (duck, table) => {
    const folder = join(layout.iceberg, table.name, 'metadata');
    await makeFolder(folder);
    const hint = Number(await textOf(join(folder, HINT)));
    const version = Number.isSafeInteger(hint) ? hint : 0;
    const latest = await textOf(join(folder, metadataFile(version)));
    const next = await nextVersion(duck, layout, table, { current, latest });
    if (next === null) return;
    for (const [name, content] of next.files) await replace(join(folder, name), content);
    await replace(join(folder, metadataFile(version + 1)), next.text);
    await replace(join(folder, HINT), String(version + 1));
    for (const name of next.removable(await readdir(folder), version + 1)) await rm(join(folder, name));
    written.push(table.name);
  });
  return written;
}
