/** DuckDB, opened one way everywhere. Results are always read whole: streaming hides errors that come late. */
import { DuckDBInstance, version, type DuckDBConnection, type DuckDBValue } from '@duckdb/node-api';

export interface DuckOptions {
  /** Threads of one query. One thread where the bytes of an export must not depend on scheduling. */
  readonly threads?: number;
  readonly memoryLimit?: string;
  /** The file is removed after it is closed: what was written last need not be brought into it first. */
  readonly forOnce?: boolean;
}

export interface Duck {
  readonly connection: DuckDBConnection;
  readonly instance: DuckDBInstance;
  close(): void;
}

/** Open a database file, or one in memory. The session's time zone is UTC. */
export async function openDuck(path = ':memory:', options: DuckOptions = {}): Promise<Duck> {
  const instance = await DuckDBInstance.create(path, {
    threads: String(options.threads ?? 2),
    memory_limit: options.memoryLimit ?? '4GB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  if (options.forOnce) await connection.run('PRAGMA disable_checkpoint_on_shutdown');
  return {
    connection,
    instance,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

let kept: Promise<Duck> | undefined;
let databases = 0;

/**
 * An empty database in memory, for a few rows: it takes a tenth of the time that openDuck does. All that are open at once
 * lie in one engine that stays open, and share its memory (4 GB); a query has one thread.
 */
export async function openSmall(): Promise<Pick<Duck, 'connection'> & { close(): Promise<void> }> {
  kept ??= openDuck(':memory:', { threads: 1 });
  const { instance } = await kept.catch((error: unknown) => {
    kept = undefined;
    throw error;
  });
  const connection = await instance.connect();
  databases += 1;
  const name = `small_${databases}`;
  await connection.run(`ATTACH ':memory:' AS ${name}; USE ${name}`);
  return {
    connection,
    async close() {
      try {
        await connection.run(`USE memory; DETACH ${name}`);
      } finally {
        connection.closeSync();
      }
    },
  };
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

/** Version of the engine, for manifests. */
export const duckVersion: () => string = version;
