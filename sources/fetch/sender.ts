/**
 * Sends the requests of one read: each when its host's rate limiter allows it, with retries and over redirects, every
 * response archived and classified.
 */
import { z } from 'zod';
import pRetry from 'p-retry';
import { type GetOptions, type Grant, Quarantine, SourceUnavailable } from '../contract.ts';
import {
  checkAllowed,
  MAX_REDIRECTS,
  publicAddress,
  redirectTarget,
  withoutSecretQuery,
  withSecretQuery,
} from './addresses.ts';
import { type Classification, classify, RetryableError } from './classify.ts';
import { Robots } from './robots.ts';
import type { Progress, ReadScope } from './scope.ts';
import { type HttpRequest, type HttpResponse, postedBody, TransportError } from './transport.ts';
import { ACCEPT_ENCODING } from '../../lib/content_encoding.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { decodeBody } from './page.ts';
import {
  adapterHeaders,
  type ArchivedPage,
  conditionHeaders,
  maxDecodedBytes,
  type OutgoingRequest,
  type RequestLog,
} from './request_log.ts';
import { MIN_INTERVAL_MS, RateLimiter } from './rate_limiter.ts';

interface Token {
  readonly value: string;
  /** On the monotonic clock, in milliseconds. */
  readonly expiresAt: number;
}

/** A token is renewed this long before it expires. */
const MARGIN_MS = 30_000;
const MAX_BYTES = 64 * 1024;

const TokenResponse = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/iu),
  expires_in: z.coerce.number().positive().default(Infinity),
});
const ErrorResponse = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/u) });

/** A response's JSON, if it has the form. Its text is in no message: it may repeat the secret. */
function jsonOf<T>(form: z.ZodType<T>, body: Uint8Array): T | undefined {
  try {
    return form.parse(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return undefined;
  }
}

/** Why there is no token. */
function failureOf(response: HttpResponse | TransportError): [reason: SourceUnavailable['reason'], detail: string] {
  if (response instanceof TransportError) return ['unreachable', `sent no token: ${response.message}`];
  const { status, body } = response;
  const answered = `answered ${status} to the token request`;
  if (status === 429) return ['rate_limited', answered];
  if (status >= 500) return ['server_error', answered];
  if (status === 200) return ['server_error', 'answered the token request without a token'];
  return ['refused', `${answered}: ${jsonOf(ErrorResponse, body)?.error ?? 'without a reason'}`];
}

/** The part of the sender that requests a token. */
interface TokenSender {
  readonly robots: Robots;
  transmit(url: URL, request: HttpRequest, crawlDelayMs: number): Promise<HttpResponse>;
  countReceived(bytes: number): void;
}

class Tokens {
  readonly #scope: ReadScope;
  readonly #sender: TokenSender;
  readonly #byEndpoint = new Map<string, Promise<Token>>();

  constructor(scope: ReadScope, sender: TokenSender) {
    this.#scope = scope;
    this.#sender = sender;
  }

  /** A token that has not expired. @throws SourceUnavailable, or RetryableError if a retry may get one */
  async bearer(grant: Grant, pageUrl: string): Promise<string> {
    const known = await this.#byEndpoint.get(grant.tokenUrl);
    if (known && known.expiresAt > performance.now()) return known.value;
    const requested = this.#request(grant, pageUrl);
    this.#byEndpoint.set(grant.tokenUrl, requested);
    try {
      return (await requested).value;
    } catch (error) {
      this.#byEndpoint.delete(grant.tokenUrl);
      throw error;
    }
  }

  async #request({ tokenUrl, id, secret, scope }: Grant, pageUrl: string): Promise<Token> {
    const { run, spec } = this.#scope;
    const url = publicAddress(tokenUrl, run.inSandbox);
    checkAllowed(url, spec.hosts, pageUrl);
    const { crawlDelayMs } = await this.#sender.robots.check(url, pageUrl);
    const requestedAt = performance.now();
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, ...(scope && { scope }) };
    const request = {
      headers: { accept: 'application/json', 'user-agent': run.userAgent },
      maxBytes: MAX_BYTES,
      posted: postedBody({ form }),
    };
    const response = await this.#sender.transmit(url, request, crawlDelayMs).catch((error: unknown) => {
      if (error instanceof TransportError) return error;
      throw error;
    });
    const status = response.status ?? undefined;
    if (!(response instanceof TransportError)) this.#sender.countReceived(response.body.length);
    const token = 'body' in response && status === 200 ? jsonOf(TokenResponse, response.body) : undefined;
    const [reason, detail] = failureOf(response);
    await this.#record(url, response, token ? null : reason);
    if (token) return { value: token.access_token, expiresAt: requestedAt + token.expires_in * 1000 - MARGIN_MS };
    const error = new SourceUnavailable(reason, `${url.href} ${detail}`, pageUrl, status);
    throw reason === 'refused' || status === 200 ? error : new RetryableError(error);
  }

  /** Archive that a token was requested, without the secret contents of request and response. */
  async #record(url: URL, response: HttpResponse | TransportError, error: string | null): Promise<void> {
    const { run, spec, options } = this.#scope;
    await run.archive.append({
      source: spec.name,
      runId: options.runId,
      method: 'POST',
      url: url.href,
      status: response.status,
      kind: 'token',
      context: {},
      requestHeaders: {},
      responseHeaders: {},
      sha256: null,
      bytes: 'body' in response ? response.body.length : 0,
      observedAt: run.clock.observedAt(),
      fromCache: false,
      error,
    });
  }
}

/** An address that an adapter asks for. */
interface Asked {
  readonly url: URL;
  readonly options: GetOptions;
  /** An archived response that a conditional request may confirm. */
  readonly latest?: ArchivedPage | undefined;
  readonly jar?: OutgoingRequest['jar'];
}

interface Received {
  readonly record: RequestRecord;
  readonly sha256: string;
  readonly decoded: Uint8Array;
}
type Reply = Received | { readonly redirect: HttpResponse };

export class Sender {
  readonly robots: Robots;
  readonly #tokens: Tokens;
  readonly #scope: ReadScope;
  readonly #log: RequestLog;
  /** Hosts that refused this read, with the refusal. */
  readonly #refusals = new Map<string, SourceUnavailable>();

  constructor(scope: ReadScope, log: RequestLog) {
    this.#scope = scope;
    this.#log = log;
    this.robots = new Robots(
      scope,
      async (url, options) => (await this.follow({ url, options }, async () => 0)).decoded,
    );
    this.#tokens = new Tokens(scope, this);
  }

  /**
   * The page at an address, over redirects within the source's hosts.
   * @param delayOf checks whether an address may be requested; least milliseconds between requests to its host
   * @throws SourceUnavailable or Quarantine if no attempt gave a usable response
   */
  async follow({ url: asked, options, latest, jar }: Asked, delayOf: (url: URL) => Promise<number>): Promise<Received> {
    const { run, spec } = this.#scope;
    const pageUrl = asked.href;
    let url = asked;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      checkAllowed(url, spec.hosts, pageUrl);
      const delayMs = await delayOf(url);
      const archived = latest && (latest.record.finalUrl ?? latest.record.url) === url.href ? latest : undefined;
      const request = { url, pageUrl, options: optionsFor(url, asked, options, hop), archived, jar };
      const reply = await this.#send(request, delayMs);
      if ('record' in reply) return reply;
      url = withoutSecretQuery(redirectTarget(url, reply.redirect, pageUrl, run.inSandbox), options);
    }
    throw new SourceUnavailable('server_error', `the site redirects more than ${MAX_REDIRECTS} times`, pageUrl);
  }

  /** One request, when the host's rate limiter allows it. @throws TransportError */
  async transmit(url: URL, request: HttpRequest, crawlDelayMs: number): Promise<HttpResponse> {
    const { run, spec, stats } = this.#scope;
    const interval = run.inSandbox ? 0 : Math.max(spec.minIntervalMs ?? MIN_INTERVAL_MS, crawlDelayMs);
    const sleep = async (ms: number): Promise<void> => {
      stats.sleptMs += Math.ceil(ms);
      await run.timer.sleep(Math.ceil(ms));
    };
    return this.#limiterOf(url.host).run(interval, sleep, async () => {
      await run.beforeRequest();
      stats.requests += 1;
      const onReceived = (received: number, expected: number): void => this.#report({ received, expected });
      return run.transport.send(url, { ...request, onReceived });
    });
  }

  /** Count the bytes of a response and report progress. */
  countReceived(bytes: number): void {
    this.#scope.stats.bytes += bytes;
    this.#report();
  }

  #report(body?: Progress['body']): void {
    const { run, spec, stats } = this.#scope;
    run.onProgress({ source: spec.name, requests: stats.requests, bytes: stats.bytes, ...(body ? { body } : {}) });
  }

  #limiterOf(host: string): RateLimiter {
    const { run } = this.#scope;
    const limiter = run.limiters.get(host) ?? new RateLimiter(run.timer, run.notBefore(host));
    run.limiters.set(host, limiter);
    return limiter;
  }

  async #send(request: OutgoingRequest, crawlDelayMs: number): Promise<Reply> {
    const { run, stats } = this.#scope;
    const { host } = request.url;
    const refusal = this.#refusals.get(host);
    if (refusal)
      throw new SourceUnavailable(
        refusal.reason,
        `${refusal.message}; no further request is sent to this host in this read`,
        request.pageUrl,
        refusal.status,
      );
    try {
      return await pRetry(() => this.#attempt(request, crawlDelayMs), {
        retries: run.limits.retries,
        factor: 2,
        randomize: true,
        minTimeout: run.inSandbox ? 0 : run.limits.backoffMs,
        maxTimeout: run.inSandbox ? 0 : run.limits.maxBackoffMs,
        shouldRetry: ({ error }) => error instanceof RetryableError,
        onFailedAttempt: ({ error, retryDelay, retriesLeft }) => {
          if (!(error instanceof RetryableError) || retriesLeft === 0) return;
          stats.retries += 1;
          stats.sleptMs += retryDelay;
        },
      });
    } catch (error) {
      const final = error instanceof RetryableError ? error.final : error;
      if (isHostRefusal(final) && request.options.kind !== 'robots') this.#refusals.set(host, final);
      throw final;
    }
  }

  async #attempt(request: OutgoingRequest, crawlDelayMs: number): Promise<Reply> {
    const { run, stats } = this.#scope;
    const { options, pageUrl, archived, url } = request;
    const response = await this.#exchange(request, crawlDelayMs);
    run.stop?.throwIfAborted();
    this.countReceived(response.body.length);
    for (const cookie of response.setCookie) await request.jar?.setCookie(cookie, url.href, { ignoreError: true });
    const decoded = await this.#decode(request, response).catch((error: unknown) => {
      if (error instanceof Quarantine) return error;
      throw error;
    });
    const isConditional = archived !== undefined;
    const classified = classify({ response, decoded, expected: options, pageUrl, isConditional, nowMs: Date.now() });
    const record = await this.#log.add(request, response, classified);
    if (classified.is === 'refused') throw classified.error;
    if (classified.is === 'retry') throw this.#retryError(url.host, classified);
    if (classified.is === 'redirect') return { redirect: response };
    if (classified.is === 'not_modified') stats.notModified += 1;
    const body = classified.is === 'not_modified' ? archived?.bytes : decoded;
    if (record.sha256 === null || body === undefined || body instanceof Quarantine)
      throw new Error(`the response of ${url.href} is classified as a page and has no body`);
    return { record, sha256: record.sha256, decoded: body };
  }

  #decode({ options, pageUrl }: OutgoingRequest, { body, headers }: HttpResponse): Promise<Uint8Array> {
    return decodeBody(body, headers['content-encoding'], maxDecodedBytes(this.#scope.run.limits, options), pageUrl);
  }

  /** Send the request once, or render the page. @throws SourceUnavailable, Quarantine or RetryableError */
  async #exchange(request: OutgoingRequest, crawlDelayMs: number): Promise<HttpResponse> {
    const { run } = this.#scope;
    const { options, url, archived, jar, pageUrl } = request;
    const cookie = await jar?.getCookieString(url.href);
    const sent: HttpRequest = {
      headers: {
        ...adapterHeaders(options),
        ...conditionHeaders(archived),
        'user-agent': run.userAgent,
        // A part of a compressed body cannot be decoded.
        'accept-encoding': options.firstBytes === undefined ? ACCEPT_ENCODING : 'identity',
        ...(cookie ? { cookie } : {}),
        ...(options.grant ? { authorization: `Bearer ${await this.#tokens.bearer(options.grant, pageUrl)}` } : {}),
      },
      maxBytes: options.maxBytes ?? run.limits.maxBytes,
      firstBytes: options.firstBytes,
      posted: postedBody(options),
    };
    try {
      if (options.rendered === undefined) return await this.transmit(withSecretQuery(url, options), sent, crawlDelayMs);
      const load = (part: URL): Promise<HttpResponse> =>
        this.#loadPart(part, request, (address) => this.transmit(address, sent, crawlDelayMs));
      return await run.renderer.render(url, options.rendered, run.userAgent, load);
    } catch (error) {
      if (error instanceof TransportError) throw await this.#transportFailure(request, error);
      throw error;
    }
  }

  /** A part of a rendered page, or the page itself, decoded. @throws SourceUnavailable if it may not be requested */
  async #loadPart(part: URL, page: OutgoingRequest, send: (url: URL) => Promise<HttpResponse>): Promise<HttpResponse> {
    const { run, spec } = this.#scope;
    const { pageUrl } = page;
    const url = publicAddress(part, run.inSandbox);
    checkAllowed(url, spec.hosts, pageUrl);
    // The rate limit and the headers are those of the page's own host.
    if (url.host !== page.url.host)
      throw new SourceUnavailable('host_not_allowed', `${url.host} is not the page's host`, pageUrl);
    await this.robots.check(url, pageUrl);
    const response = await send(url);
    const { 'content-encoding': _decoded, ...headers } = response.headers;
    return { ...response, headers, body: await this.#decode(page, response) };
  }

  /** The error to throw for a retry. Pauses the host as Retry-After asks, unless that is longer than a run waits. */
  #retryError(host: string, { afterMs, error }: Extract<Classification, { is: 'retry' }>): Error {
    const { inSandbox, limits } = this.#scope.run;
    if (afterMs !== undefined && afterMs > limits.maxRetryAfterMs) {
      if (!(error instanceof SourceUnavailable)) return error;
      const detail = `${error.message}, and asks for no request within ${Math.round(afterMs / 1000)} seconds`;
      return new SourceUnavailable(error.reason, detail, error.pageUrl, error.status);
    }
    if (afterMs !== undefined && !inSandbox) this.#limiterOf(host).pause(afterMs);
    return new RetryableError(error);
  }

  /** Record a request without a complete response. @returns the error to throw */
  async #transportFailure(request: OutgoingRequest, failure: TransportError): Promise<Error> {
    const { run } = this.#scope;
    const { pageUrl, url } = request;
    const { reason, message, received, status } = failure;
    run.stop?.throwIfAborted();
    this.countReceived(received);
    await this.#log.addFailure(request, { status, bytes: received, error: reason });
    if (reason === 'body_too_large') return new Quarantine(reason, message, pageUrl);
    if (reason === 'truncated_download')
      return new RetryableError(new Quarantine(reason, `the body is truncated: ${message}`, pageUrl));
    if (reason === 'unreachable')
      return new RetryableError(new SourceUnavailable(reason, `${url.host} did not respond: ${message}`, pageUrl));
    await run.network?.check(url, true);
    const detail = `the host ${url.hostname} does not resolve: ${message}`;
    const error = new SourceUnavailable('host_not_found', detail, pageUrl);
    // A temporary failure of its name server is worth a retry.
    return message === 'EAI_AGAIN' ? new RetryableError(error) : error;
  }
}

/** Options of one request: a body is sent to the first address only; grant, headers and secrets to its host. */
function optionsFor(url: URL, asked: URL, options: GetOptions, hop: number): GetOptions {
  const { form, json, grant, secretQuery, ...rest } = options;
  return {
    ...rest,
    ...(hop === 0 ? { ...(form && { form }), ...(json && { json }) } : {}),
    ...(url.host === asked.host ? { ...(grant && { grant }), ...(secretQuery && { secretQuery }) } : { headers: {} }),
  };
}

/** Whether the site refuses this reader, not only one page. */
const isHostRefusal = (error: unknown): error is SourceUnavailable =>
  error instanceof SourceUnavailable &&
  (error.reason === 'challenge' || error.reason === 'rate_limited' || error.status === 401 || error.status === 403);
