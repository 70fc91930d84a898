/**
 * `make backup`: copies a data folder into a folder of backups while servers sell and a run works.
 *
 * Each kind of file is copied before the kinds that it names: snapshots, staged rows, the ledger and its journal, lists
 * of requests, archived pages. Whatever a copied file names was written earlier and is copied later. If a prune removed
 * something meanwhile, the copy starts again and skips what is stored.
 */
import { existsSync } from 'node:fs';
import { lstat, readlink, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { backUp as backUpLedger } from '../../../ledger/backup.ts';
import { notedLedgerExists, openStore } from '../../../ledger/open.ts';
import { DamagedFile, readJson } from '../../../lib/files.ts';
import { SettingError } from '../../../lib/settings.ts';
import { layoutOf, type Layout } from '../../layout.ts';
import { atOnce } from './at_once.ts';
import { archivedFiles, otherFiles, snapshotFiles, stagedFiles, statedHashes, walk, type Listed } from './contents.ts';
import { ListWriter, readList, type Header } from './store.ts';
import type { BackUpSettings } from './settings.ts';
import { isBackupFolder, listBackups, openBackupStore, WrongContent, type BackupStore, type Content } from './store.ts';

/** A prune ends within one copy, so a second attempt is enough; more are for a slow prune. */
const STARTS = 5;
const MODE_BITS = 0o777;

export interface Backup {
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  /** Damaged files, one sentence each. */
  readonly damage: readonly string[];
  /** False if a damaged or lost file is not in the backup. */
  readonly isComplete: boolean;
  /** Files with private keys that were left out. */
  readonly leftOut: readonly string[];
  /** Backups that were removed. */
  readonly removed: readonly string[];
}

/** A file that a copied file may name was removed during the copy. */
class Pruned extends Error {}

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
  if (isBackupFolder(DATA_DIR))
    throw new SettingError(`${shown}, which is a folder of backups. Copy it with any program, such as rsync`);
  const [source, target] = [await realFolder(resolve(DATA_DIR)), await realFolder(resolve(TO))];
  if (isInside(target, source) || isInside(source, target))
    throw new SettingError(`TO is ${JSON.stringify(TO)}, expected a folder outside DATA_DIR that does not contain it`);
}

/** Run id that the link `current` names, whether or not that snapshot exists. */
const currentLink = (layout: Layout): Promise<string | null> =>
  readlink(layout.current).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/** One copy of a data folder. */
class Copy {
  readonly #store: BackupStore;
  readonly #layout: Layout;
  readonly list = new ListWriter();
  readonly damage: string[] = [];
  readonly missing: string[] = [];
  readonly leftOut: string[] = [];
  readonly #contents = new Map<string, string>();

  constructor(store: BackupStore, layout: Layout) {
    this.#store = store;
    this.#layout = layout;
  }

  /** Hash of a copied file. */
  hashOf(path: string): string | undefined {
    return this.#contents.get(path);
  }

  /** @param isNamed whether copied files may name these, so that their removal starts a new copy */
  async addAll(listed: AsyncIterable<Listed | { readonly leftOut: string }>, isNamed: boolean): Promise<void> {
    await atOnce(listed, async (each) => {
      if ('leftOut' in each) this.leftOut.push(each.leftOut);
      else if (each.isFolder) this.list.folder(each.path);
      else await this.#add(each, isNamed);
    });
  }

  async #add({ path, known }: Listed, isNamed: boolean): Promise<void> {
    const file = join(this.#layout.root, path);
    try {
      const { mode } = await stat(file);
      const content = await this.#content(file, path, known);
      if (content === null) return;
      this.list.file({ path, ...content, mode: mode & MODE_BITS });
      if (!path.startsWith('archive/objects/')) this.#contents.set(path, content.sha256);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      if (isNamed) throw new Pruned(path);
    }
  }

  /** Store a file; a damaged one is replaced by its content in an earlier backup, or left out. */
  async #content(file: string, path: string, known: string | undefined): Promise<Content | null> {
    try {
      return await this.#store.add(file, known);
    } catch (error) {
      if (!(error instanceof WrongContent) || known === undefined) throw error;
      const earlier = await this.#store.intact(known);
      const outcome = earlier ? 'an earlier backup has its content, which is used' : 'it is left out';
      this.damage.push(`${path} does not have the hash that its manifest, record or name states: ${outcome}`);
      if (!earlier) this.missing.push(path);
      return earlier;
    }
  }

  /** @throws Pruned if a copied file that others name is gone */
  async assertStillThere(): Promise<void> {
    for (const path of this.#contents.keys()) {
      if (!/^(snapshots|staged|archive)\//u.test(path)) continue;
      await lstat(join(this.#layout.root, path)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new Pruned(path) : error;
      });
    }
  }
}

/** Store a copy of the ledger. @returns null if there is none yet */
async function addLedger(store: BackupStore, settings: BackUpSettings): Promise<Header['ledger']> {
  if (settings.WITHOUT_LEDGER || !notedLedgerExists(settings)) return null;
  const file = store.temporary();
  const ledger = await openStore(settings);
  try {
    await backUpLedger(ledger, file);
    return await store.add(file);
  } finally {
    await ledger.close();
    await rm(file, { force: true });
  }
}

/** Damage of the current snapshot: files of its manifest that were not copied. */
async function findGaps(copy: Copy, layout: Layout, current: string | null): Promise<string[]> {
  if (current === null) return [];
  const stated = await statedHashes(layout, current.split('/').at(-1) ?? '');
  const absent = [...stated].filter(([name, hash]) => copy.hashOf(`${current}/${name}`) !== hash);
  if (stated.size === 0) return [`${current}/manifest.json is missing or damaged`];
  return absent.map(([name]) => `${current}/${name} is missing`).filter((line) => !copy.damage.includes(line));
}

interface Copied {
  readonly copy: Copy;
  readonly isComplete: boolean;
  readonly header: Omit<Header, 'format' | 'version'>;
}

async function copyOnce(store: BackupStore, settings: BackUpSettings, at: Date): Promise<Copied> {
  const layout = layoutOf(settings.DATA_DIR);
  const copy = new Copy(store, layout);
  const current = await currentLink(layout);
  await copy.addAll(snapshotFiles(layout), true);
  await copy.addAll(stagedFiles(layout), true);
  const ledgerFile = relative(resolve(layout.root), resolve(settings.LEDGER ?? join(layout.root, 'ledger.sqlite')));
  await copy.addAll(otherFiles(layout, { keys: settings.KEYS, except: new Set([ledgerFile]) }), false);
  const ledger = await addLedger(store, settings);
  // After the ledger, so that it has every sale of the ledger's copy: a restore puts the later ones back.
  await copy.addAll(only({ path: 'ledger.journal', isFolder: false }), false);
  await copy.addAll(walk(layout.root, 'archive/requests'), true);
  await copy.addAll(only({ path: 'archive/id', isFolder: false }), false);
  await copy.addAll(archivedFiles(layout), true);
  await copy.assertStillThere();
  const gaps = await findGaps(copy, layout, current);
  copy.damage.push(...gaps);
  const kind = (await readJson(layout.kind)) as { data_clock?: Header['data_clock'] } | undefined;
  const header = {
    at: at.toISOString(),
    data_clock: kind?.data_clock ?? null,
    current,
    ledger,
    keys: settings.KEYS,
    missing: copy.missing,
  };
  return { copy, header, isComplete: copy.missing.length + gaps.length === 0 };
}

async function* only(listed: Listed): AsyncGenerator<Listed> {
  yield listed;
}

async function copyFolder(store: BackupStore, settings: BackUpSettings, at: Date): Promise<Copied> {
  for (let start = 1; ; start += 1) {
    try {
      return await copyOnce(store, settings, at);
    } catch (error) {
      if (!(error instanceof Pruned)) throw error;
      if (start === STARTS)
        throw new DamagedFile(
          `${error.message} and others were removed during the backup. Run it again when prune is done`,
        );
    }
  }
}

/** @throws SettingError if the newest backup in the folder is of another kind of data */
async function checkKind(store: BackupStore, settings: BackUpSettings): Promise<void> {
  const newest = (await listBackups(store.root)).at(-1);
  if (newest === undefined) return;
  const before = (await readList(store.root, newest)).header.data_clock;
  const kind = (await readJson(layoutOf(settings.DATA_DIR).kind)) as { data_clock?: string } | undefined;
  if (before !== null && kind?.data_clock !== undefined && kind.data_clock !== before)
    throw new SettingError(
      `TO is ${JSON.stringify(settings.TO)}, which has backups of ${before} data; expected another folder for ` +
        `${kind.data_clock} data`,
    );
}

/** Remove all but the newest backups, and contents that none of these names. */
async function removeOlder(store: BackupStore, keep: number): Promise<string[]> {
  const names = await listBackups(store.root);
  const older = names.slice(0, Math.max(0, names.length - keep));
  if (keep === 0 || older.length === 0) return [];
  const needed = new Set<string>();
  for (const name of names.slice(older.length)) {
    const { header, files } = await readList(store.root, name);
    if (header.ledger) needed.add(header.ledger.sha256);
    for (const { sha256 } of files) needed.add(sha256);
  }
  for (const backup of older) await store.remove({ backup });
  for await (const hash of store.contents()) if (!needed.has(hash)) await store.remove({ hash });
  return older;
}

/**
 * Back up a data folder. What an earlier backup in the same folder stored is not stored again.
 * @throws SettingError if a folder cannot be used; nothing is written then
 */
export async function backUp(settings: BackUpSettings, at = new Date()): Promise<Backup> {
  await checkFolders(settings);
  const store = await openBackupStore(settings.TO);
  try {
    await checkKind(store, settings);
    const { copy, header, isComplete } = await copyFolder(store, settings, at);
    const name = await store.finish(copy.list.close(header), at);
    const { files, bytes } = copy.list.totals;
    const removed = await removeOlder(store, settings.KEEP_BACKUPS);
    return { name, files, bytes, damage: copy.damage, isComplete, leftOut: copy.leftOut, removed };
  } finally {
    store.close();
  }
}
