/**
 * `make backup`: copies a data folder into a folder of backups while servers sell and a run works; prune waits.
 *
 * Each kind of file is copied before the kinds that it names: snapshots, staged rows, the ledger and its journal, the
 * archive. Whatever a copied file names was written earlier and is copied later.
 */
import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { backUp as backUpLedger } from '../../../ledger/backup.ts';
import { notedLedgerExists, openLedgerStore } from '../../../ledger/open.ts';
import { hasArchive, openArchive } from '../../../lib/archive.ts';
import { atOnce } from '../../../lib/at_once.ts';
import { closing } from '../../../lib/closing.ts';
import { LINK_ENDING, namesIn, readJson, removedAtEnd } from '../../../lib/files.ts';
import { SettingError } from '../../../lib/settings.ts';
import { filesOf } from '../../../lib/store/snapshot_cache.ts';
import { MARKS } from '../../../lib/verified.ts';
import { layoutOf, type Layout } from '../../layout.ts';
import { holdForReading } from '../../run/lock.ts';
import { isPartial } from '../../run/partial_files.ts';
import { currentSnapshot, listSnapshots } from '../../snapshots.ts';
import * as backups from './folder.ts';
import type { BackUpSettings } from './settings.ts';

/**
 * What is copied besides snapshots, rows, ledger and archive. Everything else stays out: private keys, locks, and files
 * of a process or a buyer on this machine.
 */
const OTHERS = 'kind.json store.json alerts.json suppressed.json ledger.json runs drop schedule releases'.split(' ');
/** What stays out and nobody misses after a restore: it is made again, or belongs to a process. */
const DERIVED = 'current README.md backup.json iceberg jobs bench'.split(' ');
const KNOWN = new Set([...OTHERS, ...DERIVED, 'snapshots', 'staged', 'archive', 'ledger.journal']);
const IS_LOCK = /^(lock|readers|alerts)\.sqlite/u;
const MODE_BITS = 0o777;
const ARCHIVE = { path: 'archive/archive.sqlite', mode: 0o644 };

/** The real path of a folder that may not exist yet. */
const realFolder = (path: string): Promise<string> =>
  realpath(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await realFolder(dirname(path)), relative(dirname(path), path));
  });

const isInside = (path: string, folder: string): boolean => `${path}${sep}`.startsWith(`${folder}${sep}`);

async function checkFolders({ DATA_DIR, TO }: BackUpSettings): Promise<void> {
  const shown = `DATA_DIR is ${JSON.stringify(DATA_DIR)}`;
  if (!existsSync(DATA_DIR)) throw new SettingError(`${shown}, expected an existing data folder`);
  if (backups.isBackupFolder(DATA_DIR))
    throw new SettingError(`${shown}, which is a folder of backups. Copy it with any program, such as rsync`);
  const [source, target] = [await realFolder(resolve(DATA_DIR)), await realFolder(resolve(TO))];
  if (isInside(target, source) || isInside(source, target))
    throw new SettingError(`TO is ${JSON.stringify(TO)}, expected a folder outside DATA_DIR that does not contain it`);
}

/** The kind of data of a folder. @throws SettingError if the newest backup is of another kind */
async function checkKind({ kind }: Layout, to: string): Promise<backups.Backup['data_clock']> {
  const now = ((await readJson(kind)) as Partial<backups.Backup> | undefined)?.data_clock ?? null;
  const newest = (await backups.listBackups(to)).at(-1);
  const before = newest === undefined ? null : (await backups.readBackup(to, newest)).data_clock;
  if (before !== null && now !== null && now !== before)
    throw new SettingError(
      `TO is ${JSON.stringify(to)}, which has backups of ${before} data; expected another folder for ${now} data`,
    );
  return now;
}

/** One file or empty folder, relative to the data folder. */
interface Listed {
  readonly path: string;
  readonly isFolder: boolean;
  /** Its hash according to its manifest, record or name. */
  readonly known?: string | undefined;
}

/** The marks are of files on this disk. */
const isLeftOut = (name: string): boolean =>
  name.startsWith('.') || name.endsWith(LINK_ENDING) || isPartial(name) || name === MARKS;

/**
 * A file, or the files and empty folders under a folder. A link is followed: a folder may be on another disk.
 * @param hashOf the hash of a file that something else states
 */
async function* walk(
  root: string,
  path: string,
  hashOf: (path: string) => Promise<string | undefined> | string | undefined = () => undefined,
): AsyncGenerator<Listed> {
  const found = await stat(join(root, path)).catch(() => null);
  if (found?.isFile()) yield { path, isFolder: false, known: await hashOf(path) };
  if (!found?.isDirectory()) return;
  const names = (await namesIn(join(root, path))).filter((name) => !isLeftOut(name));
  if (names.length === 0) yield { path, isFolder: true };
  for (const name of names) yield* walk(root, `${path}/${name}`, hashOf);
}

/** Hashes of a snapshot's files by name; empty if its manifest cannot be read. */
async function statedHashes(layout: Layout, runId: string): Promise<ReadonlyMap<string, string>> {
  const folder = layout.snapshot(runId);
  const stated = await readJson(join(folder, 'manifest.json'))
    .then((manifest) => filesOf(folder, manifest))
    .catch(() => []);
  return new Map(stated.map(({ file, sha256 }) => [file, sha256]));
}

const Rows = z.object({ parquet: z.object({ sha256: z.string() }).nullable() });

/** Hash of staged rows by their record; undefined if it is missing or damaged. */
const hashOfRows = async (path: string): Promise<string | undefined> =>
  path.endsWith('.parquet')
    ? Rows.safeParse(await readJson(path.replace(/parquet$/u, 'json')).catch(() => null)).data?.parquet?.sha256
    : undefined;

/** All but the ledger and the archive. */
async function* filesBefore(layout: Layout): AsyncGenerator<Listed> {
  for (const runId of await listSnapshots(layout)) {
    const hashes = await statedHashes(layout, runId);
    yield* walk(layout.root, `snapshots/${runId}`, (path) => hashes.get(basename(path)));
  }
  yield* walk(layout.root, 'staged', (path) => hashOfRows(join(layout.root, path)));
  for (const name of OTHERS) yield* walk(layout.root, name);
}

/** What was copied of a data folder, and what was damaged. */
interface Copy {
  readonly to: string;
  readonly root: string;
  readonly files: Map<string, backups.Backup['files'][number]>;
  readonly folders: string[];
  readonly damage: string[];
  readonly missing: string[];
}

async function addFile({ to, root, files, damage, missing }: Copy, path: string, known?: string): Promise<void> {
  const file = join(root, path);
  try {
    const { mode } = await stat(file);
    files.set(path, { path, ...(await backups.addContent(to, file, known)), mode: mode & MODE_BITS });
  } catch (error) {
    if (error instanceof backups.WrongContent) {
      damage.push(`${path} does not have the hash that its manifest, record or name states: it is left out`);
      missing.push(path);
      // Another was removed since it was listed, such as a dropped file.
    } else if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const addAll = (copy: Copy, listed: AsyncIterable<Listed>): Promise<void> =>
  atOnce(listed, async ({ path, isFolder, known }) => {
    if (isFolder) copy.folders.push(path);
    else await addFile(copy, path, known);
  });

/** Add a file that its owner writes under a temporary path, as of one instant. */
async function addWritten(to: string, write: (path: string) => Promise<unknown>): Promise<backups.Content> {
  const file = backups.temporaryIn(to);
  await using _removed = removedAtEnd(file);
  await write(file);
  return await backups.addContent(to, file);
}

/** A copy of the ledger; null if there is none yet. */
async function addLedger(settings: BackUpSettings): Promise<backups.Content | null> {
  if (settings.WITHOUT_LEDGER || !notedLedgerExists(settings)) return null;
  await using ledger = closing(await openLedgerStore(settings));
  return await addWritten(settings.TO, (path) => backUpLedger(ledger, path));
}

async function addArchive(copy: Copy): Promise<void> {
  const { to, root, files } = copy;
  if (!hasArchive(root)) return;
  await using archive = closing(await openArchive(root));
  files.set(ARCHIVE.path, { ...ARCHIVE, ...(await addWritten(to, (path) => archive.copyTo(path))) });
  // The names of large pages are their hashes.
  await addAll(
    copy,
    walk(root, 'archive/large', (path) => /^[0-9a-f]{64}$/u.exec(basename(path))?.[0]),
  );
}

/** Names in the data folder that are neither copied nor derived, such as keys. */
async function namesNotCopied({ DATA_DIR, LEDGER = 'ledger.sqlite' }: BackUpSettings): Promise<string[]> {
  const isOfLedger = (name: string): boolean => name.startsWith(basename(LEDGER));
  const isTemporary = (name: string): boolean => isPartial(name) || name.endsWith(LINK_ENDING);
  const names = await namesIn(DATA_DIR);
  return names
    .filter((name) => !KNOWN.has(name) && !IS_LOCK.test(name) && !isOfLedger(name) && !isTemporary(name))
    .sort();
}

/** Sentences on what the manifest of the current snapshot states and was neither copied nor found damaged. */
async function gapsOf(copy: Copy, layout: Layout, current: string): Promise<readonly string[]> {
  const stated = await statedHashes(layout, current);
  if (stated.size === 0) return [`snapshots/${current}/manifest.json is missing or damaged`];
  return [...stated].flatMap(([file, hash]) => {
    const path = `snapshots/${current}/${file}`;
    return copy.files.get(path)?.sha256 === hash || copy.missing.includes(path) ? [] : [`${path} is missing`];
  });
}

/**
 * Back up a data folder. What an earlier backup in the same folder stored is not stored again.
 * @returns among others a sentence for each damaged or lost file, which is not in it, older backups that were
 *   removed, and names in the data folder that were not copied
 * @throws SettingError if a folder cannot be used; nothing is written then
 */
export async function backUp(settings: BackUpSettings, at = new Date()) {
  await checkFolders(settings);
  const { TO: to } = settings;
  const layout = layoutOf(settings.DATA_DIR);
  using _writing = await backups.openBackups(to);
  using _reading = holdForReading(layout);
  const data_clock = await checkKind(layout, to);
  const current = await currentSnapshot(layout);
  const copy: Copy = { to, root: layout.root, files: new Map(), folders: [], damage: [], missing: [] };
  await addAll(copy, filesBefore(layout));
  const ledger = await addLedger(settings);
  // After the ledger, so that it has every sale of the ledger's copy: a restore puts the later ones back.
  await addFile(copy, 'ledger.journal');
  await addArchive(copy);
  const gaps = current === null ? [] : await gapsOf(copy, layout, current);
  const { missing, folders } = copy;
  const damage = [...copy.damage, ...gaps];
  const files = [...copy.files.values()];
  const backup = { at: at.toISOString(), data_clock, current, ledger, missing, files, folders };
  const name = await backups.writeBackup(to, backup);
  const removed = await backups.removeOlder(to, settings.KEEP_BACKUPS);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { name, files: files.length, bytes, damage, removed, notCopied: await namesNotCopied(settings) };
}

export type BackedUp = Awaited<ReturnType<typeof backUp>>;
