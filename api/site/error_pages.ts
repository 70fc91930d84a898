/** An error as a page, for who opens an address of the API in a browser. Programs get the problem document as ever. */
import type { Context, Middleware } from 'koa';
import type { Snapshots } from '../snapshot/follow.ts';
import { html, type Html } from './html.ts';
import { code } from './layout.ts';
import { SITE_HEADERS, wantsPage, type Site } from './site.ts';

interface Refusal {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  readonly reason: string;
  readonly billed: boolean | null;
  readonly price?: string;
}

function refusalIn(ctx: Context): Refusal | null {
  if (ctx.response.type !== 'application/problem+json' || typeof ctx.body !== 'string') return null;
  return JSON.parse(ctx.body) as Refusal;
}

function content(refusal: Refusal, path: string, purchase: boolean): Html {
  const { title, detail, status, reason, billed, price } = refusal;
  const [address = '', search = ''] = path.split('?');
  const paid = reason === 'payment_required' && price !== undefined;
  return html`<h1>${title}</h1>
${paid ? html`<p class="lead">This address is sold by the call to programs with a wallet: <strong>${price}</strong>, paid with x402. A browser alone cannot pay.</p>` : html`<p class="lead">${detail}</p>`}
<p class="actions">${paid && purchase && html`<a class="button" href="/sandbox/buy?call=${encodeURIComponent(path)}">Buy it with test money</a>`}
<a class="button${paid && purchase ? ' second' : ''}" href="/build${paid && `?${new URLSearchParams({ call: address }).toString()}${search && `&${search}`}`}">Build a query</a><a class="button second" href="/">Front page</a></p>
<p>${billed === null ? 'Whether it was charged is not known yet; keep the request id.' : 'Nothing was charged.'} Reason: <code>${reason}</code>, status ${status}.</p>
<details${paid ? '' : html` open`}><summary>What a program is answered</summary>${code('The problem document', JSON.stringify(refusal, null, 2))}</details>`;
}

/** Puts a page in place of a problem document where a page was asked for by name. Status and headers stay. */
export const refusalPages =
  (site: Site, snapshots: Snapshots, purchase: boolean): Middleware =>
  async (ctx, next) => {
    await next();
    if (ctx.status < 400 || !wantsPage(ctx)) return;
    const refusal = refusalIn(ctx);
    if (!refusal) return;
    const lease = snapshots.acquire();
    try {
      ctx.body = site.framed(
        { path: '', title: refusal.title, about: refusal.detail },
        content(refusal, ctx.originalUrl, purchase),
        lease?.snapshot,
      );
      ctx.type = 'text/html; charset=utf-8';
      ctx.vary('Accept');
      ctx.set({ ...SITE_HEADERS });
    } finally {
      lease?.release();
    }
  };
