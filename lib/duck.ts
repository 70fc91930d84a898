/** Opens DuckDB. Results are read whole: a streamed result that fails late is short without an error. */
import {
  DuckDBInstance,
  DuckDBTimestampTZValue,
  version,
  type DuckDBConnection,
  type DuckDBValue,
} from '@duckdb/node-api';
import { closing } from './closing.ts';

// The client writes instants in the machine's time zone and ignores the session's.
DuckDBTimestampTZValue.timezoneOffsetInMinutes = 0;

/** Threads of one query, unless a caller chooses. */
export const DEFAULT_THREADS = 2;

export interface DuckOptions {
  /** Threads of one query. 1 if the bytes of an export must not depend on scheduling. */
  readonly threads?: number;
  readonly memoryLimit?: string;
  /** Its files are removed after it is closed, so they need no checkpoint. */
  readonly isTemporary?: boolean;
}

/** Size of a log that no build reaches. */
const NO_CHECKPOINT = '1TB';

export interface Duck extends AsyncDisposable {
  readonly connection: DuckDBConnection;
  readonly instance: DuckDBInstance;
  close(): void;
}

/** Open a database file, or a database in memory. The time zone of all its sessions is UTC. */
export async function openDuck(path = ':memory:', options: DuckOptions = {}): Promise<Duck> {
  const instance = await DuckDBInstance.create(path, {
    threads: String(options.threads ?? DEFAULT_THREADS),
    memory_limit: options.memoryLimit ?? '4GB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET GLOBAL TimeZone = 'UTC'");
  if (options.isTemporary) {
    await connection.run(`PRAGMA disable_checkpoint_on_shutdown; SET checkpoint_threshold = '${NO_CHECKPOINT}'`);
  }
  return closing({
    connection,
    instance,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  });
}

let shared: Promise<Duck> | undefined;
let databases = 0;

/**
 * An empty database in memory for a few rows, opened in a tenth of the time of openDuck. All such databases share one
 * engine that stays open, and its 4 GB of memory. A query has one thread.
 */
export async function openSmall() {
  shared ??= openDuck(':memory:', { threads: 1 });
  const { instance } = await shared.catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  const connection = await instance.connect();
  databases += 1;
  const name = `small_${databases}`;
  await connection.run(`ATTACH ':memory:' AS ${name}; USE ${name}`);
  return closing({
    connection,
    async close() {
      try {
        await connection.run(`USE memory; DETACH ${name}`);
      } finally {
        connection.closeSync();
      }
    },
  });
}

/** Rows in JSON form: DECIMAL and BIGINT as strings, dates and timestamps as text. */
export async function rowsOf(
  connection: DuckDBConnection,
  sql: string,
  params?: DuckDBValue[],
): Promise<Record<string, unknown>[]> {
  const reader = await connection.runAndReadAll(sql, params);
  return reader.getRowObjectsJson() as Record<string, unknown>[];
}

/** Column types of a table or a SELECT, by column. */
export async function typesOf(connection: DuckDBConnection, query: string): Promise<ReadonlyMap<string, string>> {
  const described = await rowsOf(connection, `DESCRIBE ${query}`);
  return new Map(described.map((row) => [String(row['column_name']), String(row['column_type'])]));
}

/** Version of DuckDB, for manifests. */
export const duckVersion: () => string = version;
