/** /build: a form that shows how many records match, what they have and what they cost, and sells them. */
import { coarseRange, type Range } from '../../../routes/count/coarse.ts';
import type { Route, RouteRequest } from '../../../routes/define.ts';
import type { ListRoute } from '../../../routes/list/route.ts';
import { rangeText } from '../../format.ts';
import { code, fold, link, outcome } from '../../components.ts';
import { element, html, type Html, type Piece } from '../../html.ts';
import type { Page, PageContext } from '../../page.ts';
import { payPanel } from '../../pay/panel.ts';
import { endpointPath } from '../reference.ts';
import { dataList, feedName, fieldOf, groups, PAGING, placeChoices, summaryOf, type CheckedQuery } from './form.ts';
import { problemOf } from '../../../http/problem.ts';
import { checkRange, paramFacts, readValue, type Params } from '../../../routes/params.ts';

const DEFAULT_FEED = '/api/deals';

type Checked = CheckedQuery['params'];
type Values = Readonly<Record<string, unknown>>;

const isList = (route: Route): route is ListRoute => Object.hasOwn(route, 'matching');

/** The free sample record of a feed. */
async function sampleOf({ path }: Route, { meta, request, site }: PageContext): Promise<Values | undefined> {
  const kind = (['deals', 'signals', 'auctions', 'leads'] as const).find((name) => path.startsWith(`/api/${name}`));
  if (kind) return meta.free_samples[kind][0];
  if (!/filings|weekly/u.test(path)) return undefined;
  const register = path.startsWith('/colorado') ? '/colorado/api/meta' : '/ohio/api/meta';
  const body = await site.routes.find((route) => route.path === register)?.handle(request);
  return (body as { free_samples: { records: Values[] } } | undefined)?.free_samples.records[0];
}

/** What a buyer gets: the fields, and the free sample record. */
async function goods(route: Route, context: PageContext): Promise<Piece> {
  const sample = await sampleOf(route, context);
  if (sample === undefined) return false;
  return html`<h2>What you get</h2>
    <p>
      ${isList(route) ? 'Every matching record, up to 500' : 'The record'}, with ${Object.keys(sample).length} fields
      and the source page of each. ${link(endpointPath(route.name), 'Every field explained')}
    </p>
    ${route.path.startsWith('/api/deals') && html`<p><a href="/deals">The fifty free deals</a></p>`}
    ${fold('A free sample, complete', code('The free sample record', JSON.stringify(sample, null, 2)))}`;
}

interface Counted {
  readonly matches: Range;
  /** Filters that the free count does not take. */
  readonly leftOut: readonly string[];
}

/** The count of /api/count, by the filters that it accepts; null if the route is not a list. */
async function freeCount(route: Route, context: PageContext, params: Checked): Promise<Counted | null> {
  if (!isList(route)) return null;
  const { limit: _, fields: __, ...filters } = params;
  const { filters: taken, ...matches } = await coarseRange(route, { ...context.request, params: filters });
  return { matches, leftOut: Object.keys(filters).filter((name) => !Object.hasOwn(taken, name)) };
}

function matchesText({ matches, leftOut }: Counted): Html {
  if (matches.at_most === 0) return outcome('thin', 'No match today, so there is nothing to buy. Widen the filters.');
  const range = `${rangeText(matches)} match today`;
  const names = leftOut.map((name) => `“${fieldOf(name).label}”`).join(', ');
  if (leftOut.length > 0)
    return outcome('plain', `${range} before ${names}, which a free count leaves out. No match, no charge.`);
  return outcome(matches.at_least === 0 ? 'thin' : 'good', `${range}. No match, no charge.`);
}

async function offer(route: Route, path: string, params: Checked, context: PageContext): Promise<Html> {
  const { site } = context;
  const counted = await freeCount(route, context, params);
  const address = site.publicUrl + path;
  return html`<p><span class="price">$${route.price}</span>${isList(route) && ' for up to 500 records'}</p>
    ${counted && matchesText(counted)} ${counted?.matches.at_most !== 0 && payPanel(site, route, path)}
    ${fold(
      'Buy it from a program',
      code('The address', address),
      html`<p>A client of <a href="/reference#paying">the reference</a> pays for it.</p>`,
      site.hasTestWallet && code('In this folder, with test money', `make buy URL='${path}'`),
    )}
    ${await goods(route, context)}`;
}

function feedForm(calls: readonly Route[], chosen: Route): Html {
  const options = calls.map((call) =>
    element('option', { value: call.path, selected: call === chosen }, `${feedName(call.path)} – $${call.price}`),
  );
  return html`<form class="feed" method="get" action="/build">
    <label for="call">What to look for</label>
    <div class="row">
      ${element('select', { id: 'call', name: 'call' }, options)}
      <button type="submit" class="second">Choose</button>
    </div>
  </form>`;
}

export const build: Page = {
  path: '/build',
  label: 'Query builder',
  title: 'Query builder',
  cache: 'none',
  about: 'Choose what to look for and where, and see how many records match and what they cost.',
  async content(context) {
    const { site, query, request } = context;
    // Priced routes without path parameters.
    const calls = site.routes.filter((route) => route.price !== null && !route.path.includes(':'));
    const route = calls.find((call) => call.path === (query.get('call') ?? DEFAULT_FEED)) ?? calls[0];
    if (!route) throw new Error('there is no priced route');
    const given = new Map(
      [...query]
        .map(([name, value]): [string, string] => [name, value.trim()])
        .filter(([name, value]) => value !== '' && Object.hasOwn(route.params, name) && !PAGING.has(name)),
    );
    const search = new URLSearchParams([...given]).toString();
    const path = `${route.path}${search === '' ? '' : `?${search}`}`;
    const { params, errors } = await checkQuery(route, given, request);
    const chosen = { state: given.get('state'), county: given.get('county') };
    const places = isList(route) ? await placeChoices(route, request.snapshot, chosen) : null;
    const shown = given.size === 0 ? new Map<string, string>() : errors;
    const form = html`<form class="panel" method="get" action="/build" data-live>
      <input type="hidden" name="call" value="${route.path}" />
      ${groups({ route, given, errors: shown, places })}
      ${places && [dataList('city', places.cities), dataList('zip', places.zips)]}
      <button type="submit">Show the matches and the price</button>
    </form>`;
    const toDo = given.size === 0 ? 'Fill in the form' : 'Correct the marked values';
    return html`<h1>Query builder</h1>
      <p class="lead">Choose what and where. You see how many records match and what they cost before you buy.</p>
      ${feedForm(calls, route)}
      <p>${route.about}</p>
      <div id="problems">${shown.size > 0 && summaryOf(shown)}</div>
      <div class="builder">
        ${Object.keys(route.params).length === 0 ? html`<p>It takes no filters.</p>` : form}
        <section id="built" aria-live="polite" aria-label="Matches and price">
          ${errors.size > 0 ? html`<p>${toDo} to see the price.</p>` : await offer(route, path, params, context)}
        </section>
      </div>
      <div id="answer"></div>`;
  },
};

const quoted = (name: string): string => `“${fieldOf(name).label}”`;

/** The message of a call with its parameters as the form names them. A name may be a word, too: "county", "name". */
function inWords(message: string, names: readonly string[]): string {
  const known = new Set(names);
  const isName = (word: string): boolean => known.has(word) && (word.includes('_') || word === 'apn');
  return message
    .replace(/^Give (\w+(?: or \w+)*)\.$/u, (_, list: string) => `Give ${list.split(' or ').map(quoted).join(' or ')}.`)
    .replace(/^\w+/u, (word) => (known.has(word) ? quoted(word) : word))
    .replace(/(?<=: )\w+(?:, \w+)*(?=\.$)/u, (list) => list.split(', ').map(quoted).join(', '))
    .replaceAll(/(?<!“)\b\w+\b/gu, (word) => (isName(word) ? quoted(word) : word));
}

/**
 * @param given values by parameter, without empty ones
 * @param request of the snapshot
 */
export async function checkQuery(
  route: Route,
  given: ReadonlyMap<string, string>,
  request: RouteRequest<Params>,
): Promise<CheckedQuery> {
  const params: Record<string, unknown> = {};
  const errors = new Map<string, string>();
  for (const [name, value] of given) {
    const schema = route.params[name];
    if (!schema) continue;
    const { expected } = paramFacts(schema);
    const problem = await problemOf(() => (params[name] = readValue(name, schema, value)));
    if (problem) errors.set(name, `“${value.slice(0, 100)}” is not ${expected}.`);
  }
  // A range whose upper bound is below the lower one is wrong at the upper one.
  for (const [name, low] of Object.entries(params)) {
    const upper = name.replace(/^min_/u, 'max_').replace(/^from_/u, 'to_');
    const high = params[upper];
    if (upper === name || high === undefined) continue;
    const problem = await problemOf(() => {
      checkRange([name, low as string | number], [upper, high as string | number]);
    });
    if (problem) errors.set(upper, `${String(high)} is below ${quoted(name)}, which is ${String(low)}.`);
  }
  const problem = errors.size === 0 && (await problemOf(() => route.check?.({ ...request, params })));
  if (problem) errors.set(String(problem.extras['field'] ?? ''), inWords(problem.message, Object.keys(route.params)));
  return { params, errors };
}
