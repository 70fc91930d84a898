/** Connections to one database, each with its prepared statements. */
import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement, DuckDBValue } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';

/** Queries that run in parallel; others wait. Fewer than libuv workers (Makefile). */
const CONNECTIONS = 6;
/** Prepared statements of one connection. */
const STATEMENTS = 100;
/** Ids of one `rowid IN (...)` that DuckDB pushes into the scan, to read only their blocks. Its default is 50. */
const IDS_PUSHED_DOWN = 1_000;

/** A view or table in memory takes precedence over the published table of the same name (database.ts). */
export const SEARCH_PATH = "SET search_path = 'memory.main,published.main'";

interface Pooled {
  readonly connection: DuckDBConnection;
  readonly statements: LRUCache<string, DuckDBPreparedStatement>;
}

async function openConnection(instance: DuckDBInstance): Promise<Pooled> {
  const connection = await instance.connect();
  await connection.run(SEARCH_PATH);
  await connection.run(`SET dynamic_or_filter_threshold = ${IDS_PUSHED_DOWN}`);
  const statements = new LRUCache<string, DuckDBPreparedStatement>({
    max: STATEMENTS,
    dispose: (statement) => {
      statement.destroySync();
    },
  });
  return { connection, statements };
}

export class ConnectionPool {
  readonly #all: readonly Pooled[];
  readonly #idle: Pooled[];
  readonly #queue = new PQueue({ concurrency: CONNECTIONS });
  #closed = false;

  private constructor(all: readonly Pooled[]) {
    this.#all = all;
    this.#idle = [...all];
  }

  static async open(instance: DuckDBInstance): Promise<ConnectionPool> {
    return new ConnectionPool(await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(instance))));
  }

  /** All rows of a SELECT in JSON form: DECIMAL and BIGINT as strings. */
  rows(sql: string, params: readonly DuckDBValue[] = []): Promise<Record<string, unknown>[]> {
    return this.#queue.add(async () => {
      const pooled = this.#closed ? undefined : this.#idle.pop();
      if (!pooled) throw new Error('the database is closed');
      try {
        let statement = pooled.statements.get(sql);
        if (!statement) pooled.statements.set(sql, (statement = await pooled.connection.prepare(sql)));
        statement.bind([...params]);
        return (await statement.runAndReadAll()).getRowObjectsJson() as Record<string, unknown>[];
      } finally {
        this.#idle.push(pooled);
      }
    });
  }

  /** Only when no query runs. */
  close(): void {
    this.#closed = true;
    for (const { connection, statements } of this.#all) {
      statements.clear();
      connection.closeSync();
    }
  }
}
