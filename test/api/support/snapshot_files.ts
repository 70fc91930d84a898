/** The files of small snapshots without a manifest, created once and copied by the tests that publish the same rows. */
import { hash } from 'node:crypto';
import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { sha256OfFile } from '../../../lib/files.ts';
import { createTable, type RecordDefinition } from '../../../lib/record.ts';
import { literal } from '../../../lib/sql.ts';
import { loadReferences, referenceSql } from '../../../models/references.ts';
import { writeServingFiles } from '../../../bench/serving_files.ts';
import { TABLES, type TableName } from '../../../models/serving/tables.ts';
import { sharedFolder } from '../../shared_folder.ts';

export const DATABASE = 'dealfeed.duckdb';
/** The entries of the tables and the serving files in the manifest. */
export const FILE_FACTS = 'files.json';

export type Row = Readonly<Record<string, unknown>>;
export type GivenRows = Partial<Record<TableName, readonly Row[]>>;

type TableFacts = Readonly<Record<string, unknown>>;
interface FileFacts {
  readonly tables: Record<string, TableFacts>;
  serving: readonly unknown[];
}

/** Write a table of an open snapshot as Parquet. @returns its entry in the manifest */
async function exportTable({ connection }: Duck, folder: string, table: TableName, rows: number): Promise<TableFacts> {
  const file = `${table}.parquet`;
  const path = join(folder, file);
  await connection.run(`COPY ${table} TO ${literal(path)} (FORMAT parquet)`);
  return { rows, files: [{ file, rows, bytes: (await stat(path)).size, sha256: await sha256OfFile(path) }] };
}

/** Counties and their ZIPs, which a run takes from the reference tables. */
const REFERENCE_PLACES = `
  SELECT state, county_fips, county || ', ' || state AS county, NULL AS city, zip_prefix AS zip, false AS is_served
  FROM ref_counties LEFT JOIN ref_county_zips USING (county_fips)`;

const NO_PLACES = 'SELECT *, false AS is_served FROM places WHERE false';

/** The places of records, as the model makes them. */
const placesOf = (table: TableName): string =>
  `SELECT state, county_fips, county, city, zip, true AS is_served FROM ${table}`;

async function addPlaces(duck: Duck, folder: string, facts: FileFacts, rows: string): Promise<void> {
  await duck.connection.run(`INSERT INTO places BY NAME
    SELECT DISTINCT md5(concat_ws('|', state, county_fips, county, city, zip))::UUID::VARCHAR AS id, state, county_fips,
      county, city, zip, is_served AS has_listings, is_served AS has_records
    FROM (${rows}) WHERE state IS NOT NULL`);
  const [counted] = await rowsOf(duck.connection, 'SELECT count(*)::INTEGER AS rows FROM places');
  facts.tables['places'] = await exportTable(duck, folder, 'places', Number(counted?.['rows']));
}

/** A snapshot without records and without a manifest: writing its tables takes four times as long as copying them. */
const emptySnapshot = sharedFolder('empty_snapshot', async (folder) => {
  const duck = await openDuck(join(folder, DATABASE));
  const facts: FileFacts = { tables: {}, serving: [] };
  try {
    for (const name of Object.keys(TABLES) as TableName[]) {
      await duck.connection.run(createTable(name, TABLES[name].columns));
      if (name === 'places') continue;
      facts.tables[name] = await exportTable(duck, folder, name, 0);
    }
    for (const reference of loadReferences().filter(({ name }) => name === 'counties' || name === 'county_zips'))
      for (const sql of referenceSql(reference)) await duck.connection.run(sql);
    await addPlaces(duck, folder, facts, REFERENCE_PLACES);
    await duck.connection.run('DROP TABLE ref_counties; DROP TABLE ref_county_zips');
  } finally {
    duck.close();
  }
  facts.serving = await writeServingFiles(folder, DATABASE);
  await writeFile(join(folder, FILE_FACTS), JSON.stringify(facts));
});

async function insertRows({ connection }: Duck, folder: string, table: TableName, rows: readonly Row[]): Promise<void> {
  const lines = join(folder, `${table}.ndjson`);
  await writeFile(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const record: RecordDefinition = TABLES[table];
  const columns = record.columns.map((c) => `${literal(c.name)}: ${literal(c.sql)}`).join(', ');
  await connection.run(
    `INSERT INTO ${table}
     SELECT * FROM read_json(${literal(lines)}, format = 'newline_delimited', columns = {${columns}})`,
  );
  await rm(lines);
}

/** By their rows: many tests publish the same few. */
const filledSnapshots = new Map<string, () => Promise<string>>();

/** A snapshot with these rows and without a manifest. */
export function filledSnapshot(given: GivenRows): Promise<string> {
  const filled = Object.entries(given).filter(([, rows]) => rows.length > 0) as [TableName, readonly Row[]][];
  if (filled.length === 0) return emptySnapshot();
  const key = hash('sha256', JSON.stringify(filled), 'hex');
  const make = (folder: string): Promise<void> => fill(folder, filled);
  const known = filledSnapshots.get(key) ?? sharedFolder(`snapshot_${key}`, make);
  filledSnapshots.set(key, known);
  return known();
}

async function fill(folder: string, filled: readonly (readonly [TableName, readonly Row[]])[]): Promise<void> {
  await cp(await emptySnapshot(), folder, { recursive: true });
  const path = join(folder, FILE_FACTS);
  const facts = JSON.parse(await readFile(path, 'utf8')) as FileFacts;
  const duck = await openDuck(join(folder, DATABASE));
  try {
    for (const [name, rows] of filled) {
      await insertRows(duck, folder, name, rows);
      facts.tables[name] = await exportTable(duck, folder, name, rows.length);
    }
    const tables = filled.map(([name]) => name);
    const ofRecords = (['deals', 'signals', 'auctions'] as const).filter((name) => tables.includes(name));
    if (tables.includes('places') || ofRecords.length > 0)
      await addPlaces(
        duck,
        folder,
        facts,
        tables.includes('places') ? NO_PLACES : ofRecords.map(placesOf).join(' UNION '),
      );
  } finally {
    duck.close();
  }
  facts.serving = await writeServingFiles(folder, DATABASE);
  await writeFile(path, JSON.stringify(facts));
}
