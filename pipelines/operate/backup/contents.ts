/** Which files of a data folder belong in a backup, in an order in which no file is listed before what it names. */
import { createReadStream, type Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { LINK_ENDING } from '../../../lib/files.ts';
import { HANDED_OVER } from '../../ingest/stage/json_rows.ts';
import { parseRunId, type Layout } from '../../layout.ts';
import { BUILD_DATABASE } from '../../run/partial_files.ts';
import { BACKUP_NOTE } from './latest.ts';
import { isMissing } from './store.ts';

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
  'shards',
]);
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
const DATA_FOLDERS = new Set(['archive', 'staged', 'snapshots', 'runs', 'drop', 'schedule']);

const isPartial = (name: string): boolean =>
  name.startsWith('.') || name.endsWith('.tmp') || name.endsWith(LINK_ENDING) || name.startsWith(BUILD_DATABASE);

const listEntries = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });

/** Files and empty folders under a folder. A link is followed, so that a folder may be on another disk. */
export async function* walk(root: string, path: string): AsyncGenerator<Listed> {
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

const file = z.object({ file: z.string(), sha256: z.string() });
/** The part of a manifest of any version that states hashes. */
const Hashes = z.object({ tables: z.record(z.string(), file), database: file.optional() });

/** Hashes of a snapshot's files by name; empty if its manifest cannot be read. */
export async function statedHashes(layout: Layout, runId: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(layout.snapshot(runId), 'manifest.json'), 'utf8').catch(() => '{}');
  let stated: z.infer<typeof Hashes>;
  try {
    stated = Hashes.parse(JSON.parse(text));
  } catch {
    return new Map();
  }
  const files = [...Object.values(stated.tables), ...(stated.database ? [stated.database] : [])];
  return new Map(files.map((entry) => [entry.file, entry.sha256]));
}

/** Files of the snapshots. */
export async function* snapshotFiles(layout: Layout): AsyncGenerator<Listed> {
  const names = (await listEntries(layout.snapshots)).map((entry) => entry.name);
  for (const runId of names.filter((name) => parseRunId(name) !== null)) {
    const hashes = await statedHashes(layout, runId);
    for await (const listed of walk(layout.root, `snapshots/${runId}`))
      yield { ...listed, known: hashes.get(basename(listed.path)) };
  }
}

const Rows = z.object({ parquet: z.object({ sha256: z.string() }).nullable() });

/** Hash of staged rows according to their record; undefined if the record is missing or damaged. */
async function recordedHash(parquet: string): Promise<string | undefined> {
  const text = await readFile(parquet.replace(/parquet$/u, 'json'), 'utf8').catch(() => '');
  try {
    return Rows.parse(JSON.parse(text)).parquet?.sha256;
  } catch {
    return undefined;
  }
}

export async function* stagedFiles(layout: Layout): AsyncGenerator<Listed> {
  for await (const listed of walk(layout.root, 'staged')) {
    if (listed.path.endsWith(HANDED_OVER)) continue;
    const isRows = listed.path.endsWith('.parquet');
    yield isRows ? { ...listed, known: await recordedHash(join(layout.root, listed.path)) } : listed;
  }
}

/** Archived pages, whose names are their hashes. */
export async function* archivedFiles(layout: Layout): AsyncGenerator<Listed> {
  for await (const listed of walk(layout.root, 'archive/objects'))
    yield { ...listed, known: /^[0-9a-f]{64}$/u.exec(basename(listed.path))?.[0] };
}

/** Whether a file contains a private key. */
async function isKey(path: string): Promise<boolean> {
  if ((await stat(path)).size > MAX_KEY_BYTES) return false;
  const chunks = (await createReadStream(path).toArray()) as Buffer[];
  return PRIVATE_KEY.test(Buffer.concat(chunks).toString('latin1'));
}

/** The rest of the folder: settings, states, reports, dropped files. Keys only if they are wanted. */
export async function* otherFiles(
  layout: Layout,
  { keys, except }: { readonly keys: boolean; readonly except: ReadonlySet<string> },
): AsyncGenerator<Listed | { readonly leftOut: string }> {
  const done = new Set(['archive', 'staged', 'snapshots', 'ledger.journal']);
  const isWanted = (name: string): boolean =>
    !done.has(name) && !LEFT_OUT.has(name) && !IS_LOCK.test(name) && !isPartial(name) && !except.has(name);
  for (const entry of (await listEntries(layout.root)).filter((listEntry) => isWanted(listEntry.name))) {
    if (entry.name === SANDBOX && !keys) {
      yield { leftOut: SANDBOX };
      continue;
    }
    const isFolder = (await stat(join(layout.root, entry.name))).isDirectory();
    const found = isFolder ? walk(layout.root, entry.name) : [{ path: entry.name, isFolder: false }];
    for await (const listed of found) {
      const mayBeKey = !keys && !listed.isFolder && !DATA_FOLDERS.has(entry.name);
      if (mayBeKey && (await isKey(join(layout.root, listed.path)))) yield { leftOut: listed.path };
      else yield listed;
    }
  }
}
