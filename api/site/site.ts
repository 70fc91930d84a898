/**
 * The public site, under /. Pages are rendered from the current snapshot and cached per snapshot and day. They load
 * nothing from other origins, work without JavaScript, and may run no script but our own.
 */
import { createHash } from 'node:crypto';
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import { reportUrl } from '../http/middleware.ts';
import { isCached, shortHash } from '../http/caching.ts';
import { holdsHash } from '../routes/leads/lead_holds.ts';
import { todayOf } from '../../models/manifest.ts';
import type { Meta } from '../routes/meta.ts';
import type { MountOptions } from '../routes/mount.ts';
import { cacheByKey } from '../serving/memo.ts';
import type { Snapshot } from '../serving/open.ts';
import { MCP_PATH } from '../docs/openapi.ts';
import { loadAssets } from './assets.ts';
import { html, type Html, type Piece } from './html.ts';
import { renderDocument, type Notice } from './layout.ts';
import { freeRequest, type PageContext, type Page, type SiteOptions } from './page.ts';
import { allPages, PAGES } from './pages/all.ts';
import { dealPage } from './pages/deals.ts';

/** How long a browser may reuse a page without revalidation. */
const PAGE_SECONDS = 60;
/** Pages that are kept, of at most 60 kB each. */
const MAX_CACHED = 300;
const YEAR_SECONDS = 31_536_000;

/** Scripts, styles, fonts and images from this server only; no inline script or style. */
const CONTENT_SECURITY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const SITE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

export interface SiteDeps extends SiteOptions, Pick<MountOptions, 'snapshots' | 'cursors' | 'holds' | 'nowMs'> {
  /** Shown if payments are in test money. */
  readonly notice: string;
  /** Where people report an error, with {id} for the page. */
  readonly reportTemplate?: string | undefined;
}

interface Rendered {
  readonly content: string | Buffer;
  readonly hash: string;
}

function send(ctx: Context, { content, hash }: Rendered, type: string, seconds: number): void {
  ctx.set({ ...SITE_HEADERS });
  if (isCached(ctx, hash, `public, max-age=${seconds}${seconds === YEAR_SECONDS ? ', immutable' : ''}`)) return;
  ctx.body = content;
  ctx.type = type;
}

type Asked = Pick<PageContext, 'query' | 'path'>;

const withHash = (content: string | Buffer): Rendered => ({
  content,
  hash: createHash('sha256').update(content).digest('base64url').slice(0, 16),
});

/** Links for programs in the headers of / (RFC 8288). */
const HOME_LINKS = [
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</llms.txt>; rel="service-doc"; type="text/markdown"',
].join(', ');

/** The response to / for programs, which do not accept text/html by name. */
const apiIndex = (publicUrl: string): Record<string, string> => ({
  name: 'Dealfeed',
  start_here: `${publicUrl}/api/meta`,
  openapi: `${publicUrl}/openapi.json`,
  mcp: publicUrl + MCP_PATH,
  x402: `${publicUrl}/.well-known/x402`,
  for_language_models: `${publicUrl}/llms.txt`,
  for_people: `${publicUrl}/`,
});

/** Whether Accept names text/html, as browsers do; `*\/*` does not count. */
export const wantsPage = (ctx: Context): boolean => /\btext\/html\b/i.test(ctx.get('Accept'));

export interface Site {
  readonly options: SiteOptions;
  /** Put content that is no listed page, such as an error, into the frame of the site. */
  frame(page: Pick<Page, 'path' | 'title' | 'about'>, content: Piece, snapshot?: Snapshot): string;
}

/** The notice of a snapshot in a few words. */
const DATA_HEADLINES = { sandbox: 'Sandbox: made-up data', live: 'Public records, HUD’s rents as a proxy' } as const;

const snapshotLine = ({ id, manifest }: Snapshot): Html =>
  html`Snapshot <code>${id}</code>, as of <time datetime="${manifest.as_of}">${manifest.as_of}</time>,
    ${manifest.assumption_set_id}.`;

const noticesOf = (snapshot: Snapshot | undefined, paymentNotice: string): Notice[] => [
  ...(paymentNotice === '' ? [] : [{ headline: 'Test money', text: paymentNotice }]),
  ...(snapshot ? [{ headline: DATA_HEADLINES[snapshot.manifest.data_clock], text: snapshot.manifest.notice }] : []),
];

export function mountSite(router: Router, deps: SiteDeps): Site {
  const { snapshots, cursors, holds, nowMs, notice, routes, publicUrl, reportTemplate } = deps;
  const assets = loadAssets();
  const cache = cacheByKey<Rendered>(MAX_CACHED);

  const report = (path: string): Html | string =>
    reportTemplate === undefined ? '' : html`<a href="${reportUrl(reportTemplate, path)}">Report an error.</a>`;
  const frame: Site['frame'] = (page, content, snapshot) =>
    renderDocument(
      {
        ...page,
        title: page.path === '/' ? page.title : `${page.title} · Dealfeed`,
        publicUrl,
        pages: PAGES,
        assets,
        notices: noticesOf(snapshot, notice),
        foot: html`${snapshot ? snapshotLine(snapshot) : 'There is no snapshot to serve.'} Every figure comes from
        public pages and declared assumptions. Nothing here is advice. ${report(page.path)}`,
      },
      content,
    );

  const render = async (page: Page, snapshot: Snapshot, today: string, asked: Asked): Promise<Rendered> => {
    const request = freeRequest(snapshot, { today, cursors, holds });
    const meta = routes.find((route) => route.path === '/api/meta');
    if (!meta) throw new Error('the site needs the route /api/meta');
    const body = (await meta.handle(request)) as z.infer<typeof Meta>;
    const context: PageContext = { site: deps, request, meta: body, ...asked };
    return withHash(frame((await page.headOf?.(context)) ?? page, await page.content(context), snapshot));
  };

  const renderCached = async (page: Page, snapshot: Snapshot, asked: Asked): Promise<Rendered> => {
    const today = todayOf(snapshot.manifest, nowMs());
    if (page.cache === 'none') return render(page, snapshot, today, asked);
    // Rendered again when a lead is held or released.
    const key = `${today} ${holdsHash(await holds())} ${page.path}`;
    return cache(snapshot, key, () => render(page, snapshot, today, { query: new URLSearchParams(), path: {} }));
  };

  const withoutData = (ctx: Context, page: Page): void => {
    ctx.status = 503;
    ctx.set({ ...SITE_HEADERS, 'Retry-After': '30', 'Cache-Control': 'no-store' });
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = frame(
      page,
      html`<h1>No data yet</h1>
        <p>
          The server is running but has no snapshot to serve. The operator publishes one with <code>make run</code>;
          this page then appears.
        </p>`,
    );
  };

  for (const page of [...allPages(routes), dealPage])
    router.get(page.path, async (ctx) => {
      ctx.vary('Accept');
      if (page.path === '/') ctx.set('Link', HOME_LINKS);
      if (page.path === '/' && !wantsPage(ctx)) {
        const index = apiIndex(publicUrl);
        if (!isCached(ctx, shortHash(index), `public, max-age=${PAGE_SECONDS}`)) ctx.body = index;
        return;
      }
      using lease = snapshots.acquire();
      if (!lease) return withoutData(ctx, page);
      const { snapshot } = lease;
      const asked = { query: new URLSearchParams(ctx.querystring), path: ctx['params'] as Asked['path'] };
      const rendered = await renderCached(page, snapshot, asked);
      send(ctx, rendered, 'text/html; charset=utf-8', page.cache === 'none' ? 0 : PAGE_SECONDS);
      ctx.set('X-Snapshot-Id', snapshot.id);
    });
  for (const { path, type, content } of assets.files) {
    const file = withHash(content);
    router.get(path, (ctx) => {
      send(ctx, file, type, ctx.querystring === '' ? PAGE_SECONDS : YEAR_SECONDS);
    });
  }
  return { options: deps, frame };
}
