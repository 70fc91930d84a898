/** Checks and stages the rows of one shard. */
import { constants } from 'node:buffer';
import { join } from 'node:path';
import type { Job } from 'pg-boss';
import { StoreUnavailable } from '../../../lib/store/store.ts';
import { type Page, Quarantine, type SourceSpec } from '../../../sources/contract.ts';
import type { Archive } from '../../../lib/archive.ts';
import type { RequestRecord } from '../../../lib/request_record.ts';
import { openPage } from '../../../sources/fetch/page.ts';
import {
  cutPart,
  removeShard,
  shardFiles,
  stageShard,
  type ShardFiles,
  type StagedShard,
} from '../../ingest/stage/stage_shard.ts';
import { layoutOf } from '../../layout.ts';
import { openStoredArchive } from '../../store/stored_archive.ts';
import { putShard } from '../../store/stored_shards.ts';
import { trimPages } from '../../store/worker_store.ts';
import { BYTES_PER_MB, findJobSpec, type JobContext } from './job_context.ts';
import { ShardParts, StageJob, type StageOutput } from '../jobs.ts';

/** Name of the files of a shard. Each attempt has its own: a worker that was given up may still write. */
export const shardName = (runId: string, source: string, shard: number, attempt: number): string =>
  join(runId, source, `${shard}.${attempt}`);

/** Opens pages. The last divided page stays open: a worker often gets several of its parts. */
export class OpenPages {
  #divided: { readonly key: string; readonly page: Promise<Page> } | undefined;

  open(archive: Archive, request: RequestRecord, isDivided: boolean): Promise<Page> {
    // The worker that read the page has checked its size limit.
    const opened = (): Promise<Page> => openPage(archive, request, constants.MAX_LENGTH);
    if (!isDivided) return opened();
    const key = JSON.stringify(request);
    if (this.#divided?.key !== key) this.#divided = { key, page: opened() };
    const { page } = this.#divided;
    page.catch(() => {
      this.#divided = undefined;
    });
    return page;
  }
}

/** Stage the parts of a shard; pages are opened one by one, where they are parsed. @throws Quarantine */
export function stageParts(
  spec: SourceSpec,
  parts: ShardParts,
  { archive, opened }: { readonly archive: Archive; readonly opened: OpenPages },
  { files, onRows }: { readonly files: ShardFiles; readonly onRows?: () => void },
): Promise<StagedShard> {
  const pages = parts.map(({ page: request, number, of }) => ({
    kind: request.kind,
    url: request.url,
    context: request.context,
    sha256: request.sha256 ?? '',
    observedAt: request.observedAt,
    size: request.bytes,
    open: async () => cutPart(spec, { page: await opened.open(archive, request, of > 1), number, of }),
  }));
  return stageShard(spec, pages, files, onRows);
}

/**
 * @throws SettingError if the worker must not do the job; an error that returns it to the queue if the worker is being
 * stopped, has lost it, or the store is away
 */
export async function stageJob(
  context: JobContext,
  opened: OpenPages,
  { data, retryCount: attempt, signal }: Job,
): Promise<StageOutput> {
  const { options, name, stopping } = context;
  const { dataDir, store, print } = options;
  const job = StageJob.parse(data);
  const { source, runId, shard } = job;
  const spec = await findJobSpec(context, job, runId);
  const archive = await openStoredArchive(dataDir, store?.store, print);
  const ended = AbortSignal.any([signal, stopping]);
  const path = shardName(runId, source, shard, attempt);
  const files = shardFiles(join(layoutOf(dataDir).shards, path));
  const report = (text: string): void => print(`${source}: shard ${shard} ${text}`);
  try {
    const parts = ShardParts.parse(JSON.parse(job.parts));
    const staged = await stageParts(spec, parts, { archive, opened }, { files, onRows: () => ended.throwIfAborted() });
    ended.throwIfAborted();
    if (store) {
      await putShard(store.store, `shards/${path}`, files, staged);
      await removeShard(files);
      await trimPages(dataDir, archive, store.cacheMb * BYTES_PER_MB);
    }
    report(`staged, ${staged.accepted} rows`);
    return { worker: name, attempt, staged };
  } catch (error) {
    if (error instanceof Quarantine) {
      report(`left to the run (${error.reason}: ${error.message})`);
      return { worker: name, attempt, staged: null };
    }
    if (ended.aborted || error instanceof StoreUnavailable) {
      report(`left to another worker (${error instanceof Error ? error.message : String(error)})`);
      throw error;
    }
    const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report(defect);
    return { worker: name, attempt, staged: null, defect };
  } finally {
    await archive.close();
  }
}
