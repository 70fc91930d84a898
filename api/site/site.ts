/**
 * The public site, served beside the API under /. Its pages are made here from the snapshot that serves: once for each
 * snapshot and day where nothing is asked, and kept with the snapshot. They load nothing from elsewhere, read without
 * JavaScript, and may run no script but ours.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import { nameOf, type Claims } from '../routes/lead_claims.ts';
import type { Cursors } from '../routes/cursor.ts';
import { todayOf } from '../../models/manifest.ts';
import type { Asked } from '../routes/define.ts';
import type { Meta } from '../routes/meta.ts';
import type { Snapshot } from '../snapshot/load.ts';
import type { Snapshots } from '../snapshot/follow.ts';
import { html, type Html } from './html.ts';
import { documentWith } from './layout.ts';
import type { Given, Page, SiteOptions } from './page.ts';
import { PAGES } from './pages/all.ts';

/** How long a browser may keep a page before it asks whether it changed. */
const PAGE_SECONDS = 60;
const YEAR_SECONDS = 31_536_000;

/** Nothing but what this server sends itself: no script, style or picture of another origin, and none inside the page. */
const CONTENT_SECURITY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
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

const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0b7a69" d="M3 21V9l6-5 6 5v12z"/><path fill="#c26a12" d="M17 21V12h4v9z"/></svg>\n';

export interface SiteDeps extends SiteOptions {
  readonly snapshots: Snapshots;
  readonly cursors: Cursors;
  readonly claims: Claims;
  readonly nowMs: () => number;
  /** Said where payments are not in real money. */
  readonly notice: string;
}

interface Made {
  readonly text: string;
  readonly etag: string;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);

function send(ctx: Context, { text, etag }: Made, type: string, seconds: number): void {
  ctx.status = 200;
  ctx.set({
    ...SITE_HEADERS,
    'Cache-Control': `public, max-age=${seconds}${seconds === YEAR_SECONDS ? ', immutable' : ''}`,
    ETag: etag,
  });
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.body = text;
  ctx.type = type;
}

const madeOf = (text: string): Made => ({ text, etag: `W/"${hashOf(text)}"` });

/** Files beside the pages, each under an address that changes with its content. */
function assetsOf(): {
  readonly style: string;
  readonly script: string;
  readonly files: readonly { path: string; type: string; made: Made }[];
} {
  const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
  const [style, script] = [read('./style.css'), read('./enhance.js')];
  const files = [
    { path: '/site/style.css', type: 'text/css; charset=utf-8', made: madeOf(style) },
    { path: '/site/enhance.js', type: 'text/javascript; charset=utf-8', made: madeOf(script) },
    { path: '/favicon.svg', type: 'image/svg+xml', made: madeOf(FAVICON) },
  ];
  return { style: `/site/style.css?v=${hashOf(style)}`, script: `/site/enhance.js?v=${hashOf(script)}`, files };
}

/** What a program is told that asks for / without saying that it wants a page. */
const indexFor = (publicUrl: string): Record<string, string> => ({
  name: 'Dealfeed',
  start_here: `${publicUrl}/api/meta`,
  openapi: `${publicUrl}/openapi.json`,
  x402: `${publicUrl}/.well-known/x402`,
  for_language_models: `${publicUrl}/llms.txt`,
  for_people: `${publicUrl}/`,
});

/** Whether a page was asked for by name, as browsers do; `*\/*` is anything's way of asking. */
export const wantsPage = (ctx: Context): boolean => /\btext\/html\b/i.test(ctx.get('Accept'));

export interface Site {
  /** A page outside the list, with the same frame: the sandbox's purchase, or an error. */
  framed(page: Pick<Page, 'path' | 'title' | 'about'>, content: Html, snapshot?: Snapshot): string;
}

/** Put the pages on the router. */
export function mountSite(router: Router, deps: SiteDeps): Site {
  const { snapshots, cursors, claims, nowMs, notice, routes, publicUrl } = deps;
  const { style, script, files } = assetsOf();
  const nav = PAGES.flatMap((p) => (p.label === undefined ? [] : [{ path: p.path, label: p.label }])).concat(
    deps.purchase ? [{ path: '/sandbox/buy', label: 'Test purchase' }] : [],
  );
  const kept = new WeakMap<Snapshot, Map<string, Promise<Made>>>();

  const framed: Site['framed'] = (page, content, snapshot) =>
    documentWith(
      {
        title: page.path === '/' ? page.title : `${page.title} · Dealfeed`,
        about: page.about,
        path: page.path,
        nav,
        style,
        script,
        notice: [snapshot?.manifest.notice ?? '', notice].filter(Boolean).join(' '),
        foot: html`<p>
            ${snapshot ? html`Snapshot <code>${snapshot.id}</code>, as of <time datetime="${snapshot.manifest.as_of}">${snapshot.manifest.as_of}</time>, ${snapshot.manifest.assumption_set_id}.` : 'No snapshot is serving.'}
            Every figure comes from public pages and declared assumptions. Nothing here is advice.
          </p>
          <ul>
            <li><a href="/openapi.json">OpenAPI</a></li>
            <li><a href="/api/meta">/api/meta</a></li>
            <li><a href="/llms.txt">llms.txt</a></li>
            <li><a href="/health">Health</a></li>
          </ul>`,
      },
      content,
    ).text;

  const givenFor = async (snapshot: Snapshot, today: string, query: URLSearchParams): Promise<Given> => {
    const asked: Asked<Record<never, never>> = {
      params: {},
      path: {},
      snapshot,
      manifest: snapshot.manifest,
      today,
      cursors,
      claims,
    };
    const meta = routes.find((r) => r.path === '/api/meta');
    if (!meta) throw new Error('the site is made from /api/meta, which is not among the routes');
    return { site: deps, asked, meta: (await meta.handle(asked)) as z.infer<typeof Meta>, query };
  };
  const make = async (page: Page, snapshot: Snapshot, today: string, query: URLSearchParams): Promise<Made> =>
    madeOf(framed(page, await page.content(await givenFor(snapshot, today, query)), snapshot));

  const madeFor = async (page: Page, snapshot: Snapshot, query: URLSearchParams): Promise<Made> => {
    const today = todayOf(snapshot.manifest, nowMs());
    if (page.made === 'request') return make(page, snapshot, today, query);
    const pages = kept.get(snapshot) ?? new Map<string, Promise<Made>>();
    kept.set(snapshot, pages);
    // One page a path and a day, made again when a lead is claimed or given back; those of before are let go.
    const state = `${today} ${nameOf(await claims())} `;
    const key = state + page.path;
    const before = pages.get(key);
    if (before) return before;
    for (const old of pages.keys()) if (!old.startsWith(state)) pages.delete(old);
    const made = make(page, snapshot, today, new URLSearchParams());
    pages.set(key, made);
    made.catch(() => pages.delete(key));
    return made;
  };

  for (const page of PAGES) {
    router.get(page.path, async (ctx) => {
      ctx.vary('Accept');
      if (page.path === '/' && !wantsPage(ctx)) {
        ctx.set('Cache-Control', `public, max-age=${PAGE_SECONDS}`);
        ctx.body = indexFor(publicUrl);
        return;
      }
      const lease = snapshots.acquire();
      if (!lease) {
        ctx.status = 503;
        ctx.set({ ...SITE_HEADERS, 'Retry-After': '30', 'Cache-Control': 'no-store' });
        ctx.type = 'text/html; charset=utf-8';
        ctx.body = framed(
          page,
          html`<h1>No data yet</h1>
            <p>
              The server runs, and has no snapshot to serve. The operator publishes one with <code>make run</code>; this
              page then appears by itself.
            </p>`,
        );
        return;
      }
      try {
        const { snapshot } = lease;
        send(
          ctx,
          await madeFor(page, snapshot, new URLSearchParams(ctx.querystring)),
          'text/html; charset=utf-8',
          page.made === 'request' ? 0 : PAGE_SECONDS,
        );
        ctx.set('X-Snapshot-Id', snapshot.id);
      } finally {
        lease.release();
      }
    });
  }
  for (const file of files)
    router.get(file.path, (ctx) => {
      send(ctx, file.made, file.type, ctx.querystring === '' ? PAGE_SECONDS : YEAR_SECONDS);
    });
  return { framed };
}
