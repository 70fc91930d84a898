/** The envelope of a list: its fields, the page of records and the state of their sources. */
import { ABSENT } from '../../../lib/record.ts';
import type { notComparedOf } from '../../../models/marts/change_feeds.ts';
import { JsonText } from '../../serving/records.ts';
import { staleSources, type Family, type StaleSource } from '../../serving/stale_sources.ts';
import type { TableName } from '../../../models/serving/tables.ts';
import type { RouteRequest } from '../define.ts';
import { namesArea, POINT } from './area.ts';
import { ALL, type FieldChoices } from './field_groups.ts';
import { noteOf, publishedOf } from '../envelope.ts';
import type { Params } from '../params.ts';
import type { Price } from '../../../lib/prices.ts';
import type { Range } from '../count/coarse.ts';

/** Most records per page. */
export const MAX_PAGE = 500;

/** The parts of a list that its answers depend on. */
export interface List {
  readonly path: string;
  readonly price: Price;
  readonly columns: readonly string[];
  /** Records per page without `limit`. */
  readonly page: number;
  /** Groups of fields without `fields`. */
  readonly byDefault: readonly string[];
  readonly choices: FieldChoices;
}

/** The parameter `fields` of a request: the names as given, and all fields of the groups among them. */
export interface RequestedFields {
  readonly names: readonly string[];
  readonly members: ReadonlySet<string>;
}

/** Columns of the records in record order, and the names that stand for them. Records of an area say where they are. */
export function fieldsOf(
  { columns, byDefault, choices }: List,
  params: Readonly<Record<string, unknown>>,
): { readonly names: readonly string[]; readonly columns: readonly string[] } {
  const asked = params['fields'] as RequestedFields | undefined;
  const isWhole = byDefault.includes(ALL);
  const places = namesArea(params) && !isWhole ? POINT.filter((name) => choices.has(name)) : [];
  const names = asked?.names ?? [...byDefault, ...places];
  const members = asked?.members ?? new Set(names.flatMap((name) => choices.get(name) ?? []));
  return { names, columns: columns.filter((name) => name === 'id' || name === ABSENT || members.has(name)) };
}

/** The filters of the request, without limit, cursor and fields. */
export function filtersOf(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { limit: _, cursor: __, fields: ___, ...filters } = params;
  return filters;
}

/** Records per page of a request, and what a page costs. */
export const pageSizeOf = (
  { page, price }: Pick<List, 'page' | 'price'>,
  params: Readonly<Record<string, unknown>>,
) => ({
  limit: typeof params['limit'] === 'number' ? params['limit'] : page,
  max_limit: MAX_PAGE,
  price_note: `Same price up to ${MAX_PAGE}: a page costs $${price} with any limit from 1 to ${MAX_PAGE}.`,
});

/** "1 call ($0.25)", "3 to 5 calls ($0.75 to $1.25)": to read this many records. */
function callsText({ at_least: least, at_most: most }: Range, limit: number, price: Price): string {
  const [few, many] = [least, most].map((records) => Math.max(1, Math.ceil(records / limit)));
  const usd = (calls = 1): string => `$${(calls * Number(price)).toFixed(2)}`;
  return few === many
    ? `${few === 1 ? '1 call' : `${few} calls`} (${usd(few)})`
    : `${few} to ${many} calls (${usd(few)} to ${usd(many)})`;
}

/** What reading all matches costs by the default page and by the largest one. */
export const costNote = (matches: Range, { page, price }: Pick<List, 'page' | 'price'>): string =>
  `All of them: ${callsText(matches, MAX_PAGE, price)} with limit=${MAX_PAGE}, ` +
  `${callsText(matches, page, price)} with limit=${page}.`;

/** Key of a query for its cursors: the path and the sorted filters. */
export const queryOf = (path: string, filters: Readonly<Record<string, unknown>>): string =>
  `${path} ${JSON.stringify(Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

/** Families of the sources that each list is read from. */
const FAMILIES: Readonly<Partial<Record<TableName, readonly Family[]>>> = {
  deals: ['listings', 'fmr', 'benchmarks'],
  signals: ['tax', 'parcels', 'distress'],
  auctions: ['auctions'],
  leads: ['tax', 'parcels', 'auctions', 'distress'],
  owners: ['listings', 'tax', 'parcels', 'auctions', 'distress', 'register'],
  filings: ['register'],
};

const staleNote = ([first, ...others]: readonly StaleSource[]): string =>
  first === undefined
    ? ''
    : `Older than its cadence: ${first.source}, last read ${first.last_good_at.slice(0, 10)}` +
      `${others.length > 0 ? `, and ${others.length} more` : ''}; see stale_sources.`;

/** A page of a list. */
export interface ListPage {
  readonly table: TableName;
  /** JSON texts. */
  readonly records: readonly (string | Buffer)[];
  /** Matching records of the list, ignoring the cursor. */
  readonly total: number;
  /** Names of `fieldsOf`. */
  readonly fields: readonly string[];
  readonly nextCursor: string | null;
  /** Of the change feed; undefined if the list has none. */
  readonly changesThrough: string | undefined;
  readonly completeSince: string | undefined;
  /** Of changes: fields whose values alone are no change. */
  readonly notCompared?: ReturnType<typeof notComparedOf>;
  readonly note?: string | undefined;
  /** Further fields of the envelope. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
  /** Start of the names of its sources; default: all sources of the table's families. */
  readonly sourcePrefix?: string | undefined;
}

/** The body of an answer. */
export function listBody(request: RouteRequest<Params>, list: List, page: ListPage): JsonText {
  const { snapshot, today, manifest, params } = request;
  const { sourcePrefix = '' } = page;
  // Sources whose rows are older than their cadence on the day of the request.
  const stale = staleSources(snapshot, today, FAMILIES[page.table]).filter((one) =>
    one.source.startsWith(sourcePrefix),
  );
  return JsonText.of({
    ...noteOf(manifest, [staleNote(stale), page.note].filter(Boolean).join(' ')),
    count: page.records.length,
    total_matches: page.total,
    ...pageSizeOf(list, params),
    ...page.more,
    ...publishedOf(manifest),
    changes_through: page.changesThrough,
    complete_since: page.completeSince,
    not_compared: page.notCompared,
    stale_sources: stale,
    filters: filtersOf(params),
    fields: page.fields,
    next_cursor: page.nextCursor,
    records: JsonText.array(page.records),
  });
}
