/** Bearer tokens of one read, by token endpoint. */
import { z } from 'zod';
import { type Grant, SourceUnavailable } from '../contract.ts';
import { checkAllowed, publicAddress } from './addresses.ts';
import { RetryableError } from './classify.ts';
import type { Robots } from './robots.ts';
import type { ReadScope } from './scope.ts';
import { type HttpRequest, type HttpResponse, postedBody, TransportError } from './transport.ts';

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

export class Tokens {
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
