/** Opens the ledger that the settings name. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { redactor } from '../lib/redact.ts';
import { SettingError } from '../lib/settings.ts';
import { openSqliteLedgerApart } from './apart.ts';
import { ledgerInSql } from './in_sql.ts';
import { LedgerUnavailable, type Ledger } from './ledger.ts';
import { LedgerRefused } from './migrations.ts';
import { openPostgresStore } from './postgres.ts';
import { openSqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

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

/** Whether there is a ledger already. One in PostgreSQL is taken to be there: only asking it would tell. */
export const ledgerExists = (settings: LedgerSettings): boolean => isPostgres(placeOf(settings)) || existsSync(placeOf(settings));

/** What keeps a ledger from being used, said of the setting that names it. */
async function named<T>(settings: LedgerSettings, open: Promise<T>): Promise<T> {
  // The database's own words may name its host.
  const redact = redactor([placeOf(settings)]);
  try { return await open; } catch (error) {
    if (error instanceof LedgerRefused || isOfFiles(error)) throw new SettingError(`LEDGER is ${shownPlace(settings)}, and cannot be used: ${redact(error.message)}`);
    if (error instanceof LedgerUnavailable) throw new LedgerUnavailable(`LEDGER is ${shownPlace(settings)}, and cannot be asked now: ${redact(error.message)}`, { cause: error });
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

/**
 * Open the ledger for a server, which answers other requests while it is written: by the server of the database, or by a
 * thread of its own. @throws as openStore does
 */
export const openLedgerApart = (settings: LedgerSettings): Promise<Ledger> => {
  const place = placeOf(settings);
  return isPostgres(place) ? openLedger(settings) : named(settings, openSqliteLedgerApart(place));
};

/** Open the ledger. @throws as openStore does */
export const openLedger = async (settings: LedgerSettings): Promise<Ledger> => ledgerInSql(await openStore(settings));
