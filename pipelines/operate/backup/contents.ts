/** Which files of a data folder belong in a backup, in an order in which no file is listed before what it names. */
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { LINK_ENDING, namesIn, readJson } from '../../../lib/files.ts';
import { filesOf } from '../../../lib/store/snapshot_cache.ts';
import { MARKS } from '../../../lib/verified.ts';
import { HANDED_OVER } from '../../ingest/stage/json_rows.ts';
import type { Layout } from '../../layout.ts';
import { BUILD_DATABASE } from '../../run/partial_files.ts';
import { listSnapshots } from '../../snapshots.ts';
import { BACKUP_NOTE } from './latest.ts';

/** One file or empty folder, relative to the data folder. */
export interface Listed {
  readonly path: string;
  readonly isFolder: boolean;
  /** Its hash according to its manifest, record or name. */
  readonly known?: string | undefined;
}

/** What is listed or copied on its own, derived files, and files of a process or a buyer on this machine. */
const NOT_OTHER = new Set(
  'archive staged snapshots ledger.journal ledger.sqlite current README.md spool bench client iceberg jobs'.split(' '),
);
/** Folder of a sandbox server's test wallet and receipt keys. */
const SANDBOX = 'sandbox';
/** Folder of a restore that has not ended. */
export const RESTORING = '.restoring';
/** SQLite locks, and the journal files of an open database. */
const IS_LOCK = /^(lock|readers|alerts)\.sqlite|-(wal|shm|journal)$/u;
const MAX_KEY_BYTES = 65_536;
/** A settlement key, or a private key as JSON or PEM. */
const PRIVATE_KEY = /^\s*(0x)?[0-9a-f]{64}\s*$|"d"\s*:\s*"|-----BEGIN [A-Z ]*PRIVATE KEY-----|"?privateKey"?\s*:/iu;
/** Top-level folders whose files come from pages and runs. Other files may be keys. */
const DATA_FOLDERS = new Set(['runs', 'drop', 'schedule']);

const isPartial = (name: string): boolean =>
  name.startsWith('.') || name.endsWith('.tmp') || name.endsWith(LINK_ENDING) || name.startsWith(BUILD_DATABASE);

/** A file, or the files and empty folders under a folder. A link is followed: a folder may be on another disk. */
async function* walk(root: string, path: string): AsyncGenerator<Listed> {
  const found = await stat(join(root, path)).catch(() => null);
  if (found?.isFile()) yield { path, isFolder: false };
  if (!found?.isDirectory()) return;
  const names = (await namesIn(join(root, path))).filter((name) => !isPartial(name));
  if (names.length === 0) yield { path, isFolder: true };
  for (const name of names) yield* walk(root, `${path}/${name}`);
}

const Rows = z.object({ parquet: z.object({ sha256: z.string() }).nullable() });

/** Hash of staged rows by their record; undefined if it is missing or damaged. */
const hashOfRows = async (path: string): Promise<string | undefined> =>
  Rows.safeParse(await readJson(path.replace(/parquet$/u, 'json')).catch(() => null)).data?.parquet?.sha256;

/** Hashes of a snapshot's files by name; empty if its manifest cannot be read. */
export async function statedHashes(layout: Layout, runId: string): Promise<ReadonlyMap<string, string>> {
  const folder = layout.snapshot(runId);
  const stated = await readJson(join(folder, 'manifest.json'))
    .then((manifest) => filesOf(folder, manifest))
    .catch(() => []);
  return new Map(stated.map(({ file, sha256 }) => [file, sha256]));
}

/** Files of the snapshots, then those of the staged reads that they name. */
export async function* publishedFiles(layout: Layout): AsyncGenerator<Listed> {
  for (const runId of await listSnapshots(layout)) {
    const hashes = await statedHashes(layout, runId);
    for await (const listed of walk(layout.root, `snapshots/${runId}`)) {
      const name = basename(listed.path);
      // The marks are of files on this disk.
      if (name !== MARKS) yield { ...listed, known: hashes.get(name) };
    }
  }
  for await (const listed of walk(layout.root, 'staged')) {
    const isRows = listed.path.endsWith('.parquet');
    const known = isRows ? await hashOfRows(join(layout.root, listed.path)) : undefined;
    if (!listed.path.endsWith(HANDED_OVER)) yield { ...listed, known };
  }
}

/** Large archived pages, whose names are their hashes. */
export async function* largePages(layout: Layout): AsyncGenerator<Listed> {
  for await (const listed of walk(layout.root, 'archive/large'))
    if (!listed.isFolder) yield { ...listed, known: /^[0-9a-f]{64}$/u.exec(basename(listed.path))?.[0] };
}

/** Whether a file contains a private key. */
const isKey = async (path: string): Promise<boolean> =>
  (await stat(path)).size <= MAX_KEY_BYTES && PRIVATE_KEY.test(await readFile(path, 'latin1'));

/** The rest of the folder: settings, states, reports, dropped files, and no private keys. @param except the ledger */
export async function* otherFiles(
  { root }: Layout,
  except: string,
): AsyncGenerator<Listed | { readonly leftOut: string }> {
  const isOther = (name: string): boolean =>
    !NOT_OTHER.has(name) && name !== BACKUP_NOTE && !IS_LOCK.test(name) && !isPartial(name) && name !== except;
  for (const name of (await namesIn(root)).filter(isOther)) {
    if (name === SANDBOX) yield { leftOut: SANDBOX };
    else
      for await (const listed of walk(root, name)) {
        const mayBeKey = !listed.isFolder && !DATA_FOLDERS.has(name);
        yield mayBeKey && (await isKey(join(root, listed.path))) ? { leftOut: listed.path } : listed;
      }
  }
}
