/**
 * The official Express middleware in front of the same handler. It writes nothing down. Prints its address.
 *   node bench/servers/paid_express.ts <bytes of an answer> [<node of a test chain>]
 */
import type { AddressInfo } from 'node:net';
import { x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware } from '@x402/express';
import express from 'express';
import { NETWORK } from '../../lib/network.ts';
import { paidRoutes } from './approving.ts';
import { facilitatorOn } from './facilitator_on.ts';
import { endWithParent } from './parent.ts';
import { answersOf } from './records.ts';

const [bytes, node] = process.argv.slice(2);
if (bytes === undefined) throw new Error('give the bytes of an answer');
const next = answersOf(Number(bytes));
const app = express();
app.use(
  paymentMiddleware(
    { ...paidRoutes },
    new x402ResourceServer(await facilitatorOn(node)).register(NETWORK, new ExactEvmScheme()),
  ),
);
for (const path of ['/paid', '/free'])
  app.get(path, (_, response) => {
    response.type('application/json').send(next());
  });
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
endWithParent();
