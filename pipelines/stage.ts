/**
 * From pages to staged rows: parse, check against the record, merge duplicates, hold the result against what
 * the adapter expects, keep the last good version of rows that could not be read, and count everything.
 *
 * Invariant, checked on every read:  rows in = rows out (fresh) + rejects + duplicates merged.
 */
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { makeFolder, moveInto, sha256OfFile } from '../lib/files.ts';
import { identifier, literal } from '../lib/sql.ts';
import { Provenance, type RejectedRow } from '../models/inputs.ts';
import type { RowOf } from '../lib/record.ts';
import { Quarantine, type Page, type SourceSpec } from '../sources/contract.ts';
import type { Layout } from './layout.ts';
import { stagedParquet, trustedRows, type ReadRecord } from './reads.ts';
import { HANDED_OVER, loadRows } from './rows.ts';

type Rejected = RowOf<typeof RejectedRow>;
type Values = Readonly<Record<string, unknown>>;

/** A row known to exist whose page could not be read. */
export interface Unreadable {
  readonly key: Readonly<Record<string, string>>;
  readonly url: string;
  readonly reason: string;
  readonly detail: string;
}

export interface Parsed {
  readonly rows: readonly Values[];
  readonly rejects: readonly Rejected[];
  /** Natural keys of refused rows, where they can still be read. */
  readonly rejectedKeys: readonly Readonly<Record<string, string>>[];
  readonly rowsIn: number;
  readonly merged: number;
}

/** What staging a read gives. */
export type Staged = { readonly counts: ReadRecord['counts']; readonly parquet: NonNullable<ReadRecord['parquet']> };

const RAW_LIMIT = 2000;
/** Stands for the hash of a page that could not be read. */
export const NO_BYTES = '0'.repeat(64);

/** Natural key of a row as one string. */
const keyOf = (spec: SourceSpec, values: Values): string => JSON.stringify(spec.row.key.map((k) => values[k] ?? null));

/** Parse all pages of a read and check every row. Pure. @throws Quarantine when a page is not what the adapter knows. */
export function parsePages(spec: SourceSpec, pages: readonly Page[], unreadable: readonly Unreadable[], observedAt: string): Parsed {
  const byKey = new Map<string, Values>();
  const rejects: Rejected[] = [];
  const rejectedKeys: Readonly<Record<string, string>>[] = [];
  let rowsIn = 0;
  let merged = 0;
  for (const page of pages) {
    for (const [index, candidate] of parseOne(spec, page).entries()) {
      rowsIn += 1;
      const refuse = (reason: string, detail: string): void => {
        rejects.push({
          source: spec.name, page_url: page.url, page_sha256: page.sha256, page_row: index, reason, detail,
          raw: candidate.raw.slice(0, RAW_LIMIT) || '(empty)', observed_at: page.observedAt,
        });
      };
      if ('reject' in candidate) {
        refuse(candidate.reject.reason, candidate.reject.detail);
        if (candidate.key) rejectedKeys.push(candidate.key);
        continue;
      }
      const checked = spec.row.schema.safeParse(candidate.values);
      if (!checked.success) {
        refuse('invalid_field', checked.error.issues
          .map((i) => `${i.path.join('.') || 'row'} is ${JSON.stringify(i.path[0] === undefined ? null : candidate.values[String(i.path[0])] ?? null)}: ${i.message}`).join('; '));
        const key = Object.fromEntries(spec.row.key.map((k) => [k, candidate.values[k]]));
        if (Object.values(key).every((v) => typeof v === 'string')) rejectedKeys.push(key as Record<string, string>);
        continue;
      }
      const key = keyOf(spec, checked.data);
      if (byKey.has(key)) merged += 1;
      // The later of two versions of a row stands: pages are read in the source's own order.
      byKey.set(key, {
        ...checked.data, source: spec.name, source_url: candidate.sourceUrl ?? page.url,
        observed_at: page.observedAt, page_sha256: page.sha256, page_row: index,
      });
    }
  }
  for (const [index, lost] of unreadable.entries()) {
    rowsIn += 1;
    rejectedKeys.push(lost.key);
    rejects.push({
      source: spec.name, page_url: lost.url, page_sha256: NO_BYTES, page_row: index, reason: lost.reason, detail: lost.detail,
      raw: JSON.stringify(lost.key), observed_at: observedAt,
    });
  }
  return { rows: [...byKey.values()], rejects, rejectedKeys, rowsIn, merged };
}

function parseOne(spec: SourceSpec, page: Page): ReturnType<SourceSpec['parse']> {
  try {
    return spec.parse(page);
  } catch (error) {
    if (error instanceof Quarantine) {
      throw error.pageUrl === undefined ? new Quarantine(error.reason, error.message, page.url) : error;
    }
    throw new Quarantine('parser_error', `the parser failed on ${page.kind}: ${error instanceof Error ? error.message : String(error)}`, page.url);
  }
}

/** Hold a read against what its adapter expects. @throws Quarantine naming the figure and its bound. */
export function checkExpectations(spec: SourceSpec, parsed: Parsed, lastGoodRows: number | undefined): void {
  const { minRows, maxRejectShare, maxDropShare } = spec.expect;
  const fresh = parsed.rows.length;
  const share = parsed.rowsIn === 0 ? 0 : parsed.rejects.length / parsed.rowsIn;
  if (share > maxRejectShare) {
    const first = parsed.rejects[0];
    throw new Quarantine('too_many_rejects',
      `${parsed.rejects.length} of ${parsed.rowsIn} rows refused, at most ${(maxRejectShare * 100).toFixed(0)} % expected; the first: ${first?.detail ?? ''}`, first?.page_url);
  }
  if (fresh < minRows) throw new Quarantine('too_few_rows', `${fresh} rows read, at least ${minRows} expected`);
  if (spec.reads !== 'increments' && lastGoodRows !== undefined && fresh < lastGoodRows * (1 - maxDropShare)) {
    throw new Quarantine('row_count_dropped',
      `${fresh} rows read, ${lastGoodRows} in the last good read: a fall of more than ${(maxDropShare * 100).toFixed(0)} %`);
  }
}

/**
 * Write the staged Parquet file of a read: the fresh rows plus, from the read that stood before, the rows whose
 * keys were refused today. Rows are sorted by key, so the bytes do not depend on the order of pages.
 */
export async function writeStaged(
  layout: Layout, spec: SourceSpec, runId: string, parsed: Parsed, standing: ReadRecord | undefined,
): Promise<Staged> {
  // What nothing is carried from is not looked at.
  const before = standing && parsed.rejectedKeys.length > 0 ? await trustedRows(layout, standing) : undefined;
  return writeRows(stagedParquet(layout, spec.name, runId), spec, parsed, before);
}

/**
 * The same into any file.
 * @param before staged file that refused rows are carried from
 */
export async function writeRows(target: string, spec: SourceSpec, parsed: Parsed, before: string | undefined): Promise<Staged> {
  await makeFolder(dirname(target));
  const columns = [...spec.row.columns, ...Provenance.columns];
  const temporary = `${target}.tmp`;
  const duck = await openDuck(':memory:', { threads: 1 });
  try {
    const { connection } = duck;
    await loadRows(connection, `${target}${HANDED_OVER}`, 'fresh', columns, parsed.rows);
    const key = spec.row.key.map(identifier).join(', ');
    let carried = 0;
    await connection.run('CREATE TABLE carried AS FROM fresh LIMIT 0');
    if (before !== undefined && parsed.rejectedKeys.length > 0) {
      await connection.run(`CREATE TABLE refused (${spec.row.key.map((k) => `${identifier(k)} VARCHAR`).join(', ')})`);
      for (const k of parsed.rejectedKeys) {
        await connection.run(`INSERT INTO refused VALUES (${spec.row.key.map((_, i) => `$${i + 1}`).join(', ')})`, spec.row.key.map((name) => k[name] ?? null));
      }
      const same = (a: string, b: string): string => spec.row.key.map((n) => `CAST(${a}.${identifier(n)} AS VARCHAR) IS NOT DISTINCT FROM CAST(${b}.${identifier(n)} AS VARCHAR)`).join(' AND ');
      // A file from before a column existed has no value for it.
      const present = new Set((await rowsOf(connection, `DESCRIBE SELECT * FROM read_parquet(${literal(before)})`)).map((r) => r['column_name']));
      const names = columns.map((c) => (present.has(c.name) ? `p.${identifier(c.name)}` : `CAST(NULL AS ${c.sql})`)).join(', ');
      await connection.run(`INSERT INTO carried SELECT ${names} FROM read_parquet(${literal(before)}) p
        WHERE EXISTS (FROM refused r WHERE ${same('p', 'r')}) AND NOT EXISTS (FROM fresh f WHERE ${same('p', 'f')})`);
      carried = Number((await rowsOf(connection, 'SELECT count(*) AS n FROM carried'))[0]?.['n']);
    }
    await connection.run(`COPY (SELECT * FROM (FROM fresh UNION ALL FROM carried) ORDER BY ${key}) TO ${literal(temporary)} (FORMAT parquet, COMPRESSION zstd)`);
    const written = Number((await rowsOf(connection, `SELECT count(*) AS n FROM read_parquet(${literal(temporary)})`))[0]?.['n']);
    const counts = { rows_in: parsed.rowsIn, rows_out: written - carried, rows_rejected: parsed.rejects.length, rows_merged: parsed.merged, rows_carried: carried };
    if (counts.rows_in !== counts.rows_out + counts.rows_rejected + counts.rows_merged) {
      throw new Error(`${spec.name}: rows do not add up: ${JSON.stringify(counts)}`);
    }
    await moveInto(temporary, target);
    return { counts, parquet: { sha256: await sha256OfFile(target), bytes: (await stat(target)).size } };
  } finally {
    duck.close();
    await rm(temporary, { force: true });
  }
}
