/** Data folders of measures: the default world, and many times as large, each staged row again as another one. */
import { cp, glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closing } from '../lib/closing.ts';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { contentOf, pointAt, sha256OfFile } from '../lib/files.ts';
import { literal } from '../lib/sql.ts';
import { Manifest } from '../models/manifest.ts';
import { runPipeline } from './programs.ts';
import { writeServingFiles } from './serving_files.ts';
import { newFolder, once, sized } from './settings.ts';

/** Settings of the default world, or of a small one. */
export const WORLD = sized({}, { LISTINGS: '120', PARCELS: '400', AUCTIONS: '120', FILINGS: '300' });
export const [TODAY, TOMORROW] = ['2026-11-20', '2026-11-21'] as const;

/** Two published days of the world. */
export const worldFolder = once(async () => {
  const folder = newFolder('world');
  for (const DAY of [TODAY, TOMORROW]) await runPipeline({ ...WORLD, DATA_DIR: folder, DAY });
  return folder;
});

export type Row = Readonly<Record<string, unknown>>;

/** Rows of a query in a DuckDB of its own, or of a file. */
export async function query(sql: string, file?: string): Promise<Row[]> {
  await using duck = closing(await openDuck(file, { memoryLimit: '8GB' }));
  return await rowsOf(duck.connection, sql);
}

/** A table of the current snapshot, as SQL; of the filings, every row that a part has. */
export const published = (folder: string, table: string): string =>
  literal(join(folder, 'current', `${table === 'filings' ? 'filings-*' : table}.parquet`));

/** Some rows of a published table, always the same ones. */
export const sampleOf = (folder: string, table: string, where: string, count: number): Promise<Row[]> =>
  query(`FROM ${published(folder, table)} WHERE ${where} ORDER BY hash(id) LIMIT ${count}`);

/** The published tables, with the hashes of their files. */
export const tablesOf = async (folder: string): Promise<Manifest['tables']> =>
  Manifest.parse(JSON.parse(await readFile(join(folder, 'current/manifest.json'), 'utf8'))).tables;

export const rowsPublished = async (folder: string, table: string): Promise<number> =>
  (await tablesOf(folder))[table]?.rows ?? 0;

/** Days on which the world is read and built, ninety from the first to the last. */
const HISTORY = sized(['2026-10-01', '2026-10-31', '2026-11-30', '2026-12-20', '2026-12-29'], ['2026-12-29']);
const LAST = '2026-12-30';
/** How many times as large the two compared worlds are. */
export const [SMALLER, LARGER] = sized([10, 100] as const, [2, 10] as const);

/** Columns of staged rows that differ in each copy: numbers get three digits more, house numbers other ones. */
const NUMBERS =
  'parcel_raw listing_id listing_url case_number item_id record_number document_number charter_number'.split(' ');
const STREETS = ['street', 'mail_street'];
const numbered = (c: string): string => `${c} || lpad(copy::VARCHAR, 3, '0')`;
/** "912-914 8TH ST" becomes "103912-103914 8TH ST". */
const moved = (c: string): string =>
  `regexp_replace(regexp_extract(${c}, '^\\S*'), '(\\d+)', copy + 100 || '\\1', 'g') || regexp_extract(${c}, '\\s.*')`;

/** Write a read's staged rows and its record `times` as large. @param from, to paths without their endings */
async function enlargeRead(from: string, to: string, times: number): Promise<void> {
  const [source, target] = [literal(`${from}.parquet`), `${to}.parquet`];
  await cp(`${from}.json`, `${to}.json`);
  await cp(`${from}.parquet`, target);
  const columns = (await query(`DESCRIBE FROM ${source}`)).map((row) => String(row['column_name']));
  const changed = columns.filter((c) => NUMBERS.includes(c) || STREETS.includes(c));
  if (changed.length === 0) return;
  const changes = changed.map((c) => `if(copy = 0, ${c}, ${NUMBERS.includes(c) ? numbered(c) : moved(c)}) AS ${c}`);
  const [counted] = await query(`COPY (
    SELECT * EXCLUDE (copy) REPLACE (${changes.join(', ')}) FROM ${source}, range(${times}) AS copies(copy)
  ) TO ${literal(target)} (FORMAT parquet)`);
  const added = (Number(counted?.['Count']) * (times - 1)) / times;
  const record = JSON.parse(await readFile(`${to}.json`, 'utf8')) as { counts: { rows_in: number; rows_out: number } };
  for (const count of ['rows_in', 'rows_out'] as const) record.counts[count] += added;
  const parquet = await contentOf(target);
  await writeFile(`${to}.json`, JSON.stringify({ ...record, parquet }));
}

const history = once(async () => {
  const folder = newFolder('history');
  for (const DAY of [...HISTORY, LAST]) await runPipeline({ ...WORLD, DATA_DIR: folder, DAY });
  return folder;
});

/** Build, audit and publish a day from its staged rows. */
export const build = (DATA_DIR: string, DAY = LAST, BUILD_MEMORY = '6GB') =>
  runPipeline({ ...WORLD, DATA_DIR, DAY, SOURCES: 'none', BUILD_MEMORY }, { sandbox: false });

/** Write the staged rows of a day `times` as large. */
async function enlargeDay(from: string, folder: string, day: string, times: number): Promise<void> {
  for await (const file of glob(`staged/*/${day}.01.parquet`, { cwd: from })) {
    const read = file.replace(/\.parquet$/u, '');
    await enlargeRead(join(from, read), join(folder, read), times);
  }
}

/** A published day of the world `times` as large, and the staged rows of the next. */
export async function beforeTomorrow(times: number): Promise<string> {
  const [from, folder] = [await worldFolder(), newFolder(`days-${times}`)];
  for (const day of [TODAY, TOMORROW]) await enlargeDay(from, folder, day, times);
  await build(folder, TODAY, '20GB');
  return folder;
}

/** Publish the staged rows of all days `times` as large. */
async function withHistory(times: number): Promise<string> {
  const [from, folder] = [await history(), newFolder(`times-${times}`)];
  for (const day of [...HISTORY, LAST]) {
    await enlargeDay(from, folder, day, times);
    await build(folder, day);
  }
  const [small, large] = [await rowsPublished(from, 'signals'), await rowsPublished(folder, 'signals')];
  if (large < 0.9 * times * small) throw new Error(`${large} signals, expected ${times} times ${small}`);
  return folder;
}

export const smallerFolder = once(() => withHistory(SMALLER));
export const largerFolder = once(() => withHistory(LARGER));

/** What lists of deals and lookups read: tables, and the column of a row's address. */
const LOOKED_UP = { deals: 'address', signals: 'address', auctions: 'property_address' };

/** Statements that repeat the rows of a published table, and write its Parquet file again. */
const repeat = (table: string, address: string, folder: string): string => `
  INSERT INTO ${table} SELECT * EXCLUDE (copy) REPLACE (
    md5(concat(id, copy))::UUID AS id, ${moved(address)} AS ${address}, ${moved('address_key')} AS address_key,
    ((copy + 100) || house_low)::INTEGER AS house_low, ((copy + 100) || house_high)::INTEGER AS house_high
  ) FROM ${table}, range(1, ${LARGER}) AS copies(copy);
  COPY ${table} TO ${literal(join(folder, `${table}.parquet`))} (FORMAT parquet);`;

/** The world's first snapshot with the rows that are looked up LARGER times: nothing is built. */
export const largerSnapshot = once(async () => {
  const [from, folder, name] = [await worldFolder(), newFolder('larger'), `snapshots/${TODAY}.01`];
  const snapshot = join(folder, name);
  await cp(join(from, name), snapshot, { recursive: true });
  const database = join(snapshot, 'dealfeed.duckdb');
  const copies = Object.entries(LOOKED_UP).map(([table, address]) => repeat(table, address, snapshot));
  await query(`${copies.join('')} CHECKPOINT`, database);
  const manifest = Manifest.parse(JSON.parse(await readFile(join(snapshot, 'manifest.json'), 'utf8')));
  for (const [table, facts] of Object.entries(manifest.tables)) if (table in LOOKED_UP) facts.rows *= LARGER;
  manifest.database.sha256 = await sha256OfFile(database);
  manifest.serving = await writeServingFiles(snapshot, manifest.database.file);
  await writeFile(join(snapshot, 'manifest.json'), JSON.stringify(manifest));
  await pointAt(join(folder, 'current'), name);
  return folder;
});
