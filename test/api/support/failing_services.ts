/** The services that a server depends on, each with an address of its own that holds secrets, and each able to fail. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NETWORK } from '../../../lib/network.ts';

export type Fault = 'none' | '429' | '401' | '500' | 'not JSON' | 'refused';

export interface Service {
  /** Of the address it listens on, without a path. */
  readonly host: string;
  readonly port: number;
  /** What it does with the next requests. */
  fault: Fault;
  /** Path to whose end the fault is limited; empty for all. */
  faultPath: string;
  /** Requests that met a fault. */
  faultCount: number;
  close(): void;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function startService(
  host: string,
  answer: (request: IncomingMessage, body: Buffer) => Promise<string>,
): Promise<Service> {
  const listener: RequestListener = (request, response) => {
    const reply = async (): Promise<void> => {
      const body = await bodyOf(request);
      const fault = request.url?.endsWith(service.faultPath) === true ? service.fault : 'none';
      if (fault !== 'none') service.faultCount += 1;
      // Like services that repeat what they were asked.
      const echo = `${request.method} http://${request.headers.host}${request.url} refused; Authorization: ${request.headers.authorization}`;
      if (fault === 'refused') {
        request.socket.destroy();
        return;
      }
      if (fault === 'not JSON') {
        response.end(`<html>${echo}`);
        return;
      }
      const status = fault === 'none' ? 200 : Number(fault);
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(
          status === 200
            ? await answer(request, body)
            : JSON.stringify({ error: echo, errorReason: echo, invalidReason: echo, errorMessage: echo }),
        );
    };
    reply().catch(() => {
      response.destroy();
    });
  };
  const server: Server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  const service: Service = {
    host,
    port: (server.address() as AddressInfo).port,
    fault: 'none',
    faultPath: '',
    faultCount: 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}

/** A node of the chain in front of the one at `rpcUrl`. */
export const startNode = (host: string, rpcUrl: string): Promise<Service> =>
  startService(host, async (_, body) =>
    (
      await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: new Uint8Array(body),
      })
    ).text(),
  );

/** A facilitator that says yes to everything. */
export const startFacilitator = (host: string): Promise<Service> =>
  startService(host, async ({ url }) =>
    JSON.stringify(
      url?.endsWith('/supported')
        ? { kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }], extensions: [], signers: {} }
        : url?.endsWith('/verify')
          ? { isValid: true }
          : { success: true, transaction: `0x${'1'.repeat(64)}`, network: NETWORK },
    ),
  );
