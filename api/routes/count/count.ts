/**
 * Free counts. GET /api/count/{list}: how many records of a paid list match coarse filters. GET /api/places: the places
 * with records, their spellings, and the range of each list there: that of /api/count with the same filters;
 * has_listings and has_records say no more than that it begins above zero.
 */
import { z } from 'zod';
import { Problem } from '../../http/problem.ts';
import { cachePerSnapshot } from '../../serving/memo.ts';
import type { Snapshot } from '../../serving/open.ts';
import { deals } from '../deals.ts';
import { defineRoute, type Route, type RouteRequest } from '../define.ts';
import { filings } from '../filings.ts';
import { leads } from '../leads/leads.ts';
import { lettersOf } from '../list/place.ts';
import type { ListRoute } from '../list/route.ts';
import { noteOf, PUBLISHED, publishedOf } from '../envelope.ts';
import {
  choiceParam,
  integerParam,
  nearestTo,
  readParams,
  readValue,
  stateParam,
  textParam,
  type Params,
} from '../params.ts';
import { placesOf, type Place } from '../places.ts';
import { auctions, owners, signals } from '../public_records.ts';
import { COARSE, coarseCount, coarseFiltersOf, MIN_SCORE, RangeSchema, SCORE_STEPS, type Range } from './coarse.ts';

/** Lists that are counted. The description of a filter is that of the first list that takes it. */
export const LISTS = { signals, auctions, leads, deals, owners, filings } as const satisfies Record<string, ListRoute>;
export type ListName = keyof typeof LISTS;
const LIST_NAMES = Object.keys(LISTS) as [ListName, ...ListName[]];

export const coarseParams: Params = Object.fromEntries(
  COARSE.flatMap((name) => {
    const schema = LIST_NAMES.map((list) => LISTS[list].params[name]).find((found) => found !== undefined);
    return schema ? [[name, schema]] : [];
  }),
);

const listParam = choiceParam(
  LIST_NAMES,
  `Name of a list, with the filters that it takes: ${LIST_NAMES.map(
    (name) => `${name} (${coarseFiltersOf(LISTS[name]).join(', ')})`,
  ).join(', ')}.`,
);

/** The query of the paid call with the same filters. @throws Problem unknown_parameter if one is not known */
export function paidQuery(
  params: Readonly<Record<string, unknown>>,
  known: readonly string[],
  subject: string,
): string {
  const unknown = Object.keys(params).find((given) => !known.includes(given));
  if (unknown !== undefined)
    throw new Problem('unknown_parameter', `${subject} takes no ${unknown}. Known: ${known.join(', ')}.`, {
      field: unknown,
      accepted: known,
    });
  const given = known.flatMap((filter) => (params[filter] === undefined ? [] : [[filter, String(params[filter])]]));
  return new URLSearchParams(given).toString();
}

/**
 * The list of a request, and the request with the parameters of the paid call.
 * @throws Problem if the list or one of its filters is invalid
 */
function readPaidQuery(request: RouteRequest<Params>) {
  const name = readValue('list', listParam, request.path['list'] ?? '');
  const route: ListRoute = LISTS[name];
  const query = paidQuery(request.params, coarseFiltersOf(route), `A count of ${name}`);
  return { name, route, query, paid: { ...request, params: readParams(route.params, query) } };
}

const NOTE =
  'A range with fixed bounds, over the records of the snapshot. The paid call has the exact total; without a match ' +
  'it is 404 and free.';
const LEADS_NOTE =
  'A lead that was sold after generated_at is counted until the next snapshot, so that no count shows a sale.';

const Count = z.strictObject({
  note: z.string(),
  list: z.enum(LIST_NAMES),
  matches: RangeSchema.meta({ description: 'Range of the number of matching records. 0 to 0: none matches.' }),
  paid_call: z
    .strictObject({ url: z.url(), price: z.string() })
    .meta({ description: 'The list with the same filters, and its price.' }),
  ...PUBLISHED,
  filters: z.record(z.string(), z.unknown()),
});

/** Counts of every list that is sold. */
export const count = ({ publicUrl }: { readonly publicUrl: string }): Route =>
  defineRoute({
    name: 'count',
    path: '/api/count/:list',
    price: null,
    about:
      'Free count of the records of a list that match coarse filters: a range with fixed bounds, and the ' +
      'price and URL of the paid call with the same filters.',
    params: { ...coarseParams, [MIN_SCORE]: choiceParam(SCORE_STEPS, 'Minimum deal_score or lead_score.') },
    pathParams: { list: listParam },
    response: Count,
    async check(request) {
      const { route, paid } = readPaidQuery(request);
      await route.check?.(paid);
    },
    async handle(request): Promise<z.input<typeof Count>> {
      const { manifest, params } = request;
      const { name, route, query, paid } = readPaidQuery(request);
      const counted = await coarseCount(route, paid);
      if (!counted) throw new Error(`${query} has a filter that is not coarse`);
      return {
        note: noteOf(manifest, name === 'leads' ? `${NOTE} ${LEADS_NOTE}` : NOTE).note ?? '',
        list: name,
        matches: counted,
        paid_call: { url: `${publicUrl}${route.path}${query && `?${query}`}`, price: `$${route.price}` },
        ...publishedOf(manifest),
        filters: { ...params },
      };
    },
  });

const PLACE_KINDS = ['metro', 'county', 'city', 'zip'] as const;
type PlaceKind = (typeof PLACE_KINDS)[number];
const [PAGE, MAX_PAGE, MAX_PAGES] = [20, 50, 10_000];

/** One place, from the rows of `places` that are in it. */
interface Named {
  readonly kind: PlaceKind;
  readonly name: string;
  readonly spellings: string[];
  readonly states: string[];
  readonly counties: string[];
  /** The filters that find its records. */
  readonly filters: Record<string, string>;
  /** Letters of the spellings. */
  readonly letters: readonly string[];
}

const sorted = (values: readonly (string | null)[]): string[] =>
  [...new Set(values)].filter((value) => value !== null).sort();

/** What two rows of one place have in common; undefined if a row is of no such place. */
const KEYS: Readonly<Record<PlaceKind, (place: Place) => string | undefined>> = {
  metro: ({ metro }) => metro ?? undefined,
  county: ({ county_fips: fips }) => fips ?? undefined,
  city: ({ city, state }) => (city === null ? undefined : `${lettersOf(city)}, ${state}`),
  zip: ({ zip }) => (zip?.length === 5 ? zip : undefined),
};

function named(kind: PlaceKind, rows: readonly Place[]): Named {
  const spellings = sorted(rows.map((row) => row[kind]));
  const [name = ''] = spellings;
  const states = sorted(rows.map(({ state }) => state));
  const [state = ''] = states;
  return {
    kind,
    name,
    spellings,
    letters: [...new Set(spellings.map(lettersOf))],
    states,
    counties: sorted(rows.map(({ county }) => county)),
    filters: { ...(kind === 'city' || kind === 'county' ? { state } : {}), [kind]: name },
  };
}

/** The places with records: larger ones first, then by name. */
const allPlaces = cachePerSnapshot(async (snapshot: Snapshot): Promise<readonly Named[]> => {
  const served = (await placesOf(snapshot)).filter((place) => place.has_listings || place.has_records);
  return PLACE_KINDS.flatMap((kind) => {
    const keyed = Map.groupBy(served, KEYS[kind]);
    return [...keyed]
      .flatMap(([key, rows]) => (key === undefined ? [] : [named(kind, rows)]))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.states.join() < b.states.join() ? -1 : 1));
  });
});

/** Places whose name contains the text, those that begin with it first. */
function matchingPlaces(places: readonly Named[], text: string | undefined): readonly Named[] {
  if (text === undefined) return places;
  const wanted = lettersOf(text);
  const has = (is: 'startsWith' | 'includes') => (place: Named) => place.letters.some((one) => one[is](wanted));
  const found = wanted === '' ? [] : places.filter(has('includes'));
  return [...found.filter(has('startsWith')), ...found.filter((place) => !has('startsWith')(place))];
}

/** Lists whose ranges a place has. */
const RANGED = ['deals', 'signals', 'auctions', 'leads'] as const;

const PlaceIndex = z.strictObject({
  note: z.string(),
  count: z.int(),
  total_places: z.int().meta({ description: 'Places that match, on all pages.' }),
  next_page: z.int().nullable().meta({ description: 'page of the next places; null on the last one.' }),
  near: z.array(z.string()).meta({ description: 'If no place has the name: names near it.' }),
  places: z.array(
    z.strictObject({
      kind: z.enum(PLACE_KINDS),
      name: z.string(),
      spellings: z.array(z.string()).meta({ description: 'The name as records have it. Each finds all of them.' }),
      states: z.array(z.string()),
      counties: z.array(z.string()),
      filters: z.record(z.string(), z.string()).meta({ description: 'Filters of the lists that find its records.' }),
      matches: z
        .strictObject({ deals: RangeSchema, signals: RangeSchema, auctions: RangeSchema, leads: RangeSchema })
        .meta({ description: 'Ranges of /api/count/{list} with these filters.' }),
    }),
  ),
  ...PUBLISHED,
});

const placeParams = {
  q: textParam('Part of the name in any spelling, or the first digits of a ZIP.'),
  kind: choiceParam(PLACE_KINDS, 'Only places of this kind.'),
  state: stateParam('Only places in this state.'),
  limit: integerParam(
    `Places per page; default ${PAGE}. An answer counts as so many against the rate limit.`,
    1,
    MAX_PAGE,
  ),
  page: integerParam('Number of the page, from 1.', 1, MAX_PAGES),
};

async function rangesOf(request: RouteRequest<Params>, filters: Named['filters']) {
  const ranges = RANGED.map(async (list) => {
    const counted = await coarseCount(LISTS[list], { ...request, params: filters });
    if (!counted) throw new Error(`${list} is not counted by ${Object.keys(filters).join(', ')}`);
    return [list, counted] as const;
  });
  return Object.fromEntries(await Promise.all(ranges)) as Readonly<Record<(typeof RANGED)[number], Range>>;
}

export const placeIndex = defineRoute({
  name: 'places',
  path: '/api/places',
  price: null,
  about:
    'Counties, cities, ZIPs and metros with records. Each has its spellings, the filters that find its records, and ' +
    'the range of each list there.',
  params: placeParams,
  response: PlaceIndex,
  questions: ({ limit = PAGE }) => limit,
  async handle(request): Promise<z.input<typeof PlaceIndex>> {
    const { snapshot, manifest } = request;
    const { q, kind, state, limit = PAGE, page = 1 } = request.params;
    const all = (await allPlaces(snapshot)).filter(
      (place) => (kind === undefined || place.kind === kind) && (state === undefined || place.states.includes(state)),
    );
    const found = matchingPlaces(all, q);
    const names = all.flatMap(({ spellings }) => spellings);
    const shown = found.slice((page - 1) * limit, page * limit);
    const places: z.input<typeof PlaceIndex>['places'] = [];
    for (const { letters: _, ...place } of shown)
      places.push({ ...place, matches: await rangesOf(request, place.filters) });
    return {
      note: noteOf(manifest, 'Ranges as in /api/count. A place without a listing or a record is not shown.').note ?? '',
      count: shown.length,
      total_places: found.length,
      next_page: page * limit < found.length ? page + 1 : null,
      near: q === undefined || found.length > 0 ? [] : nearestTo(q, names, lettersOf),
      places,
      ...publishedOf(manifest),
    };
  },
});
