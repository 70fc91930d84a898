/** Jobs of the queue: one source to read each, and its outcome. The bytes go through the archive. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PgBoss } from 'pg-boss';
import { z } from 'zod';
import { Quarantine, SourceUnavailable, type QuarantineReason, type SourceSpec } from '../../sources/contract.ts';
import { PageRef } from '../ingest/reads.ts';

export const QUEUE = 'crawl';

/** A worker without a heartbeat for this time is gone, and others take its sources. The minimum of pg-boss. */
export const HEARTBEAT_SECONDS = 10;

const texts = z.array(z.string());

/** One source to read for one run. */
export const CrawlJob = z.object({
  source: z.string(),
  reading: z.object({
    asOf: z.string(),
    runId: z.string(),
    lastGoodOn: z.string().nullable(),
    distrusts: texts,
    resumes: texts,
  }),
  /** Id of the data folder: the worker must write where the run reads. */
  folder: z.string(),
  /** Hash of the adapters: the worker must read as the run would. */
  code: z.string(),
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
  pages: z.array(PageRef),
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

/** A failure of a site or a page as data; undefined for a defect of ours. */
export function failureOf(error: unknown): Failure | undefined {
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

/** Create the queue if it does not exist. */
export const createQueue = (boss: PgBoss): Promise<void> =>
  boss.createQueue(QUEUE, {
    heartbeatSeconds: HEARTBEAT_SECONDS,
    notify: true,
    // A polite read may take hours; the heartbeat detects a dead worker.
    expireInSeconds: 23 * 3600,
    // Includes jobs that stopped workers return.
    retryLimit: 20,
    retryDelay: 0,
    retentionSeconds: 86_400,
    deleteAfterSeconds: 86_400,
  });

/** One word for all sources that share a host, directly or through others: they are read one after the other. */
export function sitesOf(sources: readonly SourceSpec[]): ReadonlyMap<string, string> {
  const siteOfHost = new Map<string, string>();
  for (const { hosts } of sources) {
    const joined = new Set(hosts.map((host) => siteOfHost.get(host) ?? host));
    const [site = ''] = [...joined].sort();
    for (const host of hosts) siteOfHost.set(host, site);
    for (const [host, other] of siteOfHost) if (joined.has(other)) siteOfHost.set(host, site);
  }
  return new Map(sources.map(({ name, hosts: [host = ''] }) => [name, siteOfHost.get(host) ?? name]));
}

/** Hash of the source code of all adapters. */
export async function adapterHash(): Promise<string> {
  const root = join(import.meta.dirname, '../../sources');
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\u0000`).update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}
