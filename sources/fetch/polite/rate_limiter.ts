/**
 * The rate limiter of one host: maximum concurrency, minimum interval between requests, and pauses that the host
 * requests.
 */
import PQueue from 'p-queue';

/**
 * A rate limiter per host that several processes share: one read holds a host at a time. Within a process each host has
 * a RateLimiter, which asks the shared one before each request.
 */
export interface SharedRateLimiter {
  /**
   * Acquire the right to send one request to a host now, and none within `intervalMs` after it.
   * @returns 0 if acquired, else after how many milliseconds to try again
   * @throws if this read has lost its lease and must stop
   */
  acquire(host: string, intervalMs: number): Promise<number>;
  /** No read sends a request to the host within the next `ms` milliseconds. */
  pause(host: string, ms: number): Promise<void>;
}

/** For a process that reads alone. */
export const UNSHARED: SharedRateLimiter = { acquire: async () => 0, pause: async () => {} };

/** A monotonic clock. Tests replace it to run without waiting. */
export interface Timer {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}

interface RateLimiterOptions {
  readonly concurrency: number;
  readonly nowMs: Timer['nowMs'];
  readonly shared?: SharedRateLimiter;
}

export class RateLimiter {
  readonly #queue: PQueue;
  readonly #host: string;
  readonly #shared: SharedRateLimiter;
  readonly #nowMs: Timer['nowMs'];
  /** When the next request may start. */
  #nextAt = 0;

  constructor(host: string, { concurrency, nowMs, shared = UNSHARED }: RateLimiterOptions) {
    this.#queue = new PQueue({ concurrency });
    this.#host = host;
    this.#shared = shared;
    this.#nowMs = nowMs;
  }

  /** Sources of the same host share its limiter; the lowest concurrency applies. */
  limitConcurrency(concurrency: number): void {
    this.#queue.concurrency = Math.min(this.#queue.concurrency, concurrency);
  }

  /** No request starts within the next `ms` milliseconds. */
  async pause(ms: number): Promise<void> {
    this.#nextAt = Math.max(this.#nextAt, this.#nowMs() + ms);
    await this.#shared.pause(this.#host, ms);
  }

  /**
   * Run a task under the limits. The interval is enforced here, not by p-queue: robots.txt may change it later, and
   * p-queue uses a clock that can be set back.
   */
  async run<T>(intervalMs: number, sleep: Timer['sleep'], task: () => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      // Checked again after each sleep: another request may have started, or the host may have requested a pause.
      for (let wait = this.#nextAt - this.#nowMs(); wait > 0; wait = this.#nextAt - this.#nowMs()) await sleep(wait);
      this.#nextAt = Math.max(this.#nextAt, this.#nowMs() + intervalMs);
      const acquire = (): Promise<number> => this.#shared.acquire(this.#host, intervalMs);
      for (let wait = await acquire(); wait > 0; wait = await acquire()) await sleep(wait);
      return task();
    });
  }
}
