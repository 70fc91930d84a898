/** Requests of one read, each sent when its host's rate limiter allows it, and counted. */
import { RateLimiter } from '../polite/rate_limiter.ts';
import type { Progress, ReadScope } from '../scope.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

export class PacedTransport {
  readonly #scope: ReadScope;

  constructor(scope: ReadScope) {
    this.#scope = scope;
  }

  /** @throws TransportError */
  async send(url: URL, request: HttpRequest, crawlDelayMs: number): Promise<HttpResponse> {
    const { run, spec, stats } = this.#scope;
    const interval = run.inSandbox ? 0 : Math.max(spec.politeness.minIntervalMs, crawlDelayMs);
    return this.#limiterOf(url.host).run(
      interval,
      (ms) => this.#sleep(ms),
      () => {
        stats.requests += 1;
        const onReceived = (received: number, expected: number): void => this.#report({ received, expected });
        return run.transport.send(url, { ...request, onReceived });
      },
    );
  }

  /** Send no request to the host within the next `ms` milliseconds. */
  async pause(host: string, ms: number): Promise<void> {
    await this.#limiterOf(host).pause(ms);
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
    const { run, spec } = this.#scope;
    const { concurrency } = spec.politeness;
    const limiter =
      run.limiters.get(host) ??
      new RateLimiter(host, { concurrency, nowMs: run.timer.nowMs, shared: run.sharedLimiter });
    limiter.limitConcurrency(concurrency);
    run.limiters.set(host, limiter);
    return limiter;
  }

  async #sleep(ms: number): Promise<void> {
    this.#scope.stats.sleptMs += Math.ceil(ms);
    await this.#scope.run.timer.sleep(Math.ceil(ms));
  }
}
