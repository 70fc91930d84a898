/**
 * One published snapshot, loaded into a database of its own in memory. Once loaded, the database can reach no file
 * and its settings are locked; nothing can change it until it is closed.
 *
 * A snapshot that is older than the server may lack what was added since. A column that may be null is null then, a
 * table that came later is empty and named in `lacks`; both are told in `gaps`. Anything else that lacks is refused.
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
import { normaliserOn, type Normalise } from './addresses.ts';
import { toJson } from './json.ts';
import { Manifest } from './manifest.ts';
import { ADDED_LATER, INDEXES, TABLES, type TableName } from './tables.ts';

/** Queries of one snapshot that run at a time; the others wait. Below the number of libuv workers. */
const QUERIES_AT_ONCE = 6;

export interface Snapshot {
  readonly id: string;
  readonly manifest: Manifest;
  /** Tables that came after this snapshot was built; they are empty. */
  readonly lacks: ReadonlySet<TableName>;
  /** What came after this snapshot was built, one sentence each; none where it has everything. */
  readonly gaps: readonly string[];
  /** Rows of a SELECT of columns of `table`, as JSON of its record. Parameters are $1, $2, ... */
  records(table: TableName, sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** Rows of any other SELECT: DECIMAL and BIGINT as strings. */
  rows(sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** The parts of a street address as the rows' addresses were normalised. */
  readonly normalise: Normalise;
  /** Close it. Only when nothing uses it any more. */
  close(): void;
}

/** Load a table, and say what it lacks. */
async function loadTable(duck: Duck, folder: string, name: TableName, manifest: Manifest): Promise<string[]> {
  const { columns } = TABLES[name];
  const entry = manifest.tables[name];
  await duck.connection.run(createTable(name, columns));
  if (!entry) {
    if (!ADDED_LATER.has(name)) throw new Error(`manifest.json names no table ${name}`);
    return [`There is no table ${name} in this snapshot.`];
  }
  const path = join(folder, entry.file);
  if ((await sha256OfFile(path)) !== entry.sha256) throw new Error(`${entry.file} does not have the hash its manifest states`);
  const file = `read_parquet(${literal(path)})`;
  const present = new Set((await rowsOf(duck.connection, `DESCRIBE SELECT * FROM ${file}`)).map((r) => r['column_name']));
  const missing = columns.filter((c) => !present.has(c.name));
  const refused = missing.filter((c) => c.absent === undefined).map((c) => c.name);
  if (refused.length > 0) throw new Error(`${entry.file} was built before ${name}.${refused.join(`, ${name}.`)}, which may not be null: build a new snapshot, or serve this one with the server of its time`);
  const list = columns.filter((c) => present.has(c.name)).map((c) => identifier(c.name)).join(', ');
  await duck.connection.run(`INSERT INTO ${identifier(name)} (${list}) SELECT ${list} FROM ${file}`);
  const loaded = Number((await rowsOf(duck.connection, `SELECT count(*) AS n FROM ${identifier(name)}`))[0]?.['n']);
  if (loaded !== entry.rows) throw new Error(`${entry.file} has ${loaded} rows, its manifest states ${entry.rows}`);
  return missing.map((c) => `There is no ${name}.${c.name} in this snapshot; it is null in every row.`);
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
  const gaps: string[] = [];
  let normalise: Normalise;
  try {
    for (const name of Object.keys(TABLES) as TableName[]) gaps.push(...await loadTable(duck, folder, name, manifest));
    for (const [table, column, unique] of INDEXES) {
      await duck.connection.run(`CREATE ${unique} INDEX ${identifier(`${table}_${column}`)} ON ${identifier(table)} (${identifier(column)})`);
    }
    await duck.connection.run(macrosSql());
    normalise = await normaliserOn(duck.connection);
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
    id: manifest.run_id, manifest, gaps, rows, normalise,
    lacks: new Set([...ADDED_LATER].filter((name) => !manifest.tables[name])),
    records: async (table, sql, params) => (await rows(sql, params)).map((row) => toJson(TABLES[table], row)),
    close: () => { duck.close(); },
  };
}
