/** Bearer tokens of one read, by token endpoint. */
import { z } from 'zod';
import { type Grant, SourceUnavailable } from '../../contract.ts';
import type { PacedTransport } from '../http/paced_transport.ts';
import { type HttpRequest, type HttpResponse, postedBody, TransportError } from '../http/transport.ts';
import { RetryableError } from '../http/sender.ts';
import type { RobotsChecker } from '../polite/robots_checker.ts';
import type { ReadScope } from '../scope.ts';
import { checkAllowed, publicAddress } from '../addresses.ts';

interface Token {
  readonly value: string;
  /** On the monotonic clock, in milliseconds. */
  readonly expiresAt: number;
}

/** A token, or the error and whether a retry may fix it. `response` is set if there was one. */
type TokenOutcome = { readonly response?: HttpResponse } & (
  { readonly token: Token } | { readonly error: SourceUnavailable; readonly isRetryable: boolean }
);

/** A token is renewed this long before it expires. */
const MARGIN_MS = 30_000;
const MAX_BYTES = 64 * 1024;

const TokenResponse = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/iu),
  expires_in: z.coerce.number().positive().optional(),
});

const ErrorResponse = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/u) });

/** The code of an error response, such as invalid_client. Its text is omitted: it may repeat the secret. */
function codeOf(body: Uint8Array): string {
  try {
    return ErrorResponse.parse(JSON.parse(new TextDecoder().decode(body))).error;
  } catch {
    return 'without a reason';
  }
}

/** @param send sends one POST request to `url` */
async function requestToken(
  grant: Grant,
  url: URL,
  pageUrl: string,
  send: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<TokenOutcome> {
  const requestedAt = performance.now();
  let response: HttpResponse;
  try {
    response = await send({
      headers: { accept: 'application/json' },
      maxBytes: MAX_BYTES,
      posted: postedBody({
        form: {
          grant_type: 'client_credentials',
          client_id: grant.id,
          client_secret: grant.secret,
          ...(grant.scope === undefined ? {} : { scope: grant.scope }),
        },
      }),
    });
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return {
      error: new SourceUnavailable('unreachable', `${url.host} sent no token: ${error.message}`, pageUrl),
      isRetryable: true,
    };
  }
  const { status, body } = response;
  const failed = (reason: SourceUnavailable['reason'], detail: string, isRetryable: boolean): TokenOutcome => ({
    response,
    isRetryable,
    error: new SourceUnavailable(reason, `${url.href} ${detail}`, pageUrl, status),
  });
  if (status === 429) return failed('rate_limited', 'answered 429 to the token request', true);
  if (status >= 500) return failed('server_error', `answered ${status} to the token request`, true);
  if (status !== 200) return failed('refused', `answered ${status} to the token request: ${codeOf(body)}`, false);
  let parsed: z.infer<typeof TokenResponse>;
  try {
    parsed = TokenResponse.parse(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return failed('server_error', 'answered the token request without a token', false);
  }
  const { access_token: value, expires_in: seconds } = parsed;
  const expiresAt = seconds === undefined ? Infinity : requestedAt + seconds * 1000 - MARGIN_MS;
  return { response, token: { value, expiresAt } };
}

export class Tokens {
  readonly #scope: ReadScope;
  readonly #transport: PacedTransport;
  readonly #robots: RobotsChecker;
  readonly #byEndpoint = new Map<string, Promise<Token>>();

  constructor(scope: ReadScope, transport: PacedTransport, robots: RobotsChecker) {
    this.#scope = scope;
    this.#transport = transport;
    this.#robots = robots;
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

  async #request(grant: Grant, pageUrl: string): Promise<Token> {
    const { run, spec } = this.#scope;
    const url = publicAddress(grant.tokenUrl, run.inSandbox);
    checkAllowed(url, spec.hosts, pageUrl);
    const { crawlDelayMs } = await this.#robots.check(url, pageUrl);
    const { response, ...outcome } = await requestToken(grant, url, pageUrl, (request) => {
      const headers = { ...request.headers, 'user-agent': run.userAgent };
      return this.#transport.send(url, { ...request, headers }, crawlDelayMs);
    });
    this.#transport.countReceived(response?.body.length ?? 0);
    await this.#record(url, response, 'token' in outcome ? null : outcome.error.reason);
    if ('token' in outcome) return outcome.token;
    throw outcome.isRetryable ? new RetryableError(outcome.error) : outcome.error;
  }

  /** Archive that a token was requested, without the secret contents of request and response. */
  async #record(url: URL, response: HttpResponse | undefined, error: string | null): Promise<void> {
    const { run, spec, options } = this.#scope;
    await run.archive.append({
      source: spec.name,
      runId: options.runId,
      method: 'POST',
      url: url.href,
      status: response?.status ?? null,
      kind: 'token',
      context: {},
      requestHeaders: {},
      responseHeaders: {},
      sha256: null,
      bytes: response?.body.length ?? 0,
      observedAt: run.clock.observedAt(),
      fromCache: false,
      error,
    });
  }
}
