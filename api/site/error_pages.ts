/** Error pages, for people who open an API URL in a browser. Programs get the problem document. */
import type { Context, Middleware } from 'koa';
import type { Snapshots } from '../serving/follow.ts';
import { html, type Html } from './html.ts';
import { code } from './layout.ts';
import { PAGES } from './pages/all.ts';
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

/** Offers a search and the pages of the site after a wrong link. */
const notFound = ({ detail, status, reason }: ProblemBody): Html =>
  html`<h1>Page not found</h1>
    <p class="lead">${detail.replace(/ GET .*$/u, '')} Look for deals in a city, or choose a page.</p>
    <form class="feed" method="get" action="/build">
      <input type="hidden" name="call" value="/api/deals" />
      <label for="city">Find deals in a city</label>
      <div class="row">
        <input id="city" name="city" autocomplete="off" required /><button type="submit">Find</button>
      </div>
    </form>
    <h2>Pages</h2>
    <ul>
      ${PAGES.map(
        ({ path, label, title, about }) =>
          html`<li><a href="${path}">${path === '/' ? 'Front page' : (label ?? title)}</a>: ${about}</li>`,
      )}
    </ul>
    <p class="small">
      Status ${status}, reason <code>${reason}</code>. For programs: <a href="/openapi.json">OpenAPI</a>,
      <a href="/llms.txt">llms.txt</a>.
    </p>`;

function content(problem: ProblemBody, path: string, purchase: boolean): Html {
  if (problem.reason === 'not_found') return notFound(problem);
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
      ${billed === null ? 'The outcome of the payment is unknown; save the request id.' : 'Nothing was charged.'}
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
        { path: '', title: problem.reason === 'not_found' ? 'Page not found' : problem.title, about: problem.detail },
        content(problem, ctx.originalUrl, purchase),
        lease?.snapshot,
      );
      ctx.type = 'text/html; charset=utf-8';
      ctx.set({ ...SITE_HEADERS });
    } finally {
      lease?.release();
    }
  };
