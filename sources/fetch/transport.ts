/**
 * One HTTP request and its complete response, under limits of time and size, without retries or redirects. And whether
 * this machine has a network: checked before the first request of a run, and again when a host does not resolve.
 * Without a network every request ends at once, and the operator gets one message.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, type Dispatcher, Pool } from 'undici';
import { type GetOptions, SourceUnavailable } from '../contract.ts';
import { MAX_DECODED_BYTES } from './page.ts';

/** Resolves a host name. @throws if it does not resolve */
export type Resolve = (hostname: string) => Promise<LookupAddress>;

interface NetworkOptions {
  /** Hosts of all sources. There is a network if any of them resolves. */
  readonly hosts: readonly string[];
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve | undefined;
  /** Milliseconds within which a host must resolve. */
  readonly lookupMs: number;
  /** Called once, when there is no network. */
  readonly onDown?: ((message: string) => void) | undefined;
}

/** Lookups at the same time: the system's resolver blocks one of the four threads that also read files. */
const AT_ONCE = 3;

export class Network {
  readonly #options: NetworkOptions;
  #isDown = false;
  #hasLooked = false;
  #looking: Promise<void> | undefined;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /**
   * @param isUnresolved its host has just not resolved: look again whether others do
   * @throws SourceUnavailable no_network
   */
  async check(page: URL, isUnresolved = false): Promise<void> {
    if (!this.#isDown && (isUnresolved || !this.#hasLooked))
      this.#looking ??= this.#look(page.hostname).finally(() => {
        this.#hasLooked = true;
        this.#looking = undefined;
      });
    await this.#looking;
    if (this.#isDown) throw new SourceUnavailable('no_network', 'this machine has no network', page.href);
  }

  /** Look up hosts until one resolves. */
  async #look(hostname: string): Promise<void> {
    const { resolve = lookup as Resolve, hosts, lookupMs, onDown } = this.#options;
    const all = new Set([hostname, ...hosts.map((host) => new URL(`http://${host}`).hostname)]);
    const names = all.values();
    let isOver = false;
    const lookUpNext = async (): Promise<true> => {
      for (const name of names) {
        if (isOver) break;
        const isResolved = await resolve(name).then(
          () => true,
          () => false,
        );
        if (isResolved) return true;
      }
      throw new Error('no host resolves');
    };
    const isUp = await Promise.race([
      Promise.any(Array.from({ length: AT_ONCE }, lookUpNext)).catch(() => false),
      // Unreferenced, so that an ended check does not keep the process alive.
      sleep(lookupMs, false, { ref: false }),
    ]);
    isOver = true;
    if (isUp) return;
    this.#isDown = true;
    onDown?.(
      `no network: none of ${all.size} hosts resolves. Check the connection and the DNS of this machine, then run ` +
        'again. Until then the rows of earlier reads stay in use. See docs/runbook.md#no_network',
    );
  }
}

/** Limits of the fetcher in time (milliseconds), size and retries. */
export const LIMITS = {
  /** For a host to resolve, before it counts as unresolved. */
  lookupMs: 6_000,
  /** To establish a connection. */
  connectMs: 10_000,
  /** Until the response's headers are complete. */
  headersMs: 60_000,
  /** Between two parts of the body. */
  bodyMs: 60_000,
  /** For the whole exchange, against a body that never ends. */
  totalMs: 15 * 60_000,
  /** Maximum body as sent, unless the request sets its own. */
  maxBytes: 64 * 1024 * 1024,
  /** Maximum body after content decoding. */
  maxDecodedBytes: MAX_DECODED_BYTES,
  retries: 4,
  /** Backoff before the first retry; doubled for each further one, with jitter. */
  backoffMs: 1_000,
  maxBackoffMs: 60_000,
  /** Maximum Retry-After to wait for. A longer one ends the source's read. */
  maxRetryAfterMs: 5 * 60_000,
};
export type FetchLimits = Readonly<typeof LIMITS>;

interface PostedBody {
  readonly contentType: string;
  readonly text: string;
}

/** The body that a request sends; undefined for a GET request. */
export function postedBody({ form, json }: Pick<GetOptions, 'form' | 'json'>): PostedBody | undefined {
  if (form) return { contentType: 'application/x-www-form-urlencoded', text: new URLSearchParams(form).toString() };
  return json && { contentType: 'application/json', text: JSON.stringify(json) };
}

export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  /** End the exchange after this many bytes of the body, whether or not the server honors the request's range. */
  readonly firstBytes?: number | undefined;
  readonly posted?: PostedBody | undefined;
  /** Called with each part of the body. `expected` is its declared length, 0 if it declares none. */
  readonly onReceived?: ((received: number, expected: number) => void) | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by ", ". Without Set-Cookie. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookie: readonly string[];
  /** Body after transfer decoding, before content decoding. */
  readonly body: Uint8Array;
}

/** A request without a complete response. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Why: the host does not resolve, no headers came, the body ended or stalled early, or it exceeds the limit. */
  readonly reason: 'host_not_found' | 'unreachable' | 'truncated_download' | 'body_too_large';
  /** Body bytes received before it. */
  readonly received: number;
  readonly status: number | null;
  constructor(reason: TransportError['reason'], message: string, received = 0, status: number | null = null) {
    super(message);
    this.reason = reason;
    this.received = received;
    this.status = status;
  }
}

export interface Transport {
  /** @throws TransportError */
  send(url: URL, request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Codes of a host name that does not resolve. */
const UNRESOLVED: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN'];

interface TransportOptions {
  /** Address at which every host is reached (the sandbox); the Host header names the requested host. */
  readonly connectTo?: string | undefined;
  /** Aborts current and later requests. */
  readonly stop?: AbortSignal | undefined;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve | undefined;
}

/** A resolver in the form in which sockets take it. */
function lookupWith(resolve: Resolve): LookupFunction {
  const lookUp = callbackify(resolve);
  return (hostname, options, done) => {
    lookUp(hostname, (error, found) => {
      if (error) done(error, []);
      else if (options.all) done(null, [found]);
      else done(null, found.address, found.family);
    });
  };
}

export function createTransport(limits: FetchLimits, { connectTo, stop, resolve }: TransportOptions): Transport {
  const options = {
    connect: { timeout: limits.connectMs, ...(resolve ? { lookup: lookupWith(resolve) } : {}) },
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    // HTTP/1.1 only: its Content-Length shows that a body was cut.
    allowH2: false,
  };
  const dispatcher: Dispatcher = connectTo === undefined ? new Agent(options) : new Pool(connectTo, options);

  async function head(url: URL, { headers, posted }: HttpRequest): Promise<Dispatcher.ResponseData> {
    const timeout = AbortSignal.timeout(limits.totalMs);
    try {
      return await dispatcher.request({
        origin: connectTo ?? url.origin,
        path: `${url.pathname}${url.search}`,
        method: posted ? 'POST' : 'GET',
        headers: {
          host: url.host,
          ...headers,
          ...(posted ? { 'content-type': posted.contentType } : {}),
        },
        signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
        ...(posted ? { body: posted.text } : {}),
      });
    } catch (error) {
      const code = codeOf(error);
      throw new TransportError(UNRESOLVED.includes(code) ? 'host_not_found' : 'unreachable', code);
    }
  }

  async function send(url: URL, request: HttpRequest): Promise<HttpResponse> {
    const { statusCode: status, headers, body } = await head(url, request);
    const { maxBytes, firstBytes, onReceived } = request;
    const declared = headers['content-length'];
    const bytes = await readBody(body, { status, maxBytes, firstBytes, declared, onReceived });
    const { 'set-cookie': cookies, ...others } = headers;
    return {
      status,
      body: bytes,
      setCookie: [cookies ?? []].flat(),
      headers: Object.fromEntries(Object.entries(others).map(([k, v]) => [k, [v ?? ''].flat().join(', ')])),
    };
  }

  return { send, close: () => dispatcher.destroy() };
}

interface BodyLimits {
  readonly status: number;
  readonly maxBytes: number;
  readonly firstBytes: number | undefined;
  /** Value of Content-Length. */
  readonly declared: string | string[] | undefined;
  readonly onReceived: HttpRequest['onReceived'];
}

/** The body, or its first bytes. @throws TransportError if it is cut or exceeds the limit */
async function readBody(body: Dispatcher.ResponseData['body'], limits: BodyLimits): Promise<Uint8Array> {
  const { status, maxBytes, firstBytes } = limits;
  const declared = Number(limits.declared ?? 0);
  // Without a listener, an error after the read has ended would end the process.
  body.on('error', () => {});
  if (firstBytes === undefined && declared > maxBytes) {
    body.destroy();
    const detail = `the response declares ${declared} bytes, the limit is ${maxBytes}`;
    throw new TransportError('body_too_large', detail, 0, status);
  }
  const parts: Uint8Array[] = [];
  let received = 0;
  try {
    for await (const part of body) {
      received += (part as Uint8Array).length;
      if (firstBytes === undefined && received > maxBytes) break;
      parts.push(part as Uint8Array);
      limits.onReceived?.(received, declared);
      if (firstBytes !== undefined && received >= firstBytes) return Buffer.concat(parts).subarray(0, firstBytes);
    }
  } catch (error) {
    const expected = declared > 0 ? ` before ${declared} bytes were received` : '';
    throw new TransportError('truncated_download', `${codeOf(error)}${expected}`, received, status);
  }
  if (received > maxBytes)
    throw new TransportError('body_too_large', `the body exceeds the limit of ${maxBytes} bytes`, received, status);
  return Buffer.concat(parts);
}

/** The error's code. Its message is omitted: it names the current addresses and ports. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && code !== 'UND_ERR_SOCKET') return String(code);
  return error.cause instanceof Error ? codeOf(error.cause) : (code ?? error.name);
}
