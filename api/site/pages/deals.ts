/** /deals: the free index as cards, with a map and filters, and a description of the paid calls. */
import { Problem } from '../../http/problem.ts';
import { choiceParam, integerParam, numberParam, readParams, type ParamValues } from '../../routes/params.ts';
import { PRICES } from '../../routes/prices.ts';
import { dealCard, freeIndex, REPORT_PRICE, type IndexedDeal } from '../deal_cards.ts';
import { count, countText, dollarsText } from '../format.ts';
import { html, type Html, type Piece } from '../html.ts';
import { METROS } from '../map/metros.ts';
import { usMap } from '../map/us_map.ts';
import { activeDeals } from '../../routes/deals.ts';
import type { Page, PageContext } from '../page.ts';
import { rangeChart } from '../charts.ts';
import { MIN_DEALS } from '../metro_figures.ts';

/** Lower ends of the ranges of prices, in dollars. */
const PRICES_FROM = [0, 200_000, 300_000, 450_000, 700_000, 1_200_000, 2_500_000] as const;

const QUARTILES = [0.25, 0.5, 0.75];

const rangeText = (from: number, to: number | undefined): string =>
  to === undefined
    ? `${dollarsText(from)} and more`
    : from === 0
      ? `below ${dollarsText(to)}`
      : `${dollarsText(from)} to ${dollarsText(to)}`;

/** The chart, or nothing if no range of prices has enough deals. */
async function scoresByPrice(context: PageContext): Promise<Html | ''> {
  const { snapshot } = context.request;
  const [price, score] = [snapshot.column('deals', 'list_price'), snapshot.column('deals', 'deal_score')];
  const scored = (await snapshot.select(activeDeals())).filter((row) => price.codeAt(row) > 0 && score.codeAt(row) > 0);
  const binOf = (row: number): number => PRICES_FROM.findLastIndex((from) => from <= Number(price.at(row)));
  const rows = [...Map.groupBy(scored, binOf)]
    .filter(([, deals]) => deals.length >= MIN_DEALS)
    .sort(([a], [b]) => a - b);
  if (rows.length === 0) return '';
  return rangeChart({
    title: 'Scores against price',
    about: `The middle half of the scores of active deals, with the median, for each range of asking prices. A range
      with fewer than ${MIN_DEALS} deals is left out.`,
    columns: ['Asking price', 'Deals', 'Lower quartile', 'Median score', 'Upper quartile'],
    low: 0,
    high: 100,
    rows: rows.map(([bin, deals]) => {
      const [low = 0, median = 0, high = 0] = QUARTILES.map((share) => Number(score.quantile(deals, share)));
      return {
        label: rangeText(PRICES_FROM[bin] ?? 0, PRICES_FROM[bin + 1]),
        from: low,
        to: high,
        marks: [{ at: median, tone: 'hud' }],
        figure: String(median),
        cells: [countText(deals.length), String(low), String(median), String(high)],
      };
    }),
  });
}

/** Cards that are shown; the others are folded. */
const SHOWN_CARDS = 12;

const [first = '', ...others] = METROS.map(({ slug }) => slug);

const FILTERS = {
  metro: choiceParam([first, ...others], 'Metro.'),
  min_price: numberParam('Minimum asking price, USD.'),
  max_price: numberParam('Maximum asking price, USD.'),
  min_units: integerParam('Minimum number of units.', 0, 100_000),
  min_score: integerParam('Minimum deal_score.', 0, 100),
};
type Filters = ParamValues<typeof FILTERS>;

/** Filters of the query; other parameters and empty fields of the form are left out. */
function filtersOf(query: URLSearchParams): { filters: Filters; refusal?: Problem } {
  const given = [...query].filter(([name, value]) => Object.hasOwn(FILTERS, name) && value.trim() !== '');
  try {
    return { filters: readParams(FILTERS, new URLSearchParams(given).toString()) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { filters: {}, refusal: error };
  }
}

/** A deal without a price or units matches no filter on them. */
function matches({ record, metro }: IndexedDeal, filters: Filters): boolean {
  const { list_price: price, units, deal_score: score } = record;
  return (
    (filters.metro === undefined || metro?.slug === filters.metro) &&
    (filters.min_price === undefined || (price !== null && Number(price) >= Number(filters.min_price))) &&
    (filters.max_price === undefined || (price !== null && Number(price) <= Number(filters.max_price))) &&
    (filters.min_units === undefined || (units !== null && units >= filters.min_units)) &&
    (filters.min_score === undefined || (score !== null && score >= filters.min_score))
  );
}

function form(index: readonly IndexedDeal[], query: URLSearchParams, refusal: Problem | undefined): Html {
  const refused = refusal?.extras['field'];
  const field = (name: keyof typeof FILTERS, label: string, example: string): Html =>
    html`<div class="field">
      <label for="f-${name}">${label}</label
      ><input
        id="f-${name}"
        name="${name}"
        inputmode="numeric"
        autocomplete="off"
        placeholder="${example}"
        value="${query.get(name) ?? ''}"
        ${name === refused ? html` aria-invalid="true" aria-describedby="refused"` : ''}
      />
    </div>`;
  const metros = METROS.map(({ name, slug }) => ({
    slug,
    name,
    deals: index.filter(({ metro }) => metro?.slug === slug).length,
  })).filter(({ deals, slug }) => deals > 0 || slug === query.get('metro'));
  return html`<form class="panel filters" method="get" action="/deals" aria-label="Filter the deals">
    <div class="fields">
      <div class="field">
        <label for="f-metro">Metro</label
        ><select id="f-metro" name="metro">
          <option value="">All metros</option>
          ${metros.map(
            ({ slug, name, deals }) =>
              html`<option value="${slug}" ${slug === query.get('metro') ? html` selected` : ''}>
                ${name} (${deals})
              </option>`,
          )}
        </select>
      </div>
      ${field('min_price', 'Price from', '100000')} ${field('max_price', 'Price to', '500000')}
      ${field('min_units', 'Units from', '4')} ${field('min_score', 'Score from', '60')}
    </div>
    ${refusal && html`<p class="refused" id="refused">${refusal.message} No filter is applied.</p>`}
    <p class="actions"><button type="submit">Filter</button><a href="/deals">All deals</a></p>
  </form>`;
}

const cards = (found: readonly IndexedDeal[]): Html =>
  html`<ul class="tiles deals">
    ${found.map(dealCard)}
  </ul>`;

/** The first cards, and the others behind a summary that opens without a script. */
function list(found: readonly IndexedDeal[]): Html {
  const folded = found.slice(SHOWN_CARDS);
  return html`${cards(found.slice(0, SHOWN_CARDS))}
  ${
    folded.length > 0 &&
    html`<details class="others">
      <summary>Show ${folded.length === 1 ? 'one more deal' : `${countText(folded.length)} more deals`}</summary>
      ${cards(folded)}
    </details>`
  }`;
}

function map(found: readonly IndexedDeal[]): Html {
  const byMetro = Map.groupBy(
    found.flatMap(({ metro }) => (metro ? [metro] : [])),
    (metro) => metro,
  );
  return usMap(
    [...byMetro].map(([metro, { length }]) => ({
      metro,
      size: length,
      title: `${metro.name}: ${length} of these deals`,
      href: `/deals?metro=${metro.slug}`,
    })),
    'Each circle is a metro. A larger circle has more of these deals.',
  );
}

const none = (total: Piece): Html =>
  html`<p class="outcome thin">
    None of the fifty matches. A paid call filters all ${total} active deals and is free if none matches.
    <a href="/build?call=/api/deals">Build a query</a>
  </p>`;

export const deals: Page = {
  path: '/deals',
  label: 'Deals',
  title: 'Small multifamily deals for sale, ranked by score',
  cache: 'none',
  about: 'The fifty best small multifamily deals by score, free: address, asking price, units, advertised cap rate.',
  async content(context: PageContext) {
    const { query, meta } = context;
    const index = await freeIndex(context);
    const { filters, refusal } = filtersOf(query);
    const found = index.filter((deal) => matches(deal, filters));
    const total = count(meta.coverage.active_records);
    return html`<h1>The ${countText(index.length)} best deals by score, free</h1>
      <p class="lead">
        Of ${total} small multifamily buildings for sale, these score highest. You see the address, the asking price,
        the units, the advertised cap rate and the score. The underwriting behind the score is what we sell.
      </p>
      <div class="deal-search">${form(index, query, refusal)} ${map(found)}</div>
      <h2 id="list">${countText(found.length)} ${found.length === 1 ? 'deal' : 'deals'}</h2>
      ${found.length === 0 ? none(total) : list(found)}
      <section class="panel">
        <h2>Content of a paid call</h2>
        <p>
          For $${PRICES['/api/deals']}, <a href="/build?call=/api/deals">a list</a> has up to 500 of all ${total} deals.
          Each has the underwritten NOI and cap rate, the gap to the broker’s claim, debt coverage, ratings for three
          paths (rental, wholesale, creative finance) and distress at the address. Each names its source page and says
          why a value is absent. For ${REPORT_PRICE}, <a href="/report">a report</a> on one deal adds the offer range,
          what-ifs and the formula of every figure.
        </p>
      </section>
      ${await scoresByPrice(context)}
      <p>
        For programs: <a href="/api/deals/ids"><code>/api/deals/ids</code></a> is this index as JSON, free.
      </p>`;
  },
};
