/** Opens the ledger that the settings name. */
import { join } from 'node:path';
import { redactor } from '../lib/redact.ts';
import { SettingError } from '../lib/settings.ts';
import {
  checkFileExists,
  checkNoted,
  fencedStore,
  isNonEmptyFile,
  readIdentity,
  writeNote,
  type NotedPlace,
} from './identity.ts';
import { catchUp, copiedStore, journalFile } from './journal_file.ts';
import { LedgerUnavailable, type Ledger } from './ledger.ts';
import { replay } from './replay.ts';
import { LedgerRefused } from './sql/schema.ts';
import { sqlLedger } from './sql/sql_ledger.ts';
import type { Store } from './sql/store.ts';
import { openSqliteStore } from './sqlite/store.ts';

export interface LedgerSettings {
  readonly DATA_DIR: string;
  readonly LEDGER?: string | undefined;
}

/** An error of the file system, such as a path that leads through a file. */
const isFileError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

const isPostgres = (place: string): boolean => /^postgres(ql)?:/.test(place);

/** The address of a PostgreSQL database, or the path of a file. */
const placeOf = ({ DATA_DIR, LEDGER }: LedgerSettings): string => LEDGER ?? join(DATA_DIR, 'ledger.sqlite');

/** The location as messages may show it: the path of a file, and nothing of a database's address. */
export function shownPlace(settings: LedgerSettings): string {
  const place = placeOf(settings);
  return isPostgres(place) ? 'a PostgreSQL database' : place;
}

/** Whether a ledger exists. An empty file does not count; a PostgreSQL ledger is assumed to exist. */
export const ledgerExists = (settings: LedgerSettings): boolean =>
  isPostgres(placeOf(settings)) || isNonEmptyFile(placeOf(settings));

/** For commands that read a ledger and must not create one. @throws SettingError if there is none yet */
export function assertLedgerExists(settings: LedgerSettings): void {
  if (!ledgerExists(settings))
    throw new SettingError(
      `LEDGER is ${shownPlace(settings)}, which does not exist yet. The server creates it at its first start`,
    );
}

const notedPlace = (settings: LedgerSettings): NotedPlace => ({
  dataDir: settings.DATA_DIR,
  shown: shownPlace(settings),
});

/** Whether a ledger exists. @throws SettingError if it does not, although the data folder records one */
export function notedLedgerExists(settings: LedgerSettings): boolean {
  if (ledgerExists(settings)) return true;
  checkFileExists(placeOf(settings), notedPlace(settings));
  return false;
}

/** Name the setting in errors of opening a ledger, without the host that a database's text may contain. */
async function withSettingName<T>(settings: LedgerSettings, opening: Promise<T>): Promise<T> {
  const redact = redactor([placeOf(settings)]);
  try {
    return await opening;
  } catch (error) {
    if (error instanceof LedgerRefused || isFileError(error))
      throw new SettingError(`LEDGER is ${shownPlace(settings)}, which cannot be used: ${redact(error.message)}`);
    if (error instanceof LedgerUnavailable)
      throw new LedgerUnavailable(`LEDGER is ${shownPlace(settings)}, which is unavailable: ${redact(error.message)}`, {
        cause: error,
      });
    throw error;
  }
}

/** The driver of PostgreSQL is loaded for such a ledger alone. */
const openPostgres = async (place: string): Promise<Store> =>
  (await import('./postgres/store.ts')).openPostgresStore(place);

/**
 * Open the database of the ledger, which is created if it is missing.
 * @throws SettingError, one line, if it cannot be used; LedgerUnavailable if it does not answer now
 */
export const openLedgerStore = (settings: LedgerSettings): Promise<Store> => {
  const place = placeOf(settings);
  return withSettingName<Store>(settings, isPostgres(place) ? openPostgres(place) : openSqliteStore(place));
};

/** Open the ledger without reading or writing the data folder's note. @throws as openLedgerStore does */
export const openLedger = async (settings: LedgerSettings): Promise<Ledger> =>
  sqlLedger(await openLedgerStore(settings));

/** The store, if it is the ledger that the data folder records, or if none is recorded. */
export async function openNotedLedgerStore(settings: LedgerSettings): Promise<Store> {
  if (!isPostgres(placeOf(settings))) checkFileExists(placeOf(settings), notedPlace(settings));
  const store = await openLedgerStore(settings);
  try {
    checkNoted(await readIdentity(store.read), notedPlace(settings));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Open the ledger to read the sales of servers on this data folder. Nothing is recorded.
 * @throws as openLedgerStore does; SettingError if the data folder records another ledger
 */
export const openNotedLedger = async (settings: LedgerSettings): Promise<Ledger> =>
  sqlLedger(await openNotedLedgerStore(settings));

/**
 * Open the ledger for a server. The data folder records it. What the database has lost is put back from the journal's
 * copy, which is continued.
 * Every write fails with LedgerFenced once the ledger is replaced, removed or restored.
 * @throws as openNotedLedger does
 */
export async function openServingLedger(settings: LedgerSettings): Promise<Ledger> {
  // A ledger in memory ends with the process, so there is nothing to record.
  if (placeOf(settings) === ':memory:') return openLedger(settings);
  const store = await openNotedLedgerStore(settings);
  try {
    return await withSettingName(settings, servingLedger(store, settings.DATA_DIR));
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function servingLedger(store: Store, dataDir: string): Promise<Ledger> {
  const identity = await readIdentity(store.read);
  await writeNote(dataDir, { ...identity, kind: store.kind });
  const [fenced, file] = [fencedStore(store, identity), journalFile(dataDir)];
  const lost = await catchUp(fenced.read, file, identity.id);
  const copied = copiedStore(fenced, file, identity.id);
  if (lost.length > 0)
    await copied
      .write((query) => replay(query, lost, Date.now()))
      .catch((error: unknown) => {
        if (error instanceof LedgerUnavailable || !(error instanceof Error)) throw error;
        throw new LedgerRefused(`${file} has lines that it cannot take: ${error.message}`);
      });
  return sqlLedger(copied);
}
