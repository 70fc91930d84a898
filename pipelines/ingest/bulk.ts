/**
 * Staging a CSV page of millions of rows (sources/csv/bulk_csv.ts). The page is cut into parts of some thousand records; in
 * each, DuckDB reads the plain rows and the adapter's parser the others. A part that readers of CSV might read in
 * different ways, or that DuckDB refuses, goes to the parser whole. Each part is written as a Parquet file of its own,
 * several at the same time, and DuckDB writes the staged file from these: its rows are in the order of the source.
 */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { makeFolder } from '../../lib/files.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { plainRowsSql } from '../../sources/csv/bulk_csv.ts';
import { csvSlices, isStrictCsv, recordsAt } from '../../sources/csv/csv_slices.ts';
import { Quarantine, type BulkCsv, type Candidate, type Page, type SourceSpec } from '../../sources/contract.ts';
import { decodeText } from '../../sources/fetch/decode.ts';
import { HANDED_OVER, insertRows } from './rows.ts';
import {
  columnsOf,
  gatherCarried,
  judge,
  lostRow,
  parseOne,
  putStaged,
  type Judged,
  type Rejected,
  type Staged,
  type Tally,
  type Unreadable,
} from './stage.ts';

/** A page smaller than this is parsed like any other. */
const BULK_BYTES = 16_000_000;
const PART_BYTES = 8_000_000;
/** Parts that are read at the same time. */
const PARALLEL = 2;
const MEMORY_LIMIT = '1200MB';
/** Rejects that are kept in memory. A read with so many is not one to trust. */
const MOST_REJECTS = 200_000;
/** Staged rows are read once or twice: written fast rather than small. */
const FAST = 'FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1';

/** Whether a read is one to take this way. */
export const isBulk = (spec: SourceSpec, pages: readonly Page[], least = BULK_BYTES): boolean =>
  spec.bulk !== undefined && pages.some((page) => page.kind === spec.bulk?.kind && page.bytes.length >= least);

/** A read whose rows lie on the disk, until it is closed. */
export interface BulkRead extends Tally {
  /** Write its staged file. @param before staged file that refused rows are carried from */
  write(before: string | undefined): Promise<Staged>;
  close(): Promise<void>;
}

interface Part {
  readonly number: number;
  readonly page: Page;
  readonly bytes: Uint8Array;
  /** How DuckDB is to read it; undefined where the parser takes it whole. */
  readonly bulk: BulkCsv | undefined;
}

/** Parts of all pages, in order. */
function* partsOf(spec: SourceSpec, pages: readonly Page[], partBytes: number): Generator<Part> {
  let number = 0;
  for (const page of pages) {
    const bulk = spec.bulk?.kind === page.kind ? spec.bulk : undefined;
    for (const bytes of bulk ? csvSlices(page.bytes, partBytes) : [page.bytes]) {
      yield { number: (number += 1), page, bytes, bulk: bulk && isStrictCsv(bytes) ? bulk : undefined };
    }
  }
}

/** The page with the part's bytes in place of its own. */
const pageOf = ({ page, bytes }: Part): Page => ({
  ...page,
  bytes,
  text: (fallback) => decodeText(bytes, fallback, page.url),
});

/** How many records of its page lie before a part, known once the parts before it are counted. */
class Positions {
  readonly #after = new Map<number, PromiseWithResolvers<{ readonly page: Page; readonly records: number }>>();

  #behind(number: number): PromiseWithResolvers<{ readonly page: Page; readonly records: number }> {
    const known = this.#after.get(number) ?? Promise.withResolvers();
    this.#after.set(number, known);
    // Nobody may be waiting when a part fails; its own worker says so.
    known.promise.catch(() => undefined);
    return known;
  }

  async counted({ number, page }: Part, records: number): Promise<number> {
    const before = number === 1 ? undefined : await this.#behind(number - 1).promise;
    const first = before?.page === page ? before.records : 0;
    this.#behind(number).resolve({ page, records: first + records });
    return first;
  }

  failed({ number }: Part, error: unknown): void {
    this.#behind(number).reject(error);
  }
}

class Bulk {
  readonly rejects: { readonly part: number; readonly reject: Rejected }[] = [];
  readonly rejectedKeys: Readonly<Record<string, string>>[] = [];
  rowsIn = 0;
  readonly #parts = new Map<number, string>();
  readonly #positions = new Positions();
  readonly #spec: SourceSpec;
  readonly #folder: string;

  constructor(spec: SourceSpec, folder: string) {
    this.#spec = spec;
    this.#folder = folder;
  }

  /** Files of the parts, in order. */
  get files(): readonly string[] {
    return [...this.#parts].sort(([a], [b]) => a - b).map(([, file]) => file);
  }

  /** Read a part and write its rows to a file of its own. */
  async take(connection: DuckDBConnection, part: Part): Promise<void> {
    try {
      const columns = this.#spec.row.columns.map((c) => `${identifier(c.name)} ${c.sql}`);
      await connection.run(
        `CREATE OR REPLACE TEMP TABLE part (${[...columns, 'source_url VARCHAR', 'page_row INTEGER', 'odd_cells VARCHAR[]'].join(', ')})`,
      );
      const { judged, records } = (await this.#bySql(connection, part)) ?? this.#byParser(part);
      this.rowsIn += records;
      const first = await this.#positions.counted(part, records);
      await this.#keep(connection, part, judged, first);
      const file = join(this.#folder, `${part.number}.parquet`);
      const { page } = part;
      const said: Readonly<Record<string, string>> = {
        source: literal(this.#spec.name),
        observed_at: `CAST(${literal(page.observedAt)} AS TIMESTAMP)`,
        page_sha256: literal(page.sha256),
        page_row: `CAST(page_row + ${first} AS INTEGER)`,
      };
      await connection.run(`COPY (SELECT ${columnsOf(this.#spec)
        .map(({ name }) => (said[name] === undefined ? identifier(name) : `${said[name]} AS ${identifier(name)}`))
        .join(', ')}
        FROM part ${judged.length === 0 ? '' : 'ORDER BY page_row'}) TO ${literal(file)} (${FAST})`);
      this.#parts.set(part.number, file);
    } catch (error) {
      this.#positions.failed(part, error);
      throw error;
    }
  }

  #byParser(part: Part): { judged: Judged[]; records: number } {
    const page = pageOf(part);
    const candidates = parseOne(this.#spec, page);
    return {
      judged: candidates.map((candidate, index) => judge(this.#spec, page, candidate, index)),
      records: candidates.length,
    };
  }

  /** The plain rows by SQL, the others one by one. @returns undefined where DuckDB does not read the part */
  async #bySql(connection: DuckDBConnection, part: Part): Promise<{ judged: Judged[]; records: number } | undefined> {
    const { page, bytes, bulk } = part;
    if (!bulk) return undefined;
    const end = bytes.indexOf(0x0a);
    const header = Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end))
      .toString('utf8')
      .replace(/^\ufeff/u, '')
      .split(',')
      .map((name) => name.trim().toLowerCase());
    if (!bulk.cells.every((cell) => header.includes(cell))) return undefined;
    // Whether the layout is known is the parser's to say.
    parseOne(this.#spec, pageOf({ ...part, bytes: bytes.subarray(0, end + 1) }));
    const file = join(this.#folder, `${part.number}.csv`);
    const names = this.#spec.row.columns.map((c) => c.name);
    await writeFile(file, bytes);
    try {
      await connection.run(`INSERT INTO part BY NAME
        SELECT ${names.map(identifier).join(', ')}, source_url, CAST(row_number() OVER () - 1 AS INTEGER) AS page_row, odd_cells
        FROM (${plainRowsSql(bulk, header, names, file)})`);
    } catch (error) {
      if (error instanceof Error && /^(?:Invalid Input|Conversion) Error/u.test(error.message)) return undefined;
      throw error;
    } finally {
      await rm(file);
    }
    const [count] = await rowsOf(connection, 'SELECT count(*) AS n, count(odd_cells) AS odd FROM part');
    const records = Number(count?.['n']);
    if (Number(count?.['odd']) === 0) return { judged: [], records };
    const odd = await rowsOf(
      connection,
      'SELECT page_row, odd_cells FROM part WHERE odd_cells IS NOT NULL ORDER BY page_row',
    );
    await connection.run('DELETE FROM part WHERE odd_cells IS NOT NULL');
    // Few are refused, and only they are asked for as they were published.
    let raws: ReadonlyMap<number, string> | undefined;
    const rawAt = (position: number): string =>
      (raws ??= recordsAt(bytes, new Set(odd.map((r) => Number(r['page_row']))))).get(position) ?? '';
    return {
      records,
      judged: odd.map((r) => {
        const [index, cells] = [Number(r['page_row']), r['odd_cells'] as readonly (string | null)[]];
        const candidate: Candidate = bulk.row(
          (column) => (header.includes(column) ? (cells[header.indexOf(column)] ?? '') : undefined),
          () => rawAt(index),
        );
        return judge(this.#spec, page, candidate, index);
      }),
    };
  }

  /** Rows that the parser read go beside those that SQL read; the refused ones are noted. @param first records of the page before the part */
  async #keep(connection: DuckDBConnection, { number }: Part, judged: readonly Judged[], first: number): Promise<void> {
    for (const j of judged) {
      if (!('reject' in j)) continue;
      this.rejects.push({ part: number, reject: { ...j.reject, page_row: j.reject.page_row + first } });
      if (j.key) this.rejectedKeys.push(j.key);
    }
    if (this.rejects.length > MOST_REJECTS)
      throw new Quarantine(
        'too_many_rejects',
        `more than ${MOST_REJECTS} rows refused; the first: ${this.rejects[0]?.reject.detail ?? ''}`,
      );
    const kept = new Set([...this.#spec.row.columns.map((c) => c.name), 'source_url', 'page_row']);
    await insertRows(
      connection,
      join(this.#folder, `${number}${HANDED_OVER}`),
      'part',
      columnsOf(this.#spec).filter((c) => kept.has(c.name)),
      judged.flatMap((j) => ('values' in j ? [j.values] : [])),
    );
  }
}

/** Give back the memory of a large page at once: the build that follows needs it before the collector comes by. */
function letGo({ bytes }: Page): void {
  if (bytes.length >= BULK_BYTES && bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.length)
    bytes.buffer.transfer(0);
}

/**
 * Parse all pages of a read and check every row. Large pages are empty once it is closed.
 * @param target staged file that will be written: what is on its way lies in a folder beside it
 * @throws Quarantine when a page is not what the adapter knows
 */
export async function readInBulk(
  target: string,
  spec: SourceSpec,
  pages: readonly Page[],
  unreadable: readonly Unreadable[],
  observedAt: string,
  partBytes = PART_BYTES,
): Promise<BulkRead> {
  const folder = `${target}.parts.tmp`;
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder);
  // Each connection runs its statements on a thread of its own; a thread of DuckDB's beside it would only be waited for.
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: MEMORY_LIMIT });
  const close = async (): Promise<void> => {
    duck.close();
    for (const page of pages) letGo(page);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await duck.connection.run(`SET temp_directory = ${literal(join(folder, 'spill'))}`);
    const bulk = new Bulk(spec, folder);
    const parts = partsOf(spec, pages, partBytes);
    const workers = Array.from({ length: PARALLEL }, async () => {
      const own = await duck.instance.connect();
      try {
        for (let next = parts.next(); !next.done; next = parts.next()) await bulk.take(own, next.value);
      } finally {
        own.closeSync();
      }
    });
    const failed = (await Promise.allSettled(workers)).find((w) => w.status === 'rejected');
    if (failed) throw failed.reason;
    const { files } = bulk;
    // From here on one statement runs at a time.
    await duck.connection.run(`SET threads = ${PARALLEL}`);
    const merged = await mergeDuplicates(duck, spec, folder, files);
    const tally: Tally = {
      rows: { length: merged.distinct },
      merged: merged.accepted - merged.distinct,
      rowsIn: bulk.rowsIn + unreadable.length,
      rejects: [
        ...bulk.rejects
          .sort((a, b) => a.part - b.part || a.reject.page_row - b.reject.page_row)
          .map(({ reject }) => reject),
        ...unreadable.map((lost, index) => lostRow(spec, lost, index, observedAt)),
      ],
      rejectedKeys: [...bulk.rejectedKeys, ...unreadable.map((lost) => lost.key)],
    };
    return { ...tally, write: (before) => layStaged(duck, target, folder, files, spec, tally, before), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const readingOf = (files: readonly string[], options = ''): string =>
  `read_parquet([${files.map(literal).join(', ')}]${options})`;

/** Of two versions of a row the later stands: the parts that hold an earlier one are written again without it. */
async function mergeDuplicates(
  { connection }: Duck,
  spec: SourceSpec,
  folder: string,
  files: readonly string[],
): Promise<{ accepted: number; distinct: number }> {
  const key = spec.row.key.map(identifier).join(', ');
  const counts = async (): Promise<{ accepted: number; distinct: number }> => {
    const [counted] = await rowsOf(
      connection,
      `SELECT count(*) AS accepted, count(DISTINCT (${key})) AS distinct_keys FROM ${readingOf(files)}`,
    );
    return { accepted: Number(counted?.['accepted']), distinct: Number(counted?.['distinct_keys']) };
  };
  const before = await counts();
  if (before.accepted === before.distinct) return before;
  const order = files.map((file, index) => `(${literal(file)}, ${index})`).join(', ');
  await connection.run(`CREATE TEMP TABLE earlier AS
    SELECT filename, page_row
    FROM ${readingOf(files, ', filename = true')} JOIN (VALUES ${order}) AS parts(filename, part) USING (filename)
    SEMI JOIN (SELECT ${key} FROM ${readingOf(files)} GROUP BY ALL HAVING count(*) > 1) USING (${key})
    QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY part DESC, page_row DESC) > 1`);
  const again = join(folder, 'again.parquet');
  for (const { filename } of await rowsOf(connection, 'SELECT DISTINCT filename FROM earlier ORDER BY ALL')) {
    const file = String(filename);
    await connection.run(
      `COPY (FROM ${readingOf([file])} ANTI JOIN (FROM earlier WHERE filename = ${literal(file)}) USING (page_row) ORDER BY page_row) TO ${literal(again)} (${FAST})`,
    );
    await rename(again, file);
  }
  return before;
}

/** The staged file: the parts, then what is carried. */
async function layStaged(
  { connection }: Duck,
  target: string,
  folder: string,
  files: readonly string[],
  spec: SourceSpec,
  tally: Tally,
  before: string | undefined,
): Promise<Staged> {
  const columns = columnsOf(spec)
    .map((c) => identifier(c.name))
    .join(', ');
  await connection.run(`CREATE VIEW fresh AS SELECT ${columns} FROM ${readingOf(files)}`);
  const carried = await gatherCarried(connection, spec, tally, before);
  const all = [...files];
  if (carried > 0) {
    all.push(join(folder, 'carried.parquet'));
    await connection.run(
      `COPY (SELECT ${columns} FROM carried ORDER BY ${spec.row.key.map(identifier).join(', ')}) TO ${literal(join(folder, 'carried.parquet'))} (${FAST})`,
    );
  }
  return putStaged(target, spec, tally, carried, `SELECT ${columns} FROM ${readingOf(all)}`, connection);
}
