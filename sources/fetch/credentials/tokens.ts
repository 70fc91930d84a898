/** Bearer tokens of one read, by token endpoint. */
import type { Grant } from '../../contract.ts';
import { requestToken, type Token } from './oauth.ts';
import type { PacedTransport } from '../http/paced_transport.ts';
import { checkAllowed, publicAddress } from '../polite/hosts.ts';
import type { RobotsChecker } from '../polite/robots_checker.ts';
import type { ReadScope } from '../scope.ts';
import { RetryableError } from '../http/sender.ts';
import type { HttpResponse } from '../http/transport.ts';

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
