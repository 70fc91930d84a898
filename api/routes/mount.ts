/**
 * Puts every route on the router. Order of checks: bad parameters (400), no snapshot (503), payment (402, 409, 503),
 * the handler (404), settlement.
 */
import { setTimeout } from 'node:timers/promises';
import type { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { todayOf } from '../../models/manifest.ts';
import { isCached, shortHash } from '../http/caching.ts';
import { Problem } from '../http/problem.ts';
import type { RequestState } from '../http/request_state.ts';
import type { PaymentLayer } from '../payments/middleware.ts';
import type { OpenPurchase } from '../payments/sale.ts';
import type { Snapshots } from '../serving/follow.ts';
import { bodyObject, JsonText } from '../serving/records.ts';
import { CSV, prefersCsv, sendListCsv, setCsvHeaders, type ListBody } from './list/csv.ts';
import type { Cursors } from './list/page.ts';
import {
  isJson,
  isTemplate,
  mediaOf,
  routeKey,
  templateRoute,
  type Attachment,
  type Route,
  type RouteRequest,
} from './define.ts';
import { guaranteeOf } from './guarantee.ts';
import type { Holds } from './leads/lead_holds.ts';
import { readParams, type Params } from './params.ts';

/** How much longer a purchase is reserved than its handler may take. */
const RESERVE_MARGIN_MS = 15_000;
const SLOW_ROUTE_FACTOR = 4;

/** What the middleware of a route share besides the state of every request. */
interface RoutedState extends RequestState {
  request?: RouteRequest<Params>;
  /** The handler's work, which may outlast the request. */
  running?: Promise<unknown>;
  /** Set by the payment layer for the handler of a verified payment. */
  openPurchase?: OpenPurchase;
}

const stateOf = (ctx: Context): RoutedState => ctx.state as RoutedState;

export interface MountOptions {
  readonly routes: readonly Route[];
  readonly snapshots: Snapshots;
  readonly cursors: Cursors;
  readonly holds: Holds;
  readonly layer: Pick<PaymentLayer, 'charge'>;
  /** Hash of the interface, part of every ETag: a new interface invalidates cached responses. */
  readonly interfaceHash: string;
  readonly nowMs: () => number;
  /** Handler timeout, in milliseconds; a slow route has four times as much. */
  readonly handlerMs: number;
  /** Check every response against its route's schema before it is sent. For tests. */
  readonly checkResponses: boolean;
}

/** The result of the handler. @throws Problem timed_out after `ms` */
async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = setTimeout(ms, undefined, { signal: timer.signal }).then(() => {
    work.catch(() => undefined);
    throw new Problem(
      'timed_out',
      `The response was not ready within ${ms / 1000} seconds. Nothing was charged.`,
      {},
      { 'Retry-After': '10' },
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

/** Hash of everything that a free response depends on. */
function responseHash(route: Route, { snapshot, today, params }: RouteRequest<Params>, ...more: unknown[]): string {
  const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  return shortHash([snapshot.id, today, ...more, route.path, sorted]);
}

export function mountRoutes(router: Router, options: MountOptions): void {
  const { routes, snapshots, cursors, holds, layer, nowMs } = options;
  const timeoutOf = (route: Route): number => options.handlerMs * (route.isSlow === true ? SLOW_ROUTE_FACTOR : 1);

  /** Read the parameters and lease a snapshot for the request, before a payment is required. */
  const prepare =
    (route: Route): Middleware =>
    async (ctx, next) => {
      const state = stateOf(ctx);
      state.route = route;
      if (route.csvColumns) {
        ctx.vary('Accept');
        if (prefersCsv(ctx)) state.media = CSV;
      }
      const params = readParams(route.params, ctx.querystring);
      const lease = snapshots.acquire();
      if (!lease)
        throw new Problem(
          'snapshot_unavailable',
          snapshots.failure() === null
            ? 'There is no snapshot to serve yet. Nothing was charged.'
            : 'The snapshot cannot be loaded; /health has the reason. Nothing was charged.',
          {},
          { 'Retry-After': '30' },
        );
      try {
        const { snapshot } = lease;
        state.snapshotId = snapshot.id;
        // Also of a 402: in one snapshot, the same call has the same answer, unless it sells one thing.
        if (route.isExclusive !== true) ctx.set('X-Snapshot-Id', snapshot.id);
        state.request = {
          params,
          path: ctx['params'] as Record<string, string>,
          snapshot,
          manifest: snapshot.manifest,
          today: todayOf(snapshot.manifest, nowMs()),
          cursors,
          holds,
        };
        await route.check?.(state.request);
        try {
          // Who pays has read it.
          if (ctx.get('PAYMENT-SIGNATURE') === '')
            state.offer = { ...(await route.offer?.(state.request)), ...guaranteeOf(route, snapshot) };
        } catch (error) {
          // A 402 without it still says how to pay; the log has the error.
          state.error = error;
        }
        await next();
      } finally {
        // A handler that timed out still reads the snapshot.
        const release = (): void => {
          lease[Symbol.dispose]();
        };
        if (state.running) void state.running.then(release, release);
        else release();
      }
    };

  const respond =
    (route: Route): Middleware =>
    async (ctx) => {
      const state = stateOf(ctx);
      const { request, openPurchase } = state;
      if (!request) throw new Error(`${route.path} was reached without its parameters`);
      if (route.price === null) {
        const hash = responseHash(route, request, options.interfaceHash, await route.stateKey?.(request));
        if (isCached(ctx, hash, route.stateKey && 'public, no-cache')) return;
      }
      state.countUnpaid?.((route.questions?.(request.params) ?? 1) - 1);
      state.running = route.handle(openPurchase ? { ...request, openPurchase } : request);
      const body = await withTimeout(timeoutOf(route), state.running);
      ctx.set('X-Snapshot-Id', request.snapshot.id);
      if (route.media === 'text/csv') {
        const { content, name, headers } = body as Attachment;
        ctx.body = content;
        ctx.set({ ...headers });
        setCsvHeaders(ctx, name);
        return;
      }
      if (options.checkResponses) {
        const isText = typeof body === 'string';
        route.response.parse(isText && isJson(route) ? JSON.parse(body) : bodyObject(body));
      }
      if (typeof body === 'string') {
        ctx.body = body;
        ctx.type = mediaOf(route);
        return;
      }
      if (state.media === CSV && route.csvColumns) {
        sendListCsv(ctx, route.name, route.csvColumns(request.params), bodyObject(body) as ListBody);
        return;
      }
      ctx.body = body instanceof JsonText ? body.bytes : JSON.stringify(body);
      ctx.type = 'application/json';
    };

  for (const route of routes) {
    // The free response to the route's own template, in front of the priced one.
    const free = templateRoute(route);
    const template: Middleware = (ctx, next) =>
      free && isTemplate(ctx['params'] as Record<string, string>)
        ? prepare(free)(ctx, () => respond(free)(ctx, next))
        : next();
    const charge = (): Middleware =>
      layer.charge({
        routeKey: routeKey(route),
        reserveMs: timeoutOf(route) + RESERVE_MARGIN_MS,
        isExclusive: route.isExclusive === true,
      });
    router.get(
      route.path,
      ...(free ? [template] : []),
      prepare(route),
      ...(route.price === null ? [] : [charge()]),
      respond(route),
    );
  }
}
