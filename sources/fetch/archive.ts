/**
 * The archive: what every source ever answered, byte for byte.
 *
 *   <DATA_DIR>/archive/objects/<2 hex>/<sha256>           bytes as they came over the wire, before content decoding
 *   <DATA_DIR>/archive/requests/<source>/<run id>.ndjson  one line per request, in the order of their answers
 *   <DATA_DIR>/archive/incoming/                          objects until they are whole
 *
 * Objects are written once and never edited. A request's line is written after its object is on the disk, so a
 * line that names an object never lacks it.
 */
import { appendFile, open, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { makeFolder, sha256, sync, writeWhole } from '../../lib/files.ts';
import type { Page } from '../contract.ts';
import { pageOf } from './page.ts';

const headers = z.record(z.string(), z.string());

/** One request and its answer. */
export const RequestRecord = z.object({
  source: z.string(),
  runId: z.string(),
  /** GET, POST for a search form, or READ for a file of the drop folder. */
  method: z.enum(['GET', 'POST', 'READ']),
  /** Public address, as requested. */
  url: z.string(),
  /** Address that answered, where redirects led elsewhere. */
  finalUrl: z.string().optional(),
  /** HTTP status; null where there was no answer, or no HTTP. */
  status: z.int().nullable(),
  /** The adapter's word for the page, or "robots" or "redirect". */
  kind: z.string(),
  context: z.record(z.string(), z.string()),
  /** Request headers that shape the answer; secrets are left out. */
  requestHeaders: headers,
  /** Response headers that describe the body. On 304 they are completed from the answer it confirms. */
  responseHeaders: headers,
  /** Object that holds the body; null where there was none or it is not whole. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Length of the body in bytes, as received. */
  bytes: z.int().min(0),
  observedAt: z.string(),
  /** The body was not sent again: 304, or a page that an interrupted run had archived. */
  fromCache: z.boolean(),
  /** Why the answer could not be used, as the reason word of Quarantine or SourceUnavailable; null when it could. */
  error: z.string().nullable(),
  /** Which try of the run to read the source asked, where it was not the first: another worker took it over. */
  attempt: z.int().min(1).optional(),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/** An object that is missing or no longer what its name says. */
export class ArchiveDamage extends Error {
  override readonly name = 'ArchiveDamage';
}

export interface ArchiveOptions {
  /** Told of what was tolerated, such as a half-written line. Default: a line on stderr. */
  readonly onWarning?: (message: string) => void;
}

/** Reads back that are searched for an earlier answer; older pages are simply fetched whole again. */
const LOOK_BACK_RUNS = 40;
const naturally = new Intl.Collator('en', { numeric: true });
const missing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Open the archive under a data folder; folders appear with the first page. */
export async function openArchive(dataDir: string, options: ArchiveOptions = {}): Promise<Archive> {
  const root = join(dataDir, 'archive');
  await makeFolder(root);
  return new Archive(root, options.onWarning ?? ((message) => process.stderr.write(`${message}\n`)));
}

export class Archive {
  readonly #root: string;
  readonly #warn: (message: string) => void;
  /** Objects being written now: the same bytes may arrive twice at once. */
  readonly #writing = new Map<string, Promise<void>>();
  /** Lines of a run in the order they were asked to be written. */
  readonly #appending = new Map<string, Promise<void>>();
  readonly #runLists = new Map<string, Promise<string[]>>();
  readonly #byUrl = new Map<string, Promise<Map<string, RequestRecord[]>>>();

  constructor(root: string, warn: (message: string) => void) {
    this.#root = root;
    this.#warn = warn;
  }

  /** Keep bytes. Idempotent: the same bytes are one object. @returns their SHA-256, hex */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = sha256(bytes);
    const started = this.#writing.get(hash) ?? this.#write(hash, bytes).finally(() => this.#writing.delete(hash));
    this.#writing.set(hash, started);
    await started;
    return hash;
  }

  /** Bytes of an object, verified. @throws ArchiveDamage naming the object */
  async read(hash: string): Promise<Uint8Array> {
    const path = objectPath(hash);
    let bytes: Uint8Array;
    try {
      bytes = await readFile(join(this.#root, path));
    } catch (error) {
      if (missing(error)) throw new ArchiveDamage(`archive object ${path} is missing`);
      throw error;
    }
    const actual = sha256(bytes);
    if (actual !== hash) throw new ArchiveDamage(`archive object ${path} is damaged: its SHA-256 is ${actual}`);
    return bytes;
  }

  /** Add one request to its run's list, flushed to the disk. */
  async append(record: RequestRecord): Promise<void> {
    const path = this.#listPath(record.source, record.runId);
    const before = this.#appending.get(path) ?? startOnFreshLine(path);
    const written = before.then(() => appendFile(path, `${JSON.stringify(record)}\n`, { flush: true }));
    this.#appending.set(path, written);
    await written;
    const runs = await this.#runsOf(record.source);
    if (!runs.includes(record.runId)) runs.push(record.runId);
    const indexed = this.#byUrl.get(path);
    if (indexed) addTo(await indexed, record);
  }

  /** Requests of one read in the order of their answers. A half-written line is reported and left out. */
  async records(source: string, runId: string): Promise<RequestRecord[]> {
    const path = this.#listPath(source, runId);
    await this.#appending.get(path);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (missing(error)) return '';
      throw error;
    });
    const found: RequestRecord[] = [];
    for (const [index, line] of text.split('\n').entries()) {
      if (line === '') continue;
      const parsed = parseLine(line);
      if (parsed) found.push(parsed);
      else
        this.#warn(
          `archive list requests/${source}/${runId}.ndjson: line ${index + 1} is not a whole request record (a crash cuts one so) and is left out`,
        );
    }
    return found;
  }

  /** Run ids that read this source, oldest first. */
  async runs(source: string): Promise<string[]> {
    return [...(await this.#runsOf(source))].sort(naturally.compare);
  }

  /**
   * Latest usable answer to a request for this address, in the last reads of the source.
   * @param accepts what else must hold of it, such as the same request headers
   */
  async latest(
    source: string,
    url: string,
    accepts: (record: RequestRecord) => boolean = () => true,
  ): Promise<RequestRecord | undefined> {
    for (const runId of (await this.runs(source)).reverse().slice(0, LOOK_BACK_RUNS)) {
      const hit = (await this.#indexOf(source, runId)).get(url)?.findLast((r) => usable(r) && accepts(r));
      if (hit) return hit;
    }
    return undefined;
  }

  /**
   * The page of a request record, as its adapter saw it.
   * @throws ArchiveDamage, or Quarantine where its encoding is broken
   */
  async page(record: RequestRecord, maxDecodedBytes?: number): Promise<Page> {
    if (record.sha256 === null)
      throw new ArchiveDamage(`the request for ${record.url} in run ${record.runId} archived no body`);
    return pageOf(record, await this.read(record.sha256), maxDecodedBytes);
  }

  async #write(hash: string, bytes: Uint8Array): Promise<void> {
    // An object that lost its bytes to a failing disk is healed by the same bytes arriving again.
    const whole = await this.read(hash).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ArchiveDamage) return false;
        throw error;
      },
    );
    if (!whole) await writeWhole(join(this.#root, objectPath(hash)), bytes, this.#incoming);
  }

  /** One folder for all that is not whole yet, so that nobody has to look for it among millions of objects. */
  get #incoming(): string {
    return join(this.#root, 'incoming');
  }

  /** Remove what a killed run left half-written. Only for the one run that writes into the archive. */
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
      (names) => names.filter((n) => n.endsWith('.ndjson')).map((n) => n.slice(0, -'.ndjson'.length)),
      (error: unknown) => {
        if (missing(error)) return [];
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

const objectPath = (hash: string): string => join('objects', hash.slice(0, 2), hash);

const usable = (r: RequestRecord): boolean =>
  r.error === null && r.sha256 !== null && (r.status === 200 || r.status === 304);

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

/** A list whose last line a crash cut goes on with a new line, so that the cut one spoils no other. */
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
