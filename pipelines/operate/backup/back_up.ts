/**
 * `make backup`: copies a data folder into a folder of backups while servers sell and a run works; prune waits.
 *
 * Each kind of file is copied before the kinds that it names: snapshots, staged rows, the ledger and its journal, the
 * archive. Whatever a copied file names was written earlier and is copied later.
 */
import { existsSync } from 'node:fs';
import { readlink, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { backUp as backUpLedger } from '../../../ledger/backup.ts';
import { notedLedgerExists, openLedgerStore } from '../../../ledger/open.ts';
import { hasArchive, openArchive } from '../../../lib/archive.ts';
import { atOnce } from '../../../lib/at_once.ts';
import { readJson } from '../../../lib/files.ts';
import { SettingError } from '../../../lib/settings.ts';
import { layoutOf, type Layout } from '../../layout.ts';
import { holdForReading } from '../../run/lock.ts';
import { largePages, otherFiles, publishedFiles, statedHashes, type Listed } from './contents.ts';
import type { BackUpSettings } from './settings.ts';
import { isBackupFolder, listBackups, openBackupStore, readBackup, WrongContent } from './store.ts';
import type { Backup, BackupStore, Content } from './store.ts';

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
  if (isBackupFolder(DATA_DIR))
    throw new SettingError(`${shown}, which is a folder of backups. Copy it with any program, such as rsync`);
  const [source, target] = [await realFolder(resolve(DATA_DIR)), await realFolder(resolve(TO))];
  if (isInside(target, source) || isInside(source, target))
    throw new SettingError(`TO is ${JSON.stringify(TO)}, expected a folder outside DATA_DIR that does not contain it`);
}

const kindOf = async (layout: Layout): Promise<Backup['data_clock']> =>
  ((await readJson(layout.kind)) as Partial<Backup> | undefined)?.data_clock ?? null;

/** @throws SettingError if the newest backup in the folder is of another kind of data */
async function checkKind({ root }: BackupStore, kind: Backup['data_clock']): Promise<void> {
  const newest = (await listBackups(root)).at(-1);
  const before = newest === undefined ? null : (await readBackup(root, newest)).data_clock;
  if (before !== null && kind !== null && kind !== before)
    throw new SettingError(
      `TO is ${JSON.stringify(root)}, which has backups of ${before} data; expected another folder for ${kind} data`,
    );
}

/** One copy of a data folder. */
class Copy {
  readonly #store: BackupStore;
  readonly #layout: Layout;
  readonly files = new Map<string, Backup['files'][number]>();
  readonly folders: string[] = [];
  readonly damage: string[] = [];
  readonly missing: string[] = [];
  readonly leftOut: string[] = [];

  constructor(store: BackupStore, layout: Layout) {
    this.#store = store;
    this.#layout = layout;
  }

  addAll(listed: AsyncIterable<Listed | { readonly leftOut: string }>): Promise<void> {
    return atOnce(listed, async (each) => {
      if ('leftOut' in each) this.leftOut.push(each.leftOut);
      else if (each.isFolder) this.folders.push(each.path);
      else await this.add(each);
    });
  }

  async add({ path, known }: Omit<Listed, 'isFolder'>): Promise<void> {
    const file = join(this.#layout.root, path);
    try {
      const { mode } = await stat(file);
      this.files.set(path, { path, ...(await this.#store.add(file, known)), mode: mode & MODE_BITS });
    } catch (error) {
      if (error instanceof WrongContent) {
        this.damage.push(`${path} does not have the hash that its manifest, record or name states: it is left out`);
        this.missing.push(path);
        // Another was removed since it was listed, such as a dropped file.
      } else if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** A file that its owner writes under a temporary path, as of one instant. */
  async #addCopy(write: (path: string) => Promise<unknown>): Promise<Content> {
    const file = this.#store.temporary();
    try {
      await write(file);
      return await this.#store.add(file);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** A copy of the ledger; null if there is none yet. */
  async addLedger(settings: BackUpSettings): Promise<Content | null> {
    if (settings.WITHOUT_LEDGER || !notedLedgerExists(settings)) return null;
    const ledger = await openLedgerStore(settings);
    try {
      return await this.#addCopy((path) => backUpLedger(ledger, path));
    } finally {
      await ledger.close();
    }
  }

  async addArchive(): Promise<void> {
    if (!hasArchive(this.#layout.root)) return;
    const archive = await openArchive(this.#layout.root);
    try {
      const content = await this.#addCopy((path) => archive.copyTo(path));
      this.files.set(ARCHIVE.path, { ...ARCHIVE, ...content });
    } finally {
      await archive.close();
    }
    await this.addAll(largePages(this.#layout));
  }

  /** Note what the current snapshot's manifest states and was not copied. @returns whether all was */
  async checkCurrent(current: string | null): Promise<boolean> {
    if (current === null) return true;
    const stated = await statedHashes(this.#layout, current.split('/').at(-1) ?? '');
    const absent = [...stated].filter(([name, hash]) => this.files.get(`${current}/${name}`)?.sha256 !== hash);
    const paths = absent.map(([name]) => `${current}/${name}`).filter((path) => !this.missing.includes(path));
    const gaps = paths.map((path) => `${path} is missing`);
    if (stated.size === 0) gaps.push(`${current}/manifest.json is missing or damaged`);
    this.damage.push(...gaps);
    return gaps.length === 0;
  }
}

/**
 * Back up a data folder. What an earlier backup in the same folder stored is not stored again.
 * @returns among others a sentence for each damaged file, files with private keys that were left out, and older backups
 *   that were removed; it is not complete if a damaged or lost file is not in it
 * @throws SettingError if a folder cannot be used; nothing is written then
 */
export async function backUp(settings: BackUpSettings, at = new Date()) {
  await checkFolders(settings);
  const layout = layoutOf(settings.DATA_DIR);
  const store = await openBackupStore(settings.TO);
  const release = holdForReading(layout);
  try {
    const data_clock = await kindOf(layout);
    await checkKind(store, data_clock);
    const current = await readlink(layout.current).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    const copy = new Copy(store, layout);
    await copy.addAll(publishedFiles(layout));
    const except = relative(resolve(layout.root), resolve(settings.LEDGER ?? join(layout.root, 'ledger.sqlite')));
    await copy.addAll(otherFiles(layout, except));
    const ledger = await copy.addLedger(settings);
    // After the ledger, so that it has every sale of the ledger's copy: a restore puts the later ones back.
    await copy.add({ path: 'ledger.journal' });
    await copy.addArchive();
    const isComplete = (await copy.checkCurrent(current)) && copy.missing.length === 0;
    const { damage, missing, folders, leftOut } = copy;
    const files = [...copy.files.values()];
    const name = await store.finish({ at: at.toISOString(), data_clock, current, ledger, missing, files, folders });
    const removed = await store.removeOlder(settings.KEEP_BACKUPS);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { name, files: files.length, bytes, damage, isComplete, leftOut, removed };
  } finally {
    release();
    store.close();
  }
}

export type BackedUp = Awaited<ReturnType<typeof backUp>>;
