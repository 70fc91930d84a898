/** What goes through the queue: a source to read, and what became of it. The bytes go by the archive. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PgBoss } from 'pg-boss';
import { z } from 'zod';
import { Quarantine, SourceUnavailable, type QuarantineReason, type SourceSpec } from '../../sources/contract.ts';
import { PageRef } from '../ingest/reads.ts';

export const QUEUE = 'crawl';

/** A worker that is not heard of for so long is taken for gone, and its sources go to others. The least that pg-boss takes. */
export const HEARTBEAT_SECONDS = 10;

const texts = z.array(z.string());

/** One source to be read for one run. */
export const CrawlJob = z.object({
  source: z.string(),
  reading: z.object({
    asOf: z.string(),
    runId: z.string(),
    lastGoodOn: z.string().nullable(),
    distrusts: texts,
    resumes: texts,
  }),
  /** Id in the archive's folder, by which a worker sees that it writes where the run reads. */
  folder: z.string(),
  /** Fingerprint of the adapters, by which a worker sees that it reads as the run would. */
  code: z.string(),
  contact: z.string().nullable(),
  /** The sandbox world to read instead of the web. Its made-up secrets travel with it; real ones are each worker's own settings. */
  world: z.object({ url: z.string(), secrets: z.record(z.string(), z.string()) }).nullable(),
  /** Secrets of the source that are set for the run, and so must be for the worker. */
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

/** What became of a read. */
export const Outcome = z.object({
  pages: z.array(PageRef),
  unreadable: z.array(z.object({ key: z.record(z.string(), z.string()), failure: Failure })),
  traffic: z.object({ requests: z.int(), notModified: z.int(), bytes: z.int(), retries: z.int() }),
  /** Why it ended before its end. */
  failure: Failure.nullable(),
});
export type Outcome = z.infer<typeof Outcome>;

/** What a worker leaves in the queue: an outcome as JSON text (a page's text may hold what JSON in a database may not), or its own defect. */
export const Output = z.object({ worker: z.string(), outcome: z.string().optional(), defect: z.string().optional() });
export type Output = z.infer<typeof Output>;

/** A site's or a page's fault, as data. Undefined for what is our own. */
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

/** The same as it was thrown. */
export const errorOf = ({ is, reason, detail, pageUrl, status }: Failure): Quarantine | SourceUnavailable =>
  is === 'quarantine'
    ? new Quarantine(reason as QuarantineReason, detail, pageUrl ?? undefined)
    : new SourceUnavailable(reason as SourceUnavailable['reason'], detail, pageUrl ?? '', status ?? undefined);

/** Make the queue where there is none. */
export const makeQueue = (boss: PgBoss): Promise<void> =>
  boss.createQueue(QUEUE, {
    heartbeatSeconds: HEARTBEAT_SECONDS,
    notify: true,
    // A polite read may take hours; whether its worker lives is told by the heartbeat.
    expireInSeconds: 23 * 3600,
    // Handed back by workers that are stopped, too.
    retryLimit: 20,
    retryDelay: 0,
    retentionSeconds: 86_400,
    deleteAfterSeconds: 86_400,
  });

/** Sources that share a host, directly or through others, by one word: they are read one after the other. */
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

/** Fingerprint of everything that decides how a site is read. */
export async function codeOf(): Promise<string> {
  const root = join(import.meta.dirname, '../../sources');
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\u0000`).update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}
