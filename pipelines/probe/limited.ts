/** The context of a read with a limit on its requests, and the pages that it got. */
import type { FetchContext, Page } from '../../sources/contract.ts';

/** A probe has sent its last request. */
export class ProbeLimit extends Error {
  override readonly name = 'ProbeLimit';
}

export interface LimitedContext {
  readonly ctx: FetchContext;
  /** Every page so far, with or without rows. */
  readonly pages: readonly Page[];
}

/** @param most number of pages that the adapter may request, a missing one included */
export function limited(ctx: FetchContext, most: number): LimitedContext {
  const pages: Page[] = [];
  let requested = 0;
  const within = async <P extends Page | null>(request: () => Promise<P>): Promise<P> => {
    if (requested === most) throw new ProbeLimit(`no row within ${most} pages`);
    requested += 1;
    const page = await request();
    if (page !== null) pages.push(page);
    return page;
  };
  return {
    pages,
    ctx: {
      asOf: ctx.asOf,
      nowMs: ctx.nowMs,
      lastGoodOn: ctx.lastGoodOn,
      sampleRows: ctx.sampleRows,
      secret: (name) => ctx.secret(name),
      session: () => ctx.session(),
      unreadable: (key, error) => ctx.unreadable(key, error),
      get: (url, options) => within(() => ctx.get(url, options)),
      getIfExists: (url, options) => within(() => ctx.getIfExists(url, options)),
    },
  };
}
