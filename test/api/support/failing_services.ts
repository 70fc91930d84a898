/** The services of a server, a node and a facilitator, each on its own host and able to fail. */
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { NETWORK } from '../../../lib/network.ts';
import { startTestServer } from '../../web/server.ts';

export type Fault = 'none' | '429' | '401' | '500' | 'not JSON' | 'refused';

export interface Service {
  /** Host it listens on. */
  readonly host: string;
  readonly port: number;
  /** Fault of the next requests. */
  fault: Fault;
  /** Suffix of the paths that fail; empty for all. */
  faultPath: string;
  /** Requests that failed. */
  faultCount: number;
  close(): Promise<void>;
}

async function startService(
  host: string,
  answer: (request: IncomingMessage, body: Buffer) => Promise<string>,
): Promise<Service> {
  const server = await startTestServer((request, response) => {
    const reply = async (): Promise<void> => {
      const body = await buffer(request);
      const fault = request.url?.endsWith(service.faultPath) === true ? service.fault : 'none';
      if (fault !== 'none') service.faultCount += 1;
      // Some services repeat the request in their error.
      const { host: hostHeader, authorization } = request.headers;
      const echo = `${request.method} http://${hostHeader}${request.url} refused; Authorization: ${authorization}`;
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
  }, host);
  const service: Service = {
    host,
    port: server.port,
    fault: 'none',
    faultPath: '',
    faultCount: 0,
    close: () => server.close(),
  };
  return service;
}

/** A proxy in front of the node at `rpcUrl`. */
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

/** A facilitator that accepts everything. */
export const startFacilitator = (host: string): Promise<Service> =>
  startService(host, async ({ url }) =>
    JSON.stringify(
      url?.endsWith('/supported')
        ? { kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }], extensions: [], signers: {} }
        : { success: true, transaction: `0x${'1'.repeat(64)}`, network: NETWORK },
    ),
  );
