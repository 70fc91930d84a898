/** What a server with real money asks: a facilitator that approves and settles whatever it is given, and a node of Base that knows its chain and nothing else. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { approving } from './servers/approving.ts';

const BASE_CHAIN_ID = 8453;

interface Asked { readonly paymentPayload: Parameters<typeof approving.settle>[0]; readonly paymentRequirements: Parameters<typeof approving.settle>[1] }
interface Called { readonly id: number; readonly method: string }

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function answer(request: IncomingMessage): Promise<unknown> {
  if (request.url === '/supported') return approving.getSupported();
  const body = await bodyOf(request);
  if (request.url === '/verify' || request.url === '/settle') {
    const { paymentPayload, paymentRequirements } = body as Asked;
    return approving[request.url === '/verify' ? 'verify' : 'settle'](paymentPayload, paymentRequirements);
  }
  const { id, method } = body as Called;
  return { jsonrpc: '2.0', id, result: method === 'eth_getLogs' ? [] : `0x${BASE_CHAIN_ID.toString(16)}` };
}

export interface StandIn {
  readonly url: string;
  close(): Promise<void>;
}

/** Both at one address. */
export async function startFacilitator(): Promise<StandIn> {
  const server = createServer(async (request, response) => {
    try { response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(await answer(request))); } catch { response.destroy(); }
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => { server.close(() => { resolve(); }); server.closeAllConnections(); }),
  };
}
