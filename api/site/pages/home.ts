/** The front page: the metros on a map, the best deals, what is sold, and how to buy. */
import { bySize } from '../../../models/calibration/accuracy.ts';
import { PRICES } from '../../../lib/prices.ts';
import { barChart, gapChart } from '../charts.ts';
import { figures } from '../components.ts';
import { DEALS_PRICE, dealList, freeDeals, REPORT_PRICE } from '../deal_cards.ts';
import { count, countText, day, percentText } from '../format.ts';
import { html, type Html, type Piece } from '../html.ts';
import { allGaps } from '../place_figures.ts';
import type { Page, PageContext } from '../page.ts';
import { entryMap } from './metros.ts';

/** Free deals on the page. */
const MAX_DEALS = 6;

/** What a call has, by its path. */
const offers = ({ meta }: PageContext): readonly (readonly [keyof typeof PRICES, Piece, string])[] => {
  const [signals, auctions, leads] = [meta.signals_feed, meta.auctions_feed, meta.leads_feed];
  return [
    ['/api/deals', [count(meta.coverage.active_records), ' deals'], 'up to 500 in a list, underwritten and scored'],
    ['/api/deals/:id/report', 'A report on one deal', 'what to offer, what ifs, a formula for every figure'],
    ['/api/lookup', 'Any address', 'its tax debt, sales, code cases and liens'],
    [
      '/api/signals',
      [count(signals.coverage.total_signals), ' signals of distress'],
      'tax debts, foreclosures, liens, code cases, vacancies',
    ],
    [
      '/api/auctions',
      [count(auctions.coverage.upcoming_sales), ' auctions ahead'],
      'sheriff, foreclosure and tax sales with opening bids',
    ],
    ['/api/leads', [count(leads.coverage.available_leads), ' leads'], 'owners with a reason to sell'],
    ['/api/owners', 'Owners', 'with several properties in distress'],
    ['/api/filings', 'New businesses', 'of Ohio and Colorado, with their agents'],
  ];
};

const prices = (context: PageContext): Html =>
  html`<h2>What you can buy</h2>
    <ul class="tiles offers">
      ${offers(context).map(
        ([path, title, about]) =>
          html`<li>
            <a class="tile" href="${path.includes(':') ? '/report' : `/build?call=${path}`}"
              ><span class="price">$${PRICES[path]}</span><b>${title}</b><span>${about}</span></a
            >
          </li>`,
      )}
    </ul>
    <p>No account. No match, no charge. <a href="/prices">All prices</a></p>`;

/** 1.27 as "27% too high". */
const errorText = (ratio: number): string => {
  const points = Math.round((ratio - 1) * 100);
  return points === 0 ? 'equal' : `${Math.abs(points)}% too ${points > 0 ? 'high' : 'low'}`;
};

function accuracy(): Html {
  const bar = (label: string, ratio: number | null | undefined, tone: 'claimed' | 'hud') => {
    const to = ratio ?? NaN;
    return { label, figure: errorText(to), to, mark: 1, tone };
  };
  return html`<section class="panel">
    <h2>How close is it?</h2>
    ${barChart({
      caption: 'Our income against what owners reported in a national survey: median error',
      head: ['Units and method', 'Error'],
      bars: bySize('owners').flatMap(({ group, held_out: ours, shortcut_over_real: shortcut }) => [
        bar(`${group}: HUD rent less a flat share`, shortcut, 'claimed'),
        bar(`${group}: Dealfeed`, ours, 'hud'),
      ]),
    })}
    <p>
      The mark is the owner’s figure; ours is of areas it had not seen. <a href="/scores#real-noi">All comparisons</a>
    </p>
  </section>`;
}

/** Median claim and median underwriting of all compared deals, or nothing if they are too few. */
async function gapToday({ request: { snapshot } }: PageContext): Promise<Html | ''> {
  const { claimed, underwritten } = await allGaps(snapshot);
  if (claimed === null || underwritten === null) return '';
  return html`<section class="panel">
    <h2>Brokers advertise ${percentText(claimed)}. Rents support ${percentText(underwritten)}.</h2>
    ${gapChart('Median cap rate of the same deals, today', claimed, underwritten)}
    <p>From HUD’s rents, local taxes and declared expenses. <a href="/report">See each step in an example</a></p>
  </section>`;
}

const howToBuy = ({ site }: PageContext): Html =>
  html`<h2 id="buy">How you buy</h2>
    <div class="split">
      <p>
        <b>In your browser.</b> <a href="/build">Build a query</a>, see how many records match, and pay with your
        wallet. You get a table, files to save and a signed receipt.
      </p>
      <p>
        <b>With a program or an agent.</b> It asks, learns the price, signs exactly that amount of USDC on
        ${site.network.title}, and asks again. <a href="/reference">The reference</a> has the code; over MCP, the same
        calls are tools at <code>${site.publicUrl}/mcp</code>.
      </p>
    </div>`;

export const home: Page = {
  path: '/',
  title: 'Dealfeed: small apartment buildings for sale, underwritten and explained',
  cache: 'snapshot',
  about:
    'Small multifamily listings underwritten with HUD rents, county tax delinquencies, sheriff sales, leads and ' +
    'business registrations. Paid per call, without an account.',
  async content(context) {
    const { coverage, signals_feed: signals, auctions_feed: auctions } = context.meta;
    const free = await freeDeals(context);
    const best = html`<h2>For sale now, best scores first</h2>
      ${dealList(free.slice(0, MAX_DEALS))}
      <p><a href="/deals">All ${countText(free.length)} free deals</a></p>`;
    return html`<div class="hero">
        <div>
          <h1>Small apartment buildings for sale, with the income they can really earn</h1>
          <p class="lead">
            Listings, tax debts, liens and sheriff sales of twenty metros, underwritten with local rents. Fifty deals
            are free; a list costs ${DEALS_PRICE}, a report ${REPORT_PRICE}.
          </p>
          <p class="actions">
            <a class="button" href="/deals">See the best deals</a
            ><a class="button second" href="/report">Read an example report</a>
          </p>
        </div>
        ${await entryMap(context)}
      </div>
      ${figures(
        ['Deals for sale', count(coverage.active_records), html`in ${count(coverage.cities)} cities`],
        ['Signals of distress', count(signals.coverage.total_signals), `${signals.coverage.counties} counties`],
        ['Auctions ahead', count(auctions.coverage.upcoming_sales), `${auctions.coverage.counties} counties`],
        ['Freshest', day(coverage.freshest_verification), html`oldest ${day(coverage.oldest_active_verification)}`],
      )}
      ${free.length > 0 && best}
      <div class="split evidence">${await gapToday(context)} ${accuracy()}</div>
      ${prices(context)} ${howToBuy(context)}`;
  },
};
