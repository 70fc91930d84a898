/** Requests of one read, each sent when its host's rate limiter allows it, and counted. */
import PQueue from 'p-queue';
import type { Progress, ReadScope, Timer } from '../scope.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/**
 * The rate limiter of one host: maximum concurrency, minimum interval between requests, and pauses that the host
 * requests.
 */
export class RateLimiter {
  readonly #queue: PQueue;
  readonly #timer: Timer;
  /** When the next request may start. */
  #nextAt: number;

  /** @param notBefore when the first request may start */
  constructor(concurrency: number, timer: Timer, notBefore = 0) {
    this.#queue = new PQueue({ concurrency });
    this.#timer = timer;
    this.#nextAt = notBefore;
  }

  /** Sources of the same host share its limiter; the lowest concurrency applies. */
  limitConcurrency(concurrency: number): void {
    this.#queue.concurrency = Math.min(this.#queue.concurrency, concurrency);
  }

  /** No request starts within the next `ms` milliseconds. */
  pause(ms: number): void {
    this.#nextAt = Math.max(this.#nextAt, this.#timer.nowMs() + ms);
  }

  /**
   * Run a task under the limits. The interval is enforced here, not by p-queue: robots.txt may change it later, and
   * p-queue uses a clock that can be set back.
   */
  async run<T>(intervalMs: number, sleep: Timer['sleep'], task: () => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      const left = (): number => this.#nextAt - this.#timer.nowMs();
      // Checked again after each sleep: another request may have started, or the host may have requested a pause.
      for (let wait = left(); wait > 0; wait = left()) await sleep(wait);
      this.pause(intervalMs);
      return task();
    });
  }
}

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
      async () => {
        await run.beforeRequest();
        stats.requests += 1;
        const onReceived = (received: number, expected: number): void => this.#report({ received, expected });
        return run.transport.send(url, { ...request, onReceived });
      },
    );
  }

  /** Send no request to the host within the next `ms` milliseconds. */
  pause(host: string, ms: number): void {
    this.#limiterOf(host).pause(ms);
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
    const limiter = run.limiters.get(host) ?? new RateLimiter(concurrency, run.timer, run.notBefore(host));
    limiter.limitConcurrency(concurrency);
    run.limiters.set(host, limiter);
    return limiter;
  }

  async #sleep(ms: number): Promise<void> {
    this.#scope.stats.sleptMs += Math.ceil(ms);
    await this.#scope.run.timer.sleep(Math.ceil(ms));
  }
}
