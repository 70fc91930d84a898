/** Error pages, for people who open an API URL in a browser. Programs get the problem document. */
import type { Context, Middleware } from 'koa';
import type { Snapshots } from '../snapshot/follow.ts';
import { html, type Html } from './html.ts';
import { code } from './layout.ts';
import { SITE_HEADERS, wantsPage, type Site } from './site.ts';

interface ProblemBody {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  readonly reason: string;
  readonly billed: boolean | null;
  readonly price?: string;
}

const isProblem = (ctx: Context): boolean =>
  ctx.status >= 400 && ctx.response.type === 'application/problem+json' && typeof ctx.body === 'string';

function content(problem: ProblemBody, path: string, purchase: boolean): Html {
  const { title, detail, status, reason, billed, price } = problem;
  const [route = '', search = ''] = path.split('?');
  const isPriced = reason === 'payment_required' && price !== undefined;
  const build = isPriced
    ? `/build?${new URLSearchParams({ call: route }).toString()}${search === '' ? '' : `&${search}`}`
    : '/build';
  return html`<h1>${title}</h1>
    ${
      isPriced
        ? html`<p class="lead">
            This endpoint costs <strong>${price}</strong> per call, paid with x402. A browser alone cannot pay.
          </p>`
        : html`<p class="lead">${detail}</p>`
    }
    <p class="actions">
      ${
        isPriced &&
        purchase &&
        html`<a class="button" href="/sandbox/buy?call=${encodeURIComponent(path)}">Buy it with test money</a>`
      }
      <a class="button${isPriced && purchase ? ' second' : ''}" href="${build}">Build a query</a
      ><a class="button second" href="/">Front page</a>
    </p>
    <p>
      ${billed === null ? 'It is not known yet whether it was charged; save the request id.' : 'Nothing was charged.'}
      Reason: <code>${reason}</code>, status ${status}.
    </p>
    <details ${isPriced ? '' : html` open`}>
      <summary>API response</summary>
      ${code('The problem document', JSON.stringify(problem, null, 2))}
    </details>`;
}

/** Replace a problem document by a page if Accept names text/html. Status and headers stay. */
export const errorPages =
  (site: Site, snapshots: Snapshots, purchase: boolean): Middleware =>
  async (ctx, next) => {
    await next();
    if (!isProblem(ctx)) return;
    ctx.vary('Accept');
    if (!wantsPage(ctx)) return;
    const problem = JSON.parse(String(ctx.body)) as ProblemBody;
    const lease = snapshots.acquire();
    try {
      ctx.body = site.frame(
        { path: '', title: problem.title, about: problem.detail },
        content(problem, ctx.originalUrl, purchase),
        lease?.snapshot,
      );
      ctx.type = 'text/html; charset=utf-8';
      ctx.set({ ...SITE_HEADERS });
    } finally {
      lease?.release();
    }
  };
