/**
 * A proxy in front of a chain's node that can be down, hold settlements back, lose them or lose the replies to them,
 * and let a test act before a call.
 */
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startTestServer } from '../web/server.ts';

const Call = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).optional() });

/** Selectors of the two forms of transferWithAuthorization, one of which every settlement contains. */
const SETTLEMENTS = ['cf092995', 'e3ee160e'];

type Params = readonly unknown[];
type Hook = (method: string, params: Params) => Promise<void>;

interface Reply {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What happens to a settlement: it is forwarded after a delay, with or without its reply, or it is lost. */
export interface Fate {
  readonly afterMs: number;
  readonly sent: boolean;
  readonly replied: boolean;
}

export const UNHARMED: Fate = { afterMs: 0, sent: true, replied: true };
const LOST: Fate = { afterMs: 0, sent: false, replied: false };

export interface NodeProxy {
  readonly url: string;
  /** Settlements by outcome. */
  readonly seen: { settlements: number; lostReplies: number; lost: number; held: number };
  /** Answer every call with this status, until `recover`. */
  fail(status: number): void;
  recover(): void;
  /** Hold settlements back, and close the sender's connection, as if the response was lost. */
  hold(onHeld?: () => Promise<void>): void;
  /** Forward the held settlements, wait until they are mined, and hold no more back. */
  release(): Promise<void>;
  /** Called before a call is passed on. */
  before(hook: Hook | null): void;
  /** Resolves when a settlement is in flight. */
  reached(): Promise<void>;
  /** Resolves when no request is in flight. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

class Node {
  readonly seen = { settlements: 0, lostReplies: 0, lost: 0, held: 0 };
  failure: number | null = null;
  hook: Hook | null = null;
  /** Set while settlements are held back. */
  onHeld: (() => Promise<void>) | null = null;
  readonly held: Params[] = [];
  /** Settlements whose fate is not decided yet. */
  undecided = 0;
  readonly #rpcUrl: string;
  readonly #fate: () => Fate | Promise<Fate>;

  constructor(rpcUrl: string, fate: () => Fate | Promise<Fate>) {
    this.#rpcUrl = rpcUrl;
    this.#fate = fate;
  }

  async ask(method: string, params: Params): Promise<Reply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'Content-Type': 'application/json' };
    return (await (await fetch(this.#rpcUrl, { method: 'POST', headers, body })).json()) as Reply;
  }

  async #fateOf(params: Params): Promise<Fate> {
    if (this.onHeld) {
      this.held.push(params);
      await this.onHeld();
      return LOST;
    }
    this.undecided += 1;
    const fate = await this.#fate();
    this.undecided -= 1;
    this.seen.settlements += 1;
    if (!fate.sent) this.seen.lost += 1;
    else if (!fate.replied) this.seen.lostReplies += 1;
    if (fate.afterMs >= 1000) this.seen.held += 1;
    return fate;
  }

  /** The reply to a call; null if there is none. */
  async reply(method: string, params: Params): Promise<Reply | null> {
    await this.hook?.(method, params);
    const isSettlement =
      method === 'eth_sendRawTransaction' && SETTLEMENTS.some((selector) => String(params[0]).includes(selector));
    const { afterMs, sent, replied } = isSettlement ? await this.#fateOf(params) : UNHARMED;
    if (afterMs > 0) await sleep(afterMs);
    if (!sent) return null;
    const reply = await this.ask(method, params);
    return replied ? reply : null;
  }

  /** Forward a held settlement, and wait until it is mined. */
  async forward(params: Params): Promise<void> {
    const { result: hash } = await this.ask('eth_sendRawTransaction', params);
    if (hash === undefined) return;
    while (((await this.ask('eth_getTransactionReceipt', [hash])).result ?? null) === null) await sleep(10);
  }
}

/** @param fate decides for each settlement */
export async function nodeProxy(rpcUrl: string, fate: () => Fate | Promise<Fate> = () => UNHARMED): Promise<NodeProxy> {
  const node = new Node(rpcUrl, fate);
  const underway = new Set<Promise<void>>();
  const server = await startTestServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      if (node.failure !== null) {
        response.writeHead(node.failure, { 'Content-Type': 'text/plain' }).end('Too many requests');
        return;
      }
      const { id, method, params = [] } = Call.parse(JSON.parse(body.toString('utf8')));
      const reply = await node.reply(method, params);
      if (reply === null) {
        response.destroy();
        return;
      }
      const content = reply.error === undefined ? { result: reply.result ?? null } : { error: reply.error };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...content }));
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
    seen: node.seen,
    fail(status) {
      node.failure = status;
    },
    recover() {
      node.failure = null;
    },
    hold(onHeld = async () => undefined) {
      node.onHeld = onHeld;
    },
    async release() {
      node.onHeld = null;
      for (const params of node.held.splice(0)) await node.forward(params);
    },
    before(next) {
      node.hook = next;
    },
    async reached() {
      while (node.undecided === 0) await sleep(20);
    },
    async idle() {
      while (underway.size > 0) await Promise.all(underway);
    },
    close: () => server.close(),
  };
}
