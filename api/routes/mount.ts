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
import { stateOf } from '../http/request_state.ts';
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

export interface MountOptions {
  readonly routes: readonly Route[];
  readonly snapshots: Snapshots;
  readonly cursors: Cursors;
  readonly holds: Holds;
  readonly layer: Pick<PaymentLayer, 'charge'>;
  /** Hash of the interface, part of every ETag: a new interface invalidates cached responses. */
  readonly interfaceHash: () => string;
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

/** Put the body of a handler into the response, in the format of the route or, for a list, of the request. */
function send(ctx: Context, route: Route, { params }: RouteRequest<Params>, body: unknown): void {
  if (route.media === 'text/csv') {
    const { content, name, headers } = body as Attachment;
    ctx.body = content;
    ctx.set({ ...headers });
    setCsvHeaders(ctx, name);
  } else if (stateOf(ctx).media === CSV && route.csvColumns) {
    sendListCsv(ctx, route.name, route.csvColumns(params), bodyObject(body) as ListBody);
  } else {
    ctx.body = body instanceof JsonText ? body.bytes : typeof body === 'string' ? body : JSON.stringify(body);
    ctx.type = mediaOf(route);
  }
}

/** Check a body against the schema of its route. */
function checkBody(route: Route, body: unknown): void {
  if (route.media === 'text/csv') return;
  const isText = typeof body === 'string';
  route.response.parse(isText && isJson(route) ? JSON.parse(body) : bodyObject(body));
}

export function mountRoutes(router: Router, options: MountOptions): void {
  const { routes, snapshots, cursors, holds, layer, nowMs } = options;
  const timeoutOf = (route: Route): number => options.handlerMs * (route.isSlow === true ? SLOW_ROUTE_FACTOR : 1);

  /** Read the parameters and lease a snapshot, then charge and call the handler. */
  const answer = async (ctx: Context, route: Route, charge: Middleware | undefined): Promise<void> => {
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
    const { snapshot } = lease;
    const { manifest } = snapshot;
    const path = ctx['params'] as Record<string, string>;
    const request = { params, path, snapshot, manifest, today: todayOf(manifest, nowMs()), cursors, holds };
    let running: Promise<unknown> | undefined;
    const respond = async (): Promise<void> => {
      if (route.price === null) {
        const hash = responseHash(route, request, options.interfaceHash(), await route.stateKey?.(request));
        if (isCached(ctx, hash, route.stateKey && 'public, no-cache')) return;
      }
      state.countUnpaid?.((route.questions?.(params) ?? 1) - 1);
      const { openPurchase } = ctx.state as { openPurchase?: OpenPurchase };
      running = route.handle(openPurchase ? { ...request, openPurchase } : request);
      const body = await withTimeout(timeoutOf(route), running);
      ctx.set('X-Snapshot-Id', snapshot.id);
      if (options.checkResponses) checkBody(route, body);
      send(ctx, route, request, body);
    };
    try {
      state.snapshotId = snapshot.id;
      // Also of a 402: in one snapshot, the same call has the same answer, unless it sells one thing.
      if (route.isExclusive !== true) ctx.set('X-Snapshot-Id', snapshot.id);
      await route.check?.(request);
      try {
        // Who pays has read it.
        if (ctx.get('PAYMENT-SIGNATURE') === '')
          state.offer = { ...(await route.offer?.(request)), ...guaranteeOf(route, snapshot) };
      } catch (error) {
        // A 402 without it still says how to pay; the log has the error.
        state.error = error;
      }
      await (charge ? charge(ctx, respond) : respond());
    } finally {
      // A handler that timed out still reads the snapshot.
      const release = (): void => {
        lease[Symbol.dispose]();
      };
      if (running) void running.then(release, release);
      else release();
    }
  };

  for (const route of routes) {
    // The free response to the route's own template, in place of the priced one.
    const free = templateRoute(route);
    const charge =
      route.price === null
        ? undefined
        : layer.charge({
            routeKey: routeKey(route),
            reserveMs: timeoutOf(route) + RESERVE_MARGIN_MS,
            isExclusive: route.isExclusive === true,
          });
    router.get(route.path, (ctx) =>
      free && isTemplate(ctx['params'] as Record<string, string>)
        ? answer(ctx, free, undefined)
        : answer(ctx, route, charge),
    );
  }
}
