/**
 * From pages to staged rows: every candidate is checked and loaded into a database in batches, duplicates are merged,
 * the last good version of refused rows is carried over, and everything is counted.
 *
 * Invariant, checked on every read:  rows in = rows out (fresh) + rejects + duplicates merged.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { closing } from '../../../lib/closing.ts';
import { openDuck, openSmall, rowsOf } from '../../../lib/duck.ts';
import { contentOf, makeFolder, moveInto, removedAtEnd } from '../../../lib/files.ts';
import { identifier, literal } from '../../../lib/sql.ts';
import { Quarantine, type SourceSpec } from '../../../sources/contract.ts';
import { dropFolderAddress } from '../../../sources/fetch/drop.ts';
import { countFilled, findFiscalYears, findNewestDay, listValues } from '../facts.ts';
import type { ReadPage, ReadRecord } from '../reads.ts';
import { checkedRows, isPartOfKey, lostRow, type NaturalKey, type Rejected } from './check_rows.ts';
import type { Checked, Tally, Unreadable } from './check_rows.ts';
import { resolveDuplicates } from './duplicates.ts';
import { checkedFiles } from './each_file.ts';
import { createTableWithRows, HANDED_OVER, RowBatch, stagedColumns } from './json_rows.ts';

export interface ReadToStage {
  readonly spec: SourceSpec;
  readonly pages: readonly ReadPage[];
  readonly unreadable: readonly Unreadable[];
  /** Instant for the rejects of unreadable rows. */
  readonly observedAt: string;
  /** Staged Parquet file that `write` creates; temporary files go into the same folder. */
  readonly target: string;
  /** Called from time to time with the number of rows accepted so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

export interface Staged {
  readonly counts: ReadRecord['counts'];
  readonly parquet: NonNullable<ReadRecord['parquet']>;
  /** Fill rates, and what the source's declaration asks to record: fiscal years, or the day of the newest row. */
  readonly facts: Pick<ReadRecord, 'fiscal_years' | 'newest' | 'filled' | 'values'>;
}

/** A read whose accepted rows are in a database until it is closed. */
export interface StagedRead extends Tally {
  /** Write the staged file. @param before staged file that refused rows are carried from */
  write(before: string | undefined): Promise<Staged>;
  close(): Promise<void>;
}

/**
 * Check every row of a read and load the accepted ones.
 * @throws Quarantine when the adapter does not know a page
 */
export async function stageRead(read: ReadToStage): Promise<StagedRead> {
  await makeFolder(dirname(read.target));
  const { connection, close } = await openStaging(read);
  try {
    const tally = await loadFresh(connection, read);
    return { ...tally, write: (before) => writeStaged(connection, read, tally, before), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Pages of this size and more get a database of their own, which spills to the disk. */
const LARGE_BYTES = 16_000_000;
const LARGE_MEMORY = '1GB';

/** Open a database for the rows of these pages. A large one spills to disk in the folder of the staged file. */
async function openStaging({ pages, target }: ReadToStage): ReturnType<typeof openSmall> {
  if (pages.reduce((bytes, page) => bytes + page.size, 0) < LARGE_BYTES) return openSmall();
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: LARGE_MEMORY });
  const spill = `${target}.spill.tmp`;
  await duck.connection.run(`SET temp_directory = ${literal(spill)}`);
  return closing({
    connection: duck.connection,
    async close() {
      duck.close();
      await rm(spill, { recursive: true, force: true });
    },
  });
}

/** Fill the table `fresh` with the accepted rows, one for each key. */
async function loadFresh(connection: DuckDBConnection, read: ReadToStage): Promise<Tally> {
  const { spec, pages, unreadable, observedAt } = read;
  // Without NOT NULL: a row carried from before a column existed has no value for it.
  const columns = stagedColumns(spec).map((column) => `${identifier(column.name)} ${column.sql}`);
  await connection.run(`CREATE TABLE fresh (${columns.join(', ')})`);
  const loaded = await loadRows(connection, read);
  const lost = unreadable.map((row, index) => lostRow(spec, row, index, observedAt));
  const rejects = [...loaded.rejects, ...lost];
  const rejectedKeys = [...loaded.rejectedKeys, ...unreadable.map(({ key }) => key)];
  const unreadablePages = rejectedKeys.filter((key) => isPartOfKey(spec, key)).length;
  const duplicates = await resolveDuplicates(connection, spec, pages);
  const { merged } = duplicates;
  return {
    rows: loaded.accepted - merged - duplicates.rejects.length,
    rejects: [...rejects, ...duplicates.rejects],
    rejectedKeys: [...rejectedKeys, ...duplicates.rejectedKeys],
    rowsIn: loaded.accepted + rejects.length,
    merged,
    unreadablePages,
  };
}

/** Rows in one INSERT. */
const BATCH_ROWS = 10_000;
/** Rejects are kept in memory. A read with more of them is quarantined. */
const MAX_REJECTS = 200_000;

async function* candidatesOf({ spec, pages }: ReadToStage): AsyncGenerator<Iterable<Checked>> {
  if (spec.dropFolders) yield await checkedFiles(spec, pages);
  else for (const page of pages) yield* checkedRows(spec, [await page.open()]);
}

/** Load the accepted rows, in the order of the pages. @throws Quarantine when the adapter does not know a page */
async function loadRows(connection: DuckDBConnection, read: ReadToStage) {
  const { spec, target, onRows } = read;
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
  for await (const turn of candidatesOf(read)) {
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

/**
 * Write the staged Parquet file of a read: the fresh rows and, from the last good read, the rows whose keys were
 * refused today. Rows are sorted by key, so the bytes do not depend on the order of pages.
 * @param before staged file that refused rows are carried from
 */
async function writeStaged(
  connection: DuckDBConnection,
  { spec, pages, target }: ReadToStage,
  tally: Tally,
  before: string | undefined,
): Promise<Staged> {
  const temporary = `${target}.tmp`;
  await using _removed = removedAtEnd(temporary);
  const filled = await countFilled(connection, spec);
  const values = await listValues(connection, spec);
  const carried = await carryRows(connection, spec, tally.rejectedKeys, { before, target });
  const [copied] = await rowsOf(
    connection,
    `COPY (FROM fresh ORDER BY ${spec.row.key.map(identifier).join(', ')})
      TO ${literal(temporary)} (FORMAT parquet, COMPRESSION zstd)`,
  );
  const counts = {
    rows_in: tally.rowsIn,
    rows_out: Number(copied?.['Count']) - carried,
    rows_rejected: tally.rejects.length,
    rows_merged: tally.merged,
    rows_carried: carried,
  };
  if (counts.rows_in !== counts.rows_out + counts.rows_rejected + counts.rows_merged) {
    throw new Error(`${spec.name}: rows do not add up: ${JSON.stringify(counts)}`);
  }
  const parquet = await contentOf(temporary);
  const fiscalYears = await findFiscalYears(connection, spec, pages);
  const newest = await findNewestDay(connection, spec);
  await moveInto(temporary, target);
  const facts = { ...(fiscalYears && { fiscal_years: fiscalYears }), ...(newest && { newest }), filled, values };
  return { counts, parquet, facts };
}

/**
 * Add to the table `fresh` the rows of the last good read whose keys were refused today and that `fresh` does not hold.
 * A key with only some of its parts stands for all rows of an unreadable page. The key `folder` stands for the rows of
 * that drop folder, except those of files that were read today.
 * @returns number of rows added
 */
async function carryRows(
  connection: DuckDBConnection,
  spec: SourceSpec,
  rejectedKeys: readonly NaturalKey[],
  { before, target }: { readonly before: string | undefined; readonly target: string },
): Promise<number> {
  if (before === undefined || rejectedKeys.length === 0) return 0;
  const { key, columns } = spec.row;
  const parts = columns
    .filter((column) => key.includes(column.name))
    .map((column) => ({ ...column, sql: 'VARCHAR', absent: 'not read' }));
  const folders = rejectedKeys.flatMap(({ folder }) => (folder === undefined ? [] : [folder]));
  const pages = rejectedKeys.filter((refused) => isPartOfKey(spec, refused) && key.some((name) => name in refused));
  const rows = rejectedKeys.filter((refused) => !isPartOfKey(spec, refused));
  const file = `${target}.refused${HANDED_OVER}`;
  await createTableWithRows(connection, { table: 'refused', columns: parts, file }, rows);
  await createTableWithRows(connection, { table: 'refused_pages', columns: parts, file }, pages);
  const ofKey = (condition: (name: string) => string): string => key.map(identifier).map(condition).join(' AND ');
  const sameKey = (a: string, b: string): string =>
    ofKey((name) => `CAST(${a}.${name} AS VARCHAR) IS NOT DISTINCT FROM CAST(${b}.${name} AS VARCHAR)`);
  const onPage = ofKey((name) => `(r.${name} IS NULL OR r.${name} = CAST(p.${name} AS VARCHAR))`);
  const inFolder = [...new Set(folders)].map((folder) => {
    const address = literal(dropFolderAddress(spec.name, folder));
    return `starts_with(p.source_url, ${address}) AND NOT contains(substr(p.source_url, length(${address}) + 1), '/')
        AND p.source_url NOT IN (SELECT source_url FROM fresh)`;
  });
  const isLost = [
    `EXISTS (FROM refused r WHERE ${sameKey('p', 'r')})`,
    `EXISTS (FROM refused_pages r WHERE ${onPage})`,
    ...inFolder.map((condition) => `(${condition})`),
  ];
  const selected = stagedColumns(spec).map(({ name }) => `p.${identifier(name)}`);
  // By name: a file from before a column existed has no value for it.
  const [added] = await rowsOf(
    connection,
    `INSERT INTO fresh SELECT ${selected.join(', ')}
      FROM (SELECT * FROM fresh WHERE false UNION ALL BY NAME SELECT * FROM read_parquet(${literal(before)})) p
      WHERE (${isLost.join(' OR ')})
        AND NOT EXISTS (FROM fresh f WHERE ${sameKey('p', 'f')})`,
  );
  return Number(added?.['Count']);
}
