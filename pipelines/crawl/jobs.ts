/**
 * The crawl queue: its jobs and their outputs. A job reads one source, or checks and stages one shard of a read. Pages
 * and rows go through the archive, or the store.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PgBoss } from 'pg-boss';
import { z } from 'zod';
import { Quarantine, type QuarantineReason, type SourceSpec, SourceUnavailable } from '../../sources/contract.ts';
import { RequestRecord } from '../../lib/request_record.ts';
import { PageRef } from '../ingest/reads.ts';
import { StagedShard } from '../ingest/stage/stage_shard.ts';

/** Queue of sources to read. */
export const QUEUE = 'crawl';
/** Queue of shards to stage. */
export const STAGE_QUEUE = 'stage';

/** A worker without a heartbeat for this time is gone, and others take its sources. The minimum of pg-boss. */
const HEARTBEAT_SECONDS = 10;
/** The same for shards. Longer, because parsing a large page blocks its process. */
const STAGE_HEARTBEAT_SECONDS = 30;

const texts = z.array(z.string());

/** Facts about the run that every job states, for the worker to check. */
const JobOfRun = z.object({
  source: z.string(),
  /** Id of the data folder: the worker must write where the run reads. */
  folder: z.string(),
  /** Hash of the program: the worker must read and stage as the run would. */
  code: z.string(),
});
export type JobOfRun = z.infer<typeof JobOfRun>;

/** One source to read for one run. */
export const CrawlJob = JobOfRun.extend({
  reading: z.object({
    asOf: z.string(),
    runId: z.string(),
    lastGoodOn: z.string().nullable(),
    distrusts: texts,
    resumes: texts,
  }),
  contact: z.string().nullable(),
  /** The sandbox world instead of the web, with its made-up secrets. Real secrets are settings of each worker. */
  world: z.object({ url: z.string(), secrets: z.record(z.string(), z.string()) }).nullable(),
  /** Secrets of the source that are set for the run, and must be set for the worker. */
  secrets: texts,
});
export type CrawlJob = z.infer<typeof CrawlJob>;

const Failure = z.object({
  is: z.enum(['quarantine', 'unavailable']),
  reason: z.string(),
  detail: z.string(),
  pageUrl: z.string().nullable(),
  status: z.int().nullable(),
});
export type Failure = z.infer<typeof Failure>;

/** Outcome of a read. */
export const Outcome = z.object({
  /** With the bytes of each page after content decoding. */
  pages: z.array(PageRef.extend({ size: z.int().min(0) })),
  unreadable: z.array(z.object({ key: z.record(z.string(), z.string()), failure: Failure })),
  traffic: z.object({ requests: z.int(), notModified: z.int(), bytes: z.int(), retries: z.int() }),
  /** Why the read ended early. */
  failure: Failure.nullable(),
});
export type Outcome = z.infer<typeof Outcome>;

/**
 * Output of a job: an outcome as JSON text (a page's text may have characters that JSON in a database must not), or a
 * defect of the worker.
 */
export const Output = z.object({ worker: z.string(), outcome: z.string().optional(), defect: z.string().optional() });
export type Output = z.infer<typeof Output>;

/** The pages of a shard by their requests, or a part of a large one (ingest/shards.ts). */
export const ShardParts = z.array(z.object({ page: RequestRecord, number: z.int().min(0), of: z.int().min(1) }));
export type ShardParts = z.infer<typeof ShardParts>;

/** One shard of a read to stage. */
export const StageJob = JobOfRun.extend({
  runId: z.string(),
  /** Place of the shard in its read. */
  shard: z.int().min(0),
  /** Its parts as JSON text, for the reason of Output. */
  parts: z.string(),
});
export type StageJob = z.infer<typeof StageJob>;

/**
 * Output of a shard: the staged rows; null if the run must check the shard itself to report its fault; or a defect of
 * the worker.
 */
export const StageOutput = z.object({
  worker: z.string(),
  attempt: z.int().min(0),
  staged: StagedShard.nullable(),
  defect: z.string().optional(),
});
export type StageOutput = z.infer<typeof StageOutput>;

/** A failure of a site or a page as data; undefined for a defect of ours. */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof Quarantine)
    return {
      is: 'quarantine',
      reason: error.reason,
      detail: error.message,
      pageUrl: error.pageUrl ?? null,
      status: null,
    };
  if (error instanceof SourceUnavailable)
    return {
      is: 'unavailable',
      reason: error.reason,
      detail: error.message,
      pageUrl: error.pageUrl,
      status: error.status ?? null,
    };
  return undefined;
}

/** The error of a failure. */
export const errorOf = ({ is, reason, detail, pageUrl, status }: Failure): Quarantine | SourceUnavailable =>
  is === 'quarantine'
    ? new Quarantine(reason as QuarantineReason, detail, pageUrl ?? undefined)
    : new SourceUnavailable(reason as SourceUnavailable['reason'], detail, pageUrl ?? '', status ?? undefined);

/** Create the queues if they do not exist. */
export async function createQueues(boss: PgBoss): Promise<void> {
  await boss.createQueue(QUEUE, { ...JOBS, heartbeatSeconds: HEARTBEAT_SECONDS });
  await boss.createQueue(STAGE_QUEUE, { ...JOBS, heartbeatSeconds: STAGE_HEARTBEAT_SECONDS });
}

const JOBS = {
  notify: true,
  // A polite read may take hours; the heartbeat detects a dead worker.
  expireInSeconds: 23 * 3600,
  // Includes jobs that stopped workers return.
  retryLimit: 20,
  retryDelay: 0,
  retentionSeconds: 86_400,
  deleteAfterSeconds: 86_400,
} as const;

/** One key for all sources that share a host, directly or through others: they are read one after the other. */
export function groupBySharedHost(sources: readonly SourceSpec[]): ReadonlyMap<string, string> {
  const siteOfHost = new Map<string, string>();
  for (const { hosts } of sources) {
    const joined = new Set(hosts.map((host) => siteOfHost.get(host) ?? host));
    const [site = ''] = [...joined].sort();
    for (const host of hosts) siteOfHost.set(host, site);
    for (const [host, other] of siteOfHost) if (joined.has(other)) siteOfHost.set(host, site);
  }
  return new Map(sources.map(({ name, hosts: [host = ''] }) => [name, siteOfHost.get(host) ?? name]));
}

/** Folders whose code decides what a worker reads and stages. */
const CODE = ['lib', 'models', 'pipelines', 'sources'];

/** Hash of the program's source code. */
export async function codeHash(): Promise<string> {
  const root = join(import.meta.dirname, '../..');
  const hash = createHash('sha256');
  for (const folder of CODE) {
    const files = (await readdir(join(root, folder), { recursive: true })).filter((file) => file.endsWith('.ts'));
    for (const file of files.sort())
      hash.update(`${folder}/${file}\u0000`).update(await readFile(join(root, folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
