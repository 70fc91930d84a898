/**
 * The tables of a published snapshot in a database of their own in memory. Once they are there, the database can reach
 * no file and its settings are locked; nothing can change it until it is closed.
 *
 * A snapshot that is older than the server may lack what was added since. A column that may be null is null then, a
 * table that came later is empty; both are told. Anything else that lacks is refused.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import PQueue from 'p-queue';
import { openDuck, rowsOf, type Duck } from '../lib/duck.ts';
import { sha256OfFile } from '../lib/files.ts';
import { createTable } from '../lib/record.ts';
import { identifier, literal } from '../lib/sql.ts';
import type { Manifest } from './manifest.ts';
import { ADDED_LATER, INDEXES, TABLES, type TableName } from './tables.ts';

/** Threads of one query, once everything is loaded. */
const QUERY_THREADS = 2;

export interface Loaded {
  readonly duck: Duck;
  /** What came after this snapshot was built, one sentence each; none where it has everything. */
  readonly gaps: readonly string[];
}

/** Read a table's file into the table, and say what it lacks. */
async function read(connection: DuckDBConnection, path: string, name: TableName, entry: Manifest['tables'][string]): Promise<string[]> {
  const { columns } = TABLES[name];
  const file = `read_parquet(${literal(path)})`;
  const present = new Set((await rowsOf(connection, `DESCRIBE SELECT * FROM ${file}`)).map((r) => r['column_name']));
  const missing = columns.filter((c) => !present.has(c.name));
  const refused = missing.filter((c) => c.absent === undefined).map((c) => c.name);
  if (refused.length > 0) throw new Error(`${entry.file} was built before ${name}.${refused.join(`, ${name}.`)}, which may not be null: build a new snapshot, or serve this one with the server of its time`);
  const list = columns.filter((c) => present.has(c.name)).map((c) => identifier(c.name)).join(', ');
  await connection.run(`INSERT INTO ${identifier(name)} (${list}) SELECT ${list} FROM ${file}`);
  const loaded = Number((await rowsOf(connection, `SELECT count(*) AS n FROM ${identifier(name)}`))[0]?.['n']);
  if (loaded !== entry.rows) throw new Error(`${entry.file} has ${loaded} rows, its manifest states ${entry.rows}`);
  return missing.map((c) => `There is no ${name}.${c.name} in this snapshot; it is null in every row.`);
}

/** Load a table with its indexes, and say what it lacks. */
async function loadTable(duck: Duck, folder: string, name: TableName, manifest: Manifest): Promise<string[]> {
  const connection = await duck.instance.connect();
  try {
    await connection.run(createTable(name, TABLES[name].columns));
    const entry = manifest.tables[name];
    if (!entry) {
      if (!ADDED_LATER.has(name)) throw new Error(`manifest.json names no table ${name}`);
      return [`There is no table ${name} in this snapshot.`];
    }
    const path = join(folder, entry.file);
    // Beside each other: what was read of a damaged file goes with the database, and the damage is what is told of it.
    const [hashed, gaps] = await Promise.allSettled([sha256OfFile(path), read(connection, path, name, entry)]);
    if (hashed.status === 'rejected') throw hashed.reason;
    if (hashed.value !== entry.sha256) throw new Error(`${entry.file} does not have the hash its manifest states`);
    if (gaps.status === 'rejected') throw gaps.reason;
    for (const [table, column, unique] of INDEXES) {
      if (table === name) await connection.run(`CREATE ${unique} INDEX ${identifier(`${table}_${column}`)} ON ${identifier(table)} (${identifier(column)})`);
    }
    return gaps.value;
  } finally { connection.closeSync(); }
}

/** The tables, those with the largest files first, so that none of them is left for the end. */
async function largestFirst(folder: string, manifest: Manifest): Promise<TableName[]> {
  const sized = (Object.keys(TABLES) as TableName[]).map(async (name) => {
    const file = manifest.tables[name]?.file;
    // One that is not there is refused when it is read.
    return { name, bytes: file === undefined ? 0 : await stat(join(folder, file)).then((s) => s.size, () => 0) };
  });
  return (await Promise.all(sized)).sort((a, b) => b.bytes - a.bytes).map(({ name }) => name);
}

/**
 * Load all tables of the snapshot in `folder`.
 * @param atOnce tables that are read beside each other, a processor each
 * @throws an Error that says in one sentence what is missing or damaged
 */
export async function loadTables(folder: string, manifest: Manifest, atOnce: number): Promise<Loaded> {
  // One thread a table: several would each read a part, and the parts be copied once more to bring the rows into order.
  const duck = await openDuck(':memory:', { threads: 1 });
  try {
    const gaps = new Map<TableName, string[]>();
    const queue = new PQueue({ concurrency: atOnce });
    const loads = (await largestFirst(folder, manifest)).map((name) => queue.add(async () => { gaps.set(name, await loadTable(duck, folder, name, manifest)); }));
    // All have ended before the database is closed, or is locked.
    const failure = (await Promise.allSettled(loads)).find((load) => load.status === 'rejected');
    if (failure) throw failure.reason;
    await duck.connection.run(`SET threads = ${QUERY_THREADS}`);
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
    return { duck, gaps: (Object.keys(TABLES) as TableName[]).flatMap((name) => gaps.get(name) ?? []) };
  } catch (error) {
    duck.close();
    throw error;
  }
}
