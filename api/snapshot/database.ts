/**
 * The published DuckDB file of a snapshot, attached read-only. Tables are read in place: copies in memory measured no
 * faster (docs/decisions.md); only the keys of addresses are copied (addresses.ts). After it is open, the database
 * can reach no other file and its settings are locked.
 *
 * A snapshot without a table or column of this version was built by another version and is refused.
 */
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBValue, DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { z } from 'zod';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { readJson, sha256OfFile } from '../../lib/files.ts';
import { columnsOfFile, storedType } from '../../lib/stored_types.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { countyZips, selectMacros, referenceSql } from '../../models/index.ts';
import { addressKeysSql } from './addresses.ts';
import type { ServedManifest } from '../../models/manifest.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../models/serving/tables.ts';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';

/** Queries that run in parallel; others wait. Fewer than libuv workers (Makefile). */
const CONNECTIONS = 6;
/** Prepared statements of one connection. */
const STATEMENTS = 100;
/** Ids of one `rowid IN (...)` that DuckDB pushes into the scan, to read only their blocks. Its default is 50. */
const IDS_PUSHED_DOWN = 1_000;

/** A view or table in memory takes precedence over the published table of the same name (database.ts). */
const SEARCH_PATH = "SET search_path = 'memory.main,published.main'";

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

class ConnectionPool {
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

/** Threads of one query: callers share the processors, and most queries take a few milliseconds. */
const QUERY_THREADS = 1;
/** Cache of the file's blocks and memory of the queries, together. */
const MEMORY_LIMIT = '640MB';

export interface Database {
  /** Rows of a SELECT in JSON form: DECIMAL and BIGINT as strings. Parameters are $1, $2, ... */
  rows(sql: string, params?: readonly DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** A table with these columns and its rowid, to select from: DuckDB plans a view of all columns twice as long. */
  narrow(table: TableName, columns: ReadonlySet<string>): string;
  close(): void;
}

/** Columns of the published tables with their types, by table. */
type PublishedColumns = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** One statement for all tables: a DESCRIBE of each takes ten times as long. */
async function publishedColumns(connection: DuckDBConnection): Promise<PublishedColumns> {
  const described = await rowsOf(
    connection,
    `SELECT table_name, CAST(map(list(column_name), list(data_type)) AS JSON) AS columns
     FROM duckdb_columns() WHERE database_name = 'published' AND schema_name = 'main' GROUP BY table_name`,
  );
  return new Map(
    described.map(({ table_name: table, columns }) => [
      String(table),
      new Map(Object.entries(JSON.parse(String(columns)) as Record<string, string>)),
    ]),
  );
}

/** A view of a table with the column types of the models. It costs a list nothing; a scan 15 to 40 ns a row. */
async function convertTypes(
  connection: DuckDBConnection,
  table: TableName,
  present: ReadonlyMap<string, string>,
): Promise<void> {
  const { columns } = TABLES[table];
  if (columns.every(({ name, sql }) => present.get(name) === sql)) return;
  const list = columnsOfFile(columns, present);
  await connection.run(
    `CREATE VIEW ${identifier(table)} AS SELECT rowid, ${list} FROM published.main.${identifier(table)}`,
  );
}

/** Check that the tables have as many rows as the manifest states. */
async function checkCounts(connection: DuckDBConnection, manifest: ServedManifest): Promise<void> {
  const counts = TABLE_NAMES.map(
    (name) => `SELECT ${literal(name)} AS name, count(*) AS n FROM published.main.${identifier(name)}`,
  );
  for (const { name, n } of await rowsOf(connection, counts.join(' UNION ALL '))) {
    const stated = manifest.tables[String(name)]?.rows;
    if (Number(n) === stated) continue;
    throw new Error(
      `${String(name)} has ${String(n)} rows in ${manifest.database.file}, the manifest states ${stated}`,
    );
  }
}

/** Tables and columns of this version that a snapshot lacks, or has with another type. */
const missingParts = (published: PublishedColumns): readonly string[] =>
  TABLE_NAMES.flatMap((table) => {
    const present = published.get(table);
    if (!present) return [table];
    return TABLES[table].columns
      .filter((column) => ![column.sql, storedType(column)].includes(present.get(column.name) ?? ''))
      .map(({ name }) => `${table}.${name}`);
  });

/** Most missing parts that an error names. */
const MAX_NAMED = 5;

/** Check the tables against their records and the manifest. @throws Error if another version built the snapshot */
async function checkTables(
  connection: DuckDBConnection,
  manifest: ServedManifest,
  published: PublishedColumns,
): Promise<void> {
  const missing = missingParts(published);
  if (missing.length > 0) {
    const names = missing.slice(0, MAX_NAMED).join(', ') + (missing.length > MAX_NAMED ? ', ...' : '');
    throw new Error(
      `${manifest.database.file} has no ${names} of this version: another version built it. Publish once with this ` +
        'version: make run',
    );
  }
  await checkCounts(connection, manifest);
  for (const table of TABLE_NAMES) await convertTypes(connection, table, published.get(table) ?? new Map());
}

async function attach({ connection }: Duck, path: string, manifest: ServedManifest): Promise<PublishedColumns> {
  await connection.run(`ATTACH ${literal(path)} AS published (READ_ONLY)`);
  await connection.run(selectMacros(addressKeysSql()));
  for (const sql of referenceSql(countyZips())) await connection.run(sql);
  const published = await publishedColumns(connection);
  await checkTables(connection, manifest, published);
  // Before any statement is prepared: DuckDB plans it at every call once the tables in memory have changed.
  for (const sql of [SEARCH_PATH, ...addressKeysSql()]) await connection.run(sql);
  return published;
}

/** A published table with these columns and its rowid. */
function narrowSql(table: TableName, present: ReadonlyMap<string, string>, names: ReadonlySet<string>): string {
  const columns = TABLES[table].columns.filter(({ name }) => names.has(name));
  return `(SELECT rowid, ${columnsOfFile(columns, present)} FROM published.main.${identifier(table)})`;
}

/** Files that `make prune` removed from a snapshot that stays: pruned.json in its folder. */
const PrunedFiles = z.object({ files: z.array(z.string()) });

/** The error for a database file that cannot be read, with a remedy if it is missing. */
async function unreadable(error: unknown, folder: string, file: string): Promise<unknown> {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) return error;
  const pruned = PrunedFiles.safeParse(await readJson(join(folder, 'pruned.json')));
  return new Error(
    pruned.data?.files.includes(file) === true
      ? `${file} was removed by make prune: publish again with make run, or point current at a newer snapshot`
      : `${file} is missing: restore it from a backup, or publish again with make run`,
    { cause: error },
  );
}

/**
 * Open the database of the snapshot in `folder`.
 * @throws Error that says in one sentence what is missing or damaged
 */
export async function openDatabase(folder: string, manifest: ServedManifest): Promise<Database> {
  const { file, sha256 } = manifest.database;
  const path = join(folder, file);
  const duck = await openDuck(':memory:', { threads: QUERY_THREADS, memoryLimit: MEMORY_LIMIT });
  let pool: ConnectionPool | undefined;
  try {
    // In parallel. A damaged file may fail to attach in many ways: report the wrong hash first.
    const [hashed, attached] = await Promise.allSettled([sha256OfFile(path), attach(duck, path, manifest)]);
    if (hashed.status === 'rejected') throw await unreadable(hashed.reason, folder, file);
    if (hashed.value !== sha256) throw new Error(`${file} does not have the hash in its manifest`);
    if (attached.status === 'rejected') throw attached.reason;
    const published = attached.value;
    const opened = (pool = await ConnectionPool.open(duck.instance));
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
    return {
      rows: (sql, params) => opened.rows(sql, params),
      narrow: (table, columns) => narrowSql(table, published.get(table) ?? new Map(), columns),
      close() {
        opened.close();
        duck.close();
      },
    };
  } catch (error) {
    pool?.close();
    duck.close();
    throw error;
  }
}
