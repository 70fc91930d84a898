/** Which files of a data folder belong in a backup, in an order in which no file is listed before what it names. */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { LINK_ENDING, namesIn } from '../../../lib/files.ts';
import { filesOf } from '../../../lib/store/snapshot_cache.ts';
import { MARKS } from '../../../lib/verified.ts';
import { HANDED_OVER } from '../../ingest/stage/json_rows.ts';
import { parseRunId, type Layout } from '../../layout.ts';
import { BUILD_DATABASE } from '../../run/partial_files.ts';
import { BACKUP_NOTE } from './latest.ts';

/** One file or empty folder, relative to the data folder. */
export interface Listed {
  readonly path: string;
  readonly isFolder: boolean;
  /** Its hash according to its manifest, record or name. */
  readonly known?: string | undefined;
}

/** Derived files that can be rebuilt, and files of a process or a buyer on this machine. */
const LEFT_OUT = new Set([
  'README.md',
  BACKUP_NOTE,
  'spool',
  'bench',
  'client',
  'ledger.sqlite',
  'current',
  'iceberg',
  'jobs',
]);
/** Listed by functions of their own. */
const LISTED = new Set(['archive', 'staged', 'snapshots', 'ledger.journal']);
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

const listEntries = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });

/** Files and empty folders under a folder. A link is followed, so that a folder may be on another disk. */
async function* walk(root: string, path: string): AsyncGenerator<Listed> {
  const entries = (await listEntries(join(root, path))).filter((entry) => !isPartial(entry.name));
  if (entries.length === 0) yield { path, isFolder: true };
  for (const entry of entries) {
    const inner = `${path}/${entry.name}`;
    const isFolder = entry.isSymbolicLink()
      ? await stat(join(root, inner)).then(
          (found) => found.isDirectory(),
          () => null,
        )
      : entry.isDirectory();
    if (isFolder === true) yield* walk(root, inner);
    else if (isFolder === false && !entry.isSocket() && !entry.isFIFO()) yield { path: inner, isFolder: false };
  }
}

/** JSON of a file; null if it is missing or damaged. */
const jsonIn = async <T>(path: string, schema: z.ZodType<T>): Promise<T | null> => {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
};

const Rows = z.object({ parquet: z.object({ sha256: z.string() }).nullable() });

/** Hashes of a snapshot's files by name; empty if its manifest cannot be read. */
export async function statedHashes(layout: Layout, runId: string): Promise<ReadonlyMap<string, string>> {
  const folder = layout.snapshot(runId);
  const manifest = await jsonIn(join(folder, 'manifest.json'), z.unknown());
  const stated = await filesOf(folder, manifest).catch(() => null);
  return new Map((stated ?? []).map(({ file, sha256 }) => [file, sha256]));
}

/** Files of the snapshots, then those of the staged reads that they name. */
export async function* publishedFiles(layout: Layout): AsyncGenerator<Listed> {
  for (const runId of (await namesIn(layout.snapshots)).filter((name) => parseRunId(name) !== null)) {
    const hashes = await statedHashes(layout, runId);
    for await (const listed of walk(layout.root, `snapshots/${runId}`)) {
      const name = basename(listed.path);
      // The marks are of files on this disk.
      if (name !== MARKS) yield { ...listed, known: hashes.get(name) };
    }
  }
  for await (const listed of walk(layout.root, 'staged')) {
    if (listed.path.endsWith(HANDED_OVER)) continue;
    const record = join(layout.root, listed.path.replace(/parquet$/u, 'json'));
    const isRows = listed.path.endsWith('.parquet');
    yield isRows ? { ...listed, known: (await jsonIn(record, Rows))?.parquet?.sha256 } : listed;
  }
}

/** Large archived pages, whose names are their hashes. */
export async function* largePages(layout: Layout): AsyncGenerator<Listed> {
  for await (const listed of walk(layout.root, 'archive/large'))
    if (!listed.isFolder) yield { ...listed, known: /^[0-9a-f]{64}$/u.exec(basename(listed.path))?.[0] };
}

/** Whether a file contains a private key. */
async function isKey(path: string): Promise<boolean> {
  return (await stat(path)).size <= MAX_KEY_BYTES && PRIVATE_KEY.test(await readFile(path, 'latin1'));
}

/** The rest of the folder: settings, states, reports, dropped files, and no private keys. @param except the ledger */
export async function* otherFiles(
  layout: Layout,
  except: string,
): AsyncGenerator<Listed | { readonly leftOut: string }> {
  const isWanted = (name: string): boolean =>
    !LISTED.has(name) && !LEFT_OUT.has(name) && !IS_LOCK.test(name) && !isPartial(name) && name !== except;
  for (const { name } of (await listEntries(layout.root)).filter((entry) => isWanted(entry.name))) {
    if (name === SANDBOX) {
      yield { leftOut: SANDBOX };
      continue;
    }
    const isFolder = (await stat(join(layout.root, name))).isDirectory();
    for await (const listed of isFolder ? walk(layout.root, name) : [{ path: name, isFolder: false }]) {
      const mayBeKey = !listed.isFolder && !DATA_FOLDERS.has(name);
      if (mayBeKey && (await isKey(join(layout.root, listed.path)))) yield { leftOut: listed.path };
      else yield listed;
    }
  }
}
