/**
 * Removes the partial files of killed runs: unfinished snapshots, build databases, hand-over files, temporary files,
 * and rows without a record. Finished files stay, such as a read that a killed run completed. The empty
 * folder of its run stays too, because the archive's lists name the run.
 */
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LINK_ENDING, namesIn } from '../../lib/files.ts';
import { HANDED_OVER } from '../ingest/stage/json_rows.ts';
import type { Layout } from '../layout.ts';

/** Prefix of a snapshot's folder until it is complete. */
export const BUILDING = '.building-';

/** Build database of a run, in its folder of `runs/`. DuckDB adds a folder `.tmp`. */
export const BUILD_DATABASE = 'build.duckdb';

/** Ending of a temporary file. */
const TEMPORARY = '.tmp';

export const isPartial = (name: string): boolean =>
  name.endsWith(TEMPORARY) || name.endsWith(HANDED_OVER) || name.startsWith(BUILD_DATABASE);

/** Rows whose record was never written: no read names them. */
const isWithoutRecord = (name: string, names: ReadonlySet<string>): boolean =>
  name.endsWith('.parquet') && !names.has(name.replace(/parquet$/u, 'json'));

/** Something that is no folder, such as a file of the operator among the runs, has no partial files. */
function noneInFile(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOTDIR') return [];
  throw error;
}

async function removeFrom(
  folder: string,
  isRemovable: (name: string, names: ReadonlySet<string>) => boolean,
): Promise<void> {
  const names = new Set(await namesIn(folder).catch(noneInFile));
  for (const name of names)
    if (isRemovable(name, names)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Remove all partial files. The caller must hold the folder. */
export async function removePartialFiles(layout: Layout): Promise<void> {
  const rootFiles = [basename(layout.kind), basename(layout.current)];
  const isLink = (name: string): boolean => /^\.\d+/u.test(name) && name.endsWith(LINK_ENDING);
  const isTemporaryRootFile = (name: string): boolean =>
    rootFiles.some((file) => name.startsWith(`${file}.`) && name.endsWith(TEMPORARY));
  await removeFrom(dirname(layout.kind), (name) => isLink(name) || isTemporaryRootFile(name));
  await removeFrom(layout.snapshots, (name) => name.startsWith(BUILDING));
  for (const runId of await namesIn(layout.runs)) await removeFrom(layout.run(runId), isPartial);
  for (const source of await namesIn(layout.stagedRoot))
    await removeFrom(layout.staged(source), (name, names) => isPartial(name) || isWithoutRecord(name, names));
}
