/** Politeness to one host: so many requests at once, so far apart, and none while the host asks for quiet. */
import PQueue from 'p-queue';

/** Waits, and counts what it waited. */
export type Pause = (ms: number) => Promise<void>;

export class Lane {
  readonly #queue: PQueue;
  /** When the next request may start, on the monotonic clock in milliseconds. */
  #nextAt = 0;

  constructor(concurrency: number) {
    this.#queue = new PQueue({ concurrency });
  }

  /** Sources that share a host share its lane, at the pace of the most careful. */
  narrowTo(concurrency: number): void {
    this.#queue.concurrency = Math.min(this.#queue.concurrency, concurrency);
  }

  /** No request starts within the next `ms` milliseconds. */
  hold(ms: number): void {
    this.#nextAt = Math.max(this.#nextAt, performance.now() + ms);
  }

  /**
   * Run a task in this lane. The interval is kept between starts: p-queue's own is fixed when the queue is made,
   * but robots.txt is read later, and it counts on a clock that can be set back.
   */
  async run<T>(intervalMs: number, pause: Pause, task: () => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      // More than once where another request starts, or the host asks for quiet, while this one waits.
      for (let wait = this.#nextAt - performance.now(); wait > 0; wait = this.#nextAt - performance.now()) await pause(wait);
      this.#nextAt = Math.max(this.#nextAt, performance.now() + intervalMs);
      return task();
    });
  }
}
