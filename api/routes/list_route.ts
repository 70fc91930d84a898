/** Paid lists: filters combined with AND, the total, one ranked page, and the cursor of the next page. */
import { z } from 'zod';
import { identifier } from '../../lib/sql.ts';
import type { Position } from './cursor.ts';
import { integerParam, textParam, type Params, type ParamValues } from './params.ts';
import type { Price } from './prices.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type RouteRequest, type Route } from './define.ts';
import type { Filters } from '../snapshot/filters.ts';
import { JsonText, parseRecord } from '../snapshot/json_text.ts';
import type { Snapshot } from '../snapshot/load.ts';
import type { ServedManifest } from '../../models/manifest.ts';
import { columnOf, type TableName } from '../snapshot/tables.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 100;

/** Parameters every list takes. */
const pageParams = {
  limit: integerParam(`Records per page; default ${DEFAULT_PAGE}.`, 1, MAX_PAGE),
  cursor: textParam('next_cursor of the previous page.'),
};

export interface ListOptions {
  /** Conditions of the feed, and the filters of the request. */
  readonly filters: Filters;
  /** Ranking column, one of the record; ties by id, nulls last. */
  readonly rank: Rank;
  readonly note?: string;
  /** Name of an item, for "No ... matches". */
  readonly itemName: string;
}

/** The filters of the request, without limit and cursor. */
function filtersOf(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { limit: _, cursor: __, ...filters } = params;
  return filters;
}

/** Schema of a list of such records. */
const listSchema = <R extends z.ZodType>(record: R) =>
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

/** The note of a response: the notice of sandbox data, and `more`. */
export function noteOf(manifest: ServedManifest, more = ''): { note?: string } {
  const note = [manifest.notice, more].filter(Boolean).join(' ');
  return note === '' ? {} : { note };
}

/** Key of a query for its cursors: the path and the sorted filters. */
const queryOf = (path: string, filters: Readonly<Record<string, unknown>>): string =>
  `${path} ${JSON.stringify(Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

/** Order of a list. Ties are ordered by id. */
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

/** Up to this many rows, one statement counts and ranks. In larger tables the window reads all rows for each page. */
const ONE_STATEMENT_ROWS = 1_000_000;

interface PageRows {
  /** Matching rows of the list, ignoring the cursor. */
  readonly total: number;
  /** Row ids of the page. */
  readonly rows: readonly number[];
}

/** At most `limit` rows after the cursor, and the total. */
async function findPage(
  snapshot: Snapshot,
  { filters, rank }: ListOptions,
  after: Position | undefined,
  limit: number,
): Promise<PageRows> {
  const { table } = filters;
  const where = filters.sql();
  const paged = after ? where.copy().add(...afterSql(table, rank, after)) : where;
  const order = `ORDER BY ${identifier(rank.column)} ${rank.direction} NULLS LAST, id LIMIT ${limit}`;
  // A text search reads every row anyway, so one statement is faster in any table.
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
 * @throws Problem no_matches, so that an empty page is not billed; invalid_cursor
 */
async function listResponse(
  path: string,
  columns: readonly string[],
  request: RouteRequest<typeof pageParams>,
  options: ListOptions,
): Promise<JsonText> {
  const { snapshot, manifest, params } = request;
  const limit = params.limit ?? DEFAULT_PAGE;
  const filters = filtersOf(params);
  const query = queryOf(path, filters);
  const after = params.cursor === undefined ? undefined : request.cursors.read(params.cursor, query);
  const { total, rows } = await findPage(snapshot, options, after, limit + 1);
  if (rows.length === 0) {
    throw new Problem(
      'no_matches',
      total === 0
        ? `No ${options.itemName} matches these filters. Nothing was charged.`
        : 'There are no records after this cursor. Nothing was charged.',
      { filters, total_matches: total, as_of: manifest.as_of, snapshot_id: snapshot.id },
    );
  }
  const records = await snapshot.texts(options.filters.table, rows.slice(0, limit), columns);
  const nextCursor = (): string => {
    const last = parseRecord(records.at(-1) ?? Buffer.from('{}'));
    const value = last[options.rank.column];
    return request.cursors.write({ value: value === null ? null : String(value), id: String(last['id']) }, query);
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
  /** Schema of a record; its fields are columns of the table. */
  readonly record: z.ZodObject;
  list(request: RouteRequest<P & typeof pageParams>): ListOptions | Promise<ListOptions>;
}

/** A paid list. An invalid cursor is refused before a payment is required. */
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
    response: listSchema(record),
    check({ params, cursors }) {
      const { cursor }: ParamValues<typeof pageParams> = params;
      if (cursor !== undefined) cursors.read(cursor, queryOf(path, filtersOf(params)));
    },
    handle: async (request) => listResponse(path, columns, request, await list(request)),
  });
}
