/** Paid lists: filters combined with AND, the total, one ranked page, and the cursor of the next page. */
import { z } from 'zod';
import { ABSENT } from '../../lib/record.ts';
import { integerParam, namesParam, textParam, type Params, type ParamValues } from './params.ts';
import type { Price } from './prices.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type RouteRequest, type Route } from './define.ts';
import { findPage, isBehind, type RankedRows } from './list_page.ts';
import { noteOf } from './note.ts';
import { ALL, fieldChoices, groupNames, type FieldChoices, type FieldGroups } from './field_groups.ts';
import type { Filters } from '../snapshot/filters.ts';
import { JsonText, parseRecord } from '../snapshot/json_text.ts';
import { StaleSource, staleSources, type Family } from '../snapshot/stale_sources.ts';
import type { TableName } from '../snapshot/tables.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;

/** Parameters every list takes. */
const pageParamsOf = ({ page, byDefault, choices }: List) => ({
  limit: integerParam(`Records per page; default ${page}.`, 1, MAX_PAGE),
  cursor: textParam('next_cursor of the previous page.'),
  fields: namesParam(
    choices,
    `Fields and groups of fields to return besides id and absent; default ${byDefault.join(',')}.`,
    `fields or the groups ${groupNames(choices).join(', ')}, with commas between them`,
  ),
});
type PageParams = ReturnType<typeof pageParamsOf>;

/** Conditions of the feed with the filters of the request, and a ranking column of the record; nulls are last. */
export interface ListOptions extends RankedRows {
  readonly note?: string;
  /** Name of an item, for "No ... matches". */
  readonly itemName: string;
  /** Start of the names of its sources; default: all sources of the table's families. */
  readonly sourcePrefix?: string;
}

/** Families of the sources that each list is read from. */
const FAMILIES: Readonly<Partial<Record<TableName, readonly Family[]>>> = {
  deals: ['listings', 'fmr', 'benchmarks'],
  signals: ['tax', 'parcels', 'distress'],
  auctions: ['sheriff', 'auctions'],
  leads: ['tax', 'parcels', 'sheriff', 'auctions', 'distress'],
  owners: ['listings', 'tax', 'parcels', 'sheriff', 'auctions', 'distress', 'register'],
  filings: ['register'],
};

/** Sources of a list whose rows are older than their cadence on the day of the request. */
async function staleSourcesOf(
  { snapshot, today }: Pick<RouteRequest<Params>, 'snapshot' | 'today'>,
  table: TableName,
  sourcePrefix = '',
): Promise<StaleSource[]> {
  const stale = await staleSources(snapshot, today, FAMILIES[table]);
  return stale.filter(({ source }) => source.startsWith(sourcePrefix));
}

const staleNote = ([first, ...others]: readonly StaleSource[]): string =>
  first === undefined
    ? ''
    : `Older than its cadence: ${first.source}, last read ${first.last_good_at.slice(0, 10)}` +
      `${others.length > 0 ? `, and ${others.length} more` : ''}; see stale_sources.`;

/** The filters of the request, without limit, cursor and fields. */
function filtersOf(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { limit: _, cursor: __, fields: ___, ...filters } = params;
  return filters;
}

const partialRecords = new WeakMap<z.ZodObject, z.ZodObject>();
/** Schema of a record with the fields that were asked for; the same one for each call with this record. */
export function partialOf(record: z.ZodObject): z.ZodObject {
  const partial = partialRecords.get(record) ?? record.partial().required({ id: true });
  partialRecords.set(record, partial);
  return partial;
}

/** Schema of a list of such records. */
const listSchema = (record: z.ZodObject) =>
  z.strictObject({
    note: z.string().optional(),
    count: z.int().min(1),
    total_matches: z.int().min(1),
    generated_at: z.iso.datetime(),
    as_of: z.iso.date(),
    snapshot_id: z.string(),
    /** Sources of these records whose rows are older than their read interval, or outdated. */
    stale_sources: z.array(StaleSource),
    filters: z.record(z.string(), z.unknown()),
    fields: z.array(z.string()).meta({ description: 'Fields and groups of fields in records, besides id and absent.' }),
    /** Null on the last page. */
    next_cursor: z.string().nullable(),
    records: z.array(partialOf(record)),
  });

/** Key of a query for its cursors: the path and the sorted filters. */
const queryOf = (path: string, filters: Readonly<Record<string, unknown>>): string =>
  `${path} ${JSON.stringify(Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

/** A list as its answers need it. */
interface List {
  readonly path: string;
  readonly columns: readonly string[];
  /** Records per page without `limit`. */
  readonly page: number;
  /** Groups of fields without `fields`. */
  readonly byDefault: readonly string[];
  readonly choices: FieldChoices;
}

/** Columns of the records in record order, and the names that stand for them. */
function fieldsOf({ columns, byDefault, choices }: List, asked: ParamValues<PageParams>['fields']) {
  const names = asked?.names ?? byDefault;
  const members = asked?.members ?? new Set(byDefault.flatMap((name) => choices.get(name) ?? []));
  return { names, columns: columns.filter((name) => name === 'id' || name === ABSENT || members.has(name)) };
}

/**
 * One page of a list.
 * @throws Problem no_matches, so that an empty page is not billed; invalid_cursor
 */
async function listResponse(
  list: List,
  request: RouteRequest<PageParams>,
  { filters: found, rank, itemName, note, sourcePrefix }: ListOptions,
): Promise<JsonText> {
  const { snapshot, manifest, params } = request;
  const limit = params.limit ?? list.page;
  const filters = filtersOf(params);
  const query = queryOf(list.path, filters);
  const after = params.cursor === undefined ? undefined : request.cursors.read(params.cursor, query);
  const { total, rows } = await findPage(snapshot, { filters: found, rank }, after, limit + 1);
  if (rows.length === 0) {
    throw new Problem(
      'no_matches',
      total === 0
        ? `No ${itemName} matches these filters. Nothing was charged.`
        : 'There are no records after this cursor. Nothing was charged.',
      { filters, total_matches: total, as_of: manifest.as_of, snapshot_id: snapshot.id },
    );
  }
  const page = rows.slice(0, limit);
  const { names, columns } = fieldsOf(list, params.fields);
  const records = await snapshot.texts(found.table, page, columns);
  const nextCursor = async (): Promise<string> => {
    const ranking = ['id', rank.column, ...(rank.behind ? [rank.behind.column] : [])];
    const [text = Buffer.from('{}')] = await snapshot.texts(found.table, page.slice(-1), ranking);
    const last = parseRecord(text);
    const { id, [rank.column]: value = null } = last;
    return request.cursors.write(
      { value: value === null ? null : String(value), id: String(id), isBehind: isBehind(rank, last) },
      query,
    );
  };
  const stale = await staleSourcesOf(request, found.table, sourcePrefix);
  return JsonText.of({
    ...noteOf(manifest, [staleNote(stale), note].filter(Boolean).join(' ')),
    count: records.length,
    total_matches: total,
    generated_at: manifest.generated_at,
    as_of: manifest.as_of,
    snapshot_id: snapshot.id,
    stale_sources: stale,
    filters,
    fields: names,
    next_cursor: rows.length > limit ? await nextCursor() : null,
    records,
  });
}

export interface ListDefinition<P extends Params> {
  /** As of a route. */
  readonly name: string;
  readonly path: string;
  readonly price: Price;
  readonly about: string;
  readonly filters: P;
  /** Schema of a record; its fields are columns of the table. */
  readonly record: z.ZodObject;
  /** Records per page without `limit`; default 50. */
  readonly page?: number;
  readonly fields: FieldGroups;
  /** Check the parameters together, before a payment is required. @throws Problem */
  check?(request: RouteRequest<P & PageParams>): void | Promise<void>;
  list(request: RouteRequest<P & PageParams>): ListOptions | Promise<ListOptions>;
}

/** A list whose records other routes count. */
export interface ListRoute extends Route {
  /** The records that match the filters of a request. */
  matching(request: RouteRequest<Params>): Promise<Filters>;
}

/** A paid list. An invalid cursor is refused before a payment is required. */
export function listRoute<const P extends Params>(definition: ListDefinition<P>): ListRoute {
  const { name, path, price, about, record, page = DEFAULT_PAGE, fields } = definition;
  const columns = Object.keys(record.shape);
  const choices = fieldChoices(columns, fields.groups);
  const list: List = { path, columns, page, choices, byDefault: fields.byDefault ?? [ALL] };
  const route = defineRoute<P & PageParams, z.ZodType>({
    name,
    path,
    price,
    about,
    params: { ...definition.filters, ...pageParamsOf(list) },
    response: listSchema(record),
    async check(request) {
      await definition.check?.(request);
      const { params, cursors } = request;
      const { cursor }: ParamValues<PageParams> = params;
      if (cursor !== undefined) cursors.read(cursor, queryOf(path, filtersOf(params)));
    },
    csvColumns: (params) => fieldsOf(list, params.fields).columns,
    handle: async (request) => listResponse(list, request, await definition.list(request)),
  });
  const matching = async (request: RouteRequest<P & PageParams>): Promise<Filters> =>
    (await definition.list(request)).filters;
  return { ...route, matching };
}
