/**
 * From pages to staged rows: every candidate is checked and loaded into a database in batches, duplicates are merged,
 * the last good version of refused rows is carried over, and everything is counted.
 *
 * Invariant, checked on every read:  rows in = rows out (fresh) + rejects + duplicates merged.
 */
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';
import { makeFolder, moveInto, sha256OfFile } from '../../../lib/files.ts';
import { identifier, literal } from '../../../lib/sql.ts';
import { carryRows } from './carry.ts';
import { isPartOfKey, lostRow, type Tally, type Unreadable } from './check_rows.ts';
import { resolveDuplicates } from './duplicates.ts';
import { countFilled, listValues } from '../fill.ts';
import { findFiscalYears, findNewestDay } from '../recency.ts';
import { createFresh, loadRows, openStaging, type RowsToLoad } from './load_rows.ts';
import type { ReadRecord } from '../reads.ts';

export interface ReadToStage extends RowsToLoad {
  readonly unreadable: readonly Unreadable[];
  /** Instant for the rejects of unreadable rows. */
  readonly observedAt: string;
  /** Staged Parquet file that `write` creates. */
  readonly target: string;
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

/** Fill the table `fresh` with the accepted rows, one for each key. */
async function loadFresh(connection: DuckDBConnection, read: ReadToStage): Promise<Tally> {
  const { spec, pages, unreadable, observedAt } = read;
  await createFresh(connection, spec);
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
    const parquet = { sha256: await sha256OfFile(temporary), bytes: (await stat(temporary)).size };
    const fiscalYears = await findFiscalYears(connection, spec, pages);
    const newest = await findNewestDay(connection, spec);
    await moveInto(temporary, target);
    const facts = { ...(fiscalYears && { fiscal_years: fiscalYears }), ...(newest && { newest }), filled, values };
    return { counts, parquet, facts };
  } finally {
    await rm(temporary, { force: true });
  }
}
