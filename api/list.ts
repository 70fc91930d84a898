/** Paid lists: filters put together with AND, a total, one ranked page, and the cursor of the next. */
import type { DuckDBValue } from '@duckdb/node-api';
import { z } from 'zod';
import { identifier } from '../lib/sql.ts';
import type { Manifest } from './manifest.ts';
import { integerParam, textParam, type Params, type ParamValues } from './params.ts';
import type { Price } from './prices.ts';
import { Problem } from './problem.ts';
import { defineRoute, type Asked, type Route } from './route.ts';
import { TABLES, type TableName } from './tables.ts';

const LARGEST_PAGE = 500;
const USUAL_PAGE = 100;

/** Parameters every list takes. */
const pageParams = {
  limit: integerParam(`Records in the answer; default ${USUAL_PAGE}.`, 1, LARGEST_PAGE),
  cursor: textParam('next_cursor of the page before.'),
};

/** Conditions of a query and the values they take, numbered as they come. */
export class Where {
  readonly #conditions: string[] = [];
  readonly values: DuckDBValue[] = [];

  /** Add a condition; `?` stands for the value. */
  add(condition: string, value: DuckDBValue): this {
    this.values.push(value);
    this.#conditions.push(condition.replaceAll('?', `$${this.values.length}`));
    return this;
  }

  /** Add a condition without a value. */
  only(condition: string): this {
    this.#conditions.push(condition);
    return this;
  }

  /** Add a condition where the value is given. */
  when(condition: string, value: DuckDBValue | undefined): this {
    return value === undefined ? this : this.add(condition, value);
  }

  copy(): Where {
    const other = new Where();
    other.#conditions.push(...this.#conditions);
    other.values.push(...this.values);
    return other;
  }

  toString(): string {
    return this.#conditions.length === 0 ? '' : ` WHERE ${this.#conditions.map((c) => `(${c})`).join(' AND ')}`;
  }
}

/** A number given as its digits, compared exactly. */
export const NUMBER = 'CAST(? AS DECIMAL(18,6))';

export interface ListOptions {
  readonly table: TableName;
  /** Which rows the feed consists of at all, and the filters. */
  readonly where: Where;
  /** Column the list is ranked by; ties by id, nulls last. */
  readonly rank: { readonly column: string; readonly direction: 'DESC' | 'ASC' };
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

/**
 * One page of a list.
 * @throws Problem no_matches, so that an empty answer is not billed; invalid_cursor
 */
async function page(path: string, columns: readonly string[], asked: Asked<typeof pageParams>, options: ListOptions): Promise<unknown> {
  const { snapshot, manifest, params } = asked;
  const { table, where, rank: { column, direction } } = options;
  const limit = params.limit ?? USUAL_PAGE;
  const filters = filtersOf(params);
  const query = queryOf(path, filters);
  const after = params.cursor === undefined ? undefined : asked.cursors.read(params.cursor, query);
  const total = Number((await snapshot.rows(`SELECT count(*) AS n FROM ${table}${where}`, where.values))[0]?.['n']);
  const rest = where.copy();
  if (after?.value === null) rest.add(`${column} IS NULL AND id > ?`, after.id);
  else if (after) {
    const type = TABLES[table].columns.find((c) => c.name === column)?.sql ?? 'VARCHAR';
    rest.values.push(after.value, after.id);
    const [value, id] = [`CAST($${rest.values.length - 1} AS ${type})`, `$${rest.values.length}`];
    rest.only(`${column} ${direction === 'DESC' ? '<' : '>'} ${value} OR (${column} = ${value} AND id > ${id}) OR ${column} IS NULL`);
  }
  const found = total === 0 ? [] : await snapshot.records(table,
    `SELECT ${[...new Set([...columns, column, 'id'])].map(identifier).join(', ')} FROM ${table}${rest} ORDER BY ${column} ${direction} NULLS LAST, id LIMIT ${limit + 1}`, rest.values);
  if (found.length === 0) {
    throw new Problem('no_matches', total === 0 ? `No ${options.what} matches these filters. Nothing was charged.` : 'There is nothing after this cursor. Nothing was charged.',
      { filters, total_matches: total, as_of: manifest.as_of, snapshot_id: snapshot.id });
  }
  const records = found.slice(0, limit);
  const last = records.at(-1);
  return {
    ...noteOf(manifest, options.note),
    count: records.length,
    total_matches: total,
    generated_at: manifest.generated_at,
    as_of: manifest.as_of,
    snapshot_id: snapshot.id,
    filters,
    next_cursor: found.length > limit && last ? asked.cursors.write({ value: last[column] === null ? null : String(last[column]), id: String(last['id']) }, query) : null,
    records: records.map((r) => Object.fromEntries(columns.map((c) => [c, r[c]]))),
  };
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
