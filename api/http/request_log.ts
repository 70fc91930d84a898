/** One log entry per request: route, status, time, snapshot and payment. Headers are never logged. */
import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import { priceOf } from '../routes/pricing.ts';
import type { Reason } from './problem.ts';
import { stateOf } from './request_state.ts';

export interface RequestLog {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly route?: string;
  readonly query: string;
  readonly status: number;
  readonly ms: number;
  readonly snapshot_id?: string;
  readonly reason?: Reason;
  readonly charged?: string;
  readonly payer?: string;
  readonly transaction?: string;
  readonly receipt_id?: string;
  readonly error?: unknown;
  /** Fields by which an operator finds a settlement of unknown outcome on the chain. */
  readonly unresolved?: Readonly<Record<string, string>>;
}

/** Give each request an id, and log it once its response is complete. */
export const logRequests =
  (log: (entry: RequestLog) => void): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    const state = stateOf(ctx);
    state.requestId = randomUUID();
    ctx.set('X-Request-Id', state.requestId);
    await next();
    const { route, units, snapshotId, reason, settlement, error, unresolved } = state;
    log({
      request_id: state.requestId,
      method: ctx.method,
      path: ctx.path,
      query: ctx.querystring,
      ...(route ? { route: route.path } : {}),
      status: ctx.status,
      ms: Math.round(performance.now() - started),
      ...(snapshotId === undefined ? {} : { snapshot_id: snapshotId }),
      ...(reason === undefined ? {} : { reason }),
      ...(settlement
        ? {
            charged: route ? priceOf(route, units) : '',
            transaction: settlement.transaction,
            payer: settlement.payer,
            receipt_id: settlement.receiptId,
          }
        : {}),
      ...(error === undefined ? {} : { error }),
      ...(unresolved === undefined ? {} : { unresolved }),
    });
  };
