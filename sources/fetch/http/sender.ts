/** Sends requests of one read: with retries, each response archived and classified. */
import pRetry from 'p-retry';
import { type Grant, Quarantine, SourceUnavailable } from '../../contract.ts';
import type { RequestRecord } from '../../../lib/request_record.ts';
import { classify, type Classification } from './classify.ts';
import { ACCEPT_ENCODING } from '../../../lib/content_encoding.ts';
import { decodeBody } from './decode.ts';
import { adapterHeaders, conditionHeaders, cookieHeader } from './headers.ts';
import type { PacedTransport } from './paced_transport.ts';
import { type HttpRequest, type HttpResponse, postedBody, TransportError } from './transport.ts';
import { expectationsOf, maxDecodedBytes, type OutgoingRequest, type RequestLog } from '../request_log.ts';
import type { ReadScope } from '../scope.ts';
import { withSecretQuery } from '../addresses.ts';

/** A failure that a retry may fix. `final` is thrown after the last retry. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  readonly final: SourceUnavailable | Quarantine;
  constructor(final: SourceUnavailable | Quarantine) {
    super(final.message);
    this.final = final;
  }
}

export type Reply =
  | {
      readonly is: 'page';
      readonly record: RequestRecord;
      readonly sha256: string;
      readonly decoded: Uint8Array;
    }
  | { readonly is: 'redirect'; readonly response: HttpResponse };

/** Fetches one address, for the page itself and the resources that it loads in a browser. */
export type SendOne = (url: URL) => Promise<HttpResponse>;

export interface SenderHooks {
  /** A bearer token of the grant. */
  bearer(grant: Grant, pageUrl: string): Promise<string>;
  /** A resource of a rendered page. */
  fetchResource(url: URL, page: OutgoingRequest, send: SendOne): Promise<HttpResponse>;
}

const TRANSPORT_REASONS = {
  unresolved: 'host_not_found',
  unreachable: 'unreachable',
  truncated: 'truncated_download',
  too_large: 'body_too_large',
} as const;

export class Sender {
  readonly #scope: ReadScope;
  readonly #transport: PacedTransport;
  readonly #log: RequestLog;
  readonly #hooks: SenderHooks;
  /** Hosts that refused this read, with the refusal. */
  readonly #refusals = new Map<string, SourceUnavailable>();

  constructor(scope: ReadScope, transport: PacedTransport, log: RequestLog, hooks: SenderHooks) {
    this.#scope = scope;
    this.#transport = transport;
    this.#log = log;
    this.#hooks = hooks;
  }

  /** @throws SourceUnavailable or Quarantine if no attempt gave a usable response */
  async send(request: OutgoingRequest, crawlDelayMs: number): Promise<Reply> {
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
    const response = await this.#exchange(request, crawlDelayMs);
    run.stop?.throwIfAborted();
    this.#transport.countReceived(response.body.length);
    for (const cookie of response.setCookie)
      await request.jar?.setCookie(cookie, request.url.href, { ignoreError: true });
    const decoded = await this.#decode(request, response);
    const classification = classify({
      response,
      decoded,
      expected: expectationsOf(request.options),
      pageUrl: request.pageUrl,
      isConditional: request.archived !== undefined,
      nowMs: Date.now(),
    });
    const record = await this.#log.add(request, response, classification);
    if (classification.is === 'refused') throw classification.error;
    if (classification.is === 'retry') throw this.#retryError(request.url.host, classification);
    if (classification.is === 'redirect') return { is: 'redirect', response };
    if (classification.is === 'not_modified') stats.notModified += 1;
    const body = classification.is === 'not_modified' ? request.archived?.bytes : decoded;
    if (record.sha256 === null || body === undefined || body instanceof Quarantine)
      throw new Error(`the response of ${request.url.href} is classified as a page and has no body`);
    return { is: 'page', record, sha256: record.sha256, decoded: body };
  }

  /** Send the request once, or render the page. @throws SourceUnavailable, Quarantine or RetryableError */
  async #exchange(request: OutgoingRequest, crawlDelayMs: number): Promise<HttpResponse> {
    const { run } = this.#scope;
    const { options, url } = request;
    const httpRequest: HttpRequest = {
      headers: await this.#headersOf(request),
      maxBytes: options.maxBytes ?? run.limits.maxBytes,
      firstBytes: options.firstBytes,
      posted: postedBody(options),
    };
    const send: SendOne = (address) => this.#transport.send(address, httpRequest, crawlDelayMs);
    try {
      if (options.rendered === undefined) return await send(withSecretQuery(url, options));
      return await run.renderer.render(url, options.rendered, run.userAgent, (resource) =>
        this.#hooks.fetchResource(resource, request, send),
      );
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      throw await this.#transportFailure(request, error);
    }
  }

  async #headersOf({ options, archived, jar, url, pageUrl }: OutgoingRequest): Promise<Record<string, string>> {
    return {
      ...adapterHeaders(options),
      ...conditionHeaders(archived?.record),
      'user-agent': this.#scope.run.userAgent,
      // A part of a compressed body cannot be decoded.
      'accept-encoding': options.firstBytes === undefined ? ACCEPT_ENCODING : 'identity',
      ...(await cookieHeader(jar, url)),
      ...(options.grant ? { authorization: `Bearer ${await this.#hooks.bearer(options.grant, pageUrl)}` } : {}),
    };
  }

  /** The decoded body, or the error of decoding it. */
  async #decode({ options, pageUrl }: OutgoingRequest, response: HttpResponse): Promise<Uint8Array | Quarantine> {
    const limit = maxDecodedBytes(this.#scope.run.limits, options);
    try {
      return await decodeBody(response.body, response.headers['content-encoding'], limit, pageUrl);
    } catch (error) {
      if (error instanceof Quarantine) return error;
      throw error;
    }
  }

  /** The error to throw for a retry. Pauses the host as Retry-After asks, unless that is longer than a run waits. */
  #retryError(host: string, { afterMs, error }: Extract<Classification, { is: 'retry' }>): Error {
    const { inSandbox, limits } = this.#scope.run;
    if (afterMs !== undefined && afterMs > limits.maxRetryAfterMs) {
      if (!(error instanceof SourceUnavailable)) return error;
      const detail = `${error.message}, and asks for no request within ${Math.round(afterMs / 1000)} seconds`;
      return new SourceUnavailable(error.reason, detail, error.pageUrl, error.status);
    }
    if (afterMs !== undefined && !inSandbox) this.#transport.pause(host, afterMs);
    return new RetryableError(error);
  }

  /** The error of a host that does not resolve. Only a temporary failure of its name server is worth a retry. */
  async #unresolved({ url, pageUrl }: OutgoingRequest, code: string): Promise<Error> {
    await this.#scope.run.network?.checkAgain(url);
    const error = new SourceUnavailable(
      'host_not_found',
      `the host ${url.hostname} does not resolve: ${code}`,
      pageUrl,
    );
    return code === 'EAI_AGAIN' ? new RetryableError(error) : error;
  }

  /** Record a request without a complete response. @returns the error to throw */
  async #transportFailure(request: OutgoingRequest, failure: TransportError): Promise<Error> {
    const { run } = this.#scope;
    run.stop?.throwIfAborted();
    this.#transport.countReceived(failure.received);
    await run.archive.append({
      ...this.#log.blank(request),
      status: failure.status,
      bytes: failure.received,
      error: TRANSPORT_REASONS[failure.kind],
    });
    const { pageUrl, url } = request;
    switch (failure.kind) {
      case 'too_large':
        return new Quarantine('body_too_large', failure.message, pageUrl);
      case 'truncated':
        return new RetryableError(
          new Quarantine('truncated_download', `the body is truncated: ${failure.message}`, pageUrl),
        );
      case 'unresolved':
        return this.#unresolved(request, failure.message);
      case 'unreachable':
        return new RetryableError(
          new SourceUnavailable('unreachable', `${url.host} did not respond: ${failure.message}`, pageUrl),
        );
    }
  }
}

/** Whether the site refuses this reader, not only one page. */
const isHostRefusal = (error: unknown): error is SourceUnavailable =>
  error instanceof SourceUnavailable &&
  (error.reason === 'challenge' || error.reason === 'rate_limited' || error.status === 401 || error.status === 403);
