/**
 * Every host shows the pages of one county of the sandbox world, each answer a while later, as over the internet. Prints its address.
 *   node bench/servers/many_sites.ts <milliseconds> <auctions in the world>
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSandbox } from '../../sandbox/server.ts';
import { SHOWN_HOST } from '../many_sites.ts';
import { endWithParent } from './parent.ts';

const [latencyMs, auctions] = process.argv.slice(2).map(Number);
if (latencyMs === undefined || auctions === undefined) throw new Error('give the latency and the number of auctions');
const sandbox = await startSandbox({ listings: 1, parcels: 50, auctions, filings: 1 });
let answers = 0;

/** From three quarters to five quarters of the latency, in turn. */
const latency = (): number => latencyMs * (0.75 + (((answers += 1) * 37) % 101) / 200);

const server = createServer((incoming, outgoing) => {
  const shown = request(
    sandbox.url + (incoming.url ?? '/'),
    { method: incoming.method, headers: { ...incoming.headers, host: SHOWN_HOST } },
    (answer) => {
      setTimeout(() => {
        answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers));
      }, latency());
    },
  );
  shown.on('error', () => {
    outgoing.destroy();
  });
  incoming.pipe(shown);
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
endWithParent();
