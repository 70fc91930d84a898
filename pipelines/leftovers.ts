/** What killed runs leave behind: half-written snapshots and the databases of their builds. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layout } from './layout.ts';

/** Prefix of a snapshot's folder until it is whole. */
export const BUILDING = '.building-';

/** Database a run builds in, inside its folder of `runs/`. */
export const BUILD_DATABASE = 'build.duckdb';

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') return [];
  throw error;
});

/** Remove them. Only for the one run that holds the folder. */
export async function removeLeftovers(layout: Layout): Promise<void> {
  for (const name of await namesIn(layout.snapshots)) if (name.startsWith(BUILDING)) await rm(join(layout.snapshots, name), { recursive: true });
  for (const runId of await namesIn(layout.runs)) {
    for (const ending of ['', '.wal']) await rm(join(layout.run(runId), `${BUILD_DATABASE}${ending}`), { force: true });
  }
}
