/** Paid lists: filters put together with AND, a total, one ranked page, and the cursor of the next. */
import { z } from 'zod';
import { identifier } from '../../lib/sql.ts';
import type { Position } from './cursor.ts';
import { integerParam, textParam, type Params, type ParamValues } from './params.ts';
import type { Price } from './prices.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Asked, type Route } from './define.ts';
import type { Filters } from '../snapshot/filters.ts';
import { JsonText, parsed } from '../snapshot/json_text.ts';
import type { Snapshot } from '../snapshot/load.ts';
import type { ServedManifest } from '../../models/manifest.ts';
import { columnOf, type TableName } from '../snapshot/tables.ts';

const LARGEST_PAGE = 500;
const USUAL_PAGE = 100;

/** Parameters every list takes. */
const pageParams = {
  limit: integerParam(`Records in the answer; default ${USUAL_PAGE}.`, 1, LARGEST_PAGE),
  cursor: textParam('next_cursor of the page before.'),
};

export interface ListOptions {
  /** Which rows the feed consists of at all, and the filters. */
  readonly filters: Filters;
  /** Column the list is ranked by, which is one of the record; ties by id, nulls last. */
  readonly rank: Rank;
  readonly note?: string;
  /** What the list holds, for "No ... matches". */
  readonly what: string;
}

/** Filters as the answer repeats them: what was asked, without the page. */
function filtersOf(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { limit: _, cursor: __, ...filters } = params;
  return filters;
}

/** Body of a list of such records. */
const listOf = <R extends z.ZodType>(record: R) =>
  z.strictObject({
    note: z.string().optional(),
    count: z.int().min(1),
    total_matches: z.int().min(1),
    generated_at: z.iso.datetime(),
    as_of: z.iso.date(),
    snapshot_id: z.string(),
    filters: z.record(z.string(), z.unknown()),
    next_cursor: z.string().nullable(),
    records: z.array(record),
  });

/** The note of an answer: that the data are made up, where they are, and what else there is to say. */
export function noteOf(manifest: ServedManifest, more = ''): { note?: string } {
  const note = [manifest.notice, more].filter(Boolean).join(' ');
  return note === '' ? {} : { note };
}

/** What a cursor belongs to: the path and the filters, in whatever order they were given. */
const queryOf = (path: string, filters: Readonly<Record<string, unknown>>): string =>
  `${path} ${JSON.stringify(Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

/** How a list is ordered. Ties are in the order of ids. */
export interface Rank {
  readonly column: string;
  readonly direction: 'DESC' | 'ASC';
}

/** Condition for the rows after a position. */
function afterSql(table: TableName, { column, direction }: Rank, after: Position): [sql: string, ...values: string[]] {
  const name = identifier(column);
  if (after.value === null) return [`${name} IS NULL AND id > ?`, after.id];
  const value = `CAST(? AS ${columnOf(table, column).sql})`;
  return [
    `${name} ${direction === 'DESC' ? '<' : '>'} ${value} OR (${name} = ${value} AND id > ?) OR ${name} IS NULL`,
    after.value,
    after.value,
    after.id,
  ];
}

/** Up to this many rows one statement both counts and ranks. In larger tables the window would read all rows for each page. */
const ONE_STATEMENT_ROWS = 1_000_000;

interface Found {
  /** Matching rows of the whole list, whatever the cursor. */
  readonly total: number;
  /** Row ids of the page. */
  readonly rows: readonly number[];
}

/** The page of at most `most` rows after the cursor, and the total. */
async function find(
  snapshot: Snapshot,
  { filters, rank }: ListOptions,
  after: Position | undefined,
  most: number,
): Promise<Found> {
  const { table } = filters;
  const where = filters.sql();
  const paged = after ? where.copy().add(...afterSql(table, rank, after)) : where;
  const order = `ORDER BY ${identifier(rank.column)} ${rank.direction} NULLS LAST, id LIMIT ${most}`;
  // A search in texts reads every row anyway, so that is done once.
  if (
    after === undefined &&
    (filters.searchesText || (snapshot.manifest.tables[table]?.rows ?? 0) <= ONE_STATEMENT_ROWS)
  ) {
    const rows = await snapshot.rows(
      `SELECT rowid AS row, count(*) OVER () AS total FROM ${table}${where} ${order}`,
      where.values,
    );
    return { total: Number(rows[0]?.['total'] ?? 0), rows: rows.map(({ row }) => Number(row)) };
  }
  const [[counted], rows] = await Promise.all([
    snapshot.rows(`SELECT count(*) AS total FROM ${table}${where}`, where.values),
    snapshot.rows(`SELECT rowid AS row FROM ${table}${paged} ${order}`, paged.values),
  ]);
  return { total: Number(counted?.['total']), rows: rows.map(({ row }) => Number(row)) };
}

/**
 * One page of a list.
 * @throws Problem no_matches, so that an empty answer is not billed; invalid_cursor
 */
async function page(
  path: string,
  columns: readonly string[],
  asked: Asked<typeof pageParams>,
  options: ListOptions,
): Promise<JsonText> {
  const { snapshot, manifest, params } = asked;
  const limit = params.limit ?? USUAL_PAGE;
  const filters = filtersOf(params);
  const query = queryOf(path, filters);
  const after = params.cursor === undefined ? undefined : asked.cursors.read(params.cursor, query);
  const { total, rows } = await find(snapshot, options, after, limit + 1);
  if (rows.length === 0) {
    throw new Problem(
      'no_matches',
      total === 0
        ? `No ${options.what} matches these filters. Nothing was charged.`
        : 'There is nothing after this cursor. Nothing was charged.',
      { filters, total_matches: total, as_of: manifest.as_of, snapshot_id: snapshot.id },
    );
  }
  const records = await snapshot.texts(options.filters.table, rows.slice(0, limit), columns);
  const nextCursor = (): string => {
    const last = parsed(records.at(-1) ?? Buffer.from('{}'));
    const value = last[options.rank.column];
    return asked.cursors.write({ value: value === null ? null : String(value), id: String(last['id']) }, query);
  };
  return JsonText.of({
    ...noteOf(manifest, options.note),
    count: records.length,
    total_matches: total,
    generated_at: manifest.generated_at,
    as_of: manifest.as_of,
    snapshot_id: snapshot.id,
    filters,
    next_cursor: rows.length > limit ? nextCursor() : null,
    records,
  });
}

export interface ListDefinition<P extends Params> {
  readonly path: string;
  readonly price: Price;
  readonly about: string;
  readonly filters: P;
  /** Fields of a record, which are columns of the table. */
  readonly record: z.ZodObject;
  list(asked: Asked<P & typeof pageParams>): ListOptions | Promise<ListOptions>;
}

/** A paid list. A cursor that is not one of ours is refused before the call is priced. */
export function listRoute<const P extends Params>({
  path,
  price,
  about,
  filters,
  record,
  list,
}: ListDefinition<P>): Route {
  const columns = Object.keys(record.shape);
  return defineRoute<P & typeof pageParams, z.ZodType>({
    path,
    price,
    about,
    params: { ...filters, ...pageParams },
    reply: listOf(record),
    check({ params, cursors }) {
      const { cursor }: ParamValues<typeof pageParams> = params;
      if (cursor !== undefined) cursors.read(cursor, queryOf(path, filtersOf(params)));
    },
    handle: async (asked) => page(path, columns, asked, await list(asked)),
  });
}
