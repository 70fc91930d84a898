/** A proxy in front of a chain's node that can be down, hold settlements back, and let a test act before a call. */
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startTestServer } from './server.ts';

const Call = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) });

/** Selectors of the two forms of transferWithAuthorization, one of which every settlement contains. */
const SETTLEMENTS = ['cf092995', 'e3ee160e'];

type Params = readonly unknown[];
type Hook = (method: string, params: Params) => Promise<void>;

export interface NodeProxy {
  readonly url: string;
  /** Answer every call with this status, until `recover`. */
  fail(status: number): void;
  recover(): void;
  /** Hold settlements back, and close the sender's connection, as if the response was lost. */
  hold(onHeld?: () => Promise<void>): void;
  /** Forward the held settlements, wait until they are mined, and hold no more back. */
  release(): Promise<void>;
  /** Called before a call is passed on. */
  before(hook: Hook | null): void;
  /** Resolves when no request is in flight. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export async function nodeProxy(rpcUrl: string): Promise<NodeProxy> {
  let failure: number | null = null;
  let hook: Hook | null = null;
  /** Set while settlements are held back. */
  let held: (() => Promise<void>) | null = null;
  const settlements: Params[] = [];
  const underway = new Set<Promise<void>>();

  const ask = async (method: string, params: Params): Promise<{ result?: unknown; error?: unknown }> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'Content-Type': 'application/json' };
    return (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as object;
  };
  const isSettlement = (method: string, [raw]: Params): boolean =>
    method === 'eth_sendRawTransaction' && SETTLEMENTS.some((selector) => String(raw).includes(selector));
  const server = await startTestServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      if (failure !== null) {
        response.writeHead(failure, { 'Content-Type': 'text/plain' }).end('Too many requests');
        return;
      }
      const { id, method, params } = Call.parse(JSON.parse(body.toString('utf8')));
      await hook?.(method, params);
      if (held && isSettlement(method, params)) {
        settlements.push(params);
        await held();
        response.destroy();
        return;
      }
      const { result = null, error } = await ask(method, params);
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(error === undefined ? { result } : { error }) }));
    };
    const passed = answer()
      .catch(() => {
        response.destroy();
      })
      .finally(() => {
        underway.delete(passed);
      });
    underway.add(passed);
  });
  return {
    url: server.url,
    fail(status) {
      failure = status;
    },
    recover() {
      failure = null;
    },
    hold(onHeld = async () => undefined) {
      held = onHeld;
    },
    async release() {
      held = null;
      for (const params of settlements.splice(0)) {
        const { result: hash } = await ask('eth_sendRawTransaction', params);
        if (hash === undefined) continue;
        while (((await ask('eth_getTransactionReceipt', [hash])).result ?? null) === null) await sleep(10);
      }
    },
    before(next) {
      hook = next;
    },
    async idle() {
      while (underway.size > 0) await Promise.all(underway);
    },
    close: () => server.close(),
  };
}
