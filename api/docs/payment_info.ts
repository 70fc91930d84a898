/** x-payment-info of a priced operation, as catalogs of paid APIs read it from OpenAPI. */
import { atomicOf, dollarsOf } from '../../lib/network.ts';
import type { Route } from '../routes/define.ts';
import type { JsonObject } from './schemas.ts';

/** Dollars with two decimals for a number of units of a price. */
const times = (price: string, units: number): string => dollarsOf(atomicOf(price) * BigInt(units)).slice(0, -4);

/** The price of a call, fixed or between bounds, and how it is paid. Empty if the call is free. */
export function paymentInfoOf({ price, maxUnits }: Pick<Route, 'price' | 'maxUnits'>): JsonObject {
  if (price === null) return {};
  return {
    'x-payment-info': {
      price:
        maxUnits === undefined
          ? { mode: 'fixed', currency: 'USD', amount: price }
          : { mode: 'dynamic', currency: 'USD', min: price, max: times(price, maxUnits) },
      protocols: [{ x402: {} }],
    },
  };
}
