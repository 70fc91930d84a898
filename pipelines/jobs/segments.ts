/**
 * What a worker has archived and staged, in the store: immutable files that name their hash,
 *
 *   segments/<day>/<site>/<run id>/<attempt>-<number>-<sha256>
 *
 * A segment has records of requests and of finished reads; the bodies and rows that it names were stored before it. The
 * run, a worker that takes over, and another run of the day continue from them. The run removes its own at its end.
 */
import { z } from 'zod';
import { atOnce } from '../../lib/at_once.ts';
import { RequestRecord } from '../../lib/request_record.ts';
import { putPacked, readPacked, type NamedFile, type Store } from '../../lib/store/store.ts';
import { daysBetween } from '../clock.ts';
import { EarlierReads, type ReadRecord } from '../ingest/reads.ts';
import { parseRunId } from '../layout.ts';
import { Reads } from '../store/folder.ts';

/** What a run knows about the sources that a worker reads. */
export const JobInput = z.array(
  z.strictObject({
    source: z.string(),
    lastGoodOn: z.string().nullable(),
    reads: EarlierReads,
    /** Requests of earlier runs, which conditional requests may confirm. */
    requests: z.array(RequestRecord),
  }),
);
export type JobInput = z.infer<typeof JobInput>;

/** The read of a site by a run. */
export interface SiteRead {
  readonly runId: string;
  readonly site: string;
}

const ROOT = 'segments/';
const dayOf = (runId: string): string => parseRunId(runId)?.asOf ?? '';
const folderOf = ({ runId, site }: SiteRead): string => `${ROOT}${dayOf(runId)}/${site.replaceAll(':', '_')}/`;

/** Store the input of a job. */
export const putInput = (store: Store, read: SiteRead, input: JobInput): Promise<NamedFile> =>
  putPacked(store, input, (hash) => `${folderOf(read)}${read.runId}/input-${hash}`);

/** What the segments of a site of a day have, by run, in the order in which it was written. @throws StoreDamage */
export async function readSegments(store: Store, read: SiteRead): Promise<ReadonlyMap<string, Reads>> {
  const folder = folderOf(read);
  const byRun = new Map<string, Reads>();
  for (const name of (await store.list(folder)).keys()) {
    const [, runId, sha256] = /^([^/]+)\/\d+-\d+-([0-9a-f]{64})$/u.exec(name.slice(folder.length)) ?? [];
    if (runId === undefined || sha256 === undefined) continue;
    const { requests, reads } = await readPacked(store, { name, sha256 }, Reads);
    const before = byRun.get(runId);
    byRun.set(runId, {
      requests: [...(before?.requests ?? []), ...requests],
      reads: [...(before?.reads ?? []), ...reads],
    });
  }
  return byRun;
}

/** Days for which the segments of a killed run stay. */
const KEEP_DAYS = 7;

/** Remove the segments of runs, whose reads the catalog has now, and old ones of killed runs. */
export async function removeSegments(store: Store, runIds: readonly string[]): Promise<void> {
  const last = runIds.map(dayOf).sort().at(-1) ?? '';
  const isDone = (name: string): boolean => {
    const [, day = '', , runId = ''] = name.split('/');
    return runIds.includes(runId) || daysBetween(day, last) > KEEP_DAYS;
  };
  await atOnce([...(await store.list(ROOT)).keys()].filter(isDone), (name) => store.remove(name));
}

/** A segment is written this often. A read waits for it if the last one is older than the limit. */
const [EVERY_MS, LIMIT_MS] = [5_000, 10_000];

/** Sends the records of one attempt of a job, whose bodies and rows were stored before them. */
export function segmentWriter(store: Store, read: SiteRead, attempt: number) {
  const prefix = `${folderOf(read)}${read.runId}/${String(attempt).padStart(3, '0')}`;
  const pending: Reads = { requests: [], reads: [] };
  let [count, sentMs, last] = [0, performance.now(), Promise.resolve()];
  const send = async (): Promise<void> => {
    const startedMs = performance.now();
    // What is added meanwhile stays for the next segment.
    const [requests, reads] = [[...pending.requests], [...pending.reads]];
    if (requests.length + reads.length > 0) {
      const number = String(count).padStart(6, '0');
      await putPacked(store, { requests, reads }, (hash) => `${prefix}-${number}-${hash}`);
      count += 1;
      pending.requests.splice(0, requests.length);
      pending.reads.splice(0, reads.length);
    }
    sentMs = startedMs;
  };
  /** Send everything that was added. @throws StoreUnavailable; what was not sent is sent by the next call */
  const flush = (): Promise<void> => (last = last.catch(() => {}).then(send));
  // A failure is reported by the next record, which waits for the segment.
  const timer = setInterval(() => void flush().catch(() => {}), EVERY_MS);
  return {
    async addRequest(request: RequestRecord): Promise<void> {
      pending.requests.push(request);
      if (performance.now() - sentMs > LIMIT_MS) await flush();
    },
    async addRead(record: ReadRecord): Promise<void> {
      pending.reads.push(record);
      await flush();
    },
    /** End, and send the rest if the store is there. */
    async close(): Promise<void> {
      clearInterval(timer);
      await flush().catch(() => {});
    },
  };
}
