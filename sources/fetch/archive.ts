/**
 * The archive: every response of every source, byte for byte.
 *
 *   <DATA_DIR>/archive/objects/<2 hex>/<sha256>           bytes as received, before content decoding
 *   <DATA_DIR>/archive/requests/<source>/<run id>.ndjson  one record per line, in the order of the responses
 *   <DATA_DIR>/archive/incoming/                          objects until they are complete
 *
 * Objects are written once and never changed. A record is written after its object is on the disk.
 */
import { appendFile, open, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { objectPath } from '../../lib/archive_path.ts';
import { makeFolder, sha256, sync, writeWhole } from '../../lib/files.ts';
import type { Page } from '../contract.ts';
import { buildPage } from './page.ts';

const headers = z.record(z.string(), z.string());

/** One request and its response. */
export const RequestRecord = z.object({
  source: z.string(),
  runId: z.string(),
  /** GET, POST for a search form, or READ for a dropped file. */
  method: z.enum(['GET', 'POST', 'READ']),
  /** Public address, as requested. */
  url: z.string(),
  /** Address that responded, after redirects. */
  finalUrl: z.string().optional(),
  /** HTTP status; null without a response, or without HTTP. */
  status: z.int().nullable(),
  /** The page's kind; or "robots", "redirect" or "token". */
  kind: z.string(),
  context: z.record(z.string(), z.string()),
  /** Headers set by the adapter, and conditions. Secrets are redacted. */
  requestHeaders: headers,
  /** Response headers that describe the body. On 304: those of the confirmed response. */
  responseHeaders: headers,
  /** Object of the body; null if the body is missing or incomplete. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Length of the body in bytes, as received. */
  bytes: z.int().min(0),
  observedAt: z.string(),
  /** The body was not sent again: 304, or a page of an interrupted run. */
  fromCache: z.boolean(),
  /** Why the response is not usable: the reason of a Quarantine or SourceUnavailable. Null if it is usable. */
  error: z.string().nullable(),
  /** Number of earlier attempts of the run to read the source, if any: another worker took it over. */
  attempt: z.int().min(1).optional(),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/** An object is missing, or its content does not match its name. */
export class ArchiveDamage extends Error {
  override readonly name = 'ArchiveDamage';
}

export interface ArchiveOptions {
  /** Called for problems that are tolerated, such as an incomplete line. Default: prints to stderr. */
  readonly onWarning?: (message: string) => void;
  /** Verified bytes of an object that the folder does not have, from a store; null if the store lacks them too. */
  readonly fetchObject?: (hash: string) => Promise<Uint8Array | null>;
  /** Called with each object that is put, and each record that is appended, before the read goes on. */
  readonly onObject?: (hash: string, bytes: Uint8Array) => Promise<void>;
  readonly onRecord?: (record: RequestRecord) => Promise<void>;
}

/** Number of runs to search for an earlier response. Older pages are fetched again. */
const MAX_RUNS_BACK = 40;
const runIdOrder = new Intl.Collator('en', { numeric: true });
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Open the archive of a data folder. */
export async function openArchive(dataDir: string, options: ArchiveOptions = {}): Promise<Archive> {
  const root = join(dataDir, 'archive');
  await makeFolder(root);
  return new Archive(root, options);
}

export class Archive {
  readonly #root: string;
  readonly #warn: (message: string) => void;
  readonly #options: ArchiveOptions;
  /** Writes in progress by hash: the same bytes may arrive twice at once. */
  readonly #writing = new Map<string, Promise<void>>();
  /** The last append to each list, so that records keep their order. */
  readonly #appending = new Map<string, Promise<void>>();
  readonly #runLists = new Map<string, Promise<string[]>>();
  readonly #byUrl = new Map<string, Promise<Map<string, RequestRecord[]>>>();

  constructor(root: string, options: ArchiveOptions) {
    this.#root = root;
    this.#warn = options.onWarning ?? ((message) => process.stderr.write(`${message}\n`));
    this.#options = options;
  }

  /** Store bytes. Equal bytes are one object. @returns their SHA-256, hex */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = sha256(bytes);
    const started = this.#writing.get(hash) ?? this.#write(hash, bytes).finally(() => this.#writing.delete(hash));
    this.#writing.set(hash, started);
    await started;
    await this.#options.onObject?.(hash, bytes);
    return hash;
  }

  /** Bytes of an object, verified by its hash. @throws ArchiveDamage naming the object */
  async read(hash: string): Promise<Uint8Array> {
    try {
      return await this.#readLocal(hash);
    } catch (error) {
      const bytes = error instanceof ArchiveDamage ? await this.#options.fetchObject?.(hash) : null;
      if (!bytes) throw error;
      await writeWhole(join(this.#root, objectPath(hash)), bytes, this.#incoming);
      return bytes;
    }
  }

  async #readLocal(hash: string): Promise<Uint8Array> {
    const path = objectPath(hash);
    let bytes: Uint8Array;
    try {
      bytes = await readFile(join(this.#root, path));
    } catch (error) {
      if (isMissing(error)) throw new ArchiveDamage(`archive object ${path} is missing`);
      throw error;
    }
    const actual = sha256(bytes);
    if (actual !== hash) throw new ArchiveDamage(`archive object ${path} is damaged: its SHA-256 is ${actual}`);
    return bytes;
  }

  /** Append a record to its run's list and flush it to the disk. */
  async append(record: RequestRecord): Promise<void> {
    const path = this.#listPath(record.source, record.runId);
    const before = this.#appending.get(path) ?? startOnFreshLine(path);
    const written = before.then(() => appendFile(path, `${JSON.stringify(record)}\n`, { flush: true }));
    this.#appending.set(path, written);
    await written;
    await this.#options.onRecord?.(record);
    const runs = await this.#runsOf(record.source);
    if (!runs.includes(record.runId)) runs.push(record.runId);
    const indexed = this.#byUrl.get(path);
    if (indexed) addTo(await indexed, record);
  }

  /** Records of one read, in the order of the responses. An incomplete line is reported and skipped. */
  async records(source: string, runId: string): Promise<RequestRecord[]> {
    const path = this.#listPath(source, runId);
    await this.#appending.get(path);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return '';
      throw error;
    });
    const found: RequestRecord[] = [];
    for (const [index, line] of text.split('\n').entries()) {
      if (line === '') continue;
      const parsed = parseLine(line);
      if (parsed) found.push(parsed);
      else
        this.#warn(
          `archive list requests/${source}/${runId}.ndjson: ` +
            `line ${index + 1} is not a complete request record, as after a crash, and is skipped`,
        );
    }
    return found;
  }

  /** Ids of the runs that read a source, oldest first. */
  async runs(source: string): Promise<string[]> {
    return [...(await this.#runsOf(source))].sort(runIdOrder.compare);
  }

  /**
   * The latest usable response for an address, in the source's latest runs.
   * @param accepts further condition, such as the same request headers
   */
  async latest(
    source: string,
    url: string,
    accepts: (record: RequestRecord) => boolean = () => true,
  ): Promise<RequestRecord | undefined> {
    for (const runId of (await this.runs(source)).reverse().slice(0, MAX_RUNS_BACK)) {
      const hit = (await this.#indexOf(source, runId)).get(url)?.findLast((row) => usable(row) && accepts(row));
      if (hit) return hit;
    }
    return undefined;
  }

  /** The page of a record, as its adapter saw it. @throws ArchiveDamage, or Quarantine if its encoding is broken */
  async page(record: RequestRecord, maxDecodedBytes?: number): Promise<Page> {
    if (record.sha256 === null)
      throw new ArchiveDamage(`the archive has no body of ${record.url} in run ${record.runId}`);
    return buildPage(record, await this.read(record.sha256), maxDecodedBytes);
  }

  async #write(hash: string, bytes: Uint8Array): Promise<void> {
    // A damaged object is replaced when the same bytes arrive again.
    const isIntact = await this.#readLocal(hash).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ArchiveDamage) return false;
        throw error;
      },
    );
    if (!isIntact) await writeWhole(join(this.#root, objectPath(hash)), bytes, this.#incoming);
  }

  /** One folder for incomplete files, so that they are found without a search among millions of objects. */
  get #incoming(): string {
    return join(this.#root, 'incoming');
  }

  /** Remove incomplete files of a killed run. Only for the one run that writes to the archive. */
  async removeLeftovers(): Promise<void> {
    await rm(this.#incoming, { recursive: true, force: true });
  }

  #listPath(source: string, runId: string): string {
    return join(this.#root, 'requests', source, `${runId}.ndjson`);
  }

  #runsOf(source: string): Promise<string[]> {
    const known = this.#runLists.get(source);
    if (known) return known;
    const listed = readdir(join(this.#root, 'requests', source)).then(
      (names) => names.filter((name) => name.endsWith('.ndjson')).map((name) => name.slice(0, -'.ndjson'.length)),
      (error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      },
    );
    this.#runLists.set(source, listed);
    return listed;
  }

  #indexOf(source: string, runId: string): Promise<Map<string, RequestRecord[]>> {
    const path = this.#listPath(source, runId);
    const known = this.#byUrl.get(path);
    if (known) return known;
    const index = this.records(source, runId).then((records) => {
      const byUrl = new Map<string, RequestRecord[]>();
      for (const record of records) addTo(byUrl, record);
      return byUrl;
    });
    this.#byUrl.set(path, index);
    return index;
  }
}

const usable = (record: RequestRecord): boolean =>
  record.error === null && record.sha256 !== null && (record.status === 200 || record.status === 304);

function addTo(byUrl: Map<string, RequestRecord[]>, record: RequestRecord): void {
  const known = byUrl.get(record.url);
  if (known) known.push(record);
  else byUrl.set(record.url, [record]);
}

function parseLine(line: string): RequestRecord | undefined {
  try {
    return RequestRecord.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Add a line end if a crash cut the last line, so that the next record starts on its own line. */
async function startOnFreshLine(path: string): Promise<void> {
  await makeFolder(dirname(path));
  const handle = await open(path, 'a+');
  try {
    const { size } = await handle.stat();
    if (size === 0) {
      await sync(dirname(path));
      return;
    }
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] !== 0x0a) await handle.writeFile('\n');
  } finally {
    await handle.close();
  }
}
