/** /build: a form that shows the exact URL to buy, its price, how many records match, and a sample. */
import { mediaOf, type Route } from '../../../routes/define.ts';
import { html, type Html } from '../../html.ts';
import { code } from '../../layout.ts';
import type { PageContext, Page } from '../../page.ts';
import { checkQuery } from './errors.ts';
import { feedName, dataList, groups, PAGING, summaryOf, type CheckedQuery } from './form.ts';
import { placeChoices } from './places.ts';
import { freeCount, isList, result, sampleSection } from './result.ts';
import { endpointPath } from '../reference/guide.ts';

const DEFAULT_FEED = '/api/deals';

/** Priced routes without path parameters. */
const callsOf = (routes: readonly Route[]): readonly Route[] =>
  routes.filter((route) => route.price !== null && !route.path.includes(':'));

/** The free sample record of a feed. */
async function sampleOf(route: Route, context: PageContext): Promise<Record<string, unknown> | undefined> {
  const { free_samples: samples } = context.meta;
  if (route.path.startsWith('/api/deals')) return samples.deals[0];
  if (route.path === '/api/signals') return samples.signals[0];
  if (route.path === '/api/auctions') return samples.auctions[0];
  if (route.path.startsWith('/api/leads')) return samples.leads[0];
  if (!/filings|weekly/.test(route.path)) return undefined;
  const register = context.site.routes.find(
    (one) => one.path === (route.path.startsWith('/colorado') ? '/colorado/api/meta' : '/ohio/api/meta'),
  );
  const body = (await register?.handle(context.request)) as
    { free_samples: { records: Record<string, unknown>[] } } | undefined;
  return body?.free_samples.records[0];
}

async function sampleHtml(route: Route, context: PageContext, params: CheckedQuery['params']): Promise<Html | ''> {
  const sample = await sampleOf(route, context);
  if (sample === undefined) return '';
  if (isList(route)) return sampleSection(route, context, { params, sample });
  const where = mediaOf(route) === 'text/csv' ? 'The lists return it; the file has its fields as columns.' : '';
  return html`<h2>A sample</h2>
    <p>One complete record. ${where}</p>
    ${code('The free sample record', JSON.stringify(sample, null, 2))}`;
}

const feedForm = (calls: readonly Route[], chosen: Route): Html =>
  html`<form class="feed" method="get" action="/build">
    <label for="call">Endpoint</label>
    <div class="row">
      <select id="call" name="call">
        ${calls.map(
          (call) =>
            html`<option value="${call.path}" ${call === chosen ? html` selected` : ''}>
              ${feedName(call.path)} – $${call.price}
            </option>`,
        )}
      </select>
      <button type="submit" class="second">Choose this endpoint</button>
    </div>
  </form>`;

export const build: Page = {
  path: '/build',
  label: 'Query builder',
  title: 'Query builder',
  cache: 'none',
  about:
    'Choose an endpoint and filters, and see the URL to buy, its price, how many records match and a sample record.',
  async content(context) {
    const { site, query, request } = context;
    const calls = callsOf(site.routes);
    const route = calls.find((call) => call.path === (query.get('call') ?? DEFAULT_FEED)) ?? calls[0];
    if (!route) throw new Error('there is no priced route');
    const given = new Map(
      [...query].flatMap(([name, value]) =>
        name !== 'call' && value.trim() !== '' && Object.hasOwn(route.params, name) && !PAGING.has(name)
          ? [[name, value.trim()]]
          : [],
      ),
    );
    const search = new URLSearchParams([...given]).toString();
    const path = `${route.path}${search === '' ? '' : `?${search}`}`;
    const { params, errors } = await checkQuery(route, given, request);
    const places = isList(route)
      ? await placeChoices(route, request.snapshot, { state: given.get('state'), county: given.get('county') })
      : null;
    const hasErrors = errors.size > 0;
    const counted = hasErrors ? null : await freeCount(route, context, params);
    return html`<h1>Query builder</h1>
      <p class="lead">
        Choose an endpoint and its filters. You see the URL, its price and how many records match before you buy;
        nothing is charged until you sign.
      </p>
      ${feedForm(calls, route)}
      <p><code>${route.path}</code> ${route.about} <a href="${endpointPath(route.name)}">Reference</a></p>
      <div id="problems">${hasErrors && given.size > 0 && summaryOf(errors)}</div>
      <div class="builder">
        ${
          Object.keys(route.params).length === 0
            ? html`<p>This call takes no filters.</p>`
            : html`<form class="panel" method="get" action="/build" data-live>
                <input type="hidden" name="call" value="${route.path}" />
                ${groups({ route, given, errors: given.size === 0 ? new Map() : errors, places })}
                ${places && html`${dataList('city', places.cities)}${dataList('zip', places.zips)}`}
                <button type="submit">Show the matches and the price</button>
              </form>`
        }
        <section id="built" aria-live="polite" aria-label="Your call">
          <h2>Your call</h2>
          ${
            hasErrors
              ? html`<p>
                  ${given.size === 0 ? 'Fill in the form' : 'Correct the marked values'} to see the URL, its price and
                  how many records match.
                </p>`
              : html`${result(route, site, { path, counted })} ${await sampleHtml(route, context, params)}`
          }
        </section>
      </div>
      <div id="answer"></div>`;
  },
};
