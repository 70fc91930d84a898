/** Pages in place of problem documents, for people: the 402 is where they buy, the 404 helps to find a page. */
import type { Context, Middleware } from 'koa';
import { stateOf } from '../http/request_state.ts';
import type { Route } from '../routes/define.ts';
import type { Snapshots } from '../serving/follow.ts';
import { link, tag } from './components.ts';
import { html, type Html } from './html.ts';
import { feedName, fieldOf } from './pages/build/form.ts';
import { payPanel } from './pay/panel.ts';
import { SITE_HEADERS, wantsPage, type Site } from './site.ts';

interface ProblemBody {
  readonly title: string;
  readonly detail: string;
  readonly reason: string;
  readonly billed: boolean | null;
  /** Id of the request. */
  readonly instance: string;
}

const isProblem = (ctx: Context): boolean =>
  ctx.status >= 400 && ctx.response.type === 'application/problem+json' && typeof ctx.body === 'string';

/** Offers a search after a wrong link. The menu has the pages. */
const notFound = (): Html =>
  html`<h1>Page not found</h1>
    <p class="lead">
      Nothing is at this address. Look for a place or a deal, or <a href="/">start at the front page</a>.
    </p>
    <form class="feed" method="get" action="/search">
      <label for="q">City, county, ZIP or street</label>
      <div class="row"><input id="q" name="q" autocomplete="off" required /><button type="submit">Find</button></div>
    </form>`;

/** Where a person buys a call. */
function purchase(path: string, { options }: Site, route: Route): Html {
  const [call = '', search = ''] = path.split('?');
  const filters = [...new URLSearchParams(search)];
  const isReport = route.path.includes(':id');
  const change = `/build?${new URLSearchParams([['call', call], ...filters]).toString()}`;
  const sameLayout = html`It has the layout of <a href="/report">the example report</a>.`;
  return html`<h1>${feedName(route.path)}</h1>
    <p class="lead">
      ${filters.map(([name, value]) => [tag('plain', `${fieldOf(name).label}: ${value}`), ' '])}
      ${isReport ? sameLayout : 'No match, no charge.'}
    </p>
    ${payPanel(options, route, path)}
    <div id="answer"></div>
    ${!isReport && html`<p>${link(change, 'Change the query')}</p>`}`;
}

const refusal = ({ title, detail, billed, instance }: ProblemBody): Html =>
  html`<h1>${title}</h1>
    <p class="lead">${detail}</p>
    <p>
      ${billed === null ? `We do not know yet whether you paid. Save this id: ${instance}` : 'Nothing was charged.'}
    </p>
    <p class="actions">
      <a class="button" href="/build">Build a query</a><a class="button second" href="/">Front page</a>
    </p>`;

/** Title and content of the page of a problem. */
function pageOf(ctx: Context, site: Site, problem: ProblemBody): readonly [title: string, content: Html] {
  const reached = stateOf(ctx).route?.path;
  const route = site.options.routes.find(({ path }) => path === reached);
  if (problem.reason === 'payment_required' && route) return ['Buy', purchase(ctx.originalUrl, site, route)];
  if (problem.reason === 'not_found') return ['Page not found', notFound()];
  return [problem.title, refusal(problem)];
}

/** Replace a problem document by a page if Accept names text/html. Status and headers stay. */
export const errorPages =
  (site: Site, snapshots: Snapshots): Middleware =>
  async (ctx, next) => {
    await next();
    if (!isProblem(ctx)) return;
    ctx.vary('Accept');
    if (!wantsPage(ctx)) return;
    const problem = JSON.parse(String(ctx.body)) as ProblemBody;
    const [title, content] = pageOf(ctx, site, problem);
    using lease = snapshots.acquire();
    ctx.body = site.frame({ path: '', title, about: problem.detail }, content, lease?.snapshot);
    ctx.type = 'text/html; charset=utf-8';
    ctx.set({ ...SITE_HEADERS });
  };
