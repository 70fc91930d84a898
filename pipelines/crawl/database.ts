/**
 * The PostgreSQL database that a run and its workers meet in. pg-boss keeps the jobs there, in a schema of its own; the
 * tables here say whose turn it is at a host, which workers there are, and which data folder the queue belongs to.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError, Pool } from 'pg';
import { shownPlace } from '../../ledger/open.ts';
import { redactor } from '../../lib/redact.ts';
import { SettingError } from '../../lib/settings.ts';

/** Schemas: ours, and that of pg-boss. The ledger may lie in the same database. */
export const SCHEMA = 'dealfeed_crawl';
export const BOSS_SCHEMA = 'dealfeed_queue';

/** A worker says every few seconds that it is there; after so long it is taken for gone. */
export const WORKER_SILENT_SECONDS = 12;

/** The queue cannot be asked, or nobody works on it: the run cannot go on. The message is one line without a password. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

type Row = Record<string, unknown>;

export interface CrawlDatabase {
  /** Its address without the password. */
  readonly shown: string;
  query(sql: string, ...values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const CONNECTIONS = 4;
const ANSWERS_WITHIN_MS = 5_000;
/** For connections of a run: an answer that does not come is an error. A server that is silent says nothing of itself. */
export const ANSWERED = { connectionTimeoutMillis: ANSWERS_WITHIN_MS, query_timeout: ANSWERS_WITHIN_MS } as const;
const PAUSE_MS = 250;
/** Keys of advisory locks: under the one the tables are made, the other a run holds while it uses the queue. "Crwl" in ASCII, and the next. */
const [MAKE_LOCK, RUN_LOCK] = [0x4372_776c, 0x4372_776d];

const TABLES = `
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
  -- Who may ask a host, until when unless he says that he is still there, and when the next request may start.
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.host (
    host text PRIMARY KEY, holder text, held_until timestamptz NOT NULL, next_at timestamptz NOT NULL);
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.worker (
    id text PRIMARY KEY, name text NOT NULL, started_at timestamptz NOT NULL, seen_at timestamptz NOT NULL);
  -- One row: the data folder whose runs use this queue.
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.folder (one boolean PRIMARY KEY DEFAULT true CHECK (one), id text NOT NULL);
`;

/** Classes of errors that say the server is not in a state to do its work: connection, resources, operator, system. */
const CLASSES_OF_ABSENCE = ['08', '53', '57', '58'];

/** Whether an error says that the server cannot be asked now. What is no error of a statement is one of the connection. */
export const isAbsence = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || CLASSES_OF_ABSENCE.includes((error.code ?? '').slice(0, 2));

/** The database's own words may name its host. */
const withoutAddress = redactor([]);

const messageOf = (error: unknown): string => {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return withoutAddress((first instanceof Error ? first.message || first.name : String(first)).split('\n', 1)[0] ?? '');
};

export const unavailable = (shown: string, error: unknown): QueueUnavailable =>
  new QueueUnavailable(`QUEUE is ${shown}, and cannot be asked: ${messageOf(error)}`, { cause: error });

/** Try again for as long as the server cannot be asked. @throws QueueUnavailable after that time */
export async function patiently<T>(shown: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + patienceMs; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isAbsence(error)) throw error;
      if (performance.now() >= until) throw unavailable(shown, error);
    }
    await sleep(PAUSE_MS);
  }
}

/** @throws SettingError where the server refuses us, QueueUnavailable where it cannot be asked */
export async function orRefused<T>(shown: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isAbsence(error)) throw unavailable(shown, error);
    throw new SettingError(`QUEUE is ${shown}, and cannot be used: ${messageOf(error)}`);
  }
}

/** Connect, and make the tables where there are none. @throws as orRefused does */
export async function openCrawlDatabase(url: string): Promise<CrawlDatabase> {
  const shown = shownPlace({ DATA_DIR: '', LEDGER: url });
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    ...ANSWERED,
    keepAlive: true,
    application_name: 'dealfeed crawl',
  });
  // A connection that breaks while nobody uses it is opened again by whoever needs it.
  pool.on('error', () => {});
  const database: CrawlDatabase = {
    shown,
    query: async (sql, ...values) => (await pool.query<Row>(sql, [...values])).rows,
    close: () => pool.end(),
  };
  try {
    await orRefused(shown, pool.query(`BEGIN; SELECT pg_advisory_xact_lock(${MAKE_LOCK}); ${TABLES} COMMIT`));
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/**
 * Hold the queue for one run until the returned function is called. The lock of the data folder says the same on one host;
 * on a shared folder it may not. It is held by a connection, and ends with the process.
 * @throws SettingError where another run holds it; as orRefused does
 */
export async function holdQueue(url: string, shown: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url, ...ANSWERED, application_name: 'dealfeed run' });
  // Where the server goes away the run hears of it by what it asks for next.
  client.on('error', () => {});
  const letGo = (): Promise<void> => client.end().catch(() => {});
  try {
    await orRefused(shown, client.connect());
    // A host that loses its power says no goodbye: the server is to ask whether it is there, within half a minute and not two hours.
    await client.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3');
    const {
      rows: [row],
    } = await orRefused(shown, client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [RUN_LOCK]));
    if (row?.held !== true)
      throw new SettingError(`QUEUE is ${shown}, which another run uses now; expected to be the only one`);
  } catch (error) {
    await letGo();
    throw error;
  }
  return letGo;
}
