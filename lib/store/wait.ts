/** Retries requests while the store is unavailable, and prints one line when a wait begins and one when it ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from './store.ts';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;
const REPORT_AFTER_MS = 2_000;

export interface WaitOptions {
  /** How long a request is retried after its first failure. Default: no retry. */
  readonly waitMs?: number;
  /** Prints a line about a wait. Default: none is printed. */
  readonly print?: ((line: string) => void) | undefined;
  /** A shorter outage, such as a closed connection, is not printed. Default: 2 s. */
  readonly reportAfterMs?: number;
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** Why a request failed, in a few words, if a retry may succeed; else null. It may throw another error. */
export type OutageOf = (error: unknown) => string | null;

export class StoreWait {
  readonly #shown: string;
  readonly #waitMs: number;
  readonly #print: (line: string) => void;
  readonly #reportAfterMs: number;
  readonly #closed = new AbortController();
  /** Since when no request has succeeded; null while the store is available. */
  #outage: { readonly sinceMs: number; isPrinted: boolean } | null = null;

  /** @param shown address of the store */
  constructor(shown: string, { waitMs = 0, print = () => undefined, reportAfterMs = REPORT_AFTER_MS }: WaitOptions) {
    this.#shown = shown;
    this.#waitMs = waitMs;
    this.#print = print;
    this.#reportAfterMs = reportAfterMs;
  }

  /** Run `work`, and retry it during an outage. @throws StoreUnavailable if it fails for longer than the wait */
  async repeat<T>(outageOf: OutageOf, work: () => Promise<T>): Promise<T> {
    let until: number | undefined;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const startedMs = performance.now();
      try {
        const result = await work();
        this.#available();
        return result;
      } catch (error) {
        const reason = outageOf(error);
        if (reason === null) throw error;
        // A long upload may fail late: the wait begins with the failure.
        until ??= performance.now() + this.#waitMs;
        if (this.#closed.signal.aborted || performance.now() + pauseMs > until)
          throw new StoreUnavailable(`STORE is ${this.#shown}, which is unavailable: ${reason}`, { cause: error });
        this.#unavailable(reason, startedMs);
      }
      // After close the next failure ends the loop.
      await sleep(pauseMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
    }
  }

  /** End the waits: requests that fail now are not retried. */
  close(): void {
    this.#closed.abort();
  }

  #unavailable(reason: string, sinceMs: number): void {
    this.#outage ??= { sinceMs, isPrinted: false };
    if (this.#outage.isPrinted || performance.now() - this.#outage.sinceMs < this.#reportAfterMs) return;
    this.#outage.isPrinted = true;
    this.#print(`STORE is ${this.#shown}, which is unavailable: ${reason}. Waiting up to ${seconds(this.#waitMs)}`);
  }

  #available(): void {
    if (this.#outage?.isPrinted === true)
      this.#print(`STORE ${this.#shown} is available again after ${seconds(performance.now() - this.#outage.sinceMs)}`);
    this.#outage = null;
  }
}
