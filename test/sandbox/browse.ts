/** A plain client of the sandbox: no cookies, no redirects, no decompression unless asked for. */
import { request, type IncomingHttpHeaders } from 'node:http';
import type { Sandbox } from '../../sandbox/server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** Ask the sandbox for a real address, such as https://data.colorado.gov/. Rejects where the connection breaks. */
export function get(
  sandbox: Pick<Sandbox, 'port'>,
  address: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  const url = new URL(address);
  const host = url.host.endsWith('.example') ? url.host : `${url.host}.sandbox.example`;
  return new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', port: sandbox.port, path: url.pathname + url.search, method, headers: { host, ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response
          .on('data', (part: Buffer) => parts.push(part))
          .on('error', reject)
          .on('end', () => {
            const body = Buffer.concat(parts);
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() });
          });
      },
    )
      .on('error', reject)
      .end();
  });
}
