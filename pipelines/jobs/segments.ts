/**
 * What a worker has archived and staged, in the store: immutable files that name their hash,
 *
 *   segments/<day>/<site>/<run id>/<attempt>-<number>-<sha256>
 *
 * A segment has records of requests and of finished reads; the bodies and rows that it names were stored before it. The
 * run, a worker that takes over, and another run of the day continue from them. The run removes its own at its end.
 */
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { atOnce } from '../../lib/at_once.ts';
import { sha256 } from '../../lib/files.ts';
import { RequestRecord } from '../../lib/request_record.ts';
import { objectOf, readVerified, type NamedFile, type Store } from '../../lib/store/store.ts';
import { EarlierReads, ReadRecord } from '../ingest/reads.ts';
import { daysBetween } from '../clock.ts';
import { parseRunId } from '../layout.ts';

const Segment = z.strictObject({ records: z.array(RequestRecord), reads: z.array(ReadRecord) });
type Segment = z.infer<typeof Segment>;

/** What a run knows about a source that a worker reads. */
export const JobInput = z.array(
  z.strictObject({
    source: z.string(),
    lastGoodOn: z.string().nullable(),
    reads: EarlierReads,
    /** Requests of earlier runs, which conditional requests may confirm. */
    records: z.array(RequestRecord),
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

const packed = async (value: unknown): Promise<Uint8Array> => promisify(zstdCompress)(JSON.stringify(value));
const unpacked = async (bytes: Uint8Array): Promise<unknown> =>
  JSON.parse((await promisify(zstdDecompress)(bytes)).toString('utf8'));

/** Store the input of a job. */
export async function putInput(store: Store, read: SiteRead, input: JobInput): Promise<NamedFile> {
  const bytes = await packed(input);
  const hash = sha256(bytes);
  const file = { name: `${folderOf(read)}${read.runId}/input-${hash}`, sha256: hash };
  await store.put(file, bytes);
  return file;
}

/** @throws StoreDamage */
export const readInput = async (store: Store, file: NamedFile): Promise<JobInput> =>
  JobInput.parse(await unpacked(await readVerified(store, file)));

/** The segments of a site of a day, by run, in the order in which they were written. @throws StoreDamage */
export async function readSegments(store: Store, read: SiteRead): Promise<ReadonlyMap<string, readonly Segment[]>> {
  const folder = folderOf(read);
  const byRun = new Map<string, Segment[]>();
  for (const name of await store.list(folder)) {
    const [, runId, hash] = /^([^/]+)\/\d+-\d+-([0-9a-f]{64})$/u.exec(name.slice(folder.length)) ?? [];
    if (runId === undefined || hash === undefined) continue;
    const segment = Segment.parse(await unpacked(await readVerified(store, { name, sha256: hash })));
    byRun.set(runId, [...(byRun.get(runId) ?? []), segment]);
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
  await atOnce((await store.list(ROOT)).filter(isDone), (name) => store.remove(name));
}

/** A segment is written this often. A read waits for it if the last one is older than the limit. */
const [EVERY_MS, LIMIT_MS] = [5_000, 10_000];
/** Bodies in memory above which they are sent at once. */
const PENDING_BYTES = 32 << 20;

/** Sends what one attempt of a job archives and stages. */
export class SegmentWriter {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #timer: NodeJS.Timeout;
  #bodies = new Map<string, Uint8Array>();
  #bytes = 0;
  #segment: Segment = { records: [], reads: [] };
  #count = 0;
  #sentMs = performance.now();
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store, read: SiteRead, attempt: number) {
    this.#store = store;
    this.#prefix = `${folderOf(read)}${read.runId}/${String(attempt).padStart(3, '0')}`;
    // A failure is reported by the next record, which waits for the segment.
    this.#timer = setInterval(() => void this.flush().catch(() => {}), EVERY_MS);
  }

  async addBody(hash: string, bytes: Uint8Array): Promise<void> {
    this.#bodies.set(hash, bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > PENDING_BYTES) await this.flush();
  }

  async addRecord(record: RequestRecord): Promise<void> {
    this.#segment.records.push(record);
    if (performance.now() - this.#sentMs > LIMIT_MS) await this.flush();
  }

  async addRead(read: ReadRecord): Promise<void> {
    this.#segment.reads.push(read);
    await this.flush();
  }

  /** Send everything that was added. @throws StoreUnavailable; what was not sent is sent by the next flush */
  flush(): Promise<void> {
    return (this.#last = this.#last.catch(() => {}).then(() => this.#send()));
  }

  /** End, and send the rest if the store is there. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch(() => {});
  }

  async #send(): Promise<void> {
    const [startedMs, bodies, segment] = [performance.now(), this.#bodies, this.#segment];
    [this.#bodies, this.#bytes, this.#segment] = [new Map(), 0, { records: [], reads: [] }];
    try {
      await atOnce(bodies, ([hash, bytes]) => this.#store.put(objectOf(hash), bytes));
      if (segment.records.length + segment.reads.length > 0) {
        const bytes = await packed(segment);
        const hash = sha256(bytes);
        const number = String(this.#count).padStart(6, '0');
        await this.#store.put({ name: `${this.#prefix}-${number}-${hash}`, sha256: hash }, bytes);
        this.#count += 1;
      }
      this.#sentMs = startedMs;
    } catch (error) {
      this.#bodies = new Map([...bodies, ...this.#bodies]);
      this.#segment = {
        records: [...segment.records, ...this.#segment.records],
        reads: [...segment.reads, ...this.#segment.reads],
      };
      throw error;
    }
  }
}
