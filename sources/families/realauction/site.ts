/** The requests of one read of a RealAuction county site. */
import type { FetchContext, Page, Session } from '../../contract.ts';
import type { Area } from './calendar.ts';
import { previewUrl, type County } from './rows.ts';

/** How LOAD pages: by page number, or forward from the last page. */
export const firstPage = 'PageDir=0&doR=1&tx&bypassPage=0';
export const numberedPage = (number: number): string => `PageDir=0&doR=1&tx&bypassPage=${number}`;
export const nextPage = 'PageDir=1&doR=0&tx&bypassPage=0';

export interface LoadRequest {
  readonly area: Area;
  readonly paging: string;
  readonly session: Session;
  readonly context: Readonly<Record<string, string>>;
}

export interface Site {
  /** @param month YYYY-MM */
  calendar(month: string): Promise<Page>;
  /** The page of a sale day, which sets the session's date. */
  preview(day: string, session: Session): Promise<Page>;
  /** About ten items of an area, on the session's date. */
  load(request: LoadRequest): Promise<Page>;
  details(aid: string, session: Session): Promise<Page | null>;
  /** UPDATE: the status boxes of items. */
  slots(aids: readonly string[], session: Session): Promise<Page | null>;
}

export function openSite(county: County, ctx: FetchContext): Site {
  // The site's own script adds the time to each address, so that no response comes from a cache.
  let tx = ctx.nowMs;
  const base = `https://${county.host}`;
  const index = (query: string): string => `${base}/index.cfm?${query}`;
  // The calendar needs no date, but a site may require its own cookies.
  const calendarSession = ctx.session();
  return {
    calendar: (month) =>
      ctx.get(index(`zaction=USER&zmethod=CALENDAR&selCalDate=%7Bts%20%27${month}-01%2000%3A00%3A00%27%7D`), {
        kind: 'calendar',
        session: calendarSession,
      }),
    preview: (day, session) => ctx.get(previewUrl(base, day), { kind: 'preview', session }),
    load: ({ area, paging, session, context }) =>
      ctx.get(index(`zaction=AUCTION&Zmethod=UPDATE&FNC=LOAD&AREA=${area}&${paging.replace('tx', `tx=${tx++}`)}`), {
        kind: 'items',
        session,
        context: { ...context, area },
      }),
    details: (aid, session) =>
      ctx.getIfExists(index(`zaction=auction&zmethod=details&AID=${aid}`), { kind: 'details', session }),
    slots: (aids, session) =>
      ctx.getIfExists(index(`zaction=AUCTION&ZMETHOD=UPDATE&FNC=UPDATE&ref=${aids.join(',')},&tx=${tx++}`), {
        kind: 'slots',
        session,
      }),
  };
}
