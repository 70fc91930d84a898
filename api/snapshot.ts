/**
 * One published snapshot, loaded into a database of its own in memory. Once loaded, the database can reach no file
 * and its settings are locked; nothing can change it until it is closed.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import PQueue from 'p-queue';
import { openDuck, rowsOf, type Duck } from '../lib/duck.ts';
import { sha256OfFile } from '../lib/files.ts';
import { createTable } from '../lib/record.ts';
import { identifier, literal } from '../lib/sql.ts';
import { macrosSql } from '../models/index.ts';
import { toJson } from './json.ts';
import { Manifest } from './manifest.ts';
import { INDEXES, TABLES, type TableName } from './tables.ts';

/** Queries of one snapshot that run at a time; the others wait. Below the number of libuv workers. */
const QUERIES_AT_ONCE = 6;

export interface Snapshot {
  readonly id: string;
  readonly manifest: Manifest;
  /** Rows of a SELECT of columns of `table`, as JSON of its record. Parameters are $1, $2, ... */
  records(table: TableName, sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** Rows of any other SELECT: DECIMAL and BIGINT as strings. */
  rows(sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** Close it. Only when nothing uses it any more. */
  close(): void;
}

async function loadTable(duck: Duck, folder: string, name: TableName, manifest: Manifest): Promise<void> {
  const { columns } = TABLES[name];
  const entry = manifest.tables[name];
  if (!entry) throw new Error(`manifest.json names no table ${name}`);
  const path = join(folder, entry.file);
  if ((await sha256OfFile(path)) !== entry.sha256) throw new Error(`${entry.file} does not have the hash its manifest states`);
  const list = columns.map((c) => identifier(c.name)).join(', ');
  await duck.connection.run(createTable(name, columns));
  await duck.connection.run(`INSERT INTO ${identifier(name)} (${list}) SELECT ${list} FROM read_parquet(${literal(path)})`);
  const loaded = Number((await rowsOf(duck.connection, `SELECT count(*) AS n FROM ${identifier(name)}`))[0]?.['n']);
  if (loaded !== entry.rows) throw new Error(`${entry.file} has ${loaded} rows, its manifest states ${entry.rows}`);
}

/**
 * Load the snapshot in `folder`.
 * @throws an Error that says in one sentence what is missing or damaged
 */
export async function loadSnapshot(folder: string): Promise<Snapshot> {
  const path = join(folder, 'manifest.json');
  const checked = Manifest.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!checked.success) throw new Error(`manifest.json: ${checked.error.issues[0]?.path.join('.') ?? ''} ${checked.error.issues[0]?.message ?? ''}`);
  const manifest = checked.data;
  const duck = await openDuck();
  try {
    for (const name of Object.keys(TABLES) as TableName[]) await loadTable(duck, folder, name, manifest);
    for (const [table, column] of INDEXES) {
      await duck.connection.run(`CREATE UNIQUE INDEX ${identifier(`${table}_${column}`)} ON ${identifier(table)} (${identifier(column)})`);
    }
    // Addresses are normalised by the same functions that normalised the rows.
    await duck.connection.run(macrosSql());
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
  } catch (error) {
    duck.close();
    throw error;
  }
  const queue = new PQueue({ concurrency: QUERIES_AT_ONCE });
  // Queries on one connection wait for each other, and opening one costs a twentieth of a millisecond.
  const rows = (sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]> => queue.add(async () => {
    const connection = await duck.instance.connect();
    try { return await rowsOf(connection, sql, params); } finally { connection.closeSync(); }
  });
  return {
    id: manifest.run_id, manifest, rows,
    records: async (table, sql, params) => (await rows(sql, params)).map((row) => toJson(TABLES[table], row)),
    close: () => { duck.close(); },
  };
}
