/**
 * Rules for the list of a broker's site, on one page or several: its links, its length, and the number it states. And
 * whether a failed page of a source is skipped and reported, or ends the read.
 */
import { type DropFormat, type FetchContext, type Page, Quarantine, SourceUnavailable } from '../contract.ts';

/** Maximum number of pages, because pages may link in a circle. */
const MAX_PAGES = 2000;

/** @throws Quarantine count_mismatch at the page after the last one that a list may have */
export function checkPages(read: number, url: string): void {
  if (read >= MAX_PAGES) throw new Quarantine('count_mismatch', `the list has more than ${MAX_PAGES} pages`, url);
}

/**
 * The address of a link. A page may write its host in another way, so only path and query count.
 * @param what "the link to the next page"
 * @throws Quarantine template_changed if it is none
 */
export function resolveLink(href: string | undefined, what: string, page: Page, base: string): URL {
  if (href === undefined || !URL.canParse(href, page.url))
    throw new Quarantine('template_changed', `${what} is ${JSON.stringify(href)}, expected an address`, page.url);
  const { pathname, search } = new URL(href, page.url);
  return new URL(pathname + search, base);
}

/** @throws Quarantine count_mismatch if the pages hold fewer listings than the site states */
export function checkCount(listed: number, total: number, url: string | undefined): void {
  if (listed < total)
    throw new Quarantine('count_mismatch', `the site states ${total} listings, its pages hold ${listed}`, url);
}

/** The same for all pages of a list. @throws Quarantine count_mismatch */
export function checkCounts(
  pages: readonly { readonly listed: number; readonly total: number }[],
  url: string | undefined,
): void {
  checkCount(
    pages.reduce((sum, { listed }) => sum + listed, 0),
    Math.max(...pages.map(({ total }) => total)),
    url,
  );
}

/** The drop format of a site's pages. @param about "a page of the list" */
export const savedPages = (kind: string, about: string): readonly DropFormat[] => [
  { pattern: /\.html?$/u, file: 'page_1.html', kind, about: `${about}, saved as a complete web page` },
];

/** Whether a page was dropped. */
export const isSaved = ({ url }: Page): boolean => url.startsWith('file:');

/** A page with the address of its site instead of that of its file, so that its links lead to the site. */
export const onSite = (page: Page, base: string): Page => (isSaved(page) ? { ...page, url: base } : page);

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
