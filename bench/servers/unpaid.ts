/**
 * The paid routes of our server without payments: what is left of a paid query's cost once the payment, the ledger
 * and the receipt are taken away. Prints its address.
 *   node bench/servers/unpaid.ts <data folder>
 */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Router } from '@koa/router';
import Koa from 'koa';
import { createCursors } from '../../api/routes/cursor.ts';
import { readParams, type Params } from '../../api/routes/params.ts';
import { JsonText } from '../../api/snapshot/json_text.ts';
import type { RouteRequest } from '../../api/routes/define.ts';
import { allRoutes } from '../../api/routes/all.ts';
import { openSnapshots } from '../../api/snapshot/follow.ts';
import { endWithParent } from './parent.ts';

const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('give the data folder');
const snapshots = await openSnapshots({ dataDir });
const cursors = createCursors('of a benchmark');
const router = new Router();
for (const route of allRoutes({ publicUrl: 'https://api.dealfeed.example', spoolDir: join(dataDir, 'spool') })) {
  if (route.price === null) continue;
  router.get(route.path, async (ctx) => {
    const lease = snapshots.acquire();
    if (!lease) throw new Error('there is no snapshot');
    try {
      const { snapshot } = lease;
      const asked: RouteRequest<Params> = {
        params: readParams(route.params, ctx.querystring),
        path: {},
        snapshot,
        manifest: snapshot.manifest,
        today: snapshot.manifest.as_of,
        cursors,
        claims: async () => new Map(),
      };
      await route.check?.(asked);
      const body = await route.handle(asked);
      ctx.body = body instanceof JsonText ? body.bytes : JSON.stringify(body);
      ctx.type = 'application/json';
    } finally {
      lease.release();
    }
  });
}
const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
endWithParent();
