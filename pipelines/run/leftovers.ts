/**
 * What killed runs leave behind, none of it ever taken for a whole file: half-written snapshots, the databases of
 * their builds, hand-over files, files that were not yet renamed into their place, and rows without the record that
 * would make them count. What is whole stays, a read that a killed run had finished among it; so does the empty folder
 * of its run, because the archive's lists name the run.
 */
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LINK_ENDING } from '../../lib/files.ts';
import type { Layout } from '../layout.ts';
import { HANDED_OVER } from '../ingest/rows.ts';

/** Prefix of a snapshot's folder until it is whole. */
export const BUILDING = '.building-';

/** Database a run builds in, inside its folder of `runs/`. DuckDB puts a `.wal` and a `.tmp` beside it. */
export const BUILD_DATABASE = 'build.duckdb';

/** Ending of a file that is not whole yet. */
const TEMPORARY = '.tmp';

const unfinished = (name: string): boolean =>
  name.endsWith(TEMPORARY) || name.endsWith(HANDED_OVER) || name.startsWith(BUILD_DATABASE);

/** Rows whose record was never written: no read names them. */
const withoutRecord = (name: string, all: ReadonlySet<string>): boolean =>
  name.endsWith('.parquet') && !all.has(name.replace(/parquet$/u, 'json'));

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });

async function removeFrom(
  folder: string,
  isLeftover: (name: string, all: ReadonlySet<string>) => boolean,
): Promise<void> {
  const names = await namesIn(folder);
  const all = new Set(names);
  for (const name of names) if (isLeftover(name, all)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Remove them. Only for the one run that holds the folder. */
export async function removeLeftovers(layout: Layout): Promise<void> {
  const ours = [basename(layout.kind), basename(layout.current)];
  await removeFrom(
    dirname(layout.kind),
    (name) =>
      (/^\.\d+/u.test(name) && name.endsWith(LINK_ENDING)) ||
      ours.some((file) => name.startsWith(`${file}.`) && name.endsWith(TEMPORARY)),
  );
  await removeFrom(layout.snapshots, (name) => name.startsWith(BUILDING));
  for (const runId of await namesIn(layout.runs)) await removeFrom(layout.run(runId), unfinished);
  for (const source of await namesIn(layout.stagedRoot))
    await removeFrom(layout.staged(source), (name, all) => unfinished(name) || withoutRecord(name, all));
}
