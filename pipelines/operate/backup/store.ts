/**
 * The folder of backups. Contents are stored once, under their SHA-256, and each backup is a list of paths and hashes:
 *
 *   dealfeed-backups.json           marks the folder
 *   backups/<UTC time>.ndjson.gz    one backup, written last
 *   objects/<2 hex>/<sha256>        contents
 *   incoming/                       contents until they are complete
 *   lock.sqlite                     lock of the backup in progress
 *
 * Nothing is changed in place, so any program can copy the folder elsewhere. A list is gzipped JSON lines: the first
 * says what was backed up, each other names a file or an empty folder, and the last counts them, so that a truncated
 * list is noticed.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { objectPath } from '../../../lib/archive_path.ts';
import {
  DamagedFile,
  makeFolder,
  readJson,
  sha256 as hashOf,
  sha256OfFile,
  sync,
  writeWhole,
} from '../../../lib/files.ts';
import { SettingError } from '../../../lib/settings.ts';
import { takeLock } from '../../run/lock.ts';

const hashText = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

const Header = z.object({
  format: z.literal('dealfeed backup'),
  version: z.literal(1),
  at: z.iso.datetime(),
  data_clock: z.enum(['sandbox', 'live']).nullable(),
  /** Target of the link `current`; null if nothing was published. */
  current: z.string().nullable(),
  /** Backup of the ledger; null if there was none, or it was left out. */
  ledger: z.object({ sha256: hashText, bytes: count }).nullable(),
  keys: z.boolean(),
  /** Files that were damaged in the data folder and are not in this backup. */
  missing: z.array(z.string()),
});
export type Header = z.infer<typeof Header>;

const End = z.object({ files: count, folders: count, bytes: count });

/** A path that stays inside the folder it is joined to. */
const innerPath = z.string().refine((path) => !path.startsWith('/') && !path.split('/').includes('..') && path !== '');
const FileLine = z.tuple([innerPath, hashText, count, z.int().min(0).max(0o777)]);
const ArchiveLine = z.tuple([hashText, count]);
const FolderLine = z.tuple([innerPath]);

interface ListedFile extends Content {
  /** Relative to the data folder. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
}

const ARCHIVE_MODE = 0o644;
const archivePath = (sha256: string): string => `archive/${objectPath(sha256)}`;

/** Collects the lines of a list. An archived page is named by its hash alone, because there may be millions. */
export class ListWriter {
  readonly #lines: string[] = [];
  #files = 0;
  #folders = 0;
  #bytes = 0;

  file({ path, sha256, bytes, mode }: ListedFile): void {
    const isPage = path === archivePath(sha256);
    this.#lines.push(JSON.stringify(isPage ? [sha256, bytes] : [path, sha256, bytes, mode]));
    this.#files += 1;
    this.#bytes += bytes;
  }

  folder(path: string): void {
    this.#lines.push(JSON.stringify([path]));
    this.#folders += 1;
  }

  get totals(): z.infer<typeof End> {
    return { files: this.#files, folders: this.#folders, bytes: this.#bytes };
  }

  close(header: Omit<Header, 'format' | 'version'>): Uint8Array {
    const first = JSON.stringify({ format: 'dealfeed backup', version: 1, ...header });
    return gzipSync(`${[first, ...this.#lines, JSON.stringify(this.totals)].join('\n')}\n`);
  }
}

export interface BackupList {
  readonly header: Header;
  readonly files: readonly ListedFile[];
  readonly folders: readonly string[];
}

function parsed(text: string): BackupList {
  const lines = text.trimEnd().split('\n');
  const header = Header.parse(JSON.parse(lines[0] ?? ''));
  const end = End.parse(JSON.parse(lines.at(-1) ?? ''));
  const files: ListedFile[] = [];
  const folders: string[] = [];
  for (const line of lines.slice(1, -1)) {
    const values = JSON.parse(line) as readonly unknown[];
    if (values.length === 1) folders.push(FolderLine.parse(values)[0]);
    else if (values.length === 2) {
      const [sha256, bytes] = ArchiveLine.parse(values);
      files.push({ path: archivePath(sha256), sha256, bytes, mode: ARCHIVE_MODE });
    } else {
      const [file, sha256, bytes, mode] = FileLine.parse(values);
      files.push({ path: file, sha256, bytes, mode });
    }
  }
  if (files.length !== end.files || folders.length !== end.folders) throw new Error('lines are missing');
  return { header, files, folders };
}

/** @throws DamagedFile naming the list, if it is not complete */
export async function readList(root: string, name: string): Promise<BackupList> {
  const file = listPath(root, name);
  const packed = await readFile(file);
  try {
    return parsed(gunzipSync(packed).toString('utf8'));
  } catch {
    throw new DamagedFile(`${file} is damaged. Choose another backup with BACKUP=...`);
  }
}

const MARKER = 'dealfeed-backups.json';
const FORMAT = 'dealfeed backups';
const VERSION = 1;
const ENDING = '.ndjson.gz';
/** A larger file is copied in chunks instead of being read into memory. */
const SMALL_BYTES = 1 << 20;
const OWNER_ONLY = 0o700;

/** Hash and length of a stored content. */
export interface Content {
  readonly sha256: string;
  readonly bytes: number;
}

/** A file does not have the hash that its manifest, record or name states. */
export class WrongContent extends Error {
  override readonly name = 'WrongContent';
}

/** The file system's own error for a folder that is missing or no folder. */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

export const isBackupFolder = (folder: string): boolean => existsSync(join(folder, MARKER));

const contentPath = (root: string, hash: string): string => join(root, objectPath(hash));

/** Length of a stored content; undefined if it is not stored. */
const storedBytes = (root: string, hash: string): Promise<number | undefined> =>
  stat(contentPath(root, hash)).then(
    (found) => found.size,
    (error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    },
  );

/** Names of the backups in a folder, oldest first. */
export async function listBackups(root: string): Promise<string[]> {
  const names = await readdir(join(root, 'backups')).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .sort();
}

export const listPath = (root: string, name: string): string => join(root, 'backups', `${name}${ENDING}`);

/** @throws SettingError if the folder has no backups of a known format, or not this one */
export async function findBackup(root: string, name: string | undefined): Promise<string> {
  const refuse = (expected: string): never => {
    throw new SettingError(`FROM is ${JSON.stringify(root)}, expected ${expected}`);
  };
  const marker = (await readJson(join(root, MARKER))) as { format?: unknown; version?: unknown } | undefined;
  if (marker?.format !== FORMAT) return refuse('a folder that make backup wrote');
  if (marker.version !== VERSION)
    return refuse(`backups of version ${VERSION}; a newer Dealfeed may have written these`);
  const names = await listBackups(root);
  const newest = names.at(-1);
  if (newest === undefined) return refuse('a folder with a complete backup; it has none');
  if (name !== undefined && !names.includes(name))
    throw new SettingError(`BACKUP is ${JSON.stringify(name)}, expected one of ${names.slice(-10).join(', ')}`);
  return name ?? newest;
}

export interface BackupStore {
  readonly root: string;
  /**
   * Store the content of a file.
   * @param known its hash according to a manifest, record or name. If it is stored already, the file is not read
   * @throws WrongContent if the file has another hash than `known`
   */
  add(path: string, known?: string): Promise<Content>;
  /** A stored content, read and verified; null if it is missing or damaged. */
  intact(hash: string): Promise<Content | null>;
  /** Path of a new temporary file in the store. */
  temporary(): string;
  /** Write the list of a finished backup. @returns its name */
  finish(list: Uint8Array, at: Date): Promise<string>;
  /** Remove a list, or contents that no list names. */
  remove(what: { readonly backup: string } | { readonly hash: string }): Promise<void>;
  /** Hashes of all stored contents. */
  contents(): AsyncGenerator<string>;
  close(): void;
}

/** Copy a file into the store, hashing the bytes on the way. */
async function copyIn(path: string, temporary: string): Promise<Content> {
  const hash = createHash('sha256');
  let bytes = 0;
  const target = await open(temporary, 'wx', 0o600);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: SMALL_BYTES })) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      await target.writeFile(chunk as Buffer);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Folders that exist, so that each is created once. */
class Folders {
  readonly #made = new Map<string, Promise<void>>();

  make(path: string): Promise<void> {
    const making = this.#made.get(path) ?? makeFolder(path);
    this.#made.set(path, making);
    return making;
  }
}

/** Name of a backup: its UTC time without characters that a file system refuses. */
const nameAt = (at: Date): string => at.toISOString().slice(0, 19).replaceAll(':', '-');

/** The time in a backup's name, in milliseconds. */
const timeOf = (name: string): number => Date.parse(name.replace(/T(\d\d)-(\d\d)-/u, 'T$1:$2:'));

/** The name of a new backup, later than that of every other one, even if the clock was set back. */
async function nextName(root: string, at: Date): Promise<string> {
  const newest = (await listBackups(root)).at(-1);
  const earliest = newest === undefined ? 0 : timeOf(newest) + 1000;
  return `${nameAt(new Date(Math.max(at.getTime(), earliest)))}Z`;
}

/** Create the folder, or check that it is one of backups. */
async function claimFolder(root: string): Promise<void> {
  const names: readonly string[] = await readdir(root).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  if (names.includes(MARKER)) {
    await findBackup(root, undefined).catch((error: unknown) => {
      // A first backup that was interrupted leaves a folder without a backup.
      if (!(error instanceof SettingError) || !error.message.endsWith('it has none')) throw error;
    });
    return;
  }
  if (names.some((name) => name !== 'lost+found'))
    throw new SettingError(
      `TO is ${JSON.stringify(root)}, which has other files; expected a folder of backups, or an empty or new one`,
    );
  await mkdir(root, { recursive: true, mode: OWNER_ONLY });
  await writeWhole(join(root, MARKER), `${JSON.stringify({ format: FORMAT, version: VERSION })}\n`);
}

/**
 * Open a folder of backups for writing, and create it if it is missing. Removes partial files of a killed backup.
 * @throws SettingError if it is something else, or another backup is writing to it
 */
export async function openBackupStore(root: string): Promise<BackupStore> {
  await claimFolder(root);
  const lock = await takeLock(join(root, 'lock.sqlite'));
  if (!('release' in lock))
    throw new SettingError(
      `TO is ${JSON.stringify(root)}, to which another backup is writing (process ${lock.holder})`,
    );
  const incoming = join(root, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  await makeFolder(incoming);
  const folders = new Folders();
  const temporary = (): string => join(incoming, `${randomUUID()}.tmp`);

  const isStored = async (hash: string, bytes: number): Promise<boolean> => (await storedBytes(root, hash)) === bytes;
  const assertKnown = (path: string, found: string, known: string | undefined): void => {
    if (known !== undefined && found !== known) throw new WrongContent(path);
  };

  async function addSmall(path: string, known: string | undefined): Promise<Content> {
    const body = await readFile(path);
    const content = { sha256: hashOf(body), bytes: body.length };
    assertKnown(path, content.sha256, known);
    if (!(await isStored(content.sha256, content.bytes))) {
      await folders.make(dirname(contentPath(root, content.sha256)));
      await writeWhole(contentPath(root, content.sha256), body, incoming);
    }
    return content;
  }

  async function addLarge(path: string, known: string | undefined): Promise<Content> {
    const file = temporary();
    try {
      const content = await copyIn(path, file);
      assertKnown(path, content.sha256, known);
      if (await isStored(content.sha256, content.bytes)) return content;
      const target = contentPath(root, content.sha256);
      await folders.make(dirname(target));
      await rename(file, target);
      await sync(dirname(target));
      return content;
    } finally {
      await rm(file, { force: true });
    }
  }

  return {
    root,
    temporary,
    async add(path, known) {
      const { size } = await stat(path);
      // A stored content of another length is a damaged one: it is written again.
      if (known !== undefined && size > 0 && (await isStored(known, size))) return { sha256: known, bytes: size };
      return size <= SMALL_BYTES ? addSmall(path, known) : addLarge(path, known);
    },
    async intact(hash) {
      const bytes = await storedBytes(root, hash);
      if (bytes === undefined || (await sha256OfFile(contentPath(root, hash))) !== hash) return null;
      return { sha256: hash, bytes };
    },
    async finish(list, at) {
      const name = await nextName(root, at);
      await writeWhole(listPath(root, name), list, incoming);
      return name;
    },
    async remove(what) {
      await rm('backup' in what ? listPath(root, what.backup) : contentPath(root, what.hash), { force: true });
    },
    async *contents() {
      const objects = join(root, 'objects');
      for (const folder of await readdir(objects).catch(() => [])) yield* await readdir(join(objects, folder));
    },
    close() {
      lock.release();
    },
  };
}

/** Read a stored content in chunks, a small one in one. @throws as the file system does */
export async function* readContent(root: string, { sha256: hash, bytes }: Content): AsyncGenerator<Buffer> {
  const path = contentPath(root, hash);
  if (bytes > SMALL_BYTES) yield* createReadStream(path, { highWaterMark: SMALL_BYTES }) as AsyncIterable<Buffer>;
  else yield await readFile(path);
}
