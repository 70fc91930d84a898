/**
 * From pages to staged rows: every candidate is checked and loaded into a database in batches, duplicates are merged,
 * the last good version of refused rows is carried over, and everything is counted.
 *
 * Invariant, checked on every read:  rows in = rows out (fresh) + rejects + duplicates merged.
 */
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, openSmall, rowsOf } from '../../lib/duck.ts';
import { makeFolder, moveInto, sha256OfFile } from '../../lib/files.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { Quarantine, type Page, type SourceSpec } from '../../sources/contract.ts';
import { carryRows } from './carry.ts';
import {
  checkedRows,
  isPartOfKey,
  lostRow,
  type NaturalKey,
  type Rejected,
  type Unreadable,
  type Values,
} from './check.ts';
import { checkedFiles } from './each_file.ts';
import { resolveDuplicates } from './duplicates.ts';
import { fiscalYearsOf } from './fiscal_years.ts';
import { newestOf } from './newest.ts';
import type { ReadRecord } from './reads.ts';
import { HANDED_OVER, insertRows, stagedColumns } from './rows.ts';

/** Rows in one INSERT. */
const BATCH_ROWS = 10_000;
/** Rejects are kept in memory. A read with more of them is quarantined. */
const MAX_REJECTS = 200_000;
/** Pages of this size and more get a database of their own, which spills to the disk. */
const LARGE_BYTES = 16_000_000;
const LARGE_MEMORY = '1GB';

export interface ReadToStage {
  readonly spec: SourceSpec;
  readonly pages: readonly Page[];
  readonly unreadable: readonly Unreadable[];
  /** Instant for the rejects of unreadable rows. */
  readonly observedAt: string;
  /** Staged Parquet file that `write` creates. */
  readonly target: string;
  /** Called from time to time with the number of rows accepted so far, and whether all are checked. */
  readonly onRows?: ((rows: number, areAllChecked: boolean) => void) | undefined;
}

/** Counts and rejects of a read. */
export interface Tally {
  /** Accepted rows, duplicates merged. */
  readonly rows: number;
  readonly rejects: readonly Rejected[];
  /** Natural keys of refused rows, where they can be read. */
  readonly rejectedKeys: readonly NaturalKey[];
  readonly rowsIn: number;
  readonly merged: number;
  /** Rejects that stand for a page of several rows, such as a sale day. */
  readonly unreadablePages: number;
}

export interface Staged {
  readonly counts: ReadRecord['counts'];
  readonly parquet: NonNullable<ReadRecord['parquet']>;
  /** What the source declares that a read records: fiscal years, or the day of its newest row. */
  readonly facts: Pick<ReadRecord, 'fiscal_years' | 'newest'>;
}

/** A read whose accepted rows are in a database until it is closed. */
export interface StagedRead extends Tally {
  /** Write the staged file. @param before staged file that refused rows are carried from */
  write(before: string | undefined): Promise<Staged>;
  close(): Promise<void>;
}

/** Check every row of a read and load the accepted ones. @throws Quarantine when the adapter does not know a page */
export async function stageRead(read: ReadToStage): Promise<StagedRead> {
  await makeFolder(dirname(read.target));
  const { connection, close } = await openFor(read);
  try {
    const tally = await loadFresh(connection, read);
    return { ...tally, write: (before) => writeStaged(connection, read, tally, before), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A database for the rows of a read: a large one spills into a folder beside the staged file. */
async function openFor({ pages, target }: ReadToStage): Promise<{
  readonly connection: DuckDBConnection;
  close(): Promise<void>;
}> {
  if (pages.reduce((bytes, page) => bytes + page.bytes.length, 0) < LARGE_BYTES) return openSmall();
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

/** Fill the table `fresh` with the accepted rows, one for each key. */
async function loadFresh(connection: DuckDBConnection, read: ReadToStage): Promise<Tally> {
  const { spec, pages, unreadable, observedAt, target, onRows } = read;
  const columns = stagedColumns(spec);
  // Without NOT NULL: a row carried from before a column existed has no value for it.
  await connection.run(`CREATE TABLE fresh (${columns.map((c) => `${identifier(c.name)} ${c.sql}`).join(', ')})`);
  const rejects: Rejected[] = [];
  const rejectedKeys: NaturalKey[] = [];
  let batch: Values[] = [];
  let accepted = 0;
  const insertBatch = async (isLast: boolean): Promise<void> => {
    await insertRows(connection, `${target}${HANDED_OVER}`, 'fresh', columns, batch);
    accepted += batch.length;
    batch = [];
    onRows?.(accepted, isLast);
  };
  const candidates = spec.dropFolders ? checkedFiles(spec, pages) : checkedRows(spec, pages);
  for await (const checked of candidates) {
    if ('values' in checked) {
      batch.push(checked.values);
      if (batch.length === BATCH_ROWS) await insertBatch(false);
      continue;
    }
    rejects.push(checked.reject);
    if (checked.key) rejectedKeys.push(checked.key);
    if (rejects.length > MAX_REJECTS)
      throw new Quarantine(
        'too_many_rejects',
        `more than ${MAX_REJECTS} rows refused; the first: ${rejects[0]?.detail ?? ''}`,
        rejects[0]?.page_url,
      );
  }
  await insertBatch(true);
  for (const [index, lost] of unreadable.entries()) {
    rejectedKeys.push(lost.key);
    rejects.push(lostRow(spec, lost, index, observedAt));
  }
  const unreadablePages = rejectedKeys.filter((key) => isPartOfKey(spec, key)).length;
  const duplicates = await resolveDuplicates(connection, spec, pages);
  const { merged } = duplicates;
  return {
    rows: accepted - merged - duplicates.rejects.length,
    rejects: [...rejects, ...duplicates.rejects],
    rejectedKeys: [...rejectedKeys, ...duplicates.rejectedKeys],
    rowsIn: accepted + rejects.length,
    merged,
    unreadablePages,
  };
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
  try {
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
    const parquet = { sha256: await sha256OfFile(temporary), bytes: (await stat(temporary)).size };
    const fiscalYears = await fiscalYearsOf(connection, spec, pages);
    const newest = await newestOf(connection, spec);
    await moveInto(temporary, target);
    const facts = { ...(fiscalYears && { fiscal_years: fiscalYears }), ...(newest && { newest }) };
    return { counts, parquet, facts };
  } finally {
    await rm(temporary, { force: true });
  }
}
