/** A proxy before the chain's node: settlements arrive late or never, and replies to some that arrived are lost. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Selectors of transferWithAuthorization in its two forms: a settlement carries one of them. */
const SETTLEMENTS = ['cf092995', 'e3ee160e'];

/** What happens to a settlement: it is forwarded after a delay, with or without its reply, or it is lost. */
export interface Fate {
  readonly afterMs: number;
  readonly sent: boolean;
  readonly replied: boolean;
}

export const UNHARMED: Fate = { afterMs: 0, sent: true, replied: true };

export interface NodeBetween {
  readonly url: string;
  /** Settlements by outcome. */
  readonly seen: { settlements: number; lostReplies: number; lost: number; held: number };
  /** Resolves when a settlement is in flight. */
  reached(): Promise<void>;
  /** Resolves when no request is in flight. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Start a proxy before the node at `rpcUrl`. `fate` decides for each settlement. */
export async function nodeBetween(rpcUrl: string, fate: () => Fate | Promise<Fate>): Promise<NodeBetween> {
  const seen = { settlements: 0, lostReplies: 0, lost: 0, held: 0 };
  const underway = new Set<Promise<void>>();
  /** Settlements whose fate is not decided yet. */
  const held = new Set<Buffer>();
  const pass = async (body: Buffer, outgoing: ServerResponse): Promise<void> => {
    const isSettlement =
      body.includes('"eth_sendRawTransaction"') && SETTLEMENTS.some((selector) => body.includes(selector));
    if (isSettlement) held.add(body);
    const { afterMs, sent, replied } = isSettlement ? await fate() : UNHARMED;
    if (isSettlement) {
      held.delete(body);
      seen.settlements += 1;
      if (!sent) seen.lost += 1;
      else if (!replied) seen.lostReplies += 1;
      if (afterMs >= 1000) seen.held += 1;
    }
    if (afterMs > 0) await sleep(afterMs);
    if (!sent) {
      outgoing.destroy();
      return;
    }
    const response = await fetch(rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const answer = Buffer.from(await response.arrayBuffer());
    if (!replied) {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(response.status, { 'Content-Type': 'application/json' });
    outgoing.end(answer);
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const passed = pass(Buffer.concat(chunks), outgoing)
          .catch(() => {
            outgoing.destroy();
          })
          .finally(() => {
            underway.delete(passed);
          });
        underway.add(passed);
      });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async reached() {
      while (held.size === 0) await sleep(20);
    },
    async idle() {
      while (underway.size > 0) await Promise.all(underway);
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
