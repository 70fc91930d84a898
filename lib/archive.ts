/**
 * The archive of a data folder: every response of every source, byte for byte, in one SQLite file.
 *
 *   <DATA_DIR>/archive/archive.sqlite             bodies by their SHA-256, a row per request, and the requests' records
 *   <DATA_DIR>/archive/large/<2 hex>/<sha256>     bodies above 1 MiB
 *
 * Bodies and records are collected in memory and written in one transaction each second, and at the end of a read, so
 * that no reader waits for the disk. A kill loses at most the last second. The file has a rollback journal and no
 * write-ahead log: it may be on a shared folder, and a reader needs no permission to write.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { ArchiveFile, isBusy, type Row, VERSION } from './archive_file.ts';
import { makeFolder, sha256, writeWhole } from './files.ts';
import type { RequestRecord } from './request_record.ts';
import { SettingError } from './settings.ts';

/** A body or a record is missing, or it does not have its hash. */
export class ArchiveDamage extends Error {
  override readonly name = 'ArchiveDamage';
}

/** A body that was erased on the request of a person: its hash and its request stay. */
export class ArchiveErased extends ArchiveDamage {
  constructor(hash: string) {
    super(`the archived page ${hash} was erased on request, so that its rows cannot be read from it again`);
  }
}

/** The read of a source by a run. */
export interface ArchivedRead {
  readonly source: string;
  readonly runId: string;
}

export interface ArchiveOptions {
  /** Verified bytes that the folder does not have, from a store; null if the store lacks them too. */
  readonly fetchObject?: (hash: string) => Promise<Uint8Array | null>;
  /** Called with each body that is put, and each record that is appended, before the read goes on. */
  readonly onObject?: (hash: string, bytes: Uint8Array) => Promise<void>;
  readonly onRecord?: (record: RequestRecord) => Promise<void>;
}

/** Larger bodies are files. */
const LARGE_BYTES = 1 << 20;
const COMMIT_MS = 1_000;
/** Bodies in memory above which they are written at once. */
const PENDING_BYTES = 16 << 20;
/** Records compressed together: one lookup decodes as many. */
const RECORDS_TOGETHER = 500;
/** Decoded groups of records that stay in memory. */
const GROUPS_CACHED = 32;
/** Earlier responses of an address that are considered. */
const MAX_EARLIER = 40;
const RETRY_MS = 50;
/** How long the end of a read waits for other processes. */
const WRITE_WAIT_MS = 10 * 60_000;

/** Records are checked by zstd, bodies by their hash. */
const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

let runIdOrder: Intl.Collator | undefined;
const byRunId = (a: string, b: string): number =>
  (runIdOrder ??= new Intl.Collator('en', { numeric: true })).compare(a, b);
const usable = (record: RequestRecord): boolean =>
  record.error === null && record.sha256 !== null && (record.status === 200 || record.status === 304);
const blobOf = (hash: string): Uint8Array => Buffer.from(hash, 'hex');
const addressOf = (url: string): number => Number.parseInt(sha256(url).slice(0, 12), 16);
const keyOf = ({ source, runId }: ArchivedRead): string => `${source} ${runId}`;

export const archiveFile = (dataDir: string): string => join(dataDir, 'archive', 'archive.sqlite');
export const hasArchive = (dataDir: string): boolean => existsSync(archiveFile(dataDir));

/** A body as it is stored; `zstd` is null if it is a file. */
interface Body {
  readonly bytes: number;
  readonly zstd: Uint8Array | null;
}

/** Where a record is: in the file, or in memory. */
interface Place extends ArchivedRead {
  readonly id: number;
  readonly number: number;
  readonly record?: RequestRecord;
}

/**
 * Open the archive of a data folder, and create it if it is missing.
 * @throws SettingError if it is of another version, DamagedFile if it cannot be read
 */
export async function openArchive(dataDir: string, options: ArchiveOptions = {}): Promise<Archive> {
  const root = join(dataDir, 'archive');
  const refuse = (found: string): never => {
    throw new SettingError(
      `DATA_DIR is ${JSON.stringify(dataDir)}, whose archive is of another version (${found}); expected version ` +
        `${VERSION}. Start with a new folder, or run the Dealfeed that wrote it.`,
    );
  };
  if (!hasArchive(dataDir) && existsSync(join(root, 'objects'))) refuse('a folder of objects');
  await makeFolder(root);
  const file = new ArchiveFile(archiveFile(dataDir));
  if (file.version !== VERSION) refuse(String(file.version));
  return new Archive(root, file, options);
}

export class Archive {
  readonly #root: string;
  readonly #file: ArchiveFile;
  readonly #options: ArchiveOptions;
  /** Not yet written. */
  readonly #bodies = new Map<string, Body>();
  #records: RequestRecord[] = [];
  #pendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Why the last write failed, such as a full disk. */
  #failure: unknown;
  /** Lines of groups of records. */
  readonly #groups = new LRUCache<string, readonly string[]>({ max: GROUPS_CACHED });

  /** Use `openArchive`. */
  constructor(root: string, file: ArchiveFile, options: ArchiveOptions) {
    this.#root = root;
    this.#file = file;
    this.#options = options;
  }

  /** Store bytes. Equal bytes are stored once; a damaged body is replaced. @returns their SHA-256, hex */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = sha256(bytes);
    const isIntact = await this.#readLocal(hash).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ArchiveErased) return true;
        if (error instanceof ArchiveDamage) return false;
        throw error;
      },
    );
    if (!isIntact) await this.#store(hash, bytes);
    if (!this.isErased(hash)) await this.#options.onObject?.(hash, bytes);
    return hash;
  }

  /** Bytes by their hash, which is verified. @throws ArchiveDamage naming the hash */
  async read(hash: string): Promise<Uint8Array> {
    try {
      return await this.#readLocal(hash);
    } catch (error) {
      const isLost = error instanceof ArchiveDamage && !(error instanceof ArchiveErased);
      const bytes = isLost ? await this.#options.fetchObject?.(hash) : null;
      if (!bytes) throw error;
      await this.#store(hash, bytes);
      return bytes;
    }
  }

  /** Length of a body; null if the archive does not have it, or it was erased. */
  size(hash: string): number | null {
    return this.isErased(hash) ? null : (this.#body(hash)?.bytes ?? null);
  }

  /** Whether a body was erased on request. */
  isErased(hash: string): boolean {
    return this.#body(hash)?.zstd?.length === 0;
  }

  /** Overwrite a body for good, and keep its hash and its requests. Only while no run writes. */
  async erase(hash: string): Promise<void> {
    const bytes = this.size(hash) ?? 0;
    await this.#write(() =>
      this.#file.run('REPLACE INTO body VALUES (?, ?, ?)', blobOf(hash), bytes, new Uint8Array()),
    );
    await rm(this.#largeFile(hash), { force: true });
  }

  /** Add a record to its read. */
  async append(record: RequestRecord): Promise<void> {
    this.#records.push(record);
    this.#schedule();
    await this.#options.onRecord?.(record);
  }

  /** Records of one read, in the order of the responses. @throws ArchiveDamage */
  async records(source: string, runId: string): Promise<RequestRecord[]> {
    const lines = this.#groupsOf(this.#idOf({ source, runId })).flatMap((group) => this.#linesOf(group));
    const pending = this.#records.filter((record) => record.source === source && record.runId === runId);
    return [...lines.map((line) => JSON.parse(line) as RequestRecord), ...pending];
  }

  /** Ids of the runs that read a source, oldest first. */
  async runs(source: string): Promise<string[]> {
    const ids = this.#file.all('SELECT run_id FROM read WHERE source = ?', source).map((row) => String(row['run_id']));
    const pending = this.#records.filter((record) => record.source === source).map(({ runId }) => runId);
    return [...new Set([...ids, ...pending])].sort(byRunId);
  }

  /** The reads of all sources, with the hashes that their requests name. */
  readsWithHashes(): readonly (ArchivedRead & { readonly hashes: readonly string[] })[] {
    const sql =
      "SELECT source, run_id, group_concat(lower(hex(sha256)), ' ') AS hashes FROM read LEFT JOIN request " +
      'ON read = id GROUP BY id ORDER BY source, run_id';
    return this.#file.all(sql).map((row) => ({
      source: String(row['source']),
      runId: String(row['run_id']),
      hashes: String(row['hashes'] ?? '')
        .split(' ')
        .filter(Boolean),
    }));
  }

  /** Bytes on the disk by hash. */
  storedBytes(): ReadonlyMap<string, number> {
    const rows = this.#file.all('SELECT lower(hex(sha256)) AS hash, coalesce(length(zstd), bytes) AS stored FROM body');
    return new Map(rows.map((row) => [String(row['hash']), Number(row['stored'])]));
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
    const places = this.#places('address', addressOf(url), source, (record) => record.url === url);
    for (const place of places.reverse().slice(0, MAX_EARLIER)) {
      const record = this.#recordAt(place);
      if (record.url === url && usable(record) && accepts(record)) return record;
    }
    return undefined;
  }

  /** Requests of a source that returned these bytes, oldest run first. @throws ArchiveDamage */
  async requestsFor(source: string, hash: string): Promise<RequestRecord[]> {
    const places = this.#places('sha256', blobOf(hash), source, (record) => record.sha256 === hash);
    return places.map((place) => this.#recordAt(place)).filter((record) => record.error === null);
  }

  /** Write what is in memory. @throws Error of the disk */
  async flush(): Promise<void> {
    await this.#write();
  }

  /** Write what is in memory, and the records of a read that has ended in few groups. */
  async endRead(read: ArchivedRead): Promise<void> {
    await this.#write(() => {
      const id = this.#idOf(read);
      const groups = this.#groupsOf(id);
      const total = groups.reduce((sum, { count }) => sum + Number(count), 0);
      if (id === undefined || groups.length <= Math.ceil(total / RECORDS_TOGETHER)) return;
      const lines = groups.flatMap((group) => this.#linesOf(group));
      this.#file.run('DELETE FROM record WHERE read = ?', id);
      this.#addGroups(id, 0, lines);
    });
  }

  /** Replace the records of a read by those of another host. */
  async replaceRead(read: ArchivedRead, records: readonly RequestRecord[]): Promise<void> {
    await this.#write(() => {
      this.#file.run('DELETE FROM read WHERE source = ? AND run_id = ?', read.source, read.runId);
      this.#addRecords(read, records);
    });
  }

  /** Remove reads and bodies, and large files that no body names. Only while no run writes. */
  async remove(reads: readonly ArchivedRead[], hashes: readonly string[]): Promise<void> {
    const keys = JSON.stringify(reads.map(keyOf));
    await this.#write(() => {
      this.#file.run("DELETE FROM read WHERE source || ' ' || run_id IN (SELECT value FROM json_each(?))", keys);
      this.#file.run(
        'DELETE FROM body WHERE sha256 IN (SELECT unhex(value) FROM json_each(?))',
        JSON.stringify(hashes),
      );
    });
    this.#file.shrink();
    const kept = this.storedBytes();
    for (const entry of await readdir(join(this.#root, 'large'), { recursive: true }).catch(() => [])) {
      const name = entry.slice(-64);
      if (/^[0-9a-f]{64}$/u.test(name) && !kept.has(name)) await rm(join(this.#root, 'large', entry));
    }
    await this.removeLeftovers();
  }

  /** Write a copy of the file, as of one instant, to a new file. */
  async copyTo(path: string): Promise<void> {
    await this.flush();
    this.#file.run('VACUUM INTO ?', path);
  }

  /** Remove partial files of a killed run. Only for the one run that writes to the archive. */
  async removeLeftovers(): Promise<void> {
    await rm(join(this.#root, 'incoming'), { recursive: true, force: true });
  }

  /** Write what is in memory, and close the file. */
  async close(): Promise<void> {
    await this.flush();
    this.#file.close();
  }

  #largeFile(hash: string): string {
    return join(this.#root, 'large', hash.slice(0, 2), hash);
  }

  async #store(hash: string, bytes: Uint8Array): Promise<void> {
    const isLarge = bytes.length > LARGE_BYTES;
    // The incomplete file is in a folder of its own, where a later run finds it.
    if (isLarge) await writeWhole(this.#largeFile(hash), bytes, join(this.#root, 'incoming'));
    const zstd = isLarge ? null : zstdCompressSync(bytes);
    this.#bodies.set(hash, { bytes: bytes.length, zstd });
    this.#pendingBytes += zstd?.length ?? 0;
    this.#schedule();
  }

  #body(hash: string): Body | undefined {
    const pending = this.#bodies.get(hash);
    if (pending) return pending;
    const row = this.#file.get('SELECT bytes, zstd FROM body WHERE sha256 = ?', blobOf(hash));
    return row && { bytes: Number(row['bytes']), zstd: row['zstd'] as Uint8Array | null };
  }

  async #readLocal(hash: string): Promise<Uint8Array> {
    const body = this.#body(hash);
    const missing = (): ArchiveDamage => new ArchiveDamage(`the archived page ${hash} is missing`);
    if (!body) throw missing();
    if (this.isErased(hash)) throw new ArchiveErased(hash);
    let bytes: Uint8Array;
    try {
      bytes = body.zstd === null ? await readFile(this.#largeFile(hash)) : zstdDecompressSync(body.zstd);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw missing();
      if (body.zstd === null) throw error;
      throw new ArchiveDamage(`the archived page ${hash} is damaged: it cannot be decompressed`);
    }
    const actual = sha256(bytes);
    if (actual !== hash) throw new ArchiveDamage(`the archived page ${hash} is damaged: its SHA-256 is ${actual}`);
    return bytes;
  }

  #idOf({ source, runId }: ArchivedRead): number | undefined {
    const row = this.#file.get('SELECT id FROM read WHERE source = ? AND run_id = ?', source, runId);
    return row && Number(row['id']);
  }

  /** Requests of a source by a column, oldest run first. @param isPending whether a record in memory is one */
  #places(
    column: 'address' | 'sha256',
    value: number | Uint8Array,
    source: string,
    isPending: (record: RequestRecord) => boolean,
  ): Place[] {
    const sql = `SELECT id, run_id, number FROM request JOIN read ON id = read WHERE ${column} = ? AND source = ?`;
    const written = this.#file.all(sql, value, source).map((row) => ({
      source,
      runId: String(row['run_id']),
      id: Number(row['id']),
      number: Number(row['number']),
    }));
    const pending = this.#records
      .filter((record) => record.source === source && isPending(record))
      .map((record, index) => ({
        source,
        runId: record.runId,
        id: 0,
        number: Number.MAX_SAFE_INTEGER + index,
        record,
      }));
    return [...written, ...pending].sort((a, b) => byRunId(a.runId, b.runId) || a.number - b.number);
  }

  #recordAt({ id, number, record, ...read }: Place): RequestRecord {
    if (record) return record;
    const group = this.#file.get('SELECT * FROM record WHERE read = ? AND first <= ? ORDER BY first DESC', id, number);
    const line = group && this.#linesOf(group)[number - Number(group['first'])];
    if (line === undefined) throw new ArchiveDamage(`the archive has no record of request ${number} of ${keyOf(read)}`);
    return JSON.parse(line) as RequestRecord;
  }

  #groupsOf(id: number | undefined): readonly Row[] {
    return id === undefined ? [] : this.#file.all('SELECT * FROM record WHERE read = ? ORDER BY first', id);
  }

  /** Records of a group as JSON lines. @throws ArchiveDamage */
  #linesOf({ read, first, count, zstd }: Row): readonly string[] {
    const key = `${String(read)}.${String(first)}.${String(count)}`;
    const known = this.#groups.get(key);
    if (known) return known;
    try {
      const lines = zstdDecompressSync(zstd as Uint8Array).toString('utf8');
      this.#groups.set(key, lines.split('\n'));
      return lines.split('\n');
    } catch {
      throw new ArchiveDamage(`the archive's records ${key} of a read are damaged`);
    }
  }

  #addRecords(read: ArchivedRead, records: readonly RequestRecord[]): void {
    this.#file.run('INSERT INTO read (source, run_id) VALUES (?, ?) ON CONFLICT DO NOTHING', read.source, read.runId);
    const id = this.#idOf(read) ?? 0;
    const first = Number(
      this.#file.get('SELECT coalesce(max(number) + 1, 0) AS n FROM request WHERE read = ?', id)?.['n'],
    );
    for (const [index, { url, sha256: hash }] of records.entries())
      this.#file.run(
        'INSERT INTO request VALUES (?, ?, ?, ?)',
        id,
        first + index,
        addressOf(url),
        hash === null ? null : blobOf(hash),
      );
    this.#addGroups(
      id,
      first,
      records.map((record) => JSON.stringify(record)),
    );
  }

  #addGroups(id: number, first: number, lines: readonly string[]): void {
    for (let at = 0; at < lines.length; at += RECORDS_TOGETHER) {
      const group = lines.slice(at, at + RECORDS_TOGETHER);
      const zstd = zstdCompressSync(group.join('\n'), CHECKED);
      this.#file.run('INSERT INTO record VALUES (?, ?, ?, ?)', id, first + at, group.length, zstd);
    }
  }

  #writePending(): void {
    for (const [hash, { bytes, zstd }] of this.#bodies)
      this.#file.run('REPLACE INTO body VALUES (?, ?, ?)', blobOf(hash), bytes, zstd);
    for (const records of Map.groupBy(this.#records, keyOf).values())
      if (records[0]) this.#addRecords(records[0], records);
  }

  /** Write in a second, together with what comes until then. @throws why the last write failed */
  #schedule(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#pendingBytes > PENDING_BYTES) this.#tryWrite();
    else this.#timer ??= setTimeout(() => this.#tryWrite(), COMMIT_MS);
  }

  /** Write what is in memory, or later if another process is writing. */
  #tryWrite(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#commit();
    } catch (error) {
      if (isBusy(error)) this.#timer = setTimeout(() => this.#tryWrite(), COMMIT_MS);
      else this.#failure = error;
    }
  }

  /** Write what is in memory, and more; while another process writes, try again. */
  async #write(more?: () => void): Promise<void> {
    for (const until = performance.now() + WRITE_WAIT_MS; ; await sleep(RETRY_MS)) {
      if (this.#failure !== undefined) throw this.#failure;
      try {
        return this.#commit(more);
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error;
      }
    }
  }

  #commit(more?: () => void): void {
    if (more === undefined && this.#bodies.size + this.#records.length === 0) return;
    this.#file.transaction(() => {
      this.#writePending();
      more?.();
    });
    this.#bodies.clear();
    this.#records = [];
    this.#pendingBytes = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
