/** Politeness to one host: so many requests at once, so far apart, and none while the host asks for quiet. */
import PQueue from 'p-queue';
import { ALONE, type Turns } from './turns.ts';

/** Waits, and counts what it waited. */
export type Pause = (ms: number) => Promise<void>;

export class Lane {
  readonly #queue: PQueue;
  readonly #host: string;
  readonly #turns: Turns;
  /** When the next request may start, on the monotonic clock in milliseconds. */
  #nextAt = 0;

  constructor(concurrency: number, host: string, turns: Turns = ALONE) {
    this.#queue = new PQueue({ concurrency });
    this.#host = host;
    this.#turns = turns;
  }

  /** Sources that share a host share its lane, at the pace of the most careful. */
  narrowTo(concurrency: number): void {
    this.#queue.concurrency = Math.min(this.#queue.concurrency, concurrency);
  }

  /** No request starts within the next `ms` milliseconds. */
  async hold(ms: number): Promise<void> {
    this.#nextAt = Math.max(this.#nextAt, performance.now() + ms);
    await this.#turns.hold(this.#host, ms);
  }

  /**
   * Run a task in this lane. The interval is kept between starts: p-queue's own is fixed when the queue is made,
   * but robots.txt is read later, and it counts on a clock that can be set back.
   */
  async run<T>(intervalMs: number, pause: Pause, task: () => Promise<T>): Promise<T> {
    return this.#queue.add(async () => {
      // More than once where another request starts, or the host asks for quiet, while this one waits.
      for (let wait = this.#nextAt - performance.now(); wait > 0; wait = this.#nextAt - performance.now())
        await pause(wait);
      this.#nextAt = Math.max(this.#nextAt, performance.now() + intervalMs);
      for (
        let wait = await this.#turns.next(this.#host, intervalMs);
        wait > 0;
        wait = await this.#turns.next(this.#host, intervalMs)
      )
        await pause(wait);
      return task();
    });
  }
}
