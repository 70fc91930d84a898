/** Input that the steps of a paid request share. */
import type { ServerResponse } from 'node:http';
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

/** The response that reaches the caller: that of the request, or of the one that carries it. */
export function callersResponse({ state, res }: Pick<Context, 'state' | 'res'>): ServerResponse {
  const { carrier = res } = state as { readonly carrier?: ServerResponse };
  return carrier;
}

/** The media type of the answer, if the request chose another one than JSON. */
export function chosenMedia({ state }: Pick<Context, 'state'>): string | undefined {
  const media: unknown = state['media'];
  return typeof media === 'string' ? media : undefined;
}

/**
 * Key of a request: path and sorted query, followed by the media type if the request chose another one than JSON, as in
 * "/api/deals?state=OH text/csv".
 */
export function requestOf({ path, querystring, state }: Pick<Context, 'path' | 'querystring' | 'state'>): string {
  const query = new URLSearchParams(querystring);
  query.sort();
  const media = chosenMedia({ state });
  return `${path}${query.size === 0 ? '' : `?${query.toString()}`}${media === undefined ? '' : ` ${media}`}`;
}
