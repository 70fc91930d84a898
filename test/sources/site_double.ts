/** A stand-in for a website, answering in memory, so that a test sees what an adapter asks for and yields. */
import {
  type FetchContext,
  type GetOptions,
  type Page,
  Quarantine,
  type SourceSpec,
  SourceUnavailable,
} from '../../sources/contract.ts';
import { pageOf } from './recorded.ts';

/** A body, a status that is not a body, or nothing (404). */
export type Answer = string | Uint8Array | number | undefined;

export interface Read {
  readonly pages: readonly Page[];
  /** Addresses in the order they were asked for. */
  readonly asked: readonly string[];
  /** Rows by the site's own count. */
  readonly stated: number | null;
  readonly unreadable: readonly { readonly key: Readonly<Record<string, string>>; readonly error: unknown }[];
}

const REASONS: Readonly<Record<number, SourceUnavailable['reason']>> = {
  403: 'refused',
  404: 'not_found',
  410: 'not_found',
  429: 'rate_limited',
};

/** Run an adapter's fetch against a site. Throws what it throws. */
export async function readFrom(
  spec: SourceSpec,
  site: (url: URL, options: GetOptions) => Answer,
  asOf = '2026-11-20',
  secrets: Readonly<Record<string, string>> = {},
): Promise<Read> {
  const asked: string[] = [];
  let stated: number | null = null;
  const unreadable: { key: Readonly<Record<string, string>>; error: unknown }[] = [];
  let sessions = 0;
  const get: FetchContext['get'] = async (url, options) => {
    asked.push(url);
    const answer = site(new URL(url), options) ?? 404;
    if (typeof answer === 'number')
      throw new SourceUnavailable(REASONS[answer] ?? 'server_error', `answered ${answer}`, url, answer);
    const bytes = typeof answer === 'string' ? new TextEncoder().encode(answer) : answer;
    if (bytes.length < (options.minBytes ?? 1))
      throw new Quarantine('truncated_download', `${bytes.length} bytes`, url);
    return pageOf(bytes, { kind: options.kind, url, context: options.context ?? {} });
  };
  const ctx: FetchContext = {
    asOf,
    nowMs: Date.parse(`${asOf}T12:00:00Z`),
    lastGoodOn: null,
    sampleRows: null,
    secret: (name) => secrets[name],
    session: () => ({ id: String((sessions += 1)) }),
    get,
    getIfExists: async (url, options) => {
      try {
        return await get(url, options);
      } catch (error) {
        if (error instanceof SourceUnavailable && (error.status === 404 || error.status === 410)) return null;
        throw error;
      }
    },
    states: (rows) => {
      stated = (stated ?? 0) + rows;
    },
    describes: () => undefined,
    withContext: async (page, context) => ({ ...page, context: { ...page.context, ...context } }),
    unreadable: (key, error) => {
      unreadable.push({ key, error });
    },
  };
  const pages: Page[] = [];
  for await (const page of spec.fetch?.(ctx) ?? []) pages.push(page);
  return { pages, asked, stated, unreadable };
}

/** For assert.rejects and assert.throws: a Quarantine of this reason. */
export const quarantined =
  (reason: Quarantine['reason'], detail = /(?:)/u) =>
  (error: unknown): boolean =>
    error instanceof Quarantine && error.reason === reason && detail.test(error.message);
