/**
 * The priced routes of the API without our HTTP and payment layers: unpaid on bare Koa, or behind @x402/express.
 * Prints its address.
 *   node bench/servers/routes.ts <data folder> [<facilitator> <account that is paid>]
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware } from '@x402/express';
import express from 'express';
import Koa from 'koa';
import { allRoutes } from '../../api/routes/all.ts';
import { createCursors } from '../../api/routes/list/page.ts';
import { paymentRoutes } from '../../api/docs/x402_extensions.ts';
import type { Route } from '../../api/routes/define.ts';
import { readParams } from '../../api/routes/params.ts';
import { openSnapshots } from '../../api/serving/follow.ts';
import { JsonText } from '../../api/serving/records.ts';
import { BASE_SEPOLIA } from '../../lib/network.ts';

const [dataDir = '', facilitator, payTo = ''] = process.argv.slice(2);
const snapshots = await openSnapshots({ dataDir });
const cursors = createCursors('secret of a benchmark');
const options = { publicUrl: 'https://api.dealfeed.example' };
const routes = allRoutes(options).filter(({ price, path }) => price !== null && !path.includes(':'));

/** The body of the answer to a query. */
async function answer(route: Route, query: string): Promise<Buffer | string> {
  using lease = snapshots.acquire();
  if (!lease) throw new Error('there is no snapshot');
  const [{ snapshot }, { manifest }] = [lease, lease.snapshot];
  const [params, holds] = [readParams(route.params, query), async () => new Map()];
  const asked = { params, path: {}, snapshot, manifest, today: manifest.as_of, cursors, holds };
  await route.check?.(asked);
  const body = await route.handle(asked);
  return body instanceof JsonText ? body.bytes : JSON.stringify(body);
}

const router = new Router();
for (const route of routes)
  router.get(route.path, async (ctx) => {
    ctx.body = await answer(route, ctx.querystring);
    ctx.type = 'application/json';
  });
/** Milliseconds for which this thread could have run so far, and had no core. */
const queuedMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
/** Milliseconds of the longest turn of the event loop since this was asked, with and without its wait for a core. */
let longest = { held: 0, turn: 0 };
let last = { now: performance.now(), queued: queuedMs() };
setInterval(() => {
  const next = { now: performance.now(), queued: queuedMs() };
  const held = next.now - last.now;
  longest = {
    held: Math.max(longest.held, held),
    turn: Math.max(longest.turn, held - (next.queued - last.queued)),
  };
  last = next;
}, 1);
router.get('/held', (ctx) => {
  ctx.body = longest;
  longest = { held: 0, turn: 0 };
});
const unpaid = new Koa().use(router.routes()).callback();

/** The same handler behind the official middleware. */
function paid(url: string): express.Express {
  const facilitators = new HTTPFacilitatorClient({ url });
  const server = new x402ResourceServer(facilitators).register(BASE_SEPOLIA.name, new ExactEvmScheme());
  return express().use(paymentMiddleware(paymentRoutes(routes, payTo, BASE_SEPOLIA), server), unpaid);
}

const server = createServer(facilitator === undefined ? unpaid : paid(facilitator)).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
