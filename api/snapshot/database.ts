/**
 * The published DuckDB file of a snapshot, attached read-only. Tables are read in place: copies in memory measured no
 * faster (docs/decisions.md); only the keys of addresses are copied (address_keys.ts). After it is open, the database
 * can reach no other file and its settings are locked.
 *
 * A snapshot older than the server may lack a column or a table that was added since. A nullable column is then null
 * and an added table is empty; `gaps` lists both. Anything else that is missing is refused.
 */
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { sha256OfFile } from '../../lib/files.ts';
import { createTable } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { countyZips, macrosSql, referenceSql } from '../../models/index.ts';
import { addressKeysSql } from './address_keys.ts';
import { ConnectionPool, SEARCH_PATH } from './pool.ts';
import type { ServedManifest } from '../../models/manifest.ts';
import { ADDED_LATER, TABLE_NAMES, TABLES, type TableName } from './tables.ts';

/** Threads of one query: callers share the processors, and most queries take a few milliseconds. */
const QUERY_THREADS = 1;
/** Cache of the file's blocks and memory of the queries, together. */
const MEMORY_LIMIT = '640MB';

export interface Database {
  /** Columns and tables that are missing, one sentence each. */
  readonly gaps: readonly string[];
  /** Rows of a SELECT in JSON form: DECIMAL and BIGINT as strings. Parameters are $1, $2, ... */
  rows(sql: string, params?: readonly DuckDBValue[]): Promise<Record<string, unknown>[]>;
  close(): void;
}

/**
 * Replace a table with missing columns, or columns of another type, by a view that has them.
 * @throws Error if a missing column may not be null
 */
async function fillMissingColumns(connection: DuckDBConnection, table: TableName, file: string): Promise<string[]> {
  const { columns } = TABLES[table];
  const described = await rowsOf(connection, `DESCRIBE published.main.${identifier(table)}`);
  const present = new Map(described.map((row) => [row['column_name'], row['column_type']]));
  const missing = columns.filter(({ name }) => !present.has(name));
  const refused = missing.filter(({ absent }) => absent === undefined).map(({ name }) => name);
  if (refused.length > 0) {
    const names = refused.map((name) => `${table}.${name}`).join(', ');
    throw new Error(
      `${file} was built before ${names}, which may not be null: ` +
        'build a new snapshot, or serve this one with the server version that built it',
    );
  }
  if (columns.some(({ name, sql }) => present.get(name) !== sql)) {
    const list = columns.map(
      ({ name, sql }) => `CAST(${present.has(name) ? identifier(name) : 'NULL'} AS ${sql}) AS ${identifier(name)}`,
    );
    await connection.run(
      `CREATE VIEW ${identifier(table)} AS SELECT rowid, ${list.join(', ')} FROM published.main.${identifier(table)}`,
    );
  }
  return missing.map(({ name }) => `There is no ${table}.${name} in this snapshot; it is null in every row.`);
}

/** Check one table against its record and the manifest. @returns what is missing, one sentence each */
async function checkTable(connection: DuckDBConnection, table: TableName, manifest: ServedManifest): Promise<string[]> {
  const { file } = manifest.database;
  const stated = manifest.tables[table];
  if (!stated) {
    if (!ADDED_LATER.has(table)) throw new Error(`manifest.json names no table ${table}`);
    await connection.run(createTable(table, TABLES[table].columns));
    return [`There is no table ${table} in this snapshot.`];
  }
  const gaps = await fillMissingColumns(connection, table, file);
  const [counted] = await rowsOf(connection, `SELECT count(*) AS n FROM published.main.${identifier(table)}`);
  const found = Number(counted?.['n']);
  if (found !== stated.rows) {
    throw new Error(`${table} has ${found} rows in ${file}, the manifest states ${stated.rows}`);
  }
  return gaps;
}

async function attach(duck: Duck, path: string, manifest: ServedManifest): Promise<string[]> {
  const { connection } = duck;
  await connection.run(`ATTACH ${literal(path)} AS published (READ_ONLY)`);
  await connection.run(macrosSql());
  for (const sql of referenceSql(countyZips())) await connection.run(sql);
  const gaps: string[] = [];
  for (const table of TABLE_NAMES) gaps.push(...(await checkTable(connection, table, manifest)));
  // Before any statement is prepared: DuckDB plans it at every call once the tables in memory have changed.
  for (const sql of [SEARCH_PATH, ...addressKeysSql()]) await connection.run(sql);
  return gaps;
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
    if (hashed.status === 'rejected') throw hashed.reason;
    if (hashed.value !== sha256) throw new Error(`${file} does not have the hash in its manifest`);
    if (attached.status === 'rejected') throw attached.reason;
    const opened = (pool = await ConnectionPool.open(duck.instance));
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
    return {
      gaps: attached.value,
      rows: (sql, params) => opened.rows(sql, params),
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
