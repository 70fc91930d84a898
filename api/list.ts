/** Paid lists: filters put together with AND, a total, one ranked page, and the cursor of the next. */
import { z } from 'zod';
import { identifier } from '../lib/sql.ts';
import type { Rank } from './columns.ts';
import type { Position } from './cursor.ts';
import { columnOf, type Filters } from './filters.ts';
import { parsed } from './json.ts';
import type { Manifest } from './manifest.ts';
import { integerParam, textParam, type Params, type ParamValues } from './params.ts';
import type { Price } from './prices.ts';
import { Problem } from './problem.ts';
import { JsonText } from './records.ts';
import { defineRoute, type Asked, type Route } from './route.ts';
import { firstOf, sizeOf } from './row_sets.ts';
import type { Snapshot } from './snapshot.ts';
import type { TableName } from './tables.ts';
import { Where } from './where.ts';

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
const listOf = <R extends z.ZodType>(record: R) => z.strictObject({
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
export function noteOf(manifest: Manifest, more = ''): { note?: string } {
  const note = [manifest.notice, more].filter(Boolean).join(' ');
  return note === '' ? {} : { note };
}

/** What a cursor belongs to: the path and the filters, in whatever order they were given. */
const queryOf = (path: string, filters: Readonly<Record<string, unknown>>): string =>
  `${path} ${JSON.stringify(Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

/** Rows that a list consists of, and some of their records from a place on. */
interface Found {
  /** Of the whole list, whatever the place. */
  readonly total: number;
  readonly texts: readonly Buffer[];
}

/** Condition of the rows that come after one of a rank. */
function afterSql(table: TableName, { column, direction }: Rank, after: Position): [sql: string, ...values: string[]] {
  const name = identifier(column);
  if (after.value === null) return [`${name} IS NULL AND id > ?`, after.id];
  const value = `CAST(? AS ${columnOf(table, column).sql})`;
  return [`${name} ${direction === 'DESC' ? '<' : '>'} ${value} OR (${name} = ${value} AND id > ?) OR ${name} IS NULL`, after.value, after.value, after.id];
}

async function find(snapshot: Snapshot, columns: readonly string[], { filters, rank }: ListOptions, after: Position | undefined, most: number): Promise<Found> {
  const { table } = filters;
  const held = snapshot.columns(table);
  const [order, set] = [await held.order(rank), await held.meeting(filters)];
  let start = 0;
  if (after) {
    const where = new Where().add(...afterSql(table, rank, after));
    start = order.rows.length - Number((await snapshot.rows(`SELECT count(*) AS n FROM ${table}${where}`, where.values))[0]?.['n']);
  }
  const total = sizeOf(set);
  return { total, texts: snapshot.texts(table, columns, firstOf(set, total, order, start, most)) };
}

/**
 * One page of a list.
 * @throws Problem no_matches, so that an empty answer is not billed; invalid_cursor
 */
async function page(path: string, columns: readonly string[], asked: Asked<typeof pageParams>, options: ListOptions): Promise<JsonText> {
  const { snapshot, manifest, params } = asked;
  const limit = params.limit ?? USUAL_PAGE;
  const filters = filtersOf(params);
  const query = queryOf(path, filters);
  const after = params.cursor === undefined ? undefined : asked.cursors.read(params.cursor, query);
  const { total, texts } = await find(snapshot, columns, options, after, limit + 1);
  if (texts.length === 0) {
    throw new Problem('no_matches', total === 0 ? `No ${options.what} matches these filters. Nothing was charged.` : 'There is nothing after this cursor. Nothing was charged.',
      { filters, total_matches: total, as_of: manifest.as_of, snapshot_id: snapshot.id });
  }
  const records = texts.slice(0, limit);
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
    next_cursor: texts.length > limit ? nextCursor() : null,
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
export function listRoute<const P extends Params>({ path, price, about, filters, record, list }: ListDefinition<P>): Route {
  const columns = Object.keys(record.shape);
  return defineRoute<P & typeof pageParams, z.ZodType>({
    path, price, about,
    params: { ...filters, ...pageParams },
    reply: listOf(record),
    check({ params, cursors }) {
      const { cursor }: ParamValues<typeof pageParams> = params;
      if (cursor !== undefined) cursors.read(cursor, queryOf(path, filtersOf(params)));
    },
    handle: async (asked) => page(path, columns, asked, await list(asked)),
  });
}
