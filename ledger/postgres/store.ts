/** The ledger in PostgreSQL, for processes of several hosts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, Pool, type PoolClient } from 'pg';
import { ledgerInSql } from '../sql/sql_ledger.ts';
import { LedgerUnavailable, type Ledger } from '../ledger.ts';
import { LedgerRefused, migrationsIn, missing } from '../sql/migrations.ts';
import type { Query, Store } from '../sql/store.ts';

const PATIENCE_MS = 5000;
const LONGEST_PAUSE_MS = 200;
const CONNECTIONS = 8;
/** Key of the advisory lock under which migrations run: "Deal" in ASCII. */
const MIGRATION_LOCK = 0x4465_616c;

const migrations = migrationsIn(new URL('./', import.meta.url));

/** Nothing was written, and the same again may succeed. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const AGAIN = new Set([
  '40001' /* serialization_failure */,
  '40P01' /* deadlock_detected */,
  '55P03' /* lock_not_available */,
  // A row that a statement has seen was made or removed by somebody else before it was written.
  '23503' /* foreign_key_violation */,
  '23505' /* unique_violation */,
]);
/** Classes of errors that say the server is not in a state to do its work: connection, resources, operator, system, internal. */
const CLASSES_OF_ABSENCE = ['08', '53', '57', '58', 'XX'];
const READ_ONLY = '25006';

/** What a statement or a connection failed with, told apart from what the work itself throws. */
class Failure extends Error {
  override readonly name = 'Failure';
  override readonly cause: unknown;
  constructor(cause: unknown) {
    super(messageOf(cause));
    this.cause = cause;
  }
}

const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
};
const codeOf = ({ cause }: Failure): string | undefined => (cause instanceof DatabaseError ? cause.code : undefined);
const isAbsence = (failure: Failure): boolean => {
  const code = codeOf(failure);
  return code === undefined || code === READ_ONLY || CLASSES_OF_ABSENCE.includes(code.slice(0, 2));
};
/** In our own words: a driver's text carries the address of the server. */
function unavailable(failure: Failure): LedgerUnavailable {
  const code = codeOf(failure);
  return new LedgerUnavailable(
    `the database of the ledger does not answer${code === undefined ? '' : ` (SQLSTATE ${code})`}`,
    { cause: failure.cause },
  );
}

const failing = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw new Failure(error);
  }
};
const queryOn =
  (client: Pick<PoolClient, 'query'>): Query =>
  async (sql, ...values) =>
    (await failing(client.query<Record<string, unknown>>(sql, [...values]))).rows;

/** Retry errors that a retry may cure. @throws LedgerUnavailable after `patienceMs`; an error of `attempt` or of a statement at once */
async function retryWhileUnavailable<T>(patienceMs: number, attempt: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + patienceMs;
  for (let pause = 2; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const mayHelp = AGAIN.has(codeOf(error) ?? '') || isAbsence(error);
      if (!mayHelp) throw error.cause;
      if (performance.now() >= untilMs) throw unavailable(error);
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

/** One transaction on a connection of its own, which goes back only if it is still good. */
async function transaction<T>(pool: Pool, mode: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await failing(pool.connect());
  // A connection that breaks between two statements says so here; the next statement fails of it.
  client.on('error', ignored);
  let broken: Failure | undefined;
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
    if (error instanceof Failure && isAbsence(error)) broken = error;
    if (error instanceof LedgerUnavailable) broken = new Failure(error);
    throw error;
  } finally {
    client.removeListener('error', ignored);
    client.release(broken);
  }
}

const ignored = (): void => undefined;

/** @throws LedgerUnavailable where it is not known whether the transaction was committed: then it must not be tried again */
async function commit(query: Query): Promise<void> {
  try {
    await query('COMMIT');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw AGAIN.has(codeOf(error) ?? '') ? error : unavailable(error);
  }
}

const storeOn = (pool: Pool, patienceMs: number): Store => ({
  kind: 'postgres',
  isSameFile: () => true,
  lockRows: 'FOR UPDATE',
  lock: async (query, name) => {
    await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', name);
  },
  read: (sql, ...values) => retryWhileUnavailable(patienceMs, () => queryOn(pool)(sql, ...values)),
  write: (work) => retryWhileUnavailable(patienceMs, () => transaction(pool, 'READ COMMITTED', work)),
  atOneMoment: (work) =>
    transaction(pool, 'REPEATABLE READ READ ONLY', async (query) => {
      // The time to wait for what is read is somebody else's: a backup writes it to a disk meanwhile.
      await query('SET LOCAL idle_in_transaction_session_timeout = 0');
      return work(query);
    }),
  close: () => pool.end(),
});

/** What the server must be set to for "written" to mean written. */
const MUST_NOT_BE_OFF = ['fsync', 'full_page_writes', 'synchronous_commit'];

async function prepare(query: Query): Promise<void> {
  for (const setting of MUST_NOT_BE_OFF) {
    const [row] = await query(`SELECT current_setting('${setting}') AS value`);
    if (row?.['value'] === 'off')
      throw new LedgerRefused(`the server has ${setting} off, so that what it says is written may be lost`);
  }
  // Of several processes that start together one migrates, and the others find it done.
  await query('SELECT pg_advisory_xact_lock($1)', MIGRATION_LOCK);
  await query('CREATE TABLE IF NOT EXISTS ledger_migrations (version integer NOT NULL PRIMARY KEY)');
  const [row] = await query('SELECT COALESCE(max(version), 0) AS version FROM ledger_migrations');
  for (const { version, sql } of missing(migrations, Number(row?.['version']))) {
    await query(sql);
    await query('INSERT INTO ledger_migrations (version) VALUES ($1)', version);
  }
}

export interface PostgresOptions {
  /** Time after which a server that does not answer, or that others keep locked, counts as unavailable. Default: 5 s. */
  readonly patienceMs?: number;
}

/**
 * Open the store in the database at `url`, with its tables made where there are none.
 * @throws LedgerRefused where the database cannot hold it; LedgerUnavailable where the server cannot be asked now
 */
export async function openPostgresStore(
  url: string,
  { patienceMs = PATIENCE_MS }: PostgresOptions = {},
): Promise<Store> {
  const common = {
    connectionString: url,
    application_name: 'dealfeed',
    keepAlive: true,
    allowExitOnIdle: true,
    connectionTimeoutMillis: patienceMs,
    lock_timeout: patienceMs,
  };
  // A migration of a large ledger takes as long as it takes.
  const preparing = new Pool({ ...common, max: 1 }).on('error', ignored);
  try {
    await storeOn(preparing, patienceMs).write(prepare);
  } catch (error) {
    throw error instanceof DatabaseError ? new LedgerRefused(error.message) : error;
  } finally {
    await preparing.end();
  }
  const pool = new Pool({
    ...common,
    max: CONNECTIONS,
    statement_timeout: patienceMs,
    query_timeout: 2 * patienceMs,
    idle_in_transaction_session_timeout: 2 * patienceMs,
  });
  // An idle connection may break, as when the server is restarted: the pool makes a new one when it is needed.
  pool.on('error', ignored);
  return storeOn(pool, patienceMs);
}

/** Open the ledger in the database at `url`. @throws as openPostgresStore does */
export const openPostgresLedger = async (url: string, options?: PostgresOptions): Promise<Ledger> =>
  ledgerInSql(await openPostgresStore(url, options));
