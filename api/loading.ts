/**
 * The tables of a published snapshot in a database of their own in memory. Once they are there, the database can reach
 * no file and its settings are locked; nothing can change it until it is closed.
 *
 * A snapshot that is older than the server may lack what was added since. A column that may be null is null then, a
 * table that came later is empty; both are told. Anything else that lacks is refused.
 */
import { join } from 'node:path';
import { openDuck, rowsOf, type Duck } from '../lib/duck.ts';
import { sha256OfFile } from '../lib/files.ts';
import { createTable } from '../lib/record.ts';
import { identifier, literal } from '../lib/sql.ts';
import { macrosSql } from '../models/index.ts';
import type { Manifest } from './manifest.ts';
import { ADDED_LATER, INDEXES, TABLES, type TableName } from './tables.ts';

export interface Loaded {
  readonly duck: Duck;
  /** What came after this snapshot was built, one sentence each; none where it has everything. */
  readonly gaps: readonly string[];
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
 * Load all tables of the snapshot in `folder`.
 * @throws an Error that says in one sentence what is missing or damaged
 */
export async function loadTables(folder: string, manifest: Manifest): Promise<Loaded> {
  const duck = await openDuck();
  try {
    const gaps: string[] = [];
    for (const name of Object.keys(TABLES) as TableName[]) gaps.push(...await loadTable(duck, folder, name, manifest));
    for (const [table, column, unique] of INDEXES) {
      await duck.connection.run(`CREATE ${unique} INDEX ${identifier(`${table}_${column}`)} ON ${identifier(table)} (${identifier(column)})`);
    }
    await duck.connection.run(macrosSql());
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
    return { duck, gaps };
  } catch (error) {
    duck.close();
    throw error;
  }
}
