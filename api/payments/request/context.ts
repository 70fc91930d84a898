/** What the steps of a paid request share. */
import type { Context } from 'koa';
import type { OfferedPayment } from '../chain/authorization.ts';
import type { Charge, PaymentLayerOptions } from '../middleware.ts';
import type { Refusals } from '../refusals.ts';
import type { Deliveries } from './delivery.ts';

export interface PaymentSteps {
  readonly options: PaymentLayerOptions;
  readonly refusals: Refusals;
  readonly deliveries: Deliveries;
  readonly nowMs: () => number;
}

/** A request to a priced route that carries a payment. */
export interface PaidRequest {
  readonly ctx: Context;
  readonly charge: Charge;
  readonly offer: OfferedPayment;
}

/** Path and query, equal for every order of the query's parameters. */
export function requestOf({ path, querystring }: Pick<Context, 'path' | 'querystring'>): string {
  const query = new URLSearchParams(querystring);
  query.sort();
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
