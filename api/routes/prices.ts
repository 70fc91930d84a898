/** The price of one call: fixed, or per unit that is counted before payment. */
import { atomicOf, dollarsOf } from '../../lib/network.ts';
import type { RouteRequest } from './define.ts';
import type { Params, ParamValues } from './params.ts';

/** The price of every endpoint, in dollars per request. The only definition of prices. */
export const PRICES = {
  '/api/lookup': '0.02',
  '/api/deals/basic': '0.01',
  '/api/deals': '0.05',
  '/api/deals/hot': '0.02',
  '/api/signals': '0.03',
  '/api/auctions': '0.03',
  '/api/leads': '0.25',
  '/api/leads/exclusive': '1.00',
  '/api/deals/:id/report': '1.50',
  '/api/owners': '0.02',
  '/api/filings/recent': '0.01',
  '/api/filings': '0.03',
  '/api/batch/weekly.csv': '2.00',
} as const;

/** A price in dollars, as a decimal string. */
export type Price = (typeof PRICES)[keyof typeof PRICES];

/** A price for each unit of a request. */
export interface Units<P extends Params> {
  /** Name of the unit: "address that matches". */
  readonly of: string;
  /** Most units of a request. */
  readonly max: number;
  /** Units of this request, one or more, counted before a payment is required. @throws Problem no_matches if none */
  count(request: RouteRequest<P>): Promise<number>;
  /** How many unpaid responses the 402 counts as: its price discloses this many matches. */
  unpaidResponses(params: ParamValues<P>): number;
}

/** The parts of a route that determine its price. */
export interface Priced {
  readonly price: string | null;
  readonly units?: { readonly of: string; readonly max: number };
}

/** Dollars with two decimals for a call with this many units. */
export const priceOf = ({ price }: Priced, units = 1): string =>
  dollarsOf(atomicOf(price ?? '0.00') * BigInt(units)).slice(0, -4);

/** Dollars of the most expensive call. */
export const highestPriceOf = (route: Priced): string => priceOf(route, route.units?.max);

/** "free", "$0.05", or "$0.02 for each address that matches, at most $1.00". */
export function priceText(route: Priced): string {
  if (route.price === null) return 'free';
  const { units } = route;
  return `$${route.price}${units ? ` for each ${units.of}, at most $${highestPriceOf(route)}` : ''}`;
}
