/**
 * The folder of backups. Contents are stored once, under their SHA-256, and each backup is a list of paths and hashes:
 *
 *   dealfeed-backups.json           marks the folder
 *   backups/<UTC time>.json.gz      one backup, written last
 *   objects/<2 hex>/<sha256>        contents
 *   incoming/                       contents until they are complete
 *   lock.sqlite                     lock of the backup in progress
 *
 * Nothing is changed in place, so any program can copy the folder elsewhere.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Ending } from '../../../lib/closing.ts';
import { contentOf, DamagedFile, makeFolder, namesIn, readJson, removedAtEnd, sync } from '../../../lib/files.ts';
import { whyNotWritable, writeWhole } from '../../../lib/files.ts';
import { SettingError } from '../../../lib/settings.ts';
import { takeLock } from '../../run/lock.ts';

const MARKER = 'dealfeed-backups.json';
/** Of the marker and of each list. */
const VERSION = 3;
const ENDING = '.json.gz';
const OWNER_ONLY = 0o700;

/** A stored content. */
const Content = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(0) });
export type Content = z.infer<typeof Content>;

/** A path that stays inside the folder it is joined to. */
const innerPath = z.string().refine((path) => !path.startsWith('/') && !path.split('/').includes('..') && path !== '');

const Backup = z.object({
  at: z.iso.datetime(),
  data_clock: z.enum(['sandbox', 'live']).nullable(),
  /** Run id of the current snapshot; null if nothing was published. */
  current: innerPath.nullable(),
  /** Backup of the ledger; null if there was none, or it was left out. */
  ledger: Content.nullable(),
  /** Files that were damaged in the data folder and are not in this backup. */
  missing: z.array(z.string()),
  /** Paths relative to the data folder, with permission bits. */
  files: z.array(Content.extend({ path: innerPath, mode: z.int().min(0).max(0o777) })),
  /** Empty folders. */
  folders: z.array(innerPath),
});
export type Backup = z.infer<typeof Backup>;

/** A file does not have the hash that its manifest, record or name states. */
export class WrongContent extends Error {
  override readonly name = 'WrongContent';
}

export const isBackupFolder = (folder: string): boolean => existsSync(join(folder, MARKER));

const listPath = (root: string, name: string): string => join(root, 'backups', `${name}${ENDING}`);

export const contentPath = (root: string, hash: string): string => join(root, 'objects', hash.slice(0, 2), hash);

/** @throws SettingError if another version wrote a marker or a list */
function checkVersion(path: string, content: unknown): void {
  if (!z.object({ version: z.literal(VERSION) }).safeParse(content).success)
    throw new SettingError(
      `${path} is not of version ${VERSION}. Restore it with the Dealfeed that wrote it; back up into a new folder`,
    );
}

const checkMarker = async (root: string): Promise<void> =>
  checkVersion(join(root, MARKER), await readJson(join(root, MARKER)));

/** Names of the backups in a folder, oldest first. */
export async function listBackups(root: string): Promise<string[]> {
  const names = (await namesIn(join(root, 'backups'))).filter((name) => name.endsWith(ENDING));
  return names.map((name) => name.slice(0, -ENDING.length)).sort();
}

/** @throws DamagedFile naming the backup, if it is not complete; SettingError if another version wrote it */
export async function readBackup(root: string, name: string): Promise<Backup> {
  const packed = await readFile(listPath(root, name));
  try {
    const list: unknown = JSON.parse(gunzipSync(packed).toString('utf8'));
    checkVersion(listPath(root, name), list);
    return Backup.parse(list);
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new DamagedFile(`${listPath(root, name)} is damaged. Choose another backup with BACKUP=...`);
  }
}

/** A backup by its name. */
export interface Named {
  readonly name: string;
  readonly backup: Backup;
}

/**
 * A backup, by default the newest.
 * @throws SettingError if the folder has no backups of this version, or not this one; DamagedFile if it is not complete
 */
export async function findBackup(root: string, wanted: string | undefined): Promise<Named> {
  const names = await listBackups(root);
  const name = wanted ?? names.at(-1);
  if (!isBackupFolder(root) || names.length === 0 || name === undefined)
    throw new SettingError(`FROM is ${JSON.stringify(root)}, expected a folder that make backup wrote, with a backup`);
  await checkMarker(root);
  if (!names.includes(name))
    throw new SettingError(`BACKUP is ${JSON.stringify(name)}, expected one of ${names.slice(-10).join(', ')}`);
  return { name, backup: await readBackup(root, name) };
}

/**
 * Open a folder of backups for writing, and create it if it is missing. Removes partial files of a killed backup.
 * @returns what ends it
 * @throws SettingError if it is something else, or another backup is writing to it
 */
export async function openBackups(root: string): Promise<Ending> {
  const shown = `TO is ${JSON.stringify(root)}`;
  const why = await whyNotWritable(root, OWNER_ONLY);
  if (why !== null) throw new SettingError(`${shown}, expected a writable folder: ${why}`);
  if (!isBackupFolder(root)) {
    if ((await namesIn(root)).some((name) => name !== 'lost+found'))
      throw new SettingError(`${shown}, expected a folder of backups, or an empty or new one; it has other files`);
    await writeWhole(join(root, MARKER), `${JSON.stringify({ format: 'dealfeed backups', version: VERSION })}\n`);
  }
  await checkMarker(root);
  const lock = await takeLock(join(root, 'lock.sqlite'));
  if ('holder' in lock) throw new SettingError(`${shown}, to which another backup is writing (process ${lock.holder})`);
  await rm(join(root, 'incoming'), { recursive: true, force: true });
  await makeFolder(join(root, 'incoming'));
  return lock.release;
}

/** Path of a new temporary file. */
export const temporaryIn = (root: string): string => join(root, 'incoming', `${randomUUID()}.tmp`);

/** Copy a file, flushed. @returns the content that was copied */
export async function copyFlushed(from: string, to: string, mode: number): Promise<Content> {
  const hash = createHash('sha256');
  let bytes = 0;
  await using target = await open(to, 'wx', mode);
  for await (const chunk of createReadStream(from, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    await target.writeFile(chunk);
  }
  // Independent of the umask.
  await target.chmod(mode);
  await target.sync();
  return { sha256: hash.digest('hex'), bytes };
}

/** Whether a content is stored. One of another length is damaged: it is written again. */
async function isStored(root: string, { sha256, bytes }: Content): Promise<boolean> {
  const path = contentPath(root, sha256);
  return existsSync(path) && (await stat(path)).size === bytes;
}

/**
 * Store the content of a file.
 * @param known its hash according to a manifest, record or name. If it is stored already, the file is not read
 * @throws WrongContent if the file has another hash than `known`
 */
export async function addContent(root: string, path: string, known?: string): Promise<Content> {
  const { size: bytes } = await stat(path);
  if (known !== undefined && bytes > 0 && (await isStored(root, { sha256: known, bytes })))
    return { sha256: known, bytes };
  const found = await contentOf(path);
  if (known !== undefined && found.sha256 !== known) throw new WrongContent(path);
  if (await isStored(root, found)) return found;
  const temporary = temporaryIn(root);
  await using _removed = removedAtEnd(temporary);
  // It may have changed meanwhile, such as a journal.
  const content = await copyFlushed(path, temporary, 0o600);
  if (known !== undefined && content.sha256 !== known) throw new WrongContent(path);
  const target = contentPath(root, content.sha256);
  await makeFolder(dirname(target));
  await rename(temporary, target);
  await sync(dirname(target));
  return content;
}

/** The time in a backup's name, in milliseconds. */
const timeOf = (name: string): number => Date.parse(name.replace(/T(\d\d)-(\d\d)-/u, 'T$1:$2:'));

/** Write the list of a finished backup. @returns its name, later than the others whatever the clock says */
export async function writeBackup(root: string, backup: Backup): Promise<string> {
  const newest = (await listBackups(root)).at(-1);
  const earliest = newest === undefined ? 0 : timeOf(newest) + 1000;
  const time = new Date(Math.max(Date.parse(backup.at), earliest)).toISOString();
  const name = `${time.slice(0, 19).replaceAll(':', '-')}Z`;
  await writeWhole(
    listPath(root, name),
    gzipSync(JSON.stringify({ version: VERSION, ...backup })),
    join(root, 'incoming'),
  );
  return name;
}

/** The stored contents that a backup names. */
export const contentsOf = ({ files, ledger }: Backup): readonly Content[] => [...files, ...(ledger ? [ledger] : [])];

/** Remove all but the newest backups, and contents that none of these names. @returns the removed ones */
export async function removeOlder(root: string, keep: number): Promise<string[]> {
  const names = await listBackups(root);
  const older = names.slice(0, Math.max(0, names.length - keep));
  if (keep === 0 || older.length === 0) return [];
  const needed = new Set<string>();
  for (const name of names.slice(older.length))
    for (const { sha256 } of contentsOf(await readBackup(root, name))) needed.add(sha256);
  for (const name of older) await rm(listPath(root, name));
  for (const path of await readdir(join(root, 'objects'), { recursive: true }))
    if (path.includes('/') && !needed.has(path.slice(path.indexOf('/') + 1))) await rm(join(root, 'objects', path));
  return older;
}
