/** The requests of one read of a RealAuction county site. */
import type { FetchContext, Page, Session } from '../../contract.ts';
import type { Area } from './calendar.ts';
import { type County, previewUrl } from './rows.ts';

/** How LOAD pages: 0, then the page numbers from 2, or forward from the page loaded last. */
export const firstPage = 'PageDir=0&doR=1&tx&bypassPage=0';
export const numberedPage = (number: number): string => `PageDir=0&doR=1&tx&bypassPage=${number}`;
export const nextPage = 'PageDir=1&doR=0&tx&bypassPage=0';

export interface LoadRequest {
  readonly area: Area;
  readonly paging: string;
  readonly session: Session;
  readonly context: Readonly<Record<string, string>>;
}

/** Most ids that one UPDATE answers. */
export const MAX_STATUSES = 10;

export interface Site {
  /** A session with the site's cookies, which its front page sets. */
  open(): Promise<Session>;
  /** @param month YYYY-MM */
  calendar(month: string): Promise<Page>;
  /** The page of a sale day, which sets the session's date. */
  preview(day: string, session: Session): Promise<Page>;
  /** About ten items of an area, on the session's date. */
  load(request: LoadRequest): Promise<Page>;
  details(aid: string, session: Session): Promise<Page | null>;
  /** UPDATE: the status boxes of up to ten items of the page that this session loaded last, and the page counts. */
  statuses(aids: readonly string[], session: Session): Promise<Page>;
}

export function openSite(county: County, ctx: FetchContext): Site {
  // The site's own script adds the time to each address to bypass caches.
  let tx = ctx.nowMs;
  const base = `https://${county.host}`;
  const index = (query: string): string => `${base}/index.cfm?${query}`;
  const open = async (): Promise<Session> => {
    const session = ctx.session();
    await ctx.getIfExists(`${base}/`, { kind: 'home', session });
    return session;
  };
  let calendarSession: Session | undefined;
  return {
    open,
    calendar: async (month) => {
      // The calendar needs no date, but it needs the site's cookies.
      calendarSession ??= await open();
      return ctx.get(index(`zaction=USER&zmethod=CALENDAR&selCalDate=%7Bts%20%27${month}-01%2000%3A00%3A00%27%7D`), {
        kind: 'calendar',
        session: calendarSession,
      });
    },
    preview: (day, session) => ctx.get(previewUrl(base, day), { kind: 'preview', session }),
    load: ({ area, paging, session, context }) =>
      ctx.get(index(`zaction=AUCTION&Zmethod=UPDATE&FNC=LOAD&AREA=${area}&${paging.replace('tx', `tx=${tx++}`)}`), {
        kind: 'items',
        session,
        context: { ...context, area },
      }),
    details: (aid, session) =>
      ctx.getIfExists(index(`zaction=auction&zmethod=details&AID=${aid}`), { kind: 'details', session }),
    statuses: (aids, session) =>
      ctx.get(index(`zaction=AUCTION&ZMETHOD=UPDATE&FNC=UPDATE&ref=${aids.join(',')},&tx=${tx++}`), {
        kind: 'statuses',
        session,
      }),
  };
}
