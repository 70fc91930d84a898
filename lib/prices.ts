/** The price of one call. */
import { atomicOf as microsOf } from './network.ts';

/** The price of every paid endpoint, in dollars per request. The only definition of prices. */
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

/** Endpoints whose price does not exceed what one settlement costs. @param cost dollars, up to six decimals */
export const pricesUpTo = (cost: string): string[] =>
  Object.entries(PRICES).flatMap(([path, price]) => (microsOf(price) <= microsOf(cost) ? [`${path} ($${price})`] : []));

/** "free" or "$0.05". */
export const priceText = ({ price }: { readonly price: string | null }): string =>
  price === null ? 'free' : `$${price}`;
