/**
 * `make restore` and `make backup VERIFY=1`. Files are copied into a hidden folder of the data folder, each is compared
 * with its hash, and only a complete copy is renamed into place.
 */
import { existsSync } from 'node:fs';
import { readdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { restoreLedger } from '../../../ledger/backup.ts';
import { journalFile } from '../../../ledger/journal_file.ts';
import { contentOf, DamagedFile, makeFolder, share, sync, whyNotWritable } from '../../../lib/files.ts';
import { SettingError } from '../../../lib/settings.ts';
import { atOnce } from '../../../lib/at_once.ts';
import type { RestoreSettings } from './settings.ts';
import { contentPath, contentsOf, copyFlushed, findBackup } from './folder.ts';
import type { Backup, Content, Named } from './folder.ts';

const OWNER_ONLY = 0o600;
/** Folder of a restore that has not ended. */
const RESTORING = '.restoring';
/** Names in a new folder that are no data. */
const NO_DATA = new Set(['README.md', 'lost+found', RESTORING]);

/** Read a stored content to its end, or copy it. @throws DamagedFile if it is missing, or differs from its hash */
async function checkContent(root: string, { sha256 }: Content, read: (path: string) => Promise<Content>) {
  const path = contentPath(root, sha256);
  const found = existsSync(path) ? await read(path) : null;
  if (found?.sha256 === sha256) return;
  const why = found === null ? 'is missing' : 'does not have its hash';
  throw new DamagedFile(
    `The backup's content ${sha256} ${why}. Choose another backup with BACKUP=..., or another copy`,
  );
}

const copyOut = (root: string, content: Content, path: string, mode: number): Promise<void> =>
  checkContent(root, content, (from) => copyFlushed(from, path, mode));

/** Read every content of a backup. @throws DamagedFile naming the first damage */
export async function verifyBackup(root: string, wanted: string | undefined): Promise<Named> {
  const found = await findBackup(root, wanted);
  const contents = new Map(contentsOf(found.backup).map((content) => [content.sha256, content]));
  await atOnce(contents.values(), (content) => checkContent(root, content, contentOf));
  return found;
}

/** @throws SettingError if a folder cannot be made, or has data */
async function checkEmpty(dataDir: string): Promise<void> {
  const shown = `DATA_DIR is ${JSON.stringify(dataDir)}`;
  const why = await whyNotWritable(dataDir);
  if (why !== null) throw new SettingError(`${shown}, expected a writable folder: ${why}`);
  const data = (await readdir(dataDir)).filter((name) => !NO_DATA.has(name));
  const more = data.length > 3 ? ` and ${data.length - 3} more` : '';
  if (data.length > 0)
    throw new SettingError(
      `${shown}, which has ${data.slice(0, 3).join(', ')}${more}; expected an empty folder or a new one`,
    );
}

async function writeFiles(root: string, folder: string, { files, folders }: Backup): Promise<void> {
  const parents = new Set([
    ...files.map(({ path }) => dirname(join(folder, path))),
    ...folders.map((parent) => join(folder, parent)),
  ]);
  for (const parent of parents) await makeFolder(parent);
  // Snapshots share the parts of large tables, and nobody writes to a file of a snapshot.
  const contents = Map.groupBy(files, ({ path, sha256 }) => (path.startsWith('snapshots/') ? sha256 : path)).values();
  await atOnce(contents, async ([file, ...others]) => {
    if (file === undefined) return;
    await copyOut(root, file, join(folder, file.path), file.mode);
    for (const { path } of others) await share(join(folder, file.path), join(folder, path));
  });
  await atOnce(parents, sync);
}

/** LEDGER, in the hidden folder if it is a file of the data folder. */
function ledgerPlace({ DATA_DIR, LEDGER }: RestoreSettings, folder: string): string | undefined {
  if (LEDGER === undefined || LEDGER.includes('://')) return LEDGER;
  const inner = relative(resolve(DATA_DIR), resolve(LEDGER));
  return inner.startsWith('..') ? LEDGER : join(folder, inner);
}

/** Restore the ledger into LEDGER, by default a file in the new folder. */
async function writeLedger(settings: RestoreSettings, folder: string, { ledger }: Backup) {
  if (ledger === null || settings.WITHOUT_LEDGER) return null;
  const { OVERWRITE: overwrite, JOURNALS = [] } = settings;
  const file = join(folder, 'ledger.backup.tmp');
  await copyOut(settings.FROM, ledger, file, OWNER_ONLY);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(file));
  const place = { DATA_DIR: folder, LEDGER: ledgerPlace(settings, folder) };
  return await restoreLedger(place, file, { overwrite, journals: [journalFile(folder), ...JOURNALS] });
}

/**
 * Move the finished files into the data folder. The ledger's note goes first: a server refuses a folder that records a
 * ledger it does not have. The link to the current snapshot goes last.
 */
async function moveInto(dataDir: string, folder: string): Promise<void> {
  const order = (name: string): number => (name === 'ledger.json' ? -1 : name === 'current' ? 1 : 0);
  const names = (await readdir(folder)).sort((a, b) => order(a) - order(b));
  await checkEmpty(dataDir);
  for (const name of names) await rename(join(folder, name), join(dataDir, name));
  await rm(folder, { recursive: true });
  await sync(dataDir);
}

/**
 * Restore a backup into an empty folder.
 * @throws SettingError if the folder is not empty; DamagedFile if a content is damaged. The folder stays empty then
 */
export async function restoreFolder(settings: RestoreSettings) {
  const { FROM, BACKUP, DATA_DIR, JOURNALS = [] } = settings;
  const absent = JOURNALS.find((path) => !existsSync(path));
  if (absent !== undefined)
    throw new SettingError(`JOURNALS names ${JSON.stringify(absent)}, expected existing journals of the ledger`);
  const { name, backup } = await findBackup(FROM, BACKUP);
  await checkEmpty(DATA_DIR);
  const folder = join(DATA_DIR, RESTORING);
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder);
  try {
    await writeFiles(FROM, folder, backup);
    const ledger = await writeLedger(settings, folder, backup);
    if (backup.current !== null) await symlink(join('snapshots', backup.current), join(folder, 'current'));
    await moveInto(DATA_DIR, folder);
    return { name, backup, ledger };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
