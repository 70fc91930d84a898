/** A node in front of a chain that can hold settlements back, so that a test sees what happens while an outcome is not known. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Selectors of transferWithAuthorization in its two forms: a settlement carries one of them. */
const SETTLEMENTS = ['cf092995', 'e3ee160e'];

export interface DelayingNode {
  readonly url: string;
  /** Hold back settlements: the sender's connection is closed, as if the reply was lost. */
  hold(onHeld?: () => Promise<void>): void;
  /** Pass on what was held back, and hold nothing back any more. */
  release(): Promise<void>;
  /** Answer every request with HTTP 503. */
  isDown: boolean;
  close(): Promise<void>;
}

export async function startDelayingNode(rpcUrl: string): Promise<DelayingNode> {
  let onHold: (() => Promise<void>) | null = null;
  const held: Buffer[] = [];
  const pass = (body: Buffer): Promise<Response> =>
    fetch(rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
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
      for (const body of held.splice(0)) await (await pass(body)).arrayBuffer();
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
