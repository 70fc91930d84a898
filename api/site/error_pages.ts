/** Pages in place of problem documents, for people: the 402 is where they buy, the 404 helps to find a page. */
import type { Context, Middleware } from 'koa';
import { stateOf } from '../http/request_state.ts';
import type { Route } from '../routes/define.ts';
import type { Snapshots } from '../serving/follow.ts';
import { html, type Html } from './html.ts';
import { code, fold, tag, terms } from './layout.ts';
import { PAGES } from './pages/all.ts';
import { feedName, fieldOf } from './pages/build/form.ts';
import { payPanel } from './pay/panel.ts';
import { SITE_HEADERS, wantsPage, type Site } from './site.ts';

interface ProblemBody {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  readonly reason: string;
  readonly billed: boolean | null;
}

const isProblem = (ctx: Context): boolean =>
  ctx.status >= 400 && ctx.response.type === 'application/problem+json' && typeof ctx.body === 'string';

/** What a program receives in place of the page. */
const response = (problem: ProblemBody): Html =>
  fold('What a program receives', code('The problem document', JSON.stringify(problem, null, 2)));

/** Offers a search and the pages of the site after a wrong link. */
const notFound = (problem: ProblemBody): Html =>
  html`<h1>Page not found</h1>
    <p class="lead">${problem.detail.replace(/ GET .*$/u, '')} Look for deals in a city, or choose a page.</p>
    <form class="feed" method="get" action="/build">
      <input type="hidden" name="call" value="/api/deals" />
      <label for="city">Find deals in a city</label>
      <div class="row">
        <input id="city" name="city" autocomplete="off" required /><button type="submit">Find</button>
      </div>
    </form>
    <h2>Pages</h2>
    ${terms(
      'page-facts',
      PAGES.map(({ path, label, title, about }) => [
        html`<a href="${path}">${path === '/' ? 'Front page' : (label ?? title)}</a>`,
        about,
      ]),
    )}
    ${response(problem)}`;

/** Where a person buys a call. */
function purchase(problem: ProblemBody, path: string, { options }: Site, route: Route): Html {
  const [call = '', search = ''] = path.split('?');
  const filters = [...new URLSearchParams(search)];
  const isReport = route.path.includes(':id');
  return html`<h1>${feedName(route.path)}</h1>
    <p class="lead">
      ${filters.map(([name, value]) => [tag('plain', `${fieldOf(name).label}: ${value}`), ' '])}
      ${isReport ? html`It has the layout of <a href="/report">the example report</a>.` : 'No match, no charge.'}
    </p>
    ${payPanel(options, route, path)}
    <div id="answer"></div>
    ${
      !isReport &&
      html`<p><a href="/build?${new URLSearchParams([['call', call], ...filters]).toString()}">Change the query</a></p>`
    }
    ${response(problem)}`;
}

const refusal = (problem: ProblemBody): Html =>
  html`<h1>${problem.title}</h1>
    <p class="lead">${problem.detail}</p>
    <p>
      ${problem.billed === null ? 'It is not known yet whether you paid; save the request id.' : 'Nothing was charged.'}
    </p>
    <p class="actions">
      <a class="button" href="/build">Build a query</a><a class="button second" href="/">Front page</a>
    </p>
    ${response(problem)}`;

/** Replace a problem document by a page if Accept names text/html. Status and headers stay. */
export const errorPages =
  (site: Site, snapshots: Snapshots): Middleware =>
  async (ctx, next) => {
    await next();
    if (!isProblem(ctx)) return;
    ctx.vary('Accept');
    if (!wantsPage(ctx)) return;
    const problem = JSON.parse(String(ctx.body)) as ProblemBody;
    const reached = stateOf(ctx).route?.path;
    const route = site.options.routes.find(({ path }) => path === reached);
    const isSold = problem.reason === 'payment_required' && route !== undefined;
    const title = isSold ? 'Buy' : problem.reason === 'not_found' ? 'Page not found' : problem.title;
    const content = isSold
      ? purchase(problem, ctx.originalUrl, site, route)
      : problem.reason === 'not_found'
        ? notFound(problem)
        : refusal(problem);
    const lease = snapshots.acquire();
    try {
      ctx.body = site.frame({ path: '', title, about: problem.detail }, content, lease?.snapshot);
      ctx.type = 'text/html; charset=utf-8';
      ctx.set({ ...SITE_HEADERS });
    } finally {
      lease?.release();
    }
  };
