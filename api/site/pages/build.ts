/** /build: a form that shows the exact URL to buy, its price, how many records match, and a sample. */
import { paramFacts, readParams, type Params } from '../../routes/params.ts';
import { Problem } from '../../http/problem.ts';
import { coarseCount } from '../../routes/count/coarse.ts';
import type { Range } from '../../routes/count/ranges.ts';
import { mediaOf, type Route } from '../../routes/define.ts';
import type { ListRoute } from '../../routes/list_route.ts';
import { html, type Html, type Piece } from '../html.ts';
import { code } from '../layout.ts';
import { countText } from '../format.ts';
import type { PageContext, Page } from '../page.ts';

const DEFAULT_FEED = '/api/deals';
/** Parameters for paging, which are no filters. */
const PAGING = new Set(['cursor']);

/** A range that ends above this is not shown as a hint. */
const MAX_HINT_RANGE = 1_000;

const isList = (route: Route): route is ListRoute => Object.hasOwn(route, 'matching');

/** Priced routes without path parameters. */
const callsOf = (routes: readonly Route[]): readonly Route[] =>
  routes.filter((r) => r.price !== null && !r.path.includes(':'));

function field(name: string, schema: Params[string], value: string, refused: boolean): Html {
  const { kind, about, values, range } = paramFacts(schema);
  const attributes = html` aria-describedby="about-${name}"${refused ? html` aria-invalid="true"` : ''}`;
  const input = values
    ? html`<select id="f-${name}" name="${name}" ${attributes}>
        <option value="">any</option>
        ${values.map((v) => html`<option${v === value ? html` selected` : ''}>${v}</option>`)}
      </select>`
    : kind === 'date'
      ? html`<input id="f-${name}" name="${name}" type="date" value="${value}" ${attributes} />`
      : html`<input
          id="f-${name}"
          name="${name}"
          value="${value}"
          ${kind === 'number' ? html` inputmode="decimal"` : kind === 'integer' ? html` inputmode="numeric"` : ''}
          autocomplete="off"
          spellcheck="false"
          ${attributes}
        />`;
  const hint = range && range[1] <= MAX_HINT_RANGE ? `${about} ${range[0]} to ${range[1]}.` : about;
  return html`<div class="field">
    <label for="f-${name}">${name}</label>${input}<small id="about-${name}">${hint}</small>
  </div>`;
}

/** The free count of a call: a range, as of /api/count; null if a filter is too fine for it, or there is no list. */
async function freeCount(
  route: Route,
  context: PageContext,
  params: Readonly<Record<string, unknown>>,
): Promise<Range | null> {
  if (!isList(route)) return null;
  const { limit: _, fields: __, ...filters } = params;
  const counted = await coarseCount(route, { ...context.request, params: filters });
  return counted && counted.matches;
}

/** The free sample record of a feed. */
async function sampleOf(route: Route, context: PageContext): Promise<unknown> {
  const { free_samples: samples } = context.meta;
  if (route.path.startsWith('/api/deals')) return samples.deals[0];
  if (route.path === '/api/signals') return samples.signals[0];
  if (route.path === '/api/auctions') return samples.auctions[0];
  if (route.path.startsWith('/api/leads')) return samples.leads[0];
  if (!/filings|weekly/.test(route.path)) return undefined;
  const register = context.site.routes.find(
    (r) => r.path === (route.path.startsWith('/colorado') ? '/colorado/api/meta' : '/ohio/api/meta'),
  );
  const body = (await register?.handle(context.request)) as { free_samples: { records: unknown[] } } | undefined;
  return body?.free_samples.records[0];
}

function sampleSource(route: Route): Piece {
  if (mediaOf(route) === 'text/csv') return 'the lists return it; the file has its fields as columns';
  return route.path === '/api/deals/basic'
    ? html`<code>/api/deals</code> returns it; cards have fewer fields`
    : 'this call returns it';
}

interface BuiltCall {
  readonly address: string;
  readonly path: string;
  readonly matches: Range | null;
}

function matchesText(route: Route, matches: Range | null): Piece {
  if (!isList(route)) return '';
  if (matches === null) {
    return html`<p class="outcome">
      The free count supports filters by place, kind, status and score step only. If nothing matches, the call gets 404
      and is not charged.
    </p>`;
  }
  const { at_least: least, at_most: most } = matches;
  if (most === 0)
    return html`<p class="outcome thin">No match today. This call would get 404 and would not be charged.</p>`;
  return html`<p class="outcome ${least === 0 ? 'thin' : 'good'}">
    ${countText(least)} to ${countText(most)} records match today.
  </p>`;
}

function result(route: Route, { address, path, matches }: BuiltCall, purchase: boolean): Html {
  return html`<p>
      <span class="price">$${route.price}</span> for
      ${route.units ? `each ${route.units.of}` : 'one call'}${isList(route) ? ', up to 500 records' : ''}.
    </p>
    <p class="address">GET <a href="${address}" rel="nofollow">${address}</a></p>
    ${matchesText(route, matches)}
    ${
      purchase &&
      html`<p class="actions">
        <a class="button" href="/sandbox/buy?call=${encodeURIComponent(path)}">Buy it with test money</a>
      </p>`
    }
    ${purchase && code('The same from a terminal', `make buy URL='${path}'`)}`;
}

const refusal = ({ message }: Problem): Html =>
  html`<p class="refused">${message}</p>
    <p>A bad request gets 400 and is never charged.</p>`;

export const build: Page = {
  path: '/build',
  label: 'Query builder',
  title: 'Query builder',
  cache: 'none',
  about:
    'Choose a feed and filters, and see the exact URL to buy, its price, how many records match and a sample record.',
  async content(context) {
    const { site, query, request } = context;
    const calls = callsOf(site.routes);
    const route = calls.find((r) => r.path === (query.get('call') ?? DEFAULT_FEED)) ?? calls[0];
    if (!route) throw new Error('there is no priced route');
    const filled = [...query].filter(
      ([name, value]) =>
        name !== 'call' && value.trim() !== '' && Object.hasOwn(route.params, name) && !PAGING.has(name),
    );
    const search = new URLSearchParams(filled).toString();
    const path = `${route.path}${search === '' ? '' : `?${search}`}`;
    let outcome: Html;
    let invalidField: unknown;
    try {
      const params = readParams(route.params, search);
      await route.check?.({ ...request, params });
      outcome = result(
        route,
        { path, address: site.publicUrl + path, matches: await freeCount(route, context, params) },
        site.purchase,
      );
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      invalidField = error.extras['field'];
      outcome = refusal(error);
    }
    const sample = await sampleOf(route, context);
    return html`<h1>Query builder</h1>
      <p class="lead">
        Choose a feed and its filters. The exact URL, its price and how many records match are shown below; nothing is
        charged until you sign.
      </p>
      <form class="panel" method="get" action="/build">
        <label for="call">Feed</label
        ><select id="call" name="call">
          ${calls.map(
            (r) =>
              html`<option value="${r.path}" ${r === route ? html` selected` : ''}>${r.path} – $${r.price}</option>`,
          )}</select
        ><button type="submit">Choose this feed</button>
      </form>
      <p>${route.about} <a href="/reference#${route.path}">Reference</a></p>
      ${
        Object.keys(route.params).length === 0
          ? html`<p>This call takes no filters.</p>`
          : html`<form class="panel" method="get" action="/build" data-live>
              <input type="hidden" name="call" value="${route.path}" />
              <div class="fields">
                ${Object.entries(route.params)
                  .filter(([name]) => !PAGING.has(name))
                  .map(([name, schema]) => field(name, schema, query.get(name) ?? '', invalidField === name))}
              </div>
              <button type="submit">Show the URL and its price</button>
            </form>`
      }
      <section id="built" aria-live="polite" aria-label="What to buy">
        <h2>What to buy</h2>
        ${outcome}
      </section>
      ${
        sample !== undefined &&
        html`<h2>A free sample</h2>
          <p>One full record as ${sampleSource(route)}.</p>
          ${code('A sample record', JSON.stringify(sample, null, 2))}`
      }`;
  },
};
