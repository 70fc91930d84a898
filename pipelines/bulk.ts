/**
 * Staging a CSV page of millions of rows (sources/bulk_csv.ts). The page is cut into parts of some thousand records; in
 * each, DuckDB reads the plain rows and the adapter's parser the others. A part that readers of CSV might read in
 * different ways, or that DuckDB refuses, goes to the parser whole. Rows lie in DuckDB, which puts on the disk what its
 * share of the memory does not hold.
 */
import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Column } from '../lib/record.ts';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { makeFolder } from '../lib/files.ts';
import { identifier, literal } from '../lib/sql.ts';
import { plainRowsSql } from '../sources/bulk_csv.ts';
import { csvSlices, isStrictCsv, recordsAt } from '../sources/csv_slices.ts';
import { Quarantine, type BulkCsv, type Candidate, type Page, type SourceSpec } from '../sources/contract.ts';
import { decodeText } from '../sources/fetch/decode.ts';
import { HANDED_OVER, insertRows } from './rows.ts';
import { columnsOf, judge, lostRow, parseOne, writeFresh, type Judged, type Rejected, type Staged, type Tally, type Unreadable } from './stage.ts';

/** A page smaller than this is parsed like any other. */
const BULK_BYTES = 16_000_000;
const PART_BYTES = 8_000_000;
/** Parts that DuckDB reads at the same time, each on a thread of its own. */
const PARALLEL = 2;
const MEMORY_LIMIT = '1200MB';
/** Rejects that are kept in memory. A read with so many is not one to trust. */
const MOST_REJECTS = 200_000;

/** Whether a read is one to take this way. */
export const isBulk = (spec: SourceSpec, pages: readonly Page[], least = BULK_BYTES): boolean =>
  spec.bulk !== undefined && pages.some((page) => page.kind === spec.bulk?.kind && page.bytes.length >= least);

/** A read whose rows lie in DuckDB, until it is closed. */
export interface BulkRead extends Tally {
  /** Write its staged file. @param before staged file that refused rows are carried from */
  write(before: string | undefined): Promise<Staged>;
  close(): Promise<void>;
}

interface Part {
  readonly number: number;
  readonly page: Page;
  readonly bytes: Uint8Array;
  /** Where the parser takes it whole. */
  readonly bulk: BulkCsv | undefined;
}

/** Parts of all pages, in order. */
function* partsOf(spec: SourceSpec, pages: readonly Page[], partBytes: number): Generator<Part> {
  let number = 0;
  for (const page of pages) {
    const { bulk } = spec;
    const slices = bulk?.kind === page.kind ? csvSlices(page.bytes, partBytes) : [page.bytes];
    for (const bytes of slices) yield { number: (number += 1), page, bytes, bulk: bulk?.kind === page.kind && isStrictCsv(bytes) ? bulk : undefined };
  }
}

/** The page with the part's bytes in place of its own. */
const pageOf = ({ page, bytes }: Part): Page => ({ ...page, bytes, text: (fallback) => decodeText(bytes, fallback, page.url) });

class Bulk {
  readonly rejects: { readonly part: number; readonly reject: Rejected }[] = [];
  readonly rejectedKeys: Readonly<Record<string, string>>[] = [];
  readonly parts = new Map<number, { readonly page: Page; readonly records: number }>();
  readonly #spec: SourceSpec;
  readonly #target: string;
  readonly #columns: readonly Column[];

  constructor(spec: SourceSpec, target: string) {
    this.#spec = spec;
    this.#target = target;
    this.#columns = columnsOf(spec);
  }

  /** Read a part. */
  async take(connection: DuckDBConnection, part: Part): Promise<void> {
    if (part.bulk && await this.#bySql(connection, part, part.bulk)) return;
    const page = pageOf(part);
    const candidates = parseOne(this.#spec, page);
    this.parts.set(part.number, { page: part.page, records: candidates.length });
    await this.#keep(connection, part, candidates.map((candidate, index) => judge(this.#spec, page, candidate, index)));
  }

  /** The plain rows by SQL, the others one by one. @returns false where DuckDB does not read the part */
  async #bySql(connection: DuckDBConnection, part: Part, bulk: BulkCsv): Promise<boolean> {
    const { page, bytes } = part;
    const end = bytes.indexOf(0x0a);
    const header = Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString('utf8').replace(/^\ufeff/u, '').split(',').map((name) => name.trim().toLowerCase());
    if (!bulk.cells.every((cell) => header.includes(cell))) return false;
    // Whether the layout is known is the parser's to say.
    parseOne(this.#spec, pageOf({ ...part, bytes: bytes.subarray(0, end + 1) }));
    const file = `${this.#target}.${part.number}.csv.tmp`;
    const names = this.#spec.row.columns.map((c) => c.name);
    await writeFile(file, bytes);
    try {
      await connection.run(`INSERT INTO fresh BY NAME
        SELECT ${names.map(identifier).join(', ')}, ${literal(this.#spec.name)} AS source, source_url, CAST(${literal(page.observedAt)} AS TIMESTAMP) AS observed_at,
          ${literal(page.sha256)} AS page_sha256, CAST(row_number() OVER () - 1 AS INTEGER) AS page_row, ${part.number} AS part, odd_cells
        FROM (${plainRowsSql(bulk, header, names, file)})`);
    } catch (error) {
      if (error instanceof Error && /^(?:Invalid Input|Conversion) Error/u.test(error.message)) return false;
      throw error;
    } finally { await rm(file); }
    const [count] = await rowsOf(connection, `SELECT count(*) AS n, count(odd_cells) AS odd FROM fresh WHERE part = ${part.number}`);
    this.parts.set(part.number, { page, records: Number(count?.['n']) });
    if (Number(count?.['odd']) === 0) return true;
    const odd = await rowsOf(connection, `SELECT page_row, odd_cells FROM fresh WHERE part = ${part.number} AND odd_cells IS NOT NULL ORDER BY page_row`);
    await connection.run(`DELETE FROM fresh WHERE part = ${part.number} AND odd_cells IS NOT NULL`);
    // Few are refused, and only they are asked for as they were published.
    let raws: ReadonlyMap<number, string> | undefined;
    const rawAt = (position: number): string => (raws ??= recordsAt(bytes, new Set(odd.map((r) => Number(r['page_row']))))).get(position) ?? '';
    await this.#keep(connection, part, odd.map((r) => {
      const [index, cells] = [Number(r['page_row']), r['odd_cells'] as readonly (string | null)[]];
      const candidate: Candidate = bulk.row((column) => (header.includes(column) ? cells[header.indexOf(column)] ?? '' : undefined), () => rawAt(index));
      return judge(this.#spec, page, candidate, index);
    }));
    return true;
  }

  async #keep(connection: DuckDBConnection, { number }: Part, judged: readonly Judged[]): Promise<void> {
    const rows = judged.flatMap((j) => ('values' in j ? [{ ...j.values, part: number }] : []));
    for (const j of judged) {
      if (!('reject' in j)) continue;
      this.rejects.push({ part: number, reject: j.reject });
      if (j.key) this.rejectedKeys.push(j.key);
    }
    if (this.rejects.length > MOST_REJECTS) throw new Quarantine('too_many_rejects', `more than ${MOST_REJECTS} rows refused; the first: ${this.rejects[0]?.reject.detail ?? ''}`);
    await insertRows(connection, `${this.#target}.${number}${HANDED_OVER}`, 'fresh', [...this.#columns, PART], rows);
  }
}

const PART: Column = { name: 'part', kind: 'integer', sql: 'INTEGER', about: 'Part of the read.' };

/**
 * Parse all pages of a read into DuckDB and check every row.
 * @param target staged file that will be written: what is on its way lies beside it
 * @throws Quarantine when a page is not what the adapter knows
 */
export async function readInBulk(target: string, spec: SourceSpec, pages: readonly Page[], unreadable: readonly Unreadable[], observedAt: string, partBytes = PART_BYTES): Promise<BulkRead> {
  await makeFolder(dirname(target));
  const spill = `${target}.spill.tmp`;
  const duck = await openDuck(':memory:', { threads: PARALLEL, memoryLimit: MEMORY_LIMIT });
  const close = async (): Promise<void> => {
    duck.close();
    await rm(spill, { recursive: true, force: true });
  };
  try {
    const { connection } = duck;
    await connection.run(`SET temp_directory = ${literal(spill)}`);
    await connection.run(`CREATE TABLE fresh (${[...columnsOf(spec).map((c) => `${identifier(c.name)} ${c.sql}`), 'part INTEGER', 'odd_cells VARCHAR[]'].join(', ')})`);
    const bulk = new Bulk(spec, target);
    const parts = partsOf(spec, pages, partBytes);
    const workers = Array.from({ length: PARALLEL }, async () => {
      const own = await duck.instance.connect();
      try {
        for (let next = parts.next(); !next.done; next = parts.next()) await bulk.take(own, next.value);
      } finally { own.closeSync(); }
    });
    const failed = (await Promise.allSettled(workers)).find((w) => w.status === 'rejected');
    if (failed) throw failed.reason;
    const before = firstRows(bulk.parts);
    const rows = await standing(connection, spec, before);
    const tally: Tally = {
      rows: { length: rows.distinct }, merged: rows.accepted - rows.distinct,
      rowsIn: [...bulk.parts.values()].reduce((sum, part) => sum + part.records, 0) + unreadable.length,
      rejects: [
        ...bulk.rejects.sort((a, b) => a.part - b.part || a.reject.page_row - b.reject.page_row)
          .map(({ part, reject }) => ({ ...reject, page_row: reject.page_row + (before.get(part) ?? 0) })),
        ...unreadable.map((lost, index) => lostRow(spec, lost, index, observedAt)),
      ],
      rejectedKeys: [...bulk.rejectedKeys, ...unreadable.map((lost) => lost.key)],
    };
    return { ...tally, write: (carriedFrom) => writeFresh(connection, target, spec, tally, carriedFrom), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Position on its page of the first record of each part. */
function firstRows(parts: ReadonlyMap<number, { readonly page: Page; readonly records: number }>): Map<number, number> {
  const first = new Map<number, number>();
  const seen = new Map<Page, number>();
  for (const [number, { page, records }] of [...parts].sort(([a], [b]) => a - b)) {
    first.set(number, seen.get(page) ?? 0);
    seen.set(page, (seen.get(page) ?? 0) + records);
  }
  return first;
}

/** Make of the table `fresh` a view of the rows that stand, at their positions on the page: of two versions of a row the later. */
async function standing(connection: DuckDBConnection, spec: SourceSpec, before: ReadonlyMap<number, number>): Promise<{ accepted: number; distinct: number }> {
  const key = spec.row.key.map(identifier).join(', ');
  const [counted] = await rowsOf(connection, `SELECT count(*) AS accepted, count(DISTINCT (${key})) AS distinct_keys FROM fresh`);
  const [accepted, distinct] = [Number(counted?.['accepted']), Number(counted?.['distinct_keys'])];
  const firsts = [...before].map(([part, first]) => `(${part}, ${first})`).join(', ');
  await connection.run('ALTER TABLE fresh RENAME TO parts');
  await connection.run(`CREATE VIEW fresh AS
    SELECT ${columnsOf(spec).map((c) => (c.name === 'page_row' ? 'CAST(page_row + first_row AS INTEGER) AS page_row' : identifier(c.name))).join(', ')}
    FROM parts JOIN (VALUES ${firsts}) AS firsts(part, first_row) USING (part)
    ${accepted === distinct ? '' : `QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY part DESC, parts.page_row DESC) = 1`}`);
  return { accepted, distinct };
}
