/** x-payment-info of a priced operation, as catalogs of paid APIs read it from OpenAPI. */
import { highestPriceOf, type Priced } from '../routes/pricing.ts';
import type { JsonObject } from './schemas.ts';

/** The price of a call, fixed or between bounds, and how it is paid. Empty if the call is free. */
export function paymentInfoOf(route: Priced): JsonObject {
  const { price, units } = route;
  if (price === null) return {};
  return {
    'x-payment-info': {
      price:
        units === undefined
          ? { mode: 'fixed', currency: 'USD', amount: price }
          : { mode: 'dynamic', currency: 'USD', min: price, max: highestPriceOf(route) },
      protocols: [{ x402: {} }],
    },
  };
}
