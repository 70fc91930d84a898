/** The ledger in one SQLite file, for the processes of one host. */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable, type Ledger } from '../ledger.ts';
import { checkVersion, LedgerRefused, schemaFor } from '../sql/schema.ts';
import { sqlLedger } from '../sql/sql_ledger.ts';
import type { Durability, Query, Row, Store, StoreOptions } from '../sql/store.ts';

const RETRY_MS = 5000;
const MAX_PAUSE_MS = 25;
/** Writes in one commit: more would keep the event loop busy for too long. */
const MAX_GROUP = 16;
/** Marks the file as a ledger: "Deal" in ASCII. */
const APPLICATION_ID = 0x4465_616c;

// Result codes of SQLite: https://www.sqlite.org/rescode.html
const [BUSY, LOCKED, NOTADB] = [5, 6, 26];
/** Errors that mean the file cannot be used now, without SQLite's text, which may contain a path. */
const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [BUSY, 'the ledger file is locked by another process'],
  [LOCKED, 'the ledger file is locked by another process'],
  [8, 'the ledger file is read-only'],
  [10, 'the disk of the ledger reports an error'],
  [11, 'the ledger file is damaged'],
  [13, 'the disk of the ledger is full'],
  [14, 'the ledger file cannot be opened'],
  [NOTADB, 'the ledger file is not an SQLite file'],
]);

/** The primary result code of an SQLite error; undefined for any other error. */
const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
const isBusy = (error: unknown): boolean => [BUSY, LOCKED].includes(codeOf(error) ?? 0);

function unavailable(error: unknown): unknown {
  const why = UNAVAILABLE.get(codeOf(error) ?? 0);
  return why === undefined ? error : new LedgerUnavailable(why, { cause: error });
}

/**
 * Retry while another process holds the lock, without blocking the event loop as SQLite's own busy timeout would.
 * @throws LedgerUnavailable after `untilMs` of performance.now(), or at once for an error that a retry cannot fix
 */
async function retryWhileLocked<T>(untilMs: number, attempt: () => Promise<T> | T): Promise<T> {
  for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= untilMs) throw unavailable(error);
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

function openFile(path: string): DatabaseSync {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true });
    // The file contains paid answers, so only its owner may read it. Do not open an existing file: closing it would
    // release the locks that SQLite connections of this process hold on it.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  }
  return new DatabaseSync(path, { timeout: 0 });
}

const pragma = (db: DatabaseSync, name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];

/** Create the tables of a new file. @returns whether it is new. @throws LedgerRefused if it is another kind of file */
function createTables(db: DatabaseSync, path: string): boolean {
  db.exec('BEGIN IMMEDIATE');
  try {
    const isNew = pragma(db, 'schema_version') === 0;
    if (isNew) db.exec(`${schemaFor('sqlite')} PRAGMA application_id = ${APPLICATION_ID}`);
    else if (pragma(db, 'application_id') !== APPLICATION_ID)
      throw new LedgerRefused(`${path} is not a ledger but another SQLite database`);
    else checkVersion(Number(pragma(db, 'user_version')));
    db.exec('COMMIT');
    return isNew;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** A query function that prepares each statement once. */
function queryOn(db: DatabaseSync): Query {
  const statements = new Map<string, StatementSync>();
  return async (sql, ...values) => {
    let statement = statements.get(sql);
    // SQLite reads $1 as a name and ?1 as a position.
    if (!statement) statements.set(sql, (statement = db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'))));
    return statement.all(...values) as readonly Row[];
  };
}

/** Whether two stats describe the same file. */
const isSame = (one: BigIntStats | undefined, other: BigIntStats | undefined): boolean =>
  one?.dev === other?.dev && one?.ino === other?.ino;

/** @returns a function that checks whether database and log are still the same files, and not emptied */
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

/** A write that waits for its commit. */
interface Write {
  readonly work: (query: Query) => Promise<unknown>;
  readonly durability: Durability;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One transaction. BEGIN IMMEDIATE takes the write lock first, so that no reader upgrades to a writer. */
async function transaction(db: DatabaseSync, query: Query, writes: readonly Write[]): Promise<readonly unknown[]> {
  // With FULL in WAL mode, a commit is on disk before COMMIT returns, and so is every earlier one.
  const isFlushed = writes.some(({ durability }) => durability === 'flushed');
  await query(`PRAGMA synchronous = ${isFlushed ? 'FULL' : 'NORMAL'}`);
  await query('BEGIN IMMEDIATE');
  try {
    const results: unknown[] = [];
    for (const { work } of writes) results.push(await work(query));
    await query('COMMIT');
    return results;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** The store on one connection, which runs one statement or transaction at a time. */
function storeOn(db: DatabaseSync, path: string, { retryMs = RETRY_MS }: StoreOptions): Store {
  const query = queryOn(db);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const soon = (): number => performance.now() + retryMs;
  /** Writes that come while another transaction runs: they share a commit, which waits for the disk. */
  let next: Write[] | null = null;
  const commit = async (writes: readonly Write[], untilMs: number): Promise<void> => {
    const attempt = (): Promise<readonly unknown[]> => {
      const written = inTurn(() => {
        if (next === writes) next = null;
        return transaction(db, query, writes);
      });
      // A commit blocks the event loop while it flushes. Let other work run between two commits.
      last = last.then(() => yieldToEventLoop());
      return written;
    };
    try {
      const results = await retryWhileLocked(untilMs, attempt);
      for (const [i, { resolve }] of writes.entries()) resolve(results[i]);
    } catch (error) {
      // One of them failed, and none is written.
      if (writes.length === 1) writes[0]?.reject(error);
      else for (const write of writes) await commit([write], untilMs);
    }
  };
  const pending = new Set<Promise<unknown>>();
  const write = <T>(work: (query: Query) => Promise<T>, durability: Durability = 'flushed'): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const mine = { work, durability, resolve, reject };
    if (next && next.length < MAX_GROUP) next.push(mine);
    else {
      next = [mine];
      const committed = commit(next, soon()).finally(() => pending.delete(committed));
      pending.add(committed);
    }
    return promise as Promise<T>;
  };
  return {
    kind: 'sqlite',
    isSameFile: sameFiles(path),
    lockRows: '',
    lock: async () => undefined,
    read: (sql, ...values) => retryWhileLocked(soon(), () => inTurn(() => query(sql, ...values))),
    write,
    readSnapshot: async (work) => {
      // On a separate connection, so that writes continue during a long read.
      using reader = new DatabaseSync(path, { readOnly: true, timeout: 0 });
      await retryWhileLocked(soon(), () => {
        reader.exec('BEGIN; SELECT 1 FROM heartbeat');
      });
      return await work(queryOn(reader));
    },
    async close() {
      // Finish earlier writes first, including those that wait for a lock.
      while (pending.size > 0) await Promise.all(pending);
      await inTurn(async () => {
        if (db.isOpen) db.close();
      });
    },
  };
}

/**
 * Open the store in a file, and create the file with its tables if it is missing.
 * @throws LedgerRefused if the file is not a ledger of this version; LedgerUnavailable if it cannot be opened now
 */
export async function openSqliteStore(path: string, { retryMs = RETRY_MS }: StoreOptions = {}): Promise<Store> {
  const untilMs = performance.now() + retryMs;
  const db = await retryWhileLocked(untilMs, () => openFile(path));
  try {
    await retryWhileLocked(untilMs, () => db.exec('PRAGMA journal_mode = WAL'));
    db.exec('PRAGMA synchronous = FULL');
    // Move tables and id from the log into the file, so that a truncated log does not lose them.
    if (await retryWhileLocked(untilMs, () => createTables(db, path))) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.exec('PRAGMA foreign_keys = ON');
  } catch (error) {
    db.close();
    throw codeOf(error instanceof LedgerUnavailable ? error.cause : error) === NOTADB
      ? new LedgerRefused(`${path} is not an SQLite file`)
      : error;
  }
  return storeOn(db, path, { retryMs });
}

/** Open the ledger in a file; `:memory:` for one that ends with the process. @throws as openSqliteStore does */
export const openSqliteLedger = async (path: string, options?: StoreOptions): Promise<Ledger> =>
  sqlLedger(await openSqliteStore(path, options));
