/** State shared by the jobs of a worker, and the check that the worker may do a job. */
import { SettingError } from '../../../lib/settings.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import type { EarlierRequests } from '../../store/worker_store.ts';
import type { Claims } from './claims.ts';
import type { CrawlDatabase } from '../database.ts';
import { placeId, wrongPlace } from '../folder.ts';
import type { JobOfRun } from '../jobs.ts';
import type { WorkerOptions } from './worker.ts';

export const BYTES_PER_MB = 1_000_000;

export interface JobContext {
  readonly options: WorkerOptions;
  /** Name of the worker. */
  readonly name: string;
  /** Hash of the worker's code. */
  readonly code: string;
  readonly database: CrawlDatabase;
  readonly claims: Claims;
  /** Lists of requests of earlier runs, if they come from a store. */
  readonly earlier: EarlierRequests | undefined;
  /** Aborted when the worker stops. */
  readonly stopping: AbortSignal;
}

/** Why the worker must not do a job; null if it may. */
async function findMismatch(
  { options, code, database }: JobContext,
  job: JobOfRun,
  runId: string,
): Promise<string | null> {
  const { dataDir } = options;
  const place = { dataDir, store: options.store?.store.shown };
  if (job.folder !== (await placeId(place)))
    return (
      (await wrongPlace(database, place)) ??
      `DATA_DIR is ${JSON.stringify(dataDir)}, which is not the data folder of run ${runId}`
    );
  if (job.code === code) return null;
  return (
    `the code of this worker is not that of run ${runId}; update it to the run's version of the project and start ` +
    'it again'
  );
}

/** The adapter of a job. @throws SettingError if the worker must not do it */
export async function findJobSpec(context: JobContext, job: JobOfRun, runId: string): Promise<SourceSpec> {
  const mismatch = await findMismatch(context, job, runId);
  if (mismatch !== null) throw new SettingError(mismatch);
  const spec = context.options.sources.find((source) => source.name === job.source);
  if (!spec) throw new SettingError(`source is ${JSON.stringify(job.source)}, which this worker does not know`);
  return spec;
}
