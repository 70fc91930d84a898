/** The runs of a data folder whose files a store exchanges: staged rows, records of reads, and lists of requests. */
import { join } from 'node:path';
import { namesIn } from '../../lib/files.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';

const FOLDERS = ['staged', 'archive/requests'] as const;

/** A path that a list of a run may name. */
const PATH = /^(?:staged|archive\/requests)\/[\w-]+\/(\d{4}-\d{2}-\d{2}\.\d{2,})(?:\.v\d+)?\.(?:json|ndjson|parquet)$/u;

export const runIdOfPath = (path: string): string | null => PATH.exec(path)?.[1] ?? null;

/** Whether a path is of a later version of a read, which make rebuild SOURCE=... writes after its run. */
export const isLaterVersion = (path: string): boolean => /\.v\d+\.(?:json|parquet)$/u.test(path);

/** Files by run, as paths in the data folder; runs in their order. */
export async function filesByRun(layout: Layout): Promise<ReadonlyMap<string, readonly string[]>> {
  const paths: string[] = [];
  for (const folder of FOLDERS)
    for (const source of await namesIn(join(layout.root, folder)))
      paths.push(...(await namesIn(join(layout.root, folder, source))).map((name) => `${folder}/${source}/${name}`));
  const byRun = Map.groupBy(
    paths.sort().filter((path) => runIdOfPath(path) !== null),
    (path) => runIdOfPath(path) ?? '',
  );
  return new Map([...byRun].sort(([a], [b]) => compareRunIds(a, b)));
}

/** Sources that have staged reads. */
export const stagedSources = (layout: Layout): Promise<string[]> => namesIn(layout.stagedRoot);

/** Names in a folder that are run ids. */
export const runIdsIn = async (folder: string): Promise<string[]> =>
  (await namesIn(folder)).filter((name) => parseRunId(name) !== null);
