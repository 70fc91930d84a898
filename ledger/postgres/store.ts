/** The ledger in PostgreSQL, for processes on several hosts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, Pool, type PoolClient } from 'pg';
import { messageOf } from '../../lib/errors.ts';
import { LedgerUnavailable, type Ledger } from '../ledger.ts';
import { checkVersion, LedgerRefused, schemaFor } from '../sql/schema.ts';
import { sqlLedger } from '../sql/sql_ledger.ts';
import type { Query, Store, StoreOptions } from '../sql/store.ts';

const RETRY_MS = 5000;
const MAX_PAUSE_MS = 200;
const CONNECTIONS = 8;
/** Key of the advisory lock under which the tables are created: "Deal" in ASCII. */
const CREATION_LOCK = 0x4465_616c;

/** Nothing was written, and a retry may succeed. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const RETRYABLE = new Set([
  '40001' /* serialization_failure */,
  '40P01' /* deadlock_detected */,
  '55P03' /* lock_not_available */,
  // Another transaction inserted or deleted a row between this one's read and its write.
  '23503' /* foreign_key_violation */,
  '23505' /* unique_violation */,
]);
/** Error classes of an unavailable server: connection, resources, operator, system, internal. */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58', 'XX'];
const READ_ONLY = '25006';

/** The error of a statement or connection, as opposed to an error of the work in a transaction. */
class DriverError extends Error {
  override readonly name = 'DriverError';
  override readonly cause: unknown;
  constructor(cause: unknown) {
    super(driverMessage(cause));
    this.cause = cause;
  }
}

/** A failed connection to a host with several addresses is an AggregateError without a message. */
const driverMessage = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(driverMessage).join('; ') : messageOf(error);
const codeOf = ({ cause }: DriverError): string | undefined =>
  cause instanceof DatabaseError ? cause.code : undefined;
const isUnavailable = (error: DriverError): boolean => {
  const code = codeOf(error);
  return code === undefined || code === READ_ONLY || UNAVAILABLE_CLASSES.includes(code.slice(0, 2));
};
/** Without the driver's text, which contains the address of the server. */
function unavailable(error: DriverError): LedgerUnavailable {
  const code = codeOf(error);
  return new LedgerUnavailable(
    `the database of the ledger does not respond${code === undefined ? '' : ` (SQLSTATE ${code})`}`,
    { cause: error.cause },
  );
}

const asDriverError = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw new DriverError(error);
  }
};
/** Names of statements with parameters, which each connection parses and plans once. */
const names = new Map<string, string>();
function nameOf(sql: string): string {
  const name = names.get(sql) ?? `s${names.size}`;
  names.set(sql, name);
  return name;
}
const queryOn =
  (client: Pick<PoolClient, 'query'>): Query =>
  async (text, ...values) => {
    const statement = values.length === 0 ? { text } : { text, name: nameOf(text), values };
    return (await asDriverError(client.query<Record<string, unknown>>(statement))).rows;
  };

/** Retry errors that may pass. @throws LedgerUnavailable after `patienceMs`; any other error at once */
async function retryWhileUnavailable<T>(patienceMs: number, attempt: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + patienceMs;
  for (let pause = 2; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      const mayPass = RETRYABLE.has(codeOf(error) ?? '') || isUnavailable(error);
      if (!mayPass) throw error.cause;
      if (performance.now() >= untilMs) throw unavailable(error);
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

/** One transaction on its own connection, which returns to the pool only if it still works. */
async function transaction<T>(pool: Pool, mode: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await asDriverError(pool.connect());
  // A connection may break between two statements; the next statement then fails.
  client.on('error', ignore);
  let broken: DriverError | undefined;
  try {
    const query = queryOn(client);
    await query(`BEGIN ISOLATION LEVEL ${mode}`);
    let result: T;
    try {
      result = await work(query);
    } catch (error) {
      await query('ROLLBACK');
      throw error;
    }
    await commit(query);
    return result;
  } catch (error) {
    if (error instanceof DriverError && isUnavailable(error)) broken = error;
    if (error instanceof LedgerUnavailable) broken = new DriverError(error);
    throw error;
  } finally {
    client.removeListener('error', ignore);
    client.release(broken);
  }
}

const ignore = (): void => undefined;

/** @throws LedgerUnavailable if it is unknown whether the transaction was committed: then it must not be retried */
async function commit(query: Query): Promise<void> {
  try {
    await query('COMMIT');
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    throw RETRYABLE.has(codeOf(error) ?? '') ? error : unavailable(error);
  }
}

/** Isolation levels, and what follows BEGIN. Commits that do not wait for the disk reach it in the order of all. */
const MODES = {
  flushed: 'READ COMMITTED',
  soon: 'READ COMMITTED; SET LOCAL synchronous_commit = off',
  snapshot: 'REPEATABLE READ READ ONLY',
} as const;

const storeOn = (pool: Pool, patienceMs: number): Store => ({
  kind: 'postgres',
  isSameFile: () => true,
  lockRows: 'FOR UPDATE',
  lock: async (query, name) => {
    await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', name);
  },
  read: (sql, ...values) => retryWhileUnavailable(patienceMs, () => queryOn(pool)(sql, ...values)),
  write: (work, durability = 'flushed') =>
    retryWhileUnavailable(patienceMs, () => transaction(pool, MODES[durability], work)),
  readSnapshot: (work) =>
    transaction(pool, MODES.snapshot, async (query) => {
      // The transaction idles while the caller processes rows: a backup writes them to disk.
      await query('SET LOCAL idle_in_transaction_session_timeout = 0');
      return work(query);
    }),
  close: () => pool.end(),
});

/** Server settings without which a committed transaction may be lost. */
const REQUIRED_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'];

async function prepare(query: Query): Promise<void> {
  for (const setting of REQUIRED_SETTINGS) {
    const [row] = await query(`SELECT current_setting('${setting}') AS value`);
    if (row?.['value'] === 'off')
      throw new LedgerRefused(`the server has ${setting} off, so committed sales may be lost. Turn it on`);
  }
  // If several processes start together, one creates the tables and the others wait.
  await query('SELECT pg_advisory_xact_lock($1)', CREATION_LOCK);
  const [row] = await query(`SELECT to_regclass('purchases') AS purchases,
    obj_description(to_regclass('purchases'), 'pg_class') AS version`);
  if (row?.['purchases'] === null) await query(schemaFor('postgres'));
  else checkVersion(Number(/^version (\d+)$/.exec(String(row?.['version']))?.[1] ?? 0));
}

/**
 * Open the store in the database at `url`, and create its tables if they are missing.
 * @throws LedgerRefused if the database cannot be used; LedgerUnavailable if the server does not answer now
 */
export async function openPostgresStore(url: string, { retryMs = RETRY_MS }: StoreOptions = {}): Promise<Store> {
  const common = {
    connectionString: url,
    application_name: 'dealfeed',
    keepAlive: true,
    allowExitOnIdle: true,
    connectionTimeoutMillis: retryMs,
    lock_timeout: retryMs,
  };
  const preparing = new Pool({ ...common, max: 1 }).on('error', ignore);
  try {
    await storeOn(preparing, retryMs).write(prepare);
  } catch (error) {
    throw error instanceof DatabaseError ? new LedgerRefused(error.message) : error;
  } finally {
    await preparing.end();
  }
  const pool = new Pool({
    ...common,
    max: CONNECTIONS,
    statement_timeout: retryMs,
    query_timeout: 2 * retryMs,
    idle_in_transaction_session_timeout: 2 * retryMs,
  });
  // An idle connection may break, for example when the server restarts; the pool then opens a new one.
  pool.on('error', ignore);
  return storeOn(pool, retryMs);
}

/** Open the ledger in the database at `url`. @throws as openPostgresStore does */
export const openPostgresLedger = async (url: string, options?: StoreOptions): Promise<Ledger> =>
  sqlLedger(await openPostgresStore(url, options));
