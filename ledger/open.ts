/** Opens the ledger that the settings name. */
import { join } from 'node:path';
import { redactor } from '../lib/redact.ts';
import { SettingError } from '../lib/settings.ts';
import {
  checkFileIsThere,
  checkNoted,
  fencedStore,
  holdsBytes,
  readIdentity,
  writeNote,
  type NotedPlace,
} from './identity.ts';
import { ledgerInSql } from './sql/sql_ledger.ts';
import { claimsJournal, journalFile, replayClaims, withClaimsJournal } from './journal.ts';
import { LedgerUnavailable, type Ledger } from './ledger.ts';
import { LedgerRefused } from './sql/migrations.ts';
import { openPostgresStore } from './postgres/store.ts';
import { openSqliteStore } from './sqlite/store.ts';
import type { Store } from './sql/store.ts';

export interface LedgerSettings {
  readonly DATA_DIR: string;
  readonly LEDGER?: string | undefined;
}

/** A folder that cannot be made, a path that leads through a file, and the like. */
const isOfFiles = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

const isPostgres = (place: string): boolean => /^postgres(ql)?:/.test(place);

/** Where the ledger is: the address of a PostgreSQL database, or the path of a file. */
const placeOf = ({ DATA_DIR, LEDGER }: LedgerSettings): string => LEDGER ?? join(DATA_DIR, 'ledger.sqlite');

/** The ledger's place as it may be shown: the path of a file, and nothing of a database's address. */
export function shownPlace(settings: LedgerSettings): string {
  const place = placeOf(settings);
  return isPostgres(place) ? 'a PostgreSQL database' : place;
}

/** Whether there is a ledger already; an empty file is none. One in PostgreSQL is taken to be there: only asking it would tell. */
export const ledgerExists = (settings: LedgerSettings): boolean =>
  isPostgres(placeOf(settings)) || holdsBytes(placeOf(settings));

const notedPlace = (settings: LedgerSettings): NotedPlace => ({
  dataDir: settings.DATA_DIR,
  shown: shownPlace(settings),
});

/** The same. @throws SettingError if there is none, although the data folder notes one: it is lost, or LEDGER is not set as for the servers */
export function notedLedgerExists(settings: LedgerSettings): boolean {
  if (ledgerExists(settings)) return true;
  checkFileIsThere(placeOf(settings), notedPlace(settings));
  return false;
}

/** What keeps a ledger from being used, said of the setting that names it. */
async function named<T>(settings: LedgerSettings, open: Promise<T>): Promise<T> {
  // The database's own words may name its host.
  const redact = redactor([placeOf(settings)]);
  try {
    return await open;
  } catch (error) {
    if (error instanceof LedgerRefused || isOfFiles(error))
      throw new SettingError(`LEDGER is ${shownPlace(settings)}, and cannot be used: ${redact(error.message)}`);
    if (error instanceof LedgerUnavailable)
      throw new LedgerUnavailable(
        `LEDGER is ${shownPlace(settings)}, and cannot be asked now: ${redact(error.message)}`,
        { cause: error },
      );
    throw error;
  }
}

/**
 * Open what the ledger is kept in, and bring it to the version of this program. It is made where there is none.
 * @throws SettingError, one line, where this ledger cannot be used; LedgerUnavailable where it cannot be asked now
 */
export const openStore = (settings: LedgerSettings): Promise<Store> => {
  const place = placeOf(settings);
  return named<Store>(settings, isPostgres(place) ? openPostgresStore(place) : openSqliteStore(place));
};

/** Open the ledger. Nothing is compared with or written to the data folder's note. @throws as openStore does */
export const openLedger = async (settings: LedgerSettings): Promise<Ledger> => ledgerInSql(await openStore(settings));

/** The store, if it is the ledger that the data folder notes, or if none is noted. */
async function openNotedStore(settings: LedgerSettings): Promise<Store> {
  if (!isPostgres(placeOf(settings))) checkFileIsThere(placeOf(settings), notedPlace(settings));
  const store = await openStore(settings);
  try {
    checkNoted(await readIdentity(store.read), notedPlace(settings));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Open the ledger to read what servers of this data folder sold. Nothing is noted.
 * @throws as openStore does; SettingError if the data folder notes another ledger
 */
export const openNotedLedger = async (settings: LedgerSettings): Promise<Ledger> =>
  ledgerInSql(await openNotedStore(settings));

/**
 * Open the ledger for a server. The data folder notes it; the claims journal is replayed, and written from then on; every
 * write is refused with LedgerFenced once the ledger is replaced, removed or restored.
 * @throws as openNotedLedger does
 */
export async function openServingLedger(settings: LedgerSettings): Promise<Ledger> {
  // A ledger in memory ends with the process: there is nothing to find again.
  if (placeOf(settings) === ':memory:') return openLedger(settings);
  const store = await openNotedStore(settings);
  try {
    return await named(settings, serving(store, settings.DATA_DIR));
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serving(store: Store, dataDir: string): Promise<Ledger> {
  const identity = await readIdentity(store.read);
  await writeNote(dataDir, { ...identity, kind: store.kind });
  const [fenced, journal] = [fencedStore(store, identity), journalFile(dataDir)];
  await replayClaims(fenced, journal, identity.id);
  return withClaimsJournal(ledgerInSql(fenced), claimsJournal(journal, identity.id));
}
