/** A proxy in front of a node that can hold settlements back, to test purchases with unknown outcome. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Selectors of the two forms of transferWithAuthorization, one of which every settlement contains. */
const SETTLEMENTS = ['cf092995', 'e3ee160e'];

export interface DelayingNode {
  readonly url: string;
  /** Hold settlements back, and close the sender's connection, as if the response was lost. */
  hold(onHeld?: () => Promise<void>): void;
  /** Forward the held settlements, wait until they are mined, and hold no more back. */
  release(): Promise<void>;
  /** Respond to every request with HTTP 503. */
  isDown: boolean;
  close(): Promise<void>;
}

export async function startDelayingNode(rpcUrl: string): Promise<DelayingNode> {
  let onHold: (() => Promise<void>) | null = null;
  const held: Buffer[] = [];
  const pass = (body: Buffer): Promise<Response> =>
    fetch(rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const mined = async (sent: Response): Promise<void> => {
    const { result: hash } = (await sent.json()) as { result?: string };
    if (hash === undefined) return;
    const question = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] };
    for (let receipt: unknown = null; receipt === null; await pause(10)) {
      const reply = await pass(Buffer.from(JSON.stringify(question)));
      receipt = ((await reply.json()) as { result: unknown }).result;
    }
  };
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (node.isDown) {
      outgoing.writeHead(503).end();
      return;
    }
    const isSettlement =
      body.includes('"eth_sendRawTransaction"') && SETTLEMENTS.some((selector) => body.includes(selector));
    if (isSettlement && onHold) {
      held.push(body);
      await onHold();
      outgoing.destroy();
      return;
    }
    try {
      const response = await pass(body);
      outgoing
        .writeHead(response.status, { 'Content-Type': 'application/json' })
        .end(Buffer.from(await response.arrayBuffer()));
    } catch {
      outgoing.destroy();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const node: DelayingNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isDown: false,
    hold(then = async () => undefined) {
      onHold = then;
    },
    async release() {
      onHold = null;
      for (const body of held.splice(0)) await mined(await pass(body));
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
  return node;
}
