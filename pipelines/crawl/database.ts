/**
 * The PostgreSQL database of a run and its workers. pg-boss stores the jobs in a schema of its own; the tables here
 * have the turns of each host, the workers, and the data folder of the queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError, Pool } from 'pg';
import { shownPlace } from '../../ledger/open.ts';
import { redactor } from '../../lib/redact.ts';
import { SettingError } from '../../lib/settings.ts';

/** Schemas: ours, and that of pg-boss. The ledger may be in the same database. */
export const SCHEMA = 'dealfeed_crawl';
export const BOSS_SCHEMA = 'dealfeed_queue';

/** A worker reports every few seconds; after this time without a report it is gone. */
export const WORKER_SILENT_SECONDS = 12;

/** The queue is unavailable, or has no worker: the run cannot continue. The message is one line without a password. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

type Row = Record<string, unknown>;

export interface CrawlDatabase {
  /** Address without the password. */
  readonly shown: string;
  query(sql: string, ...values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const CONNECTIONS = 4;
const TIMEOUT_MS = 5_000;
/** Timeouts of a run's connections: a silent server is an error. */
export const TIMEOUTS = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS } as const;
const RETRY_MS = 250;
/** Keys of advisory locks ("Crwl" in ASCII, and the next): one for creating the tables, one held by a run. */
const [CREATE_LOCK, RUN_LOCK] = [0x4372_776c, 0x4372_776d];

const TABLES = `
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
  -- Who may send requests to a host, until when unless the lease is renewed, and when the next request may start.
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.host (
    host text PRIMARY KEY, holder text, held_until timestamptz NOT NULL, next_at timestamptz NOT NULL);
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.worker (
    id text PRIMARY KEY, name text NOT NULL, started_at timestamptz NOT NULL, seen_at timestamptz NOT NULL);
  -- One row: the data folder of the runs that use this queue.
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.folder (one boolean PRIMARY KEY DEFAULT true CHECK (one), id text NOT NULL);
`;

/** Classes of errors of an unavailable server: connection, resources, operator intervention, system. */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58'];

/**
 * Whether an error means that the server is unavailable now. An error without a statement comes from the connection.
 */
export const isUnavailable = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || UNAVAILABLE_CLASSES.includes((error.code ?? '').slice(0, 2));

/** The database's messages may name its host. */
const redact = redactor([]);

/** First line of an error's message, without addresses. */
function redactedMessage(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const message = first instanceof Error ? first.message || first.name : String(first);
  return redact(message.split('\n', 1)[0] ?? '');
}

const queueUnavailable = (shown: string, error: unknown): QueueUnavailable =>
  new QueueUnavailable(`QUEUE is ${shown}, which is unavailable: ${redactedMessage(error)}`, { cause: error });

/** Retry while the server is unavailable. @throws QueueUnavailable after `timeoutMs` */
export async function retryQuery<T>(shown: string, timeoutMs: number, query: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + timeoutMs; ;) {
    try {
      return await query();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (performance.now() >= until) throw queueUnavailable(shown, error);
    }
    await sleep(RETRY_MS);
  }
}

/** @throws SettingError if the server refuses us, QueueUnavailable if it is unavailable */
export async function connecting<T>(shown: string, connection: Promise<T>): Promise<T> {
  try {
    return await connection;
  } catch (error) {
    if (isUnavailable(error)) throw queueUnavailable(shown, error);
    throw new SettingError(`QUEUE is ${shown}, which refuses the connection: ${redactedMessage(error)}`);
  }
}

/** Connect, and create missing tables. @throws as `connecting` does */
export async function openCrawlDatabase(url: string): Promise<CrawlDatabase> {
  const shown = shownPlace({ DATA_DIR: '', LEDGER: url });
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    ...TIMEOUTS,
    keepAlive: true,
    application_name: 'dealfeed crawl',
  });
  // The pool replaces an idle connection that breaks.
  pool.on('error', () => {});
  const database: CrawlDatabase = {
    shown,
    query: async (sql, ...values) => (await pool.query<Row>(sql, [...values])).rows,
    close: () => pool.end(),
  };
  try {
    await connecting(shown, pool.query(`BEGIN; SELECT pg_advisory_xact_lock(${CREATE_LOCK}); ${TABLES} COMMIT`));
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/**
 * Hold the queue for one run until the returned function is called. The lock of the data folder does the same on one
 * host, but may fail on a shared folder. A connection holds the lock, so it ends with the process.
 * @throws SettingError if another run holds it; otherwise as `connecting` does
 */
export async function holdQueue(url: string, shown: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url, ...TIMEOUTS, application_name: 'dealfeed run' });
  // The next query reports a lost connection.
  client.on('error', () => {});
  const release = (): Promise<void> => client.end().catch(() => {});
  try {
    await connecting(shown, client.connect());
    // If this host loses power, the server finds out within half a minute instead of two hours.
    await client.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3');
    const lock = client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [RUN_LOCK]);
    const [row] = (await connecting(shown, lock)).rows;
    if (row?.held !== true) throw new SettingError(`QUEUE is ${shown}, which is in use by another run.`);
  } catch (error) {
    await release();
    throw error;
  }
  return release;
}
