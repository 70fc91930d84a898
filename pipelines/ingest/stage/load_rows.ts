/** Checks the rows of pages and loads the accepted ones into the table `fresh`, in the order of the pages. */
import { rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, openSmall } from '../../../lib/duck.ts';
import { identifier, literal } from '../../../lib/sql.ts';
import { Quarantine, type SourceSpec } from '../../../sources/contract.ts';
import type { ReadPage } from '../reads.ts';
import { checkedRows, type Checked, type NaturalKey, type Rejected } from './check_rows.ts';
import { checkedFiles } from './each_file.ts';
import { HANDED_OVER, RowBatch, stagedColumns } from './json_rows.ts';

/** Rows in one INSERT. */
const BATCH_ROWS = 10_000;
/** Rejects are kept in memory. A read with more of them is quarantined. */
const MAX_REJECTS = 200_000;

export interface RowsToLoad {
  readonly spec: SourceSpec;
  readonly pages: readonly ReadPage[];
  /** Path of the rows' file; temporary files go into the same folder. */
  readonly target: string;
  /** Called from time to time with the number of rows accepted so far, and whether all are checked. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** Create the table. Without NOT NULL: a row carried from before a column existed has no value for it. */
export async function createFresh(connection: DuckDBConnection, spec: SourceSpec): Promise<void> {
  const columns = stagedColumns(spec).map((column) => `${identifier(column.name)} ${column.sql}`);
  await connection.run(`CREATE TABLE fresh (${columns.join(', ')})`);
}

async function* candidatesOf({ spec, pages }: RowsToLoad): AsyncGenerator<Iterable<Checked>> {
  if (spec.dropFolders) yield await checkedFiles(spec, pages);
  else for (const page of pages) yield* checkedRows(spec, [await page.open()]);
}

/** Fill the table `fresh`. @throws Quarantine when the adapter does not know a page */
export async function loadRows(connection: DuckDBConnection, rows: RowsToLoad) {
  const { spec, target, onRows } = rows;
  const columns = stagedColumns(spec);
  const rejects: Rejected[] = [];
  /** Where they can be read. */
  const rejectedKeys: NaturalKey[] = [];
  const batch = new RowBatch(connection, { table: 'fresh', columns, file: `${target}${HANDED_OVER}` });
  let accepted = 0;
  const insertBatch = async (): Promise<void> => {
    accepted += batch.rows;
    await batch.insert();
    onRows?.(accepted);
  };
  for await (const turn of candidatesOf(rows)) {
    for (const checked of turn) {
      if ('values' in checked) {
        batch.add(checked.values);
        if (batch.rows === BATCH_ROWS) await insertBatch();
        continue;
      }
      rejects.push(checked.reject);
      if (checked.key) rejectedKeys.push(checked.key);
    }
    if (rejects.length > MAX_REJECTS)
      throw new Quarantine(
        'too_many_rejects',
        `more than ${MAX_REJECTS} rows refused; the first: ${rejects[0]?.detail ?? ''}`,
        rejects[0]?.page_url,
      );
  }
  await insertBatch();
  return { accepted, rejects, rejectedKeys };
}

/** Pages of this size and more get a database of their own, which spills to the disk. */
const LARGE_BYTES = 16_000_000;
const LARGE_MEMORY = '1GB';

/** Open a database for the rows of these pages. A large one spills to disk in the folder of the staged file. */
export async function openStaging({ pages, target }: Pick<RowsToLoad, 'pages' | 'target'>): Promise<{
  readonly connection: DuckDBConnection;
  close(): Promise<void>;
}> {
  if (pages.reduce((bytes, page) => bytes + page.size, 0) < LARGE_BYTES) return openSmall();
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: LARGE_MEMORY });
  const spill = `${target}.spill.tmp`;
  await duck.connection.run(`SET temp_directory = ${literal(spill)}`);
  return {
    connection: duck.connection,
    async close() {
      duck.close();
      await rm(spill, { recursive: true, force: true });
    },
  };
}
