/** A web server of a test, on a port of its own. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestServer {
  readonly port: number;
  /** Without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startTestServer(listener: RequestListener, host = '127.0.0.1'): Promise<TestServer> {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
    async close() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
