/**
 * Checks the rows of a read by workers: each shard is a job, staged in its own files. The run concatenates the shards
 * in the order of the pages, so the rows are the same as from one process.
 */
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { DamagedFile, sha256OfFile } from '../../lib/files.ts';
import { objectName, objectOf, type Store } from '../../lib/store/store.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Archive } from '../../lib/archive.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { archivedRequests, refOf, type ReadPage } from '../ingest/reads.ts';
import { loadHere, MAX_REJECTS, type Loaded, type LoadRows, type RowsToLoad } from '../ingest/stage/load_rows.ts';
import {
  addShard,
  removeShard,
  shardFiles,
  splitIntoShards,
  type Part,
  type ShardFiles,
  type StagedShard,
} from '../ingest/stage/stage_shard.ts';
import { layoutOf } from '../layout.ts';
import { getShard, removeStoredShard } from '../store/stored_shards.ts';
import { StageOutput, type ShardParts, type StageJob } from './jobs.ts';
import { shardName } from './worker/stage_job.ts';

export interface StagingOptions {
  readonly dataDir: string;
  /** Store through which pages and rows pass. Default: the workers share the folder. */
  readonly store?: Store | undefined;
  readonly archive: Archive;
  /** Sends a job, and waits for its output. @param bytes of its pages: workers take large shards first */
  readonly stage: (job: Pick<StageJob, 'source' | 'runId' | 'shard' | 'parts'>, bytes: number) => Promise<unknown>;
  /** Waits until this run may concatenate another read. */
  readonly takeTurn: () => Promise<void>;
}

/** A shard that a worker has staged. */
interface Done {
  readonly parts: readonly Part<ReadPage>[];
  /** Name of its files, without their endings. */
  readonly name: string;
  readonly files: ShardFiles;
  /** Null if the run must check its rows itself to report their fault. */
  readonly staged: StagedShard | null;
}

/** Dropped files are in the run's own folder; the store gets its pages when the run ends. */
async function storeDropped({ store, archive }: StagingOptions, requests: Iterable<RequestRecord>): Promise<void> {
  for (const { method, sha256 } of requests)
    if (store && method === 'READ' && sha256 !== null && (await store.size(objectName(sha256))) === null)
      await store.put(objectOf(sha256), await archive.read(sha256));
}

/** The shards of a read, staged. @throws QueueUnavailable, or an Error for a defect of ours */
async function stagedShards(
  options: StagingOptions,
  { spec, pages }: { readonly spec: SourceSpec; readonly pages: readonly ReadPage[] },
  runId: string,
): Promise<Done[]> {
  const { shards } = layoutOf(options.dataDir);
  const source = spec.name;
  const requests = await archivedRequests(options.archive, { source, run_id: runId, pages: pages.map(refOf) });
  const requestOf = new Map(pages.map((page, index) => [page, requests[index]]));
  await storeDropped(options, requests);
  const stage = async (parts: readonly Part<ReadPage>[], shard: number): Promise<Done> => {
    const asked = parts.map(({ page, number, of }) => ({ page: requestOf.get(page), number, of })) as ShardParts;
    const bytes = parts.reduce((sum, { page, of }) => sum + page.size / of, 0);
    const output = await options.stage({ source, runId, shard, parts: JSON.stringify(asked) }, bytes);
    const { worker, attempt, staged, defect } = StageOutput.parse(output);
    // A defect of ours ends the run, as it would in this process.
    if (defect !== undefined) throw new Error(`worker ${worker}, staging ${source}: ${defect}`);
    const name = shardName(runId, source, shard, attempt);
    return { parts, name, files: shardFiles(join(shards, name)), staged };
  };
  return Promise.all(splitIntoShards(spec, pages).map(stage));
}

/** Bring the files of a shard here, verified. */
async function fetchShard({ store }: StagingOptions, { name, files }: Done, staged: StagedShard): Promise<void> {
  if (store) return getShard(store, `shards/${name}`, files, staged);
  for (const file of ['rows', 'refused'] as const)
    if ((await sha256OfFile(files[file])) !== staged.sha256[file])
      throw new DamagedFile(`${files[file]} does not have the hash that its worker stated; run again`);
}

async function remove({ store }: StagingOptions, done: readonly Done[]): Promise<void> {
  for (const { name, files } of done) {
    await removeShard(files);
    if (store) await removeStoredShard(store, `shards/${name}`);
  }
}

/** Load the rows of a read's pages by workers. @param runId the run that reads them */
export const loadByWorkers =
  (options: StagingOptions, runId: string): LoadRows =>
  async (connection, rows) => {
    const done = await stagedShards(options, rows, runId);
    await options.takeTurn();
    const refused = done.reduce((sum, { staged }) => sum + (staged?.refused ?? 0), 0);
    if (done.some(({ staged }) => staged === null) || refused > MAX_REJECTS) {
      await remove(options, done);
      return loadHere(connection, rows);
    }
    const loaded = await assemble(options, done, connection, rows);
    await remove(options, done);
    return loaded;
  };

/** Concatenate the shards in the order of their pages. */
async function assemble(
  options: StagingOptions,
  done: readonly Done[],
  connection: DuckDBConnection,
  { onRows }: RowsToLoad,
): Promise<Loaded> {
  let accepted = 0;
  const refused: Pick<Loaded, 'rejects' | 'rejectedKeys'>[] = [];
  let page: ReadPage | undefined;
  let rowsOfPage = 0;
  for (const shard of done) {
    const { parts, files, staged } = shard;
    if (staged === null) continue;
    await fetchShard(options, shard, staged);
    if (page !== parts[0]?.page) rowsOfPage = 0;
    refused.push(await addShard(connection, files, rowsOfPage));
    page = parts[0]?.page;
    rowsOfPage += staged.accepted + staged.refused;
    accepted += staged.accepted;
    onRows?.(accepted, false);
  }
  onRows?.(accepted, true);
  return {
    accepted,
    rejects: refused.flatMap(({ rejects }) => rejects),
    rejectedKeys: refused.flatMap(({ rejectedKeys }) => rejectedKeys),
  };
}
