/**
 * Free counts of a paid list by coarse filters: place, kind, status, and steps of the score. A count is a range over
 * the snapshot. It ignores holds, so that it discloses no sale, and of the figures that are sold it uses only the
 * steps of the score.
 */
import { LRUCache } from 'lru-cache';
import type { Filters } from '../../serving/filters.ts';
import type { Snapshot } from '../../serving/open.ts';
import type { TableName } from '../../../models/serving/tables.ts';
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
type Counted = Readonly<{ table: TableName; matches: number }>;

const cache = new WeakMap<Snapshot, LRUCache<string, Promise<Counted>>>();

/** Records that match; a lead that was sold after the snapshot is counted. */
function countMatches(route: Countable, request: CountRequest): Promise<Counted> {
  const { snapshot, today, params } = request;
  const counts = cache.get(snapshot) ?? new LRUCache<string, Promise<Counted>>({ max: MAX_COUNTS });
  cache.set(snapshot, counts);
  const key = JSON.stringify([today, route.path, Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1))]);
  const known = counts.get(key);
  if (known) return known;
  const count = route
    .matching({ ...request, holds: async () => new Map() })
    .then(async (filters) => ({ table: filters.table, matches: await snapshot.total(filters) }));
  counts.set(key, count);
  count.catch(() => counts.delete(key));
  return count;
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

/** The range of a request, by those of its filters that a count takes, and these filters. */
export async function coarseRange(route: Countable, request: CountRequest) {
  const known = coarseFiltersOf(route);
  const filters = Object.fromEntries(
    Object.entries(request.params).filter(
      ([name, value]) => known.includes(name) && (name !== MIN_SCORE || isStep(value)),
    ),
  );
  const counted = await coarseCount(route, { ...request, params: filters });
  if (!counted) throw new Error(`${route.path} is not counted by ${Object.keys(filters).join(', ')}`);
  return { ...counted, filters };
}

/** Smallest counts of the ranges below 100; the larger ones are these times 10, 100, ... */
const STEPS = [10, 25, 50];
const TEN = 10;

export interface Range {
  readonly at_least: number;
  readonly at_most: number;
}

/**
 * The range of a count: 0 to 9, 10 to 24, 25 to 49, 50 to 99, 100 to 249, ...
 * @param hasZero whether 0 is a range of its own, apart from 1 to 9
 */
export function rangeOf(count: number, hasZero: boolean): Range {
  let least = 0;
  for (let factor = 1; ; factor *= TEN) {
    for (const step of STEPS) {
      const next = step * factor;
      if (count < next) {
        if (least > 0 || !hasZero) return { at_least: least, at_most: next - 1 };
        return count === 0 ? { at_least: 0, at_most: 0 } : { at_least: 1, at_most: next - 1 };
      }
      least = next;
    }
  }
}
