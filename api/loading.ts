/**
 * The tables of a published snapshot in a database of their own in memory, and beside them the whole records of those
 * that are sold, of which the tables then hold what is asked for alone. Once they are there, the database can reach
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
import { Lines, type LineSource } from './lines.ts';
import type { Manifest } from './manifest.ts';
import { ADDED_LATER, heldColumns, INDEXES, isListed, TABLES, type TableName } from './tables.ts';

/** Threads of one query, once everything is loaded. */
const QUERY_THREADS = 2;

export interface Loaded {
  readonly duck: Duck;
  /** What came after this snapshot was built, one sentence each; none where it has everything. */
  readonly gaps: readonly string[];
  /** Whole records of the tables that are sold, by the rows of the table. */
  readonly lines: ReadonlyMap<TableName, Lines>;
}

/** A table's file, with every column of the record: one that the file lacks is null where it may be. */
interface Source {
  /** All columns in their types. */
  readonly sql: LineSource;
  readonly gaps: readonly string[];
}

/** @throws where the file lacks a column that may not be null */
async function sourceOf(connection: DuckDBConnection, path: string, name: TableName, file: string): Promise<Source> {
  const { columns } = TABLES[name];
  const from = `read_parquet(${literal(path)}, file_row_number = true)`;
  const present = new Set((await rowsOf(connection, `DESCRIBE SELECT * FROM ${from}`)).map((r) => r['column_name']));
  const missing = columns.filter((c) => !present.has(c.name));
  const refused = missing.filter((c) => c.absent === undefined).map((c) => c.name);
  if (refused.length > 0) throw new Error(`${file} was built before ${name}.${refused.join(`, ${name}.`)}, which may not be null: build a new snapshot, or serve this one with the server of its time`);
  const list = columns.map((c) => `CAST(${present.has(c.name) ? identifier(c.name) : 'NULL'} AS ${c.sql}) AS ${identifier(c.name)}`);
  return { sql: `SELECT ${list.join(', ')}, file_row_number FROM ${from}`, gaps: missing.map((c) => `There is no ${name}.${c.name} in this snapshot; it is null in every row.`) };
}

/** What a table consists of once it is loaded. */
interface Content {
  readonly gaps: readonly string[];
  /** Whole records, where the table's are sold. */
  readonly lines?: Lines;
}

/** Read a table's file into the table, and its records into lines where they are sold whole. */
async function read(connection: DuckDBConnection, path: string, name: TableName, { file, rows }: Manifest['tables'][string]): Promise<Content> {
  const { sql, gaps } = await sourceOf(connection, path, name, file);
  const list = heldColumns(name).map((c) => identifier(c.name)).join(', ');
  await connection.run(`INSERT INTO ${identifier(name)} (${list}) SELECT ${list} FROM (${sql})`);
  const loaded = Number((await rowsOf(connection, `SELECT count(*) AS n FROM ${identifier(name)}`))[0]?.['n']);
  if (loaded !== rows) throw new Error(`${file} has ${loaded} rows, its manifest states ${rows}`);
  if (!isListed(name)) return { gaps };
  return { gaps, lines: await Lines.read(connection, TABLES[name].columns, sql, rows) };
}

/** Load a table with its indexes. */
async function loadTable(duck: Duck, folder: string, name: TableName, manifest: Manifest): Promise<Content> {
  const connection = await duck.instance.connect();
  try {
    await connection.run(createTable(name, heldColumns(name)));
    const entry = manifest.tables[name];
    if (!entry) {
      if (!ADDED_LATER.has(name)) throw new Error(`manifest.json names no table ${name}`);
      return { gaps: [`There is no table ${name} in this snapshot.`] };
    }
    const path = join(folder, entry.file);
    // Beside each other: what was read of a damaged file goes with the database, and the damage is what is told of it.
    const [hashed, content] = await Promise.allSettled([sha256OfFile(path), read(connection, path, name, entry)]);
    if (hashed.status === 'rejected') throw hashed.reason;
    if (hashed.value !== entry.sha256) throw new Error(`${entry.file} does not have the hash its manifest states`);
    if (content.status === 'rejected') throw content.reason;
    for (const [table, column, unique] of INDEXES) {
      if (table === name) await connection.run(`CREATE ${unique} INDEX ${identifier(`${table}_${column}`)} ON ${identifier(table)} (${identifier(column)})`);
    }
    return content.value;
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
    const contents = new Map<TableName, Content>();
    const queue = new PQueue({ concurrency: atOnce });
    const loads = (await largestFirst(folder, manifest)).map((name) => queue.add(async () => { contents.set(name, await loadTable(duck, folder, name, manifest)); }));
    // All have ended before the database is closed, or is locked.
    const failure = (await Promise.allSettled(loads)).find((load) => load.status === 'rejected');
    if (failure) throw failure.reason;
    await duck.connection.run(`SET threads = ${QUERY_THREADS}`);
    // What was read of the files is not asked for again.
    await duck.connection.run('SET enable_external_file_cache = false');
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
    return {
      duck, gaps: (Object.keys(TABLES) as TableName[]).flatMap((name) => contents.get(name)?.gaps ?? []),
      lines: new Map([...contents].flatMap(([name, { lines }]) => (lines ? [[name, lines]] : []))),
    };
  } catch (error) {
    duck.close();
    throw error;
  }
}
