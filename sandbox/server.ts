/**
 * The sandbox's web server: all sites on one port, by the Host header.
 *   node sandbox/server.ts     prints {"url":"http://127.0.0.1:<port>"} when it listens
 * Settings: SEED, DAY, LISTINGS, PARCELS, AUCTIONS, FILINGS.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { runCommand } from '../lib/command.ts';
import { pipelineSettings, type PipelineSettings, readSettings, SANDBOX_DAY } from '../lib/settings.ts';
import { conditional, httpDate, page, type SandboxRequest, type SandboxResponse } from './http.ts';
import { htmlPage } from './pages/parts.ts';
import { sites, takesForms } from './pages/index.ts';
import { makeWorld, worldOn, type WorldDay } from './world/world.ts';
import type { World, WorldOptions } from './world/types.ts';
import { SANDBOX_SUFFIX } from '../sources/fetch/addresses.ts';

/** A response changed by a test. */
export interface Altered extends SandboxResponse {
  /** Send only this many bytes of the body, then close the connection. */
  readonly truncateAt?: number;
  /** Close the connection without a response. */
  readonly reset?: boolean;
  /** Delay of the response. */
  readonly delayMs?: number;
}

/** A test's hook: replaces a response, or leaves it unchanged if it returns undefined. */
export type Alter = (
  request: Pick<SandboxRequest, 'host' | 'path' | 'method' | 'query' | 'headers'>,
  response: SandboxResponse,
) => Altered | undefined;

export interface SandboxOptions extends Partial<WorldOptions> {
  readonly day?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly alter?: Alter;
  /** An existing world, so that several servers show days of the same one. Its options take precedence. */
  readonly world?: World;
}

export interface Sandbox {
  readonly url: string;
  readonly port: number;
  readonly world: World;
  readonly day: WorldDay;
  close(): Promise<void>;
}

function parseCookies(header: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (header ?? '')
      .split(';')
      .map((part) => part.trim().split('='))
      .filter(([name]) => name)
      .map(([name, ...value]) => [(name ?? '').toLowerCase(), value.join('=')]),
  );
}

function parseRequest(incoming: IncomingMessage, visitors: Set<string>): SandboxRequest {
  const publicHost = (incoming.headers.host ?? '').toLowerCase().replace(/:\d+$/u, '');
  const url = new URL(incoming.url ?? '/', 'http://sandbox.invalid');
  const host = publicHost.endsWith(SANDBOX_SUFFIX) ? publicHost.slice(0, -SANDBOX_SUFFIX.length) : publicHost;
  const visitor = `${host} ${incoming.headers['user-agent'] ?? ''}`;
  const firstVisit = url.pathname !== '/robots.txt' && !visitors.has(visitor);
  if (firstVisit) visitors.add(visitor);
  return {
    method: incoming.method ?? 'GET',
    publicHost,
    host,
    firstVisit,
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    cookies: parseCookies(incoming.headers.cookie),
  };
}

const notFound = (): SandboxResponse => page(htmlPage('Not found', '<h1>404 Not Found</h1>'), {}, 404);

/** The site's response to a request, before faults and compression. */
export function answer(day: WorldDay, request: SandboxRequest): SandboxResponse {
  const site = sites.get(request.host);
  if (!site)
    return page(
      htmlPage(
        'No such site',
        `<h1>The sandbox has no site of this name</h1><p>It has ${[...sites.keys()].join(', ')}.</p>`,
      ),
      {},
      421,
    );
  const isPosted = request.method === 'POST' && request.posted !== undefined && takesForms.has(request.host);
  if (request.method !== 'GET' && request.method !== 'HEAD' && !isPosted)
    return page(htmlPage('Method not allowed', '<h1>405</h1>'), { allow: 'GET, HEAD' }, 405);
  return conditional(request, site(day, request) ?? notFound());
}

const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript))/u;

/** Send a response, compressed if the client accepts it and the real server would. */
function send(outgoing: ServerResponse, request: SandboxRequest, altered: Altered, date: string): void {
  const { status, headers } = altered;
  const type = String(headers['content-type'] ?? '');
  const zip =
    COMPRESSIBLE.test(type) &&
    altered.body.length > 500 &&
    headers['content-encoding'] === undefined &&
    /\bgzip\b/u.test(request.headers['accept-encoding'] ?? '');
  const body = zip ? gzipSync(altered.body, { level: 6 }) : altered.body;
  const own: Record<string, string> = {
    date,
    'x-dealfeed-sandbox': 'made-up data',
    ...(COMPRESSIBLE.test(type) ? { vary: 'Accept-Encoding' } : {}),
    ...(zip ? { 'content-encoding': 'gzip' } : {}),
  };
  const empty = status === 304 || status === 204;
  outgoing.writeHead(status, {
    ...Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
    ),
    ...own,
    ...(empty ? {} : { 'content-length': String(body.length) }),
  });
  if (request.method === 'HEAD' || empty) {
    outgoing.end();
  } else if (altered.truncateAt !== undefined && altered.truncateAt < body.length) {
    // The sent part must leave first, or the client would see a reset instead of a truncated body.
    outgoing.write(body.subarray(0, altered.truncateAt), () => {
      setTimeout(() => outgoing.destroy(), 20);
    });
  } else {
    outgoing.end(body);
  }
}

/** The world and the day of an operator's settings. */
export const worldOptions = ({ SEED, DAY, LISTINGS, PARCELS, AUCTIONS, FILINGS }: PipelineSettings) => ({
  seed: SEED,
  day: DAY ?? SANDBOX_DAY,
  listings: LISTINGS,
  parcels: PARCELS,
  auctions: AUCTIONS,
  filings: FILINGS,
});

/** Start the sandbox on 127.0.0.1 for one day of one world. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { day = SANDBOX_DAY, port = 0, alter, world: given, ...sizes } = options;
  const world = given ?? makeWorld(sizes);
  const today = worldOn(world, day);
  const visitors = new Set<string>();
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const posted = incoming.method === 'POST' ? await text(incoming) : undefined;
    const request = {
      ...parseRequest(incoming, visitors),
      ...(posted === undefined ? {} : { posted, form: new URLSearchParams(posted) }),
    };
    const response = answer(today, request);
    const altered: Altered = alter?.(request, response) ?? response;
    if (altered.delayMs !== undefined)
      await new Promise((resolve) => {
        setTimeout(resolve, altered.delayMs);
      });
    if (altered.reset) incoming.socket.destroy();
    else send(outgoing, request, altered, httpDate(day, '12:00:00'));
  };
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`sandbox: ${incoming.headers.host ?? ''}${incoming.url ?? ''}: ${detail}\n`);
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    world,
    day: today,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function main(): Promise<void> {
  const sandbox = await startSandbox(worldOptions(readSettings(pipelineSettings)));
  process.stdout.write(`${JSON.stringify({ url: sandbox.url })}\n`);
  const stop = (): void => {
    void sandbox.close();
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

if (import.meta.main) await runCommand(main);
