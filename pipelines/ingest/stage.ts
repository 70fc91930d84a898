/**
 * From pages to staged rows: parse, check against the record, merge duplicates, hold the result against what
 * the adapter expects, keep the last good version of rows that could not be read, and count everything.
 *
 * Invariant, checked on every read:  rows in = rows out (fresh) + rejects + duplicates merged.
 */
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openSmall, rowsOf } from '../../lib/duck.ts';
import { makeFolder, moveInto, sha256OfFile } from '../../lib/files.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { Provenance, type RejectedRow } from '../../models/inputs.ts';
import type { Column, RowOf } from '../../lib/record.ts';
import { Quarantine, type Candidate, type Page, type SourceSpec } from '../../sources/contract.ts';
import type { Layout } from '../layout.ts';
import { trustedRows, type ReadRecord } from './reads.ts';
import { HANDED_OVER, loadRows } from './rows.ts';

export type Rejected = RowOf<typeof RejectedRow>;
export type Values = Readonly<Record<string, unknown>>;

/** A row known to exist whose page could not be read. */
export interface Unreadable {
  readonly key: Readonly<Record<string, string>>;
  readonly url: string;
  readonly reason: string;
  readonly detail: string;
}

/** What the pages of a read came to, wherever its rows lie. */
export interface Tally {
  /** Rows that stand, duplicates merged. */
  readonly rows: { readonly length: number };
  readonly rejects: readonly Rejected[];
  /** Natural keys of refused rows, where they can still be read. */
  readonly rejectedKeys: readonly Readonly<Record<string, string>>[];
  readonly rowsIn: number;
  readonly merged: number;
}

/** A read whose rows lie in memory. */
export interface Parsed extends Tally {
  readonly rows: readonly Values[];
}

/** What staging a read gives. */
export type Staged = { readonly counts: ReadRecord['counts']; readonly parquet: NonNullable<ReadRecord['parquet']> };

const RAW_LIMIT = 2000;
/** Stands for the hash of a page that could not be read. */
export const NO_BYTES = '0'.repeat(64);

/** Natural key of a row as one string. */
const keyOf = (spec: SourceSpec, values: Values): string => JSON.stringify(spec.row.key.map((k) => values[k] ?? null));

/** What a candidate comes to: a row with its provenance, or a reject with the row's key where it can still be read. */
export type Judged =
  | { readonly values: Values }
  | { readonly reject: Rejected; readonly key: Readonly<Record<string, string>> | undefined };

/** Check a candidate of a page against the record of its source. */
export function judge(spec: SourceSpec, page: Page, candidate: Candidate, index: number): Judged {
  const refuse = (reason: string, detail: string, key: Readonly<Record<string, string>> | undefined): Judged => ({
    reject: {
      source: spec.name,
      page_url: page.url,
      page_sha256: page.sha256,
      page_row: index,
      reason,
      detail,
      raw: candidate.raw.slice(0, RAW_LIMIT) || '(empty)',
      observed_at: page.observedAt,
    },
    key,
  });
  if ('reject' in candidate) return refuse(candidate.reject.reason, candidate.reject.detail, candidate.key);
  const checked = spec.row.schema.safeParse(candidate.values);
  if (!checked.success) {
    const key = Object.fromEntries(spec.row.key.map((k) => [k, candidate.values[k]]));
    return refuse(
      'invalid_field',
      checked.error.issues
        .map(
          (i) =>
            `${i.path.join('.') || 'row'} is ${JSON.stringify(i.path[0] === undefined ? null : (candidate.values[String(i.path[0])] ?? null))}: ${i.message}`,
        )
        .join('; '),
      Object.values(key).every((v) => typeof v === 'string') ? (key as Record<string, string>) : undefined,
    );
  }
  return {
    values: {
      ...checked.data,
      source: spec.name,
      source_url: candidate.sourceUrl ?? page.url,
      observed_at: page.observedAt,
      page_sha256: page.sha256,
      page_row: index,
    },
  };
}

/** A row known of without a page of its own, as a reject. */
export const lostRow = (spec: SourceSpec, lost: Unreadable, index: number, observedAt: string): Rejected => ({
  source: spec.name,
  page_url: lost.url,
  page_sha256: NO_BYTES,
  page_row: index,
  reason: lost.reason,
  detail: lost.detail,
  raw: JSON.stringify(lost.key),
  observed_at: observedAt,
});

/** Parse all pages of a read and check every row. Pure. @throws Quarantine when a page is not what the adapter knows. */
export function parsePages(
  spec: SourceSpec,
  pages: readonly Page[],
  unreadable: readonly Unreadable[],
  observedAt: string,
): Parsed {
  const byKey = new Map<string, Values>();
  const rejects: Rejected[] = [];
  const rejectedKeys: Readonly<Record<string, string>>[] = [];
  let rowsIn = 0;
  let merged = 0;
  for (const page of pages) {
    for (const [index, candidate] of parseOne(spec, page).entries()) {
      rowsIn += 1;
      const judged = judge(spec, page, candidate, index);
      if ('reject' in judged) {
        rejects.push(judged.reject);
        if (judged.key) rejectedKeys.push(judged.key);
        continue;
      }
      const key = keyOf(spec, judged.values);
      if (byKey.has(key)) merged += 1;
      // The later of two versions of a row stands: pages are read in the source's own order.
      byKey.set(key, judged.values);
    }
  }
  for (const [index, lost] of unreadable.entries()) {
    rowsIn += 1;
    rejectedKeys.push(lost.key);
    rejects.push(lostRow(spec, lost, index, observedAt));
  }
  return { rows: [...byKey.values()], rejects, rejectedKeys, rowsIn, merged };
}

/** Candidates of a page. @throws Quarantine, also where the parser itself fails */
export function parseOne(spec: SourceSpec, page: Page): ReturnType<SourceSpec['parse']> {
  try {
    return spec.parse(page);
  } catch (error) {
    if (error instanceof Quarantine) {
      throw error.pageUrl === undefined ? new Quarantine(error.reason, error.message, page.url) : error;
    }
    throw new Quarantine(
      'parser_error',
      `the parser failed on ${page.kind}: ${error instanceof Error ? error.message : String(error)}`,
      page.url,
    );
  }
}

/** Hold a read against what its adapter expects. @throws Quarantine naming the figure and its bound. */
export function checkExpectations(spec: SourceSpec, parsed: Tally, lastGoodRows: number | undefined): void {
  const { minRows, maxRejectShare, maxDropShare } = spec.expect;
  const fresh = parsed.rows.length;
  const share = parsed.rowsIn === 0 ? 0 : parsed.rejects.length / parsed.rowsIn;
  if (share > maxRejectShare) {
    const first = parsed.rejects[0];
    throw new Quarantine(
      'too_many_rejects',
      `${parsed.rejects.length} of ${parsed.rowsIn} rows refused, at most ${(maxRejectShare * 100).toFixed(0)} % expected; the first: ${first?.detail ?? ''}`,
      first?.page_url,
    );
  }
  if (fresh < minRows) throw new Quarantine('too_few_rows', `${fresh} rows read, at least ${minRows} expected`);
  if (spec.reads !== 'increments' && lastGoodRows !== undefined && fresh < lastGoodRows * (1 - maxDropShare)) {
    throw new Quarantine(
      'row_count_dropped',
      `${fresh} rows read, ${lastGoodRows} in the last good read: a fall of more than ${(maxDropShare * 100).toFixed(0)} %`,
    );
  }
}

/** Verified rows of the read that stood before, where any may be carried: what nothing is carried from is not looked at. */
export const carriedFrom = async (
  layout: Layout,
  { rejectedKeys }: Tally,
  standing: ReadRecord | undefined,
): Promise<string | undefined> => (standing && rejectedKeys.length > 0 ? trustedRows(layout, standing) : undefined);

/**
 * Write the staged Parquet file of a read: the fresh rows plus, from the read that stood before, the rows whose
 * keys were refused today. Rows are sorted by key, so the bytes do not depend on the order of pages.
 * @param before staged file that refused rows are carried from
 */
export async function writeRows(
  target: string,
  spec: SourceSpec,
  parsed: Parsed,
  before: string | undefined,
): Promise<Staged> {
  await makeFolder(dirname(target));
  const duck = await openSmall();
  try {
    await loadRows(duck.connection, `${target}${HANDED_OVER}`, 'fresh', columnsOf(spec), parsed.rows);
    return await writeFresh(duck.connection, target, spec, parsed, before);
  } finally {
    await duck.close();
  }
}

/** Columns of a staged file. */
export const columnsOf = (spec: SourceSpec): readonly Column[] => [...spec.row.columns, ...Provenance.columns];

/**
 * Fill a table `carried` with the rows of the read before whose keys were refused today and that `fresh` does not hold.
 * @returns how many they are
 */
export async function gatherCarried(
  connection: DuckDBConnection,
  spec: SourceSpec,
  tally: Tally,
  before: string | undefined,
): Promise<number> {
  const columns = columnsOf(spec);
  await connection.run(
    `CREATE TABLE carried AS SELECT ${columns.map((c) => identifier(c.name)).join(', ')} FROM fresh LIMIT 0`,
  );
  if (before === undefined || tally.rejectedKeys.length === 0) return 0;
  await connection.run(`CREATE TABLE refused (${spec.row.key.map((k) => `${identifier(k)} VARCHAR`).join(', ')})`);
  for (const k of tally.rejectedKeys) {
    await connection.run(
      `INSERT INTO refused VALUES (${spec.row.key.map((_, i) => `$${i + 1}`).join(', ')})`,
      spec.row.key.map((name) => k[name] ?? null),
    );
  }
  const same = (a: string, b: string): string =>
    spec.row.key
      .map((n) => `CAST(${a}.${identifier(n)} AS VARCHAR) IS NOT DISTINCT FROM CAST(${b}.${identifier(n)} AS VARCHAR)`)
      .join(' AND ');
  // A file from before a column existed has no value for it.
  const present = new Set(
    (await rowsOf(connection, `DESCRIBE SELECT * FROM read_parquet(${literal(before)})`)).map((r) => r['column_name']),
  );
  const values = columns
    .map((c) => (present.has(c.name) ? `p.${identifier(c.name)}` : `CAST(NULL AS ${c.sql})`))
    .join(', ');
  await connection.run(`INSERT INTO carried SELECT ${values} FROM read_parquet(${literal(before)}) p
    WHERE EXISTS (FROM refused r WHERE ${same('p', 'r')}) AND NOT EXISTS (FROM fresh f WHERE ${same('p', 'f')})`);
  return Number((await rowsOf(connection, 'SELECT count(*) AS n FROM carried'))[0]?.['n']);
}

/**
 * Write a staged file beside its place, count it, and put it there.
 * @param rows SELECT of the fresh and the carried rows, in the order of the file
 */
export async function putStaged(
  target: string,
  spec: SourceSpec,
  tally: Tally,
  carried: number,
  rows: string,
  connection: DuckDBConnection,
): Promise<Staged> {
  const temporary = `${target}.tmp`;
  try {
    const [copied] = await rowsOf(
      connection,
      `COPY (${rows}) TO ${literal(temporary)} (FORMAT parquet, COMPRESSION zstd)`,
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
    await moveInto(temporary, target);
    return { counts, parquet };
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Write the rows of the table `fresh`, one for each key, and what is carried. */
async function writeFresh(
  connection: DuckDBConnection,
  target: string,
  spec: SourceSpec,
  tally: Tally,
  before: string | undefined,
): Promise<Staged> {
  const carried = await gatherCarried(connection, spec, tally, before);
  const [names, key] = [columnsOf(spec).map((c) => c.name), spec.row.key].map((list) =>
    list.map(identifier).join(', '),
  );
  return putStaged(
    target,
    spec,
    tally,
    carried,
    `SELECT * FROM (SELECT ${names} FROM fresh UNION ALL FROM carried) ORDER BY ${key}`,
    connection,
  );
}
