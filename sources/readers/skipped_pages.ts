/** Decides whether a failed page of a source is skipped and reported, or ends the read. */
import { type FetchContext, Quarantine, SourceUnavailable } from '../contract.ts';

/** This many failures in a row mean that the site is down or changed, not that one page is broken. */
const MAX_FAILURES_IN_A_ROW = 5;

/** Errors after which a polite reader stops at once. */
const STOP: readonly SourceUnavailable['reason'][] = ['refused', 'rate_limited', 'challenge', 'host_not_allowed'];

export class SkippedPages {
  readonly #ctx: FetchContext;
  readonly #limit: number;
  #failures = 0;

  /** @param pages number of pages that the read will request: the read ends if all fail */
  constructor(ctx: FetchContext, pages: number) {
    this.#ctx = ctx;
    this.#limit = Math.min(MAX_FAILURES_IN_A_ROW, pages);
  }

  /** Report the rows of a page that failed. @throws the error if it ends the read */
  skip(key: Readonly<Record<string, string>>, error: unknown): void {
    this.#failures += 1;
    if (error instanceof SourceUnavailable && STOP.includes(error.reason)) throw error;
    if (this.#failures >= this.#limit) throw error;
    this.#ctx.unreadable(key, error);
  }

  /** A page was read. */
  read(): void {
    this.#failures = 0;
  }
}

/** Add the failed page to the error's message. Errors other than a page's or a site's stay unchanged. */
export function named(what: string, error: unknown): unknown {
  if (error instanceof Quarantine) return new Quarantine(error.reason, `${what}: ${error.message}`, error.pageUrl);
  if (error instanceof SourceUnavailable)
    return new SourceUnavailable(error.reason, `${what}: ${error.message}`, error.pageUrl, error.status);
  return error;
}
