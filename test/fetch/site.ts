/** A local web server for the fetcher's tests, and a fetcher with a temporary archive. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import assert from 'node:assert/strict';
import {
  defineSource,
  type DropFormat,
  type FetchContext,
  Quarantine,
  type SourceSpec,
  SourceUnavailable,
} from '../../sources/contract.ts';
import { type Archive, openArchive } from '../../lib/archive.ts';
import { createFetcher, type FetcherOptions, type ReadOptions, type Stats } from '../../sources/fetch/fetcher.ts';
import type { Timer } from '../../sources/fetch/rate_limiter.ts';
import { TaxParcel } from '../../sources/rows/tax_parcel.ts';
import { startTestServer } from '../support/server.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export const NOW = '2026-11-20T12:00:00Z';
const clock = { nowMs: () => Date.parse(NOW), observedAt: () => NOW };
/** Short timeouts and delays. */
const QUICK = {
  connectMs: 500,
  headersMs: 500,
  bodyMs: 300,
  totalMs: 2_000,
  retries: 2,
  backoffMs: 1,
  maxBackoffMs: 5,
  maxRetryAfterMs: 1_500,
};

export interface Site {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly host: string;
  /** All requests in order: `<host><path>` and headers. */
  readonly seen: { readonly address: string; readonly headers: IncomingMessage['headers'] }[];
  /** Paths of the requests, without robots.txt. */
  pages(): string[];
}

/** Serve `handlers` by path. Any other path is a 404, including robots.txt. */
export async function serve(t: TestContext, handlers: Readonly<Record<string, Handler>>): Promise<Site> {
  const seen: Site['seen'] = [];
  const server = await startTestServer((request, response) => {
    seen.push({ address: `${request.headers.host}${request.url}`, headers: request.headers });
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    const handler =
      handlers[path] ??
      ((_, r) => {
        r.writeHead(404).end('no such page');
      });
    handler(request, response);
  });
  t.after(() => server.close());
  return {
    origin: server.url,
    host: new URL(server.url).host,
    seen,
    pages: () => seen.map((s) => s.address.slice(s.address.indexOf('/'))).filter((p) => p !== '/robots.txt'),
  };
}

/** A handler with a fixed response. */
export const answer =
  (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
  };

/** A handler that responds like each of `handlers` in turn, then like the last. */
export function inTurn(...handlers: readonly Handler[]): Handler {
  let count = 0;
  return (request, response) => {
    const handler = handlers[Math.min(count, handlers.length - 1)];
    count += 1;
    handler?.(request, response);
  };
}

export interface SpecOptions {
  readonly hosts: readonly string[];
  readonly name?: string;
  readonly minIntervalMs?: number;
  readonly drop?: readonly DropFormat[];
}

export const specOf = ({ hosts, name = 'test_source', minIntervalMs = 0, drop }: SpecOptions): SourceSpec =>
  defineSource({
    name,
    family: 'tax',
    title: 'A source of a test',
    home: 'https://www.example.com/',
    everyDays: 1,
    hosts,
    terms: { basis: 'sandbox_only', note: 'Made for a test.' },
    minIntervalMs,
    row: TaxParcel,
    expect: { minRows: 0, maxRejectShare: 1, maxDropShare: 1 },
    ...(drop ? { drop } : {}),
    async *fetch() {
      // The tests call ctx.get themselves.
    },
    parse: () => [],
  });

export interface Reader {
  readonly ctx: FetchContext & { readonly stats: Stats };
  readonly archive: Archive;
  readonly dataDir: string;
  /** A new run with the same archive. */
  again(read?: Partial<ReadOptions>, options?: Partial<FetcherOptions>): FetchContext & { readonly stats: Stats };
}

/** A simulated clock: it jumps to the end of the earliest sleep, so that nothing waits. */
export function fakeTimer(): Timer & { readonly slept: readonly number[] } {
  let now = 0;
  const slept: number[] = [];
  const sleeping: { readonly until: number; wake(): void }[] = [];
  const wakeEarliest = (): void => {
    sleeping.sort((a, b) => a.until - b.until);
    const earliest = sleeping.shift();
    now = Math.max(now, earliest?.until ?? 0);
    earliest?.wake();
  };
  return {
    slept,
    nowMs: () => now,
    sleep: (ms) =>
      new Promise((resolve) => {
        slept.push(ms);
        sleeping.push({ until: now + ms, wake: resolve });
        setImmediate(wakeEarliest);
      }),
  };
}

/** A read of `spec` by a new fetcher with short delays. */
export async function readerOf(
  t: TestContext,
  spec: SourceSpec,
  options: Partial<FetcherOptions> = {},
): Promise<Reader> {
  const dataDir = memoryFolder('dealfeed-fetch-');
  const archive = await openArchive(dataDir);
  let number = 0;
  const again: Reader['again'] = (read, more) => {
    number += 1;
    const fetcher = createFetcher({
      archive,
      clock,
      contact: 'ops@example.org',
      ...options,
      ...more,
      limits: { ...QUICK, ...options.limits, ...more?.limits },
    });
    t.after(() => fetcher.close());
    return fetcher.contextFor(spec, {
      asOf: '2026-11-20',
      runId: `2026-11-20.0${number}`,
      lastGoodOn: null,
      onUnreadable: () => {},
      ...read,
    });
  };
  return { ctx: again(), archive, dataDir, again };
}

export const unavailable =
  (reason: SourceUnavailable['reason'], message = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof SourceUnavailable, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    return true;
  };

export const quarantined =
  (reason: Quarantine['reason'], message = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Quarantine, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    return true;
  };
