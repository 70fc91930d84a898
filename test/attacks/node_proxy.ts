/** A node with faults: it drops connections, sends 429, stays at an old block, or lets a test act before a call. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

const Call = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).optional() });
const BlockNumbered = z.object({ blockNumber: z.string() });
const Filter = z.looseObject({ fromBlock: z.string().optional(), toBlock: z.string().optional() });

/** Place of the block tag among the parameters. */
const TAG_PLACES: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getBlockByNumber: 0,
};

type Params = readonly unknown[];
type Hook = (method: string, params: Params) => Promise<void>;

interface Reply {
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface NodeProxy {
  readonly url: string;
  /** Drop every connection, or answer every call with this status, until `recover`. */
  fail(how: 'drop' | number): void;
  recover(): void;
  /** Answer as of the latest block of now, until `thaw`. Transactions still go through. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Called before a call is passed on. */
  before(hook: Hook | null): void;
  close(): Promise<void>;
}

export async function nodeProxy(rpcUrl: string, path = '/'): Promise<NodeProxy> {
  let failure: 'drop' | number | null = null;
  let frozenAt: bigint | null = null;
  let hook: Hook | null = null;

  const ask = async (method: string, params: Params): Promise<Reply> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(rpcUrl, { method: 'POST', headers, body });
    return (await response.json()) as Reply;
  };
  const isLater = (block: string, limit: bigint): boolean => block.startsWith('0x') && BigInt(block) > limit;
  /** The reply as of an older block. */
  const askAsOf = async (block: bigint, method: string, params: Params): Promise<Reply> => {
    const tag = `0x${block.toString(16)}`;
    if (method === 'eth_blockNumber') return { result: tag };
    if (method === 'eth_getLogs') {
      const filter = Filter.parse(params[0]);
      const { fromBlock = tag, toBlock = tag } = filter;
      if (isLater(fromBlock, block)) return { result: [] };
      const isPast = toBlock.startsWith('0x') && !isLater(toBlock, block);
      return ask(method, [{ ...filter, toBlock: isPast ? toBlock : tag }]);
    }
    const place = TAG_PLACES[method];
    if (place !== undefined) {
      const asked = params[place];
      const isNamed = typeof asked === 'string' && asked.startsWith('0x');
      if (isNamed && isLater(asked, block)) return { result: null };
      const changed = [...params];
      if (!isNamed && asked !== 'safe' && asked !== 'finalized' && asked !== 'earliest') changed[place] = tag;
      return ask(method, changed);
    }
    const reply = await ask(method, params);
    if (!['eth_getTransactionReceipt', 'eth_getTransactionByHash'].includes(method)) return reply;
    const mined = BlockNumbered.safeParse(reply.result);
    return mined.success && isLater(mined.data.blockNumber, block) ? { result: null } : reply;
  };
  const answer = async (body: Buffer, response: ServerResponse): Promise<void> => {
    if (failure === 'drop') {
      response.destroy();
      return;
    }
    if (failure !== null) {
      response.writeHead(failure, { 'Content-Type': 'text/plain' }).end('Too many requests');
      return;
    }
    const { id, method, params = [] } = Call.parse(JSON.parse(body.toString('utf8')));
    await hook?.(method, params);
    const reply = frozenAt === null ? await ask(method, params) : await askAsOf(frozenAt, method, params);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const content = reply.error === undefined ? { result: reply.result ?? null } : { error: reply.error };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...content }));
  };

  const server = createServer((request, response) => {
    buffer(request)
      .then((body) => answer(body, response))
      .catch(() => {
        response.destroy();
      });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    fail(how) {
      failure = how;
      if (how === 'drop') server.closeAllConnections();
    },
    recover() {
      failure = null;
    },
    async freeze() {
      frozenAt = BigInt(String((await ask('eth_blockNumber', [])).result));
    },
    thaw() {
      frozenAt = null;
    },
    before(next) {
      hook = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
