/**
 * The runs of a data folder that a store exchanges, as files: staged rows, records of reads, and for each read the list
 * of its requests, `archive/requests/<source>/<run id>.ndjson`, which the archive has as rows.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Archive, type ArchivedRead } from '../../lib/archive.ts';
import { RequestRecord } from '../../lib/request_record.ts';
import { namesIn, writeWhole } from '../../lib/files.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';

/** A path that a list of a run may name. */
const PATH = /^(?:staged|archive\/requests)\/[\w-]+\/(\d{4}-\d{2}-\d{2}\.\d{2,})(?:\.v\d+)?\.(?:json|ndjson|parquet)$/u;
const LIST = /^archive\/requests\/([\w-]+)\/([^/]+)\.ndjson$/u;

export const runIdOfPath = (path: string): string | null => PATH.exec(path)?.[1] ?? null;

/** Path of the list of a read's requests. */
export const listPath = ({ source, runId }: ArchivedRead): string => `archive/requests/${source}/${runId}.ndjson`;

/** The read of a list; null for another path. */
export function listedRead(path: string): ArchivedRead | null {
  const [, source, runId] = LIST.exec(path) ?? [];
  return source === undefined || runId === undefined ? null : { source, runId };
}

/** Whether a path is of a later version of a read, which make rebuild SOURCE=... writes after its run. */
export const isLaterVersion = (path: string): boolean => /\.v\d+\.(?:json|parquet)$/u.test(path);

/** A data folder and its archive. */
export interface LocalFolder {
  readonly layout: Layout;
  readonly archive: Archive;
}

/** Text of a record of a read or of a list; null if there is none. */
export async function textOf({ layout, archive }: LocalFolder, path: string): Promise<string | null> {
  const read = listedRead(path);
  if (read) {
    const records = await archive.records(read.source, read.runId);
    return records.length === 0 ? null : records.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
  return readFile(join(layout.root, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Write a record of a read or a list, unless the folder has it. */
export async function writeText(folder: LocalFolder, path: string, text: string): Promise<void> {
  if ((await textOf(folder, path)) === text) return;
  const read = listedRead(path);
  if (!read) return writeWhole(join(folder.layout.root, path), text);
  const lines = text.split('\n').filter((line) => line !== '');
  await folder.archive.replaceRead(
    read,
    lines.map((line) => RequestRecord.parse(JSON.parse(line))),
  );
}

/** Files by run, as paths in the data folder; runs in their order. */
export async function filesByRun({ layout, archive }: LocalFolder): Promise<ReadonlyMap<string, readonly string[]>> {
  const paths = archive.readsWithHashes().map(listPath);
  for (const source of await namesIn(layout.stagedRoot))
    paths.push(...(await namesIn(layout.staged(source))).map((name) => `staged/${source}/${name}`));
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
