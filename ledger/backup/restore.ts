/** Restores a ledger from a backup, in either database. */
import { readIdentity, readNote, writeNote, type Identity } from '../identity.ts';
import { heldClaims, withholdLost, type ClaimEntry } from '../journal.ts';
import { openStore, type LedgerSettings } from '../open.ts';
import { LedgerRefused } from '../sql/schema.ts';
import type { Query, Store } from '../sql/store.ts';
import { checkBackup, readLines, type Counts, type Header } from './read.ts';
import { insertion, TABLES } from './tables.ts';

export interface RestoreOptions {
  /** Delete the rows of the ledger first. */
  readonly overwrite: boolean;
  /** The ledger that the data folder records. */
  readonly noted?: Identity | null;
  /** Claims to replay: leads of the restored ledger are withheld if the backup lacks their purchases. */
  readonly claims?: readonly ClaimEntry[];
  readonly nowMs?: number;
}

export interface Restored {
  readonly counts: Counts;
  readonly identity: Identity;
  /** Leads that were sold according to the journals, and are not in the backup. */
  readonly withheld: number;
}

/** Tables that a server writes at its first start: overwriting them loses no sale. */
const WRITTEN_AT_START = new Set(['money', 'withheld_leads', 'withheld_properties']);

async function deleteRows(query: Query, overwrite: boolean): Promise<void> {
  for (const { name } of [...TABLES].reverse()) {
    if (overwrite || WRITTEN_AT_START.has(name)) await query(`DELETE FROM ${name}`);
    else if ((await query(`SELECT 1 AS one FROM ${name} LIMIT 1`)).length > 0)
      throw new LedgerRefused('the ledger is not empty. Set OVERWRITE=1 to delete its content');
  }
}

/** Set the id of the backup, and an epoch above every known one, which stops running servers. */
async function raiseEpoch(
  query: Query,
  header: Header,
  { noted, nowMs = Date.now() }: RestoreOptions,
): Promise<Identity> {
  const current = await readIdentity(query);
  const id = header.identity?.id ?? noted?.id ?? current.id;
  const epoch = Math.max(current.epoch, noted?.epoch ?? 0, header.identity?.epoch ?? 0) + 1;
  await query(
    'UPDATE ledger_identity SET id = $1, epoch = $2, restored_at_ms = $3, backup_at_ms = $4',
    id,
    epoch,
    nowMs,
    header.atMs,
  );
  return { id, epoch };
}

/**
 * Restore a backup in one transaction. Running servers stop selling: their writes are refused afterwards.
 * @throws LedgerRefused if the backup is incomplete, or the ledger is not empty and may not be overwritten
 */
export async function restore(store: Store, file: string, options: RestoreOptions): Promise<Restored> {
  const counts = await checkBackup(file);
  return store.write(async (query) => {
    // Wait for writes of servers that have already read the epoch, and block others until the commit.
    if (store.kind === 'postgres') await query('LOCK TABLE ledger_identity IN ACCESS EXCLUSIVE MODE');
    await deleteRows(query, options.overwrite);
    let identity = await readIdentity(query);
    let hasIdentity = true;
    for await (const line of readLines(file)) {
      if ('header' in line) {
        identity = await raiseEpoch(query, line.header, options);
        hasIdentity = line.header.identity !== null;
      } else if ('table' in line) {
        await query(...insertion(line.table, line.values));
      }
    }
    // A backup of version 1 does not name its ledger, so claims of every ledger are replayed.
    const claims = (options.claims ?? []).filter(({ ledger }) => !hasIdentity || ledger === identity.id);
    return { counts, identity, withheld: await withholdLost(query, claims) };
  });
}

export interface RestoreFileOptions {
  /** Delete the rows of the ledger first. */
  readonly overwrite: boolean;
  /** Claims journals: their leads are withheld if the backup lacks their purchases. */
  readonly journals: readonly string[];
}

/** Restore a backup into the ledger of the settings, and record the ledger in the data folder. */
export async function restoreLedger(
  settings: LedgerSettings,
  file: string,
  { overwrite, journals }: RestoreFileOptions,
): Promise<Restored> {
  // Report a damaged backup before a ledger is created for it.
  await checkBackup(file);
  const noted = readNote(settings.DATA_DIR);
  const claims = await heldClaims(journals, null);
  const store = await openStore(settings);
  try {
    const restored = await restore(store, file, { overwrite, noted, claims });
    await writeNote(settings.DATA_DIR, { ...restored.identity, kind: store.kind });
    return restored;
  } finally {
    await store.close();
  }
}
