/** State that the middleware of one request share, in Koa's `ctx.state`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Middleware } from 'koa';

export interface RequestState {
  requestId: string;
  /** Reason of the error response. */
  reason?: string;
  /** The route that the request reached, and its price in dollars. */
  route?: { readonly path: string; readonly price: string | null };
  snapshotId?: string;
  /** What the call would return, for its 402. */
  offer?: Readonly<Record<string, unknown>> | undefined;
  /** Media type of the response, if the request chose it; it is part of the purchase. Default: JSON. */
  media?: 'text/csv';
  /** Count this many more unpaid responses, before a handler looks for an answer. @throws Problem rate_limited */
  countUnpaid?: (more: number) => void;
  /** An unexpected error, for the log. */
  error?: unknown;
  /** Set by the payment layer if the payer is a contract, which is asked for its signature after the handler. */
  isContractPayer?: boolean;
  /** Set by the payment layer once the payment is settled. */
  settlement?: {
    readonly payer: string;
    readonly transaction: string;
    readonly receiptId: string;
  };
  /** The response that carries this one to the caller, if the request was made in process. */
  carrier?: ServerResponse;
  /** Set by the payment layer if the outcome of the settlement is unknown. */
  unresolved?: Readonly<Record<string, string>>;
}

export const stateOf = (ctx: Context): RequestState => ctx.state as RequestState;

/** The response that carries that of a request made in process to its caller. */
export const carriers = new WeakMap<IncomingMessage, ServerResponse>();

/** Middleware that tells an inner request which response carries its own to the caller. */
export const carryResponses: Middleware = async (ctx, next) => {
  const carrier = carriers.get(ctx.req);
  if (carrier) stateOf(ctx).carrier = carrier;
  await next();
};
