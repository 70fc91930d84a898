/**
 * A stand-in for one county's auction site, answering in memory as the documented one does: PREVIEW binds a day
 * to the session, LOAD gives ten items a page, UPDATE fills the status boxes. Each quirk that only some of the
 * real sites have is a switch.
 */
import { createHash } from 'node:crypto';
import { SourceUnavailable, type FetchContext, type GetOptions, type Page } from '../../sources/contract.ts';

export interface DoubleItem {
  readonly aid: string;
  readonly area: 'W' | 'C';
  readonly slot: string;
  readonly saleType?: string;
  /** Case number with the internal id, as the site prints it. */
  readonly caseNumber?: string;
}

export interface DoubleSite {
  readonly day: string;
  readonly items: readonly DoubleItem[];
  /** How pages after the first are given. */
  readonly paging: 'by number' | 'forward only';
  /** Whether the day's page says how many pages there are. */
  readonly saysPageCount: boolean;
  /** Leave the status boxes of LOAD blank, to be filled by UPDATE. */
  readonly blankSlots?: boolean;
  /** Show a door instead of details. */
  readonly membersOnly?: boolean;
  /** What the calendar counts; the items themselves unless told. */
  readonly scheduled?: number;
  /** Day in the head of the day's page; the day itself unless told. */
  readonly head?: string;
  /** Forget which day was bound to a session. */
  readonly forgetful?: boolean;
}

const PAGE = 10;

/** Markup of an item as the Ohio sites send it: label cells are th, tokens A, B, C, E, G and I are used. */
function compressed(item: DoubleItem, site: DoubleSite): string {
  const row = (label: string, value: string): string =>
    `<tr><th@CAD_LBL" scope="row">${label}</th><td@CAD_DTA">${value}@G`;
  const slot = site.blankSlots ? '' : item.slot;
  return (
    `@A@E_ITEM PREVIEW" id="AITEM_${item.aid}" aid="${item.aid}" rem="0">@A@E_STATS">` +
    `@AASTAT_MSGA ASTAT_LBL">${slot && 'Auction Starts'}@B` +
    `@AASTAT_MSGB Astat_DATA">${slot}@B@AASTAT_MSGC ASTAT_LBL">@B@AASTAT_MSGD Astat_DATA">@B@B` +
    '@A@E_DETAILS"><@I@Cad_tab" summary=""><tbody>' +
    row('Case Status:', 'ACTIVE') +
    row('Case #:', item.caseNumber ?? `CV26${item.aid} (${item.aid})`) +
    row('Parcel ID:', `0${item.aid}`) +
    row('Property Address:', `${item.aid} EXAMPLE AVE`) +
    row('', 'CLEVELAND , 441130000') +
    row('Appraised Value:', '$60,000.00') +
    row('Opening Bid:', '$40,000.00') +
    row('Deposit Requirement:', '$5,000.00') +
    `</tbody></@I>@B@B`
  );
}

/** @returns a context whose requests the site answers, and the list of what was asked, without the timestamps */
export function doubleContext(site: DoubleSite, asOf: string): { ctx: FetchContext; asked: string[] } {
  const asked: string[] = [];
  const sessions = new Map<string, { bound: boolean; at: Partial<Record<string, number>> }>();
  const [year = '', month = '', day = ''] = site.day.split('-');
  const printed = `${month}/${day}/${year}`;

  const answer = (url: URL, options: GetOptions): string | null => {
    const q = url.searchParams;
    const session = sessions.get(options.session?.id ?? '');
    if (q.get('zmethod') === 'CALENDAR') {
      if (!q.get('selCalDate')?.includes(`${year}-${month}-01`))
        return `<div class="CALMAIN"><div class='CALBOX CALW5'></div></div>`;
      const scheduled = site.scheduled ?? site.items.length;
      const active = scheduled - site.items.filter((item) => item.area === 'C').length;
      return (
        `<div class="CALMAIN"><div class='CALBOX CALW5 CALSELF' dayid='${printed}'>` +
        `<span class="CALTEXT">Foreclosure</span><span class="CALACT">${active}</span>` +
        ` / <span class="CALSCH">${scheduled}</span> FC<span class="CALTIME">09:00 AM ET</span></div></div>`
      );
    }
    if (q.get('Zmethod') === 'PREVIEW') {
      if (session) session.bound = !site.forgetful;
      const count = (area: string): string =>
        site.saysPageCount ? String(Math.ceil(site.items.filter((item) => item.area === area).length / PAGE)) : '';
      return (
        `<div class="BLHeaderDateDisplay">${site.head ?? printed}</div><div id="Area_R"></div>` +
        `<div class="Head_W"><span id="maxWA">${count('W')}</span><div id="Area_W" area="W"></div></div>` +
        `<span id="maxCA">${count('C')}</span><div id="Area_C" area="C"></div>`
      );
    }
    if (q.get('FNC') === 'LOAD') {
      const area = q.get('AREA') ?? '';
      const here = session?.bound ? site.items.filter((item) => item.area === area) : [];
      const last = Math.max(1, Math.ceil(here.length / PAGE));
      let at = session?.at[area] ?? 1;
      if (q.get('PageDir') === '1') at += 1;
      else at = site.paging === 'by number' ? Number(q.get('bypassPage')) || 1 : 1;
      at = Math.min(at, last);
      if (session) session.at[area] = at;
      const shown = here.slice((at - 1) * PAGE, at * PAGE);
      return JSON.stringify({
        retHTML: shown.map((item) => compressed(item, site)).join(''),
        rlist: shown.map(({ aid }) => aid).join(','),
      });
    }
    if (q.get('FNC') === 'UPDATE') {
      const wanted = (q.get('ref') ?? '').split(',');
      const rows = site.items
        .filter(({ aid }) => wanted.includes(aid))
        .map(({ aid, slot }) => ({ AID: aid, A: /^\d/u.test(slot) ? 'A' : 'B', B: slot, C: '', D: '' }));
      return JSON.stringify({ WM: 1, CM: 1, ADATA: { AITEM: rows, COUNT: rows.length } });
    }
    if (q.get('zmethod') === 'details') {
      if (site.membersOnly) return '<html><body><form id="LogIn">User Name</form></body></html>';
      const item = site.items.find(({ aid }) => aid === q.get('AID'));
      return item
        ? `<table><tr><td class="AD_LBL">Sale Type:</td><td class="AD_DTA">${item.saleType ?? ''}</td></tr></table>`
        : null;
    }
    return null;
  };

  const getIfExists = async (url: string, options: GetOptions): Promise<Page | null> => {
    asked.push(url.replace(/^.*index\.cfm\?/u, '').replace(/&tx=\d+/u, ''));
    const body = answer(new URL(url), options);
    return body === null
      ? null
      : {
          kind: options.kind,
          url,
          context: options.context ?? {},
          bytes: Buffer.from(body),
          sha256: createHash('sha256').update(body).digest('hex'),
          contentType: 'text/html;charset=UTF-8',
          observedAt: `${asOf}T12:00:00Z`,
          text: () => body,
        };
  };
  const ctx: FetchContext = {
    asOf,
    nowMs: Date.parse(`${asOf}T12:00:00Z`),
    lastGoodOn: null,
    session() {
      const id = String(sessions.size + 1);
      sessions.set(id, { bound: false, at: {} });
      return { id };
    },
    async get(url, options) {
      const page = await getIfExists(url, options);
      if (!page) throw new SourceUnavailable('not_found', '404', url, 404);
      return page;
    },
    getIfExists,
    secret: () => undefined,
    unreadable(key) {
      throw new Error(`unreadable ${JSON.stringify(key)}`);
    },
  };
  return { ctx, asked };
}
