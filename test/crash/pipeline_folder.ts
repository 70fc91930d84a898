/** What must hold of a data folder at any instant, whoever was killed in it; and in which phase a run was killed. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { namesIn } from '../../lib/files.ts';
import type { Store } from '../../lib/store/store.ts';
import { hashOf } from '../../models/manifest.ts';
import { parseRunId, type Layout } from '../../pipelines/layout.ts';
import { readsUpTo, trustedRows } from '../../pipelines/ingest/reads.ts';
import { currentSnapshot, listSnapshots, readManifest, verifySnapshot } from '../../pipelines/snapshots.ts';
import { wrongInArchive } from '../lib/archive_files.ts';

/** Files under a folder, relative to it. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((e) => !e.isDirectory()).map((e) => relative(folder, join(e.parentPath, e.name)));
}

/**
 * What is wrong in the folder, each in one sentence: `current`, every snapshot, read, object (here or in the store) and
 * request record.
 */
export async function wrongIn(layout: Layout, store?: Store): Promise<string[]> {
  const wrong: string[] = [];
  const current = await currentSnapshot(layout);
  if (current !== null) {
    const target = await readlink(layout.current);
    if (target !== join('snapshots', current)) wrong.push(`current points at ${target}`);
    if (!(await listSnapshots(layout)).includes(current)) wrong.push(`current names ${current}, which is no snapshot`);
  }
  for (const runId of await listSnapshots(layout))
    wrong.push(...(await verifySnapshot(layout, runId)).map((problem) => `snapshot ${runId}: ${problem}`));
  for (const source of await namesIn(layout.stagedRoot)) {
    for (const read of await readsUpTo(layout, source, '9999-12-31')) {
      if ((read.status === 'good') !== ((await trustedRows(layout, read)) !== undefined))
        wrong.push(`read ${source} ${read.run_id} is ${read.status} and has rows, or is good and has none`);
    }
  }
  for (const runId of await namesIn(layout.runs)) {
    const notes = await readFile(join(layout.run(runId), 'run.json'), 'utf8').catch(() => '{}');
    if (typeof JSON.parse(notes) !== 'object') wrong.push(`run.json of ${runId} is not whole`);
  }
  return [...wrong, ...(await wrongInArchive(layout.root, store))];
}

export type Phase = 'before' | 'fetch' | 'staging' | 'build' | 'publish' | 'switch' | 'after';

/**
 * The phase in which the newest run of a day was killed, by what lies on the disk:
 * before it had an id; while it asked for pages; while it wrote staged rows; while it built the models; while it wrote
 * the snapshot; when the snapshot stood in its place and the run had not ended; after it had written all.
 * @param known folders of runs/ from before the run
 */
export async function phaseOf(layout: Layout, known: ReadonlySet<string>): Promise<Phase> {
  const runId = (await namesIn(layout.runs)).find((id) => !known.has(id));
  if (runId === undefined) return 'before';
  const inRun = await namesIn(layout.run(runId));
  if (inRun.includes('run.json')) return 'after';
  const snapshots = await namesIn(layout.snapshots);
  if (snapshots.includes(runId)) return 'switch';
  if (snapshots.some((name) => name.startsWith('.building-'))) return 'publish';
  if (inRun.some((name) => name.startsWith('build.duckdb'))) return 'build';
  for (const source of await namesIn(layout.stagedRoot)) {
    const names = new Set(await namesIn(layout.staged(source)));
    if (
      [...names].some(
        (name) =>
          name.startsWith(runId) &&
          (!/\.(?:json|parquet)$/u.test(name) || !names.has(name.replace(/parquet$/u, 'json'))),
      )
    )
      return 'staging';
  }
  return 'fetch';
}

/** Paths without run numbers, large pages and Iceberg metadata: equal for runs that left the same kinds of files. */
export async function kindsOfFiles(layout: Layout): Promise<string[]> {
  const shape = (path: string): string => path.replace(/(\d{4}-\d{2}-\d{2})\.\d{2,}/gu, '$1');
  return [
    ...new Set((await filesIn(layout.root)).filter((path) => !/^(?:archive\/large|iceberg)\//u.test(path)).map(shape)),
  ].sort();
}

/**
 * SHA-256 of each published Parquet file of a day's newest snapshot, but that of `change_feeds`: it names the snapshot
 * before by its run id, which depends on how often that day was tried.
 */
export async function hashesOn(layout: Layout, day: string): Promise<Record<string, string>> {
  const newest = (await listSnapshots(layout)).findLast((id) => parseRunId(id)?.asOf === day);
  if (newest === undefined) return {};
  const { tables } = await readManifest(layout, newest);
  const { change_feeds: _, ...others } = tables;
  return Object.fromEntries(Object.entries(others).map(([name, table]) => [name, hashOf(table)]));
}
