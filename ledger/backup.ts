/** A backup of a ledger is a copy of it in a new SQLite file, from which either database is restored. */
import { rm } from 'node:fs/promises';
import { closing } from '../lib/closing.ts';
import { copyRows, type Counts } from './copy.ts';
import { isNonEmptyFile, readIdentity, readNote, writeNote, type Identity } from './identity.ts';
import { lostLines } from './journal_file.ts';
import { openLedgerStore, type LedgerSettings } from './open.ts';
import { replay } from './replay.ts';
import { LedgerRefused } from './sql/schema.ts';
import type { Store } from './sql/store.ts';
import { openSqliteStore } from './sqlite/store.ts';

/** Copy a ledger into a new file, completely or not at all, while servers sell. The file is not flushed yet. */
export async function backUp(store: Store, file: string): Promise<Counts> {
  try {
    await using copy = closing(await openSqliteStore(file));
    const counts = await store.readSnapshot((read) =>
      copy.write((query) => copyRows(read, query, { kind: copy.kind, overwrite: false })),
    );
    // Closing the file would ignore that its log does not fit on the disk.
    const [row] = await copy.read('PRAGMA journal_mode = DELETE');
    if (row?.['journal_mode'] !== 'delete') throw new Error(`${file} is in use by another process`);
    return counts;
  } catch (error) {
    for (const ending of ['', '-wal', '-shm']) await rm(file + ending, { force: true });
    throw error;
  }
}

export interface RestoreOptions {
  /** Delete the rows of the ledger first. */
  readonly overwrite: boolean;
  /** Copies of the journal: what the backup lacks of them is put back. */
  readonly journals: readonly string[];
}

export interface Restored {
  readonly counts: Counts;
  readonly identity: Identity;
  /** Purchases that the journals know better than the backup. */
  readonly replayed: number;
}

/** Restore in one transaction. Running servers stop selling: their writes are refused afterwards. */
async function restore(
  backup: Store,
  store: Store,
  noted: Identity | null,
  { overwrite, journals }: RestoreOptions,
): Promise<Restored> {
  const { id, epoch: copied } = await readIdentity(backup.read);
  const lost = (await Promise.all(journals.map((file) => lostLines(backup.read, file, id)))).flat();
  return backup.readSnapshot((read) =>
    store.write(async (query) => {
      // Wait for writes of servers that have already read the epoch, and block others until the commit.
      if (store.kind === 'postgres') await query('LOCK TABLE ledger_identity IN ACCESS EXCLUSIVE MODE');
      const epoch = Math.max(copied, (await readIdentity(query)).epoch, noted?.epoch ?? 0) + 1;
      const counts = await copyRows(read, query, { kind: store.kind, overwrite });
      await query('UPDATE ledger_identity SET epoch = $1', epoch);
      return { counts, identity: { id, epoch }, replayed: await replay(query, lost, Date.now()) };
    }),
  );
}

/**
 * Restore a backup into the ledger of the settings, and record the ledger in the data folder.
 * @throws LedgerRefused, one line, if the file is no backup of this version, or the ledger has sales
 */
export async function restoreLedger(
  settings: LedgerSettings,
  file: string,
  options: RestoreOptions,
): Promise<Restored> {
  // Before a ledger is created for it.
  if (!isNonEmptyFile(file)) throw new LedgerRefused(`${file} is not a backup of a ledger: it is missing or empty`);
  await using backup = closing(await openSqliteStore(file));
  await using store = closing(await openLedgerStore(settings));
  const restored = await restore(backup, store, readNote(settings.DATA_DIR), options);
  await writeNote(settings.DATA_DIR, { ...restored.identity, kind: store.kind });
  return restored;
}
