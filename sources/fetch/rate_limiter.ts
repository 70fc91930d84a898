/** Paces the requests to one host. */
import PQueue from 'p-queue';

/** A monotonic clock. Tests replace it to run without waiting. */
export interface Timer {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}

/** Least time between the starts of two requests to a host, in milliseconds, unless a source declares another. */
export const MIN_INTERVAL_MS = 1000;

/** The rate limiter of one host: one request at a time, least interval between two, and pauses that the host asks. */
export class RateLimiter {
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #timer: Timer;
  /** When the next request may start. */
  #nextAt: number;

  /** @param notBefore when the first request may start */
  constructor(timer: Timer, notBefore: number) {
    this.#timer = timer;
    this.#nextAt = notBefore;
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
