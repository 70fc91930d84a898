/**
 * Free counts of a paid list by coarse filters: place, kind, status, and steps of the score. A count is a range over
 * the snapshot. It ignores holds, so that it discloses no sale, and of the figures that are sold it uses only the
 * steps of the score.
 */
import { z } from 'zod';
import type { Filters } from '../../serving/filters.ts';
import { cacheByKey } from '../../serving/memo.ts';
import type { Snapshot } from '../../serving/open.ts';
import { parseRecord } from '../../serving/records.ts';
import { publishedRank, type TableName } from '../../../models/serving/tables.ts';
import type { Route, RouteRequest } from '../define.ts';
import type { Params } from '../params.ts';

/** Place, kind and status. */
export const COARSE =
  'state county city zip metro signal_type auction_type lead_type property_kind entity_type status'.split(' ');
export const MIN_SCORE = 'min_score';
/** Values of min_score that a count takes. */
export const SCORE_STEPS = ['20', '40', '60', '80'] as const;
const isStep = (score: unknown): boolean => SCORE_STEPS.some((step) => step === String(score));
/** Filters by figures that are sold. A count by them does not distinguish none from a few. */
const COMPUTED = ['status', MIN_SCORE];

/** A list whose records can be counted. */
export interface Countable extends Pick<Route, 'path' | 'params'> {
  /** The records that match the filters of a request. */
  matching(request: RouteRequest<Params>): Promise<Filters>;
}

/** The coarse filters that a list takes. */
export const coarseFiltersOf = ({ params }: Pick<Countable, 'params'>): string[] =>
  [...COARSE, MIN_SCORE].filter((name) => Object.hasOwn(params, name));

/** Most counts cached per snapshot. */
const MAX_COUNTS = 1000;

type CountRequest = RouteRequest<Params>;
/** @property rarely what few of the rows have, in percent of those that were looked at */
type Counted = Readonly<{ table: TableName; matches: number; rarely: Readonly<Record<string, number>> }>;

const cache = cacheByKey<Counted>(MAX_COUNTS);

/** Fields that a list promises and that a publisher may not print. */
const PROMISED: Partial<Record<TableName, readonly string[]>> = {
  deals: ['list_price', 'units', 'zip'],
  signals: ['address', 'amount', 'owner_name', 'zip'],
  auctions: ['appraised_value', 'parcel_id', 'property_address', 'zip'],
  leads: ['address', 'owner_name', 'parcel_id', 'zip'],
  filings: ['business_city', 'registered_agent_name'],
};
/** First rows of a list that are looked at, and the fewest that say something. */
const [MOST_LOOKED_AT, LEAST_LOOKED_AT] = [200, 10];

/** The promised fields that fewer than half of these rows have, in percent of them. */
async function rarelyFilled(snapshot: Snapshot, table: TableName, rows: readonly number[]): Promise<Counted['rarely']> {
  if (rows.length < LEAST_LOOKED_AT) return {};
  const fields = PROMISED[table] ?? [];
  const records = (await snapshot.textsInSlices(table, rows, fields)).map(parseRecord);
  const shares = fields.map((name): [string, number] => [
    name,
    Math.round((100 * records.filter((record) => record[name] !== null).length) / rows.length),
  ]);
  return Object.fromEntries(shares.filter(([, percent]) => percent < 50));
}

/** Records that match; a lead that was sold after the snapshot is counted. */
function countMatches(route: Countable, request: CountRequest): Promise<Counted> {
  const { snapshot, today, params } = request;
  const key = JSON.stringify([today, route.path, Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1))]);
  return cache(snapshot, key, async () => {
    const filters = await route.matching({ ...request, holds: async () => new Map() });
    const { table } = filters;
    const rank = { column: publishedRank(table) ?? 'id', direction: 'DESC' } as const;
    const { total, rows } = await snapshot.find({ filters, rank }, undefined, MOST_LOOKED_AT);
    return { table, matches: total, rarely: await rarelyFilled(snapshot, table, rows) };
  });
}

/**
 * Range of the records of a list that match.
 * @param request with parameters of the list
 * @returns null if a parameter is no coarse filter, or no step of the score
 */
export async function coarseCount(route: Countable, request: CountRequest): Promise<Range | null> {
  const names = Object.keys(request.params);
  const known = coarseFiltersOf(route);
  const score = request.params[MIN_SCORE];
  if (names.some((name) => !known.includes(name))) return null;
  if (score !== undefined && !isStep(score)) return null;
  const counted = await countMatches(route, request);
  const isBlurred = counted.table === 'leads' || names.some((name) => COMPUTED.includes(name));
  return rangeOf(counted.matches, !isBlurred);
}

/** Those of the filters of a request that a count takes. */
function coarseOf(route: Countable, { params }: CountRequest): CountRequest['params'] {
  const known = coarseFiltersOf(route);
  return Object.fromEntries(
    Object.entries(params).filter(([name, value]) => known.includes(name) && (name !== MIN_SCORE || isStep(value))),
  );
}

/** The promised fields that fewer than half of the counted rows have; undefined if there is none. */
export async function rarelyFilledIn(route: Countable, request: CountRequest): Promise<Counted['rarely'] | undefined> {
  const { rarely } = await countMatches(route, { ...request, params: coarseOf(route, request) });
  return Object.keys(rarely).length === 0 ? undefined : rarely;
}

/** The range of a request, by those of its filters that a count takes, and these filters. */
export async function coarseRange(route: Countable, request: CountRequest) {
  const filters = coarseOf(route, request);
  const counted = await coarseCount(route, { ...request, params: filters });
  if (!counted) throw new Error(`${route.path} is not counted by ${Object.keys(filters).join(', ')}`);
  return { ...counted, filters };
}

export const RangeSchema = z.strictObject({ at_least: z.int(), at_most: z.int() });
export type Range = Readonly<z.infer<typeof RangeSchema>>;

/** Smallest counts of the ranges below 100; the larger ones are these times 10, 100, ... */
const STEPS = [10, 25, 50];

/**
 * The range of a count: 0 to 9, 10 to 24, 25 to 49, 50 to 99, 100 to 249, ...
 * @param hasZero whether 0 is a range of its own, apart from 1 to 9
 */
export function rangeOf(count: number, hasZero: boolean): Range {
  if (count < 10) return { at_least: hasZero && count > 0 ? 1 : 0, at_most: hasZero && count === 0 ? 0 : 9 };
  const factor = 10 ** (Math.floor(Math.log10(count)) - 1);
  const bounds = [...STEPS, 100].map((step) => step * factor);
  const next = bounds.findIndex((bound) => count < bound);
  return { at_least: bounds[next - 1] ?? 0, at_most: (bounds[next] ?? 0) - 1 };
}
