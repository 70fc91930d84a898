/** Paid lists: filters combined with AND, the total, one ranked page, and the cursor of the next page. */
import { z } from 'zod';
import {
  ChangeEvent,
  changeParams,
  changesIn,
  type ChangeList,
  changesResponse,
  checkChanges,
  feedState,
  updatedSinceOf,
  type FeedDefinition,
  type FeedState,
} from '../changes/changes.ts';
import { hintsOf, integerParam, namesParam, textParam, type Hint, type Params, type ParamValues } from '../params.ts';
import { coarseRange, rarelyFilledIn, type Countable, type Range } from '../count/coarse.ts';
import type { Price } from '../../../lib/prices.ts';
import { Problem } from '../../http/problem.ts';
import { defineRoute, type RouteRequest, type Route } from '../define.ts';
import { costNote, fieldsOf, filtersOf, listBody, MAX_PAGE, pageSizeOf, queryOf, type List } from './envelope.ts';
import { areaFields, locatedIn } from './area.ts';
import { checkNeeds, narrowed, paramsOf, type ListFilters, type ParamsOf } from './filters.ts';
import { placeHint } from './place.ts';
import { ALL, fieldChoices, groupNames, type FieldGroups } from './field_groups.ts';
import type { Filters, RankedRows } from '../../serving/filters.ts';
import type { JsonText } from '../../serving/records.ts';
import { StaleSource } from '../../serving/stale_sources.ts';
import { dataOf, NOTE, PUBLISHED } from '../envelope.ts';

const DEFAULT_PAGE = 50;

/** Parameters every list takes. */
const pageParamsOf = ({ page, price, byDefault, choices }: List) => ({
  limit: integerParam(
    `Records per page; default ${page}. Same price up to ${MAX_PAGE}: a page costs $${price} with any limit.`,
    1,
    MAX_PAGE,
  ),
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
  /** Further fields of the envelope. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Name of an item, for "No ... matches". */
  readonly itemName: string;
  /** Start of the names of its sources; default: all sources of the table's families. */
  readonly sourcePrefix?: string;
}

const partialRecords = new WeakMap<z.ZodObject, z.ZodObject>();
/** Schema of a record with only the requested fields; cached by record. */
export function partialOf(record: z.ZodObject): z.ZodObject {
  const partial =
    partialRecords.get(record) ?? record.partial().required({ id: true }).extend({ change: ChangeEvent.optional() });
  partialRecords.set(record, partial);
  return partial;
}

/** Fields of the envelope of a list with a change feed. */
const feedFields = {
  changes_through: z.iso
    .datetime()
    .meta({ description: 'The response has every change up to this instant: the next updated_since.' }),
  complete_since: z.iso
    .datetime()
    .meta({ description: 'The earliest updated_since: all changes after it are reported.' }),
  not_compared: z
    .strictObject({ follows_day: z.array(z.string()), follows_reads: z.array(z.string()) })
    .optional()
    .meta({
      description:
        'Only with updated_since: fields whose values alone are no change. follows_day: from the date, such as an ' +
        'age, and what follows from it; follows_reads: from the latest read or other rows. To have them as of today, ' +
        'read the record again.',
    }),
};

/** The parts of a definition that its schema depends on. */
type ListShape = Pick<ListDefinition<ListFilters>, 'record' | 'more' | 'filters'> & { readonly feed?: unknown };

/** Schema of a list of such records. */
const listSchema = ({ record, feed, filters, more = {} }: ListShape) =>
  z.strictObject({
    note: NOTE.optional(),
    count: z.int().min(1).meta({ description: 'Records on this page.' }),
    total_matches: z.int().min(1).meta({ description: 'Records that match, on all pages.' }),
    limit: z.int().meta({ description: 'Most records on this page.' }),
    max_limit: z.literal(MAX_PAGE).meta({ description: 'Largest limit.' }),
    price_note: z.string().meta({ description: 'The price of a page, which does not depend on limit.' }),
    ...more,
    ...(Object.hasOwn(filters, 'near') ? areaFields : {}),
    ...PUBLISHED,
    ...(feed ? feedFields : {}),
    stale_sources: z
      .array(StaleSource)
      .meta({ description: 'Sources of these records that were read too long ago, or are outdated.' }),
    filters: z.record(z.string(), z.unknown()).meta({ description: 'The filters of the request.' }),
    fields: z.array(z.string()).meta({ description: 'Fields and groups of fields in records, besides id and absent.' }),
    next_cursor: z.string().nullable().meta({ description: 'cursor of the next page; null on the last one.' }),
    records: z.array(partialOf(record)).meta({ description: 'The records in the order of the list, best first.' }),
  });

/** What an answer depends on besides the request. */
interface ListState {
  readonly options: ListOptions;
  readonly state: FeedState | undefined;
  readonly hints: readonly Hint[];
}

/**
 * One page of a list.
 * @throws Problem no_matches, so that an empty page is not billed; invalid_cursor
 */
async function listResponse(
  list: List,
  request: RouteRequest<PageParams>,
  { options, state, hints }: ListState,
): Promise<JsonText> {
  const { filters: found, rank, itemName, note, more, sourcePrefix } = options;
  const { snapshot, manifest, params } = request;
  const { limit } = pageSizeOf(list, params);
  const filters = filtersOf(params);
  const query = queryOf(list.path, filters);
  const after = params.cursor === undefined ? undefined : request.cursors.read(params.cursor, query);
  const { total, rows } = await snapshot.find({ filters: found, rank }, after, limit + 1);
  if (rows.length === 0) {
    throw new Problem(
      'no_matches',
      total === 0
        ? `No ${itemName} matches these filters. Nothing was charged.`
        : 'There are no records after this cursor. Nothing was charged.',
      {
        filters,
        total_matches: total,
        ...(total === 0 && found.table !== 'filings' ? { place: await placeHint(snapshot, params) } : {}),
        ...(hints.length === 0 ? {} : { hints }),
        ...(state ? { changes_through: state.changesThrough, complete_since: state.completeSince } : {}),
        ...dataOf(manifest),
      },
    );
  }
  const page = rows.slice(0, limit);
  const { names, columns } = fieldsOf(list, params);
  const records = await snapshot.textsInSlices(found.table, page, columns);
  const nextCursor = (): string => {
    const last = page.at(-1) ?? 0;
    const valueOf = (column: string) => snapshot.column(found.table, column).at(last);
    const value = valueOf(rank.column);
    const isBehind = rank.behind?.values.includes(String(valueOf(rank.behind.column))) === true;
    const [id = ''] = snapshot.ids(found.table, [last]);
    return request.cursors.write({ value: value === null ? null : String(value), id, isBehind }, query);
  };
  return listBody(request, list, {
    table: found.table,
    records,
    total,
    fields: names,
    nextCursor: rows.length > limit ? nextCursor() : null,
    changesThrough: state?.changesThrough,
    completeSince: state?.completeSince,
    note,
    more,
    sourcePrefix,
  });
}

export interface ListDefinition<F extends ListFilters> {
  /** As in RouteDefinition. */
  readonly name: string;
  readonly path: string;
  readonly price: Price;
  readonly about: string;
  readonly filters: F;
  /** Schema of a record; its fields are columns of the table. */
  readonly record: z.ZodObject;
  /** Records per page without `limit`; default 50. */
  readonly page?: number;
  readonly fields: FieldGroups;
  /** Schemas of further fields of the envelope. */
  readonly more?: z.ZodRawShape;
  /** Its change feed. Default: none. */
  readonly feed?: FeedDefinition;
  /** As in RouteDefinition. */
  readonly guarantees?: Route['guarantees'];
  /** Check the parameters together, before a payment is required. @throws Problem */
  check?(request: RouteRequest<ParamsOf<F>>): void | Promise<void>;
  /** Advice about the parameters together. */
  hints?(request: RouteRequest<ParamsOf<F>>): Hint[];
  /** The rows of the list, without the filters of the request. */
  list(request: RouteRequest<ParamsOf<F>>): ListOptions | Promise<ListOptions>;
}

/** A list whose records other routes count, and whose changes they count if it has a feed. */
export interface ListRoute extends Route, Countable {
  readonly changes?: {
    readonly list: ChangeList;
    /** Names of the filters by place and kind. */
    readonly filters: readonly string[];
    /** Rows of `changes` in the place and of the kind of a request. */
    matching(request: RouteRequest<Params>): Promise<Filters>;
  };
  /** The cost of reading so many records. */
  readonly costOf: (records: Range) => string;
}

/** A paid list. An invalid cursor is refused before a payment is required, as are changes since an invalid instant. */
export function listRoute<const F extends ListFilters>(definition: ListDefinition<F>): ListRoute {
  const { name, path, price, about, filters, record, page = DEFAULT_PAGE, fields, feed } = definition;
  const columns = Object.keys(record.shape);
  const choices = fieldChoices(columns, fields.groups);
  const list: List = { path, price, columns, page, choices, byDefault: fields.byDefault ?? [ALL] };
  /** The parameters by filters alone, as a list knows them. */
  type Own = RouteRequest<ParamsOf<F>>;
  const matching = async (request: RouteRequest<Params>): Promise<Filters> =>
    narrowed((await definition.list(request as Own)).filters, filters, request);
  const params: Params = { ...paramsOf(filters), ...pageParamsOf(list), ...(feed ? changeParams : {}) };
  const allHints = (request: RouteRequest<Params>): Hint[] => [
    ...hintsOf(params, request.params),
    ...(definition.hints?.(request as Own) ?? []),
  ];
  const route = defineRoute({
    name,
    path,
    price,
    about,
    params,
    response: listSchema(definition),
    async check(request) {
      checkNeeds(filters, request.params);
      await definition.check?.(request as Own);
      const { cursor }: ParamValues<PageParams> = request.params;
      const since = updatedSinceOf(request.params);
      const query = queryOf(path, filtersOf(request.params));
      const position = cursor === undefined ? undefined : request.cursors.read(cursor, query);
      if (feed && since !== undefined) checkChanges(feed, request, { since, after: position?.value ?? undefined });
    },
    async offer(request) {
      const hints = allHints(request);
      const size = pageSizeOf(list, request.params);
      // Changes are no part of a count.
      const isOfChanges = updatedSinceOf(request.params) !== undefined;
      const countable = { path, params, matching };
      const counted = isOfChanges ? undefined : await coarseRange(countable, request);
      const rarely = isOfChanges ? undefined : await rarelyFilledIn(countable, request);
      return {
        ...size,
        ...(counted && { price_note: `${size.price_note} ${costNote(counted, list)}`, matches: counted }),
        ...(rarely && { rarely_filled: rarely }),
        ...(hints.length === 0 ? {} : { hints }),
      };
    },
    csvColumns: (given) => fieldsOf(list, given).columns,
    async handle(request) {
      const since = updatedSinceOf(request.params);
      const unfiltered = await definition.list(request as Own);
      const options = { ...unfiltered, filters: await narrowed(unfiltered.filters, filters, request) };
      if (feed && since !== undefined)
        return changesResponse({ ...options, list, feed, narrow: filters, request, since, matching });
      const state = feed && feedState(request.snapshot, feed.list);
      const more = { ...options.more, ...(await locatedIn(unfiltered.filters, filters, request)) };
      return listResponse(list, request, { options: { ...options, more }, state, hints: allHints(request) });
    },
  });
  const changes = feed && {
    list: feed.list,
    filters: feed.filters,
    matching: async (request: RouteRequest<Params>) =>
      (await changesIn(feed, filters, request)).and('list', '=', feed.list),
  };
  const { guarantees } = definition;
  return {
    ...route,
    matching,
    costOf: (records) => costNote(records, list),
    ...(changes && { changes }),
    ...(guarantees && { guarantees }),
  };
}
