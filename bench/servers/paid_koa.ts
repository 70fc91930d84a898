/**
 * Our payment layer in front of a handler that does next to nothing, with its ledger on disk. `/paid` costs, `/free` is
 * the same handler without payments. Prints its address.
 *   node bench/servers/paid_koa.ts <bytes of an answer> <ledger file> [<node of a test chain>]
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import Koa, { type Context } from 'koa';
import { paymentLayer } from '../../api/payments/middleware.ts';
import { signaturesOf } from '../../api/payments/chain/signatures.ts';
import { openSqliteLedger } from '../../ledger/sqlite/store.ts';
import { paidRoutes } from './approving.ts';
import { ourPaymentsOn } from './facilitator_on.ts';
import { endWithParent } from './parent.ts';
import { answersOf } from './records.ts';

const [bytes, ledgerFile, node] = process.argv.slice(2);
if (bytes === undefined || ledgerFile === undefined) throw new Error('give the bytes of an answer and the ledger file');
const publicUrl = 'https://api.dealfeed.example';
const layer = paymentLayer({
  ...(await ourPaymentsOn(node)),
  routes: paidRoutes,
  ledger: await openSqliteLedger(ledgerFile),
  signatures: signaturesOf(null),
  publicUrl,
  editionOf: () => 'one',
  collectUrl: (id) => `${publicUrl}/purchases/${id}`,
  refuse: (ctx, { reason, detail, billed }) => {
    ctx.body = { reason, detail, billed };
  },
});
const next = answersOf(Number(bytes));
const handler = (ctx: Context): void => {
  ctx.status = 200;
  ctx.body = next();
  ctx.type = 'application/json';
};
const router = new Router();
router.get('/paid', layer.charge({ routeKey: 'GET /paid', leaseMs: 60_000, isExclusive: false }), handler);
router.get('/free', handler);
const koa = new Koa();
koa.use(router.routes());
await layer.start();
const server = createServer(koa.callback());
endWithParent();
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
