/** The ledger in one SQLite file, for all processes of one host. */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { ledgerInSql } from '../sql/sql_ledger.ts';
import { LedgerUnavailable, type Ledger } from '../ledger.ts';
import { LedgerRefused, migrationsIn, missing } from '../sql/migrations.ts';
import type { Query, Row, Store } from '../sql/store.ts';

const PATIENCE_MS = 5000;
const LONGEST_PAUSE_MS = 25;
/** Marks the file as a ledger of ours: "Deal" in ASCII. */
const APPLICATION_ID = 0x4465_616c;

const migrations = migrationsIn(new URL('./', import.meta.url));

// Result codes of SQLite: https://www.sqlite.org/rescode.html
const [BUSY, LOCKED, NOTADB] = [5, 6, 26];
/** Errors that say the file cannot be used now, in our own words: a library's text may carry a path. */
const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [BUSY, 'the ledger file is locked by another process'],
  [LOCKED, 'the ledger file is locked by another process'],
  [8, 'the ledger file is read-only'],
  [10, 'the disk of the ledger reports an error'],
  [11, 'the ledger file is damaged'],
  [13, 'the disk of the ledger is full'],
  [14, 'the ledger file cannot be opened'],
  [NOTADB, 'the ledger file is no SQLite file'],
]);

/** Primary result code of an error SQLite gave, or undefined for any other error. */
const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
const isBusy = (error: unknown): boolean => [BUSY, LOCKED].includes(codeOf(error) ?? 0);

function unavailable(error: unknown): unknown {
  const why = UNAVAILABLE.get(codeOf(error) ?? 0);
  return why === undefined ? error : new LedgerUnavailable(why, { cause: error });
}

/**
 * Retry while another process holds the lock. The wait is asynchronous: SQLite's own busy timeout would block the event loop.
 * @throws LedgerUnavailable after `patienceMs`, and at once for an error that no retry cures
 */
async function retryWhileLocked<T>(patienceMs: number, attempt: () => Promise<T> | T): Promise<T> {
  const untilMs = performance.now() + patienceMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= untilMs) throw unavailable(error);
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

export interface SqliteOptions {
  /** Time after which a ledger that somebody else keeps locked counts as unavailable. Default: 5 s. */
  readonly patienceMs?: number;
  /** Largest size of the file in pages of 4 KiB: how a full disk is tried out. */
  readonly maxPages?: number;
}

function openFile(path: string, maxPages: number | undefined): DatabaseSync {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true });
    // It holds answers that were paid for: nobody else on the host reads it. A file that is there is not opened beside
    // SQLite: to close it again would end the locks that other connections of this process have on it.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  }
  const db = new DatabaseSync(path, { timeout: 0 });
  if (maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${maxPages}`);
  return db;
}

const pragma = (db: DatabaseSync, name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];

/** @returns whether anything was migrated */
function migrate(db: DatabaseSync, path: string): boolean {
  // A migration may make a table anew that others refer to. What refers to what is looked at when all is in place.
  db.exec('PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE');
  try {
    const version = Number(pragma(db, 'user_version'));
    const isNew = version === 0 && pragma(db, 'schema_version') === 0;
    if (!isNew && pragma(db, 'application_id') !== APPLICATION_ID)
      throw new LedgerRefused(`${path} is a database of something else`);
    const lacking = missing(migrations, version);
    for (const { version: number, sql } of lacking) {
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${number}`);
    }
    if (lacking.length > 0 && pragma(db, 'foreign_key_check') !== undefined)
      throw new LedgerRefused(`${path} holds rows that refer to others which are not there`);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec('COMMIT');
    return lacking.length > 0;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Statements on a connection, each prepared once. */
function queryOn(db: DatabaseSync): Query {
  const statements = new Map<string, StatementSync>();
  return async (sql, ...values) => {
    let statement = statements.get(sql);
    // $1 is a name to SQLite, ?1 a place.
    if (!statement) statements.set(sql, (statement = db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'))));
    return statement.all(...values) as readonly Row[];
  };
}

/** Whether a path names the same file as another time it was looked at. */
const isSame = (one: BigIntStats | undefined, other: BigIntStats | undefined): boolean =>
  one?.dev === other?.dev && one?.ino === other?.ino;

/** @returns a function that says whether the database and its log still are the files they are now, and not emptied */
function sameFiles(path: string): () => boolean {
  if (path === ':memory:') return () => true;
  const log = `${realpathSync(path)}-wal`;
  const statOf = (name: string): BigIntStats | undefined => statSync(name, { bigint: true, throwIfNoEntry: false });
  const [openedDatabase, openedLog] = [statOf(path), statOf(log)];
  return () => {
    const database = statOf(path);
    return (
      database !== undefined && database.size > 0n && isSame(database, openedDatabase) && isSame(statOf(log), openedLog)
    );
  };
}

/** One transaction. Readers never upgrade to writers: BEGIN IMMEDIATE takes the write lock first. */
async function transaction<T>(db: DatabaseSync, query: Query, work: (query: Query) => Promise<T>): Promise<T> {
  await query('BEGIN IMMEDIATE');
  try {
    const result = await work(query);
    await query('COMMIT');
    return result;
  } catch (error) {
    // SQLite has already rolled back after some errors, such as a full disk.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** The store on one connection, which runs one statement or transaction at a time. */
function storeOn(db: DatabaseSync, path: string, { patienceMs = PATIENCE_MS }: SqliteOptions): Store {
  const query = queryOn(db);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  // A commit blocks the event loop for one flush. Between two of them the process does other work.
  const writeInTurn = <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    const written = inTurn(() => transaction(db, query, work));
    last = last.then(() => yieldToEventLoop());
    return written;
  };
  const pending = new Set<Promise<unknown>>();
  const write = <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    const written = retryWhileLocked(patienceMs, () => writeInTurn(work));
    const settled = written.catch(() => undefined).finally(() => pending.delete(settled));
    pending.add(settled);
    return written;
  };
  return {
    kind: 'sqlite',
    isSameFile: sameFiles(path),
    lockRows: '',
    lock: async () => undefined,
    read: (sql, ...values) => retryWhileLocked(patienceMs, () => inTurn(() => query(sql, ...values))),
    write,
    atOneMoment: async (work) => {
      // A connection of its own, so that writes go on during a long read.
      const reader = new DatabaseSync(path, { readOnly: true, timeout: 0 });
      try {
        await retryWhileLocked(patienceMs, () => {
          reader.exec('BEGIN; SELECT 1 FROM heartbeat');
        });
        return await work(queryOn(reader));
      } finally {
        reader.close();
      }
    },
    async close() {
      // Writes that were called before, including those that wait for a lock, are done first.
      while (pending.size > 0) await Promise.all(pending);
      await inTurn(async () => {
        if (db.isOpen) db.close();
      });
    },
  };
}

/**
 * Open the store in a file, made with its tables where there is none.
 * @throws LedgerRefused where the file is no ledger or of a newer version; LedgerUnavailable where it cannot be opened now
 */
export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const { patienceMs = PATIENCE_MS } = options;
  const db = await retryWhileLocked(patienceMs, () => openFile(path, options.maxPages));
  try {
    await retryWhileLocked(patienceMs, () => db.exec('PRAGMA journal_mode = WAL'));
    // With FULL a commit in WAL mode is on the disk before COMMIT returns.
    db.exec('PRAGMA synchronous = FULL');
    // The tables and the id go into the file itself, so that a log that is cut later does not take them.
    if (await retryWhileLocked(patienceMs, () => migrate(db, path))) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.exec('PRAGMA foreign_keys = ON');
  } catch (error) {
    db.close();
    throw codeOf(error instanceof LedgerUnavailable ? error.cause : error) === NOTADB
      ? new LedgerRefused(`${path} is no SQLite file`)
      : error;
  }
  return storeOn(db, path, options);
}

/** Open the ledger in a file; `:memory:` for one that ends with the process. @throws as openSqliteStore does */
export const openSqliteLedger = async (
  path: string,
  options: SqliteOptions & { readonly newId?: () => string } = {},
): Promise<Ledger> => ledgerInSql(await openSqliteStore(path, options), options.newId);
