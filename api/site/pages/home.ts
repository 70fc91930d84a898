/** The front page: the metros on a map, the best deals, what is sold, and how to buy. */
import { bySize } from '../../../models/calibration/accuracy.ts';
import { PRICES } from '../../../lib/prices.ts';
import type { z } from 'zod';
import type { Meta } from '../../routes/meta/schema.ts';
import { barChart } from '../charts.ts';
import { DEALS_PRICE, dealList, freeDeals, REPORT_PRICE } from '../deal_cards.ts';
import { count, countText, day, percentText } from '../format.ts';
import { html, type Html, type Piece } from '../html.ts';
import { code, figures } from '../layout.ts';
import { allGaps } from '../metro_figures.ts';
import type { Page, PageContext } from '../page.ts';
import { entryMap } from './metros.ts';

/** Free deals on the page. */
const MAX_DEALS = 6;

/** What a call has, by its path. */
const offers = (meta: z.infer<typeof Meta>): readonly (readonly [keyof typeof PRICES, Piece, string])[] => [
  ['/api/deals', html`${count(meta.coverage.active_records)} deals`, 'up to 500 in a list, underwritten and scored'],
  ['/api/deals/:id/report', 'A report on one deal', 'what to offer, what ifs, a formula for every figure'],
  ['/api/lookup', 'Any address', 'its tax debt, sales, code cases and liens'],
  [
    '/api/signals',
    html`${count(meta.signals_feed.coverage.total_signals)} signals of distress`,
    'tax debts, foreclosures, liens, code cases, vacancies',
  ],
  [
    '/api/auctions',
    html`${count(meta.auctions_feed.coverage.upcoming_sales)} auctions ahead`,
    'sheriff, foreclosure and tax sales with opening bids',
  ],
  ['/api/leads', html`${count(meta.leads_feed.coverage.available_leads)} leads`, 'owners with a reason to sell'],
  ['/api/owners', 'Owners', 'with several properties in distress'],
  ['/api/filings', 'New businesses', 'of Ohio and Colorado, with their agents'],
];

const prices = (meta: z.infer<typeof Meta>): Html =>
  html`<h2>What you can buy</h2>
    <ul class="tiles offers">
      ${offers(meta).map(
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

const accuracy = (): Html =>
  html`<section class="panel">
    <h2>How close is it?</h2>
    ${barChart({
      caption: html`Computed income against the owner’s own, in one national survey: median error`,
      head: ['Units and method', 'Error'],
      bars: bySize('owners').flatMap(({ group, held_out: ours = NaN, shortcut_over_real: shortcut = NaN }) => [
        {
          label: `${group}: HUD rent less a flat share`,
          figure: errorText(shortcut ?? NaN),
          to: shortcut ?? NaN,
          mark: 1,
          tone: 'claimed' as const,
        },
        { label: `${group}: Dealfeed`, figure: errorText(ours ?? NaN), to: ours ?? NaN, mark: 1, tone: 'hud' as const },
      ]),
    })}
    <p>
      The mark is the owner’s figure; ours is of areas it had not seen. <a href="/scores#real-noi">All comparisons</a>
    </p>
  </section>`;

/** Median claim and median underwriting of all compared deals, or nothing if they are too few. */
async function gapToday({ request: { snapshot } }: PageContext): Promise<Html | ''> {
  const { claimed, underwritten } = await allGaps(snapshot);
  if (claimed === null || underwritten === null) return '';
  return html`<section class="panel">
    <h2>Brokers advertise ${percentText(claimed)}. Rents support ${percentText(underwritten)}.</h2>
    ${barChart({
      caption: 'Median cap rate of the same deals, today',
      head: ['Whose', 'Cap rate'],
      bars: [
        { label: 'Advertised', figure: percentText(claimed), to: claimed, tone: 'claimed' },
        { label: 'Underwritten', figure: percentText(underwritten), to: underwritten, tone: 'hud' },
      ],
    })}
    <p>From HUD’s rents, local taxes and declared expenses. <a href="/report">An example report shows each step</a></p>
  </section>`;
}

const howToBuy = ({ site }: PageContext): Html =>
  html`<h2 id="buy">How an agent buys</h2>
    <div class="split">
      <ol>
        <li>Send the request. The response is <b>402</b> with the price.</li>
        <li>
          Your wallet signs exactly that amount: <a href="https://www.x402.org" rel="noreferrer">x402</a>, USDC on
          ${site.network.title}.
        </li>
        <li>Send it again. The response is <b>200</b> with the records and a signed receipt.</li>
      </ol>
      <p>
        Over MCP, the same calls are tools at <code>${site.publicUrl}/mcp</code>. People
        <a href="/build">buy here, with a wallet of their browser</a>.
      </p>
    </div>
    ${code(
      'A client in six lines of JavaScript',
      `import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
const client = new ExactEvmScheme(privateKeyToAccount(process.env.PRIVATE_KEY));
const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network: '${site.network.name}', client }] });
const deals = await (await pay('${site.publicUrl}/api/deals?state=OH')).json();`,
    )}`;

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
      ${figures([
        {
          label: 'Deals for sale',
          value: count(coverage.active_records),
          note: html`in ${count(coverage.cities)} cities`,
        },
        {
          label: 'Signals of distress',
          value: count(signals.coverage.total_signals),
          note: html`${count(signals.coverage.counties)} counties`,
        },
        {
          label: 'Auctions ahead',
          value: count(auctions.coverage.upcoming_sales),
          note: html`${count(auctions.coverage.counties)} counties`,
        },
        {
          label: 'Freshest',
          value: day(coverage.freshest_verification),
          note: html`oldest ${day(coverage.oldest_active_verification)}`,
        },
      ])}
      ${
        free.length > 0 &&
        html`<h2>For sale now, best scores first</h2>
          ${dealList(free.slice(0, MAX_DEALS))}
          <p><a href="/deals">All ${countText(free.length)} free deals</a></p>`
      }
      <div class="split evidence">${await gapToday(context)} ${accuracy()}</div>
      ${prices(context.meta)} ${howToBuy(context)}`;
  },
};
