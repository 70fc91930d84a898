/** Data folders of measures, and queries of them. */
import { join } from 'node:path';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { literal } from '../lib/sql.ts';
import { runPipeline } from './programs.ts';
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
  const duck = await openDuck(file, { memoryLimit: '8GB' });
  try {
    return await rowsOf(duck.connection, sql);
  } finally {
    duck.close();
  }
}

/** A table of the current snapshot, as SQL. */
export const published = (folder: string, table: string): string =>
  literal(join(folder, 'current', `${table}.parquet`));

/** Some rows of a published table, always the same ones. */
export const sampleOf = (folder: string, table: string, where: string, count: number): Promise<Row[]> =>
  query(`FROM ${published(folder, table)} WHERE ${where} ORDER BY hash(id) LIMIT ${count}`);

export const rowsPublished = async (folder: string, table: string): Promise<number> =>
  Number((await query(`SELECT count(*) AS n FROM ${published(folder, table)}`))[0]?.['n']);
