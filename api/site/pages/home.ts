/** The front page: today's figures, the offers, and how to buy. */
import { barChart } from '../charts.ts';
import { dealCard, freeIndex } from '../deal_cards.ts';
import { html, type Html, type Piece } from '../html.ts';
import { code, figures } from '../layout.ts';
import { count, countText, day, percentText, dollars, dollarsText, percent } from '../format.ts';
import { allGaps, metrosOf } from '../metro_figures.ts';
import type { PageContext, Page } from '../page.ts';
import type { z } from 'zod';
import { PRICES } from '../../routes/prices.ts';
import type { Meta } from '../../routes/meta/schema.ts';
import { Problem } from '../../http/problem.ts';
import { EXAMPLE_PATH } from '../../routes/report/report.ts';
import type { ReportBody } from '../../routes/report/report.ts';
import { bySize } from '../../../models/calibration/accuracy.ts';

interface Offer {
  readonly path: keyof typeof PRICES;
  readonly title: Piece;
  readonly about: string;
  readonly href?: string;
}

const offerList = (meta: z.infer<typeof Meta>): readonly Offer[] => [
  {
    path: '/api/deals',
    title: html`${count(meta.coverage.active_records)} deals`,
    about: 'A list of up to 500: underwriting, gap to the claim, scores with reasons.',
  },
  {
    path: '/api/deals/:id/report',
    title: 'A report on one deal',
    about: 'Offer range, three paths, what-ifs, a formula for every figure.',
    href: '/report',
  },
  {
    path: '/api/lookup',
    title: 'Any address',
    about: 'Its public records: tax debt, sales, code cases, liens.',
  },
  {
    path: '/api/signals',
    title: html`${count(meta.signals_feed.coverage.total_signals)} signals of distress`,
    about: 'Tax debts, foreclosure filings, liens, code cases, vacant buildings.',
  },
  {
    path: '/api/auctions',
    title: html`${count(meta.auctions_feed.coverage.upcoming_sales)} upcoming sales`,
    about: 'Sheriff, foreclosure and tax sales with opening bids and appraisals.',
  },
  {
    path: '/api/leads',
    title: html`${count(meta.leads_feed.coverage.available_leads)} leads`,
    about: 'Owners with a reason to sell, scored, with the parts of the score.',
  },
  {
    path: '/api/owners',
    title: 'Owners',
    about: 'Owners with several properties in distress.',
  },
  {
    path: '/api/filings',
    title: 'New businesses',
    about: 'Registrations of Ohio and Colorado, with their agents.',
  },
];

const offers = (meta: z.infer<typeof Meta>): Html =>
  html`<h2>Prices</h2>
    <ul class="tiles offers">
      ${offerList(meta).map(
        ({ path, title, about, href }) =>
          html`<li>
            <a class="tile" href="${href ?? `/build?call=${path}`}"
              ><span class="price">$${PRICES[path]}</span><b>${title}</b><span>${about}</span></a
            >
          </li>`,
      )}
    </ul>
    <p><a href="/prices">All prices, and responses without a charge</a></p>`;

/** Nothing if no deal has a report. */
async function exampleDeal({ site, request }: PageContext): Promise<Html | ''> {
  const route = site.routes.find((one) => one.path === EXAMPLE_PATH);
  let report: ReportBody;
  try {
    report = (await route?.handle(request)) as ReportBody;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return '';
  }
  const { deal, property } = report;
  if (deal.noi_underwritten === null) return '';
  const [claimed, underwritten] = [Number(deal.noi ?? 0), Number(deal.noi_underwritten)];
  const isClaim = deal.noi !== null && deal.noi_source !== 'underwritten';
  return html`<section class="panel">
    <p class="eyebrow">A live example</p>
    <h2>${property}</h2>
    ${barChart({
      caption: html`Asking ${dollars(deal.list_price)}, score ${deal.deal_score} of 100. NOI per year:`,
      head: ['Source', 'Net operating income'],
      bars: [
        ...(isClaim
          ? [{ label: 'By the broker', figure: dollarsText(claimed), to: claimed, tone: 'claimed' as const }]
          : []),
        { label: 'Underwritten', figure: dollarsText(underwritten), to: underwritten, tone: 'hud' },
      ],
    })}
    <p>
      Underwritten cap rate: ${percent(deal.cap_rate_underwritten)}, with the property tax reset by the sale.
      <a href="/report">The whole report</a> has the offer range, what-ifs, and a formula for every figure.
    </p>
  </section>`;
}

/** 1.27 as "27% too high". */
const errorText = (ratio: number): string => {
  const points = Math.round((ratio - 1) * 100);
  return points === 0 ? 'equal' : `${Math.abs(points)}% too ${points > 0 ? 'high' : 'low'}`;
};

function realFinding(): Html {
  return html`<section class="panel">
    <p class="eyebrow">Against owners’ statements</p>
    <h2>How close is it?</h2>
    ${barChart({
      caption: html`Computed NOI against the owner’s own, in one national survey of 2011: median`,
      head: ['Units and method', 'Error'],
      bars: bySize('owners').flatMap(({ group, held_out, shortcut_over_real }) => [
        {
          label: `${group}: HUD rent less a flat share`,
          figure: errorText(shortcut_over_real ?? NaN),
          to: shortcut_over_real ?? NaN,
          mark: 1,
          tone: 'claimed' as const,
        },
        {
          label: `${group}: Dealfeed`,
          figure: errorText(held_out ?? NaN),
          to: held_out ?? NaN,
          mark: 1,
          tone: 'hud' as const,
        },
      ]),
    })}
    <p>
      The mark is the owners’ figure. Ours is measured in areas whose answers were not used.
      <a href="/scores#real-noi">All comparisons</a>, and the errors of the underwriting.
    </p>
  </section>`;
}

/** Cards of deals on the page. */
const MAX_CARDS = 4;

/** Median claim and median underwriting of all compared deals, or nothing if they are too few. */
async function gapToday({ request: { snapshot } }: PageContext): Promise<Html | ''> {
  const { claimed, underwritten, compared } = await allGaps(snapshot);
  if (claimed === null || underwritten === null) return '';
  return html`<section class="panel today">
    <h2>Brokers advertise ${percentText(claimed)}. The rents support ${percentText(underwritten)}.</h2>
    ${barChart({
      caption: html`Median cap rate of the same ${count(compared)} deals, today`,
      head: ['Whose', 'Cap rate'],
      bars: [
        { label: 'Advertised', figure: percentText(claimed), to: claimed, tone: 'claimed' },
        { label: 'Underwritten', figure: percentText(underwritten), to: underwritten, tone: 'hud' },
      ],
    })}
    <p>
      Underwritten from HUD’s rents, local taxes and declared expenses: every deal with a broker’s claim and a HUD rent
      that fits.
      <a href="/metros">The gap by metro</a>
    </p>
  </section>`;
}

async function bestDeals(context: PageContext): Promise<Html | ''> {
  const index = await freeIndex(context);
  if (index.length === 0) return '';
  return html`<h2>For sale now, highest scores first</h2>
    <ul class="tiles deals">
      ${index.slice(0, MAX_CARDS).map(dealCard)}
    </ul>
    <p>
      <a href="/deals"
        >The ${countText(index.length)} best of ${count(context.meta.coverage.active_records)} deals, free, on a map</a
      >
    </p>`;
}

const howToBuy = ({ site }: PageContext): Html =>
  html`<h2 id="buy">How an agent buys</h2>
    <div class="split">
      <ol class="plain-steps">
        <li>Send the request. The response is <b>402</b> with the price.</li>
        <li>
          Your wallet signs exactly that amount: <a href="https://www.x402.org" rel="noreferrer">x402</a>, USDC on
          ${site.network.title}.
        </li>
        <li>Send it again. The response is <b>200</b> with the records and a signed receipt.</li>
      </ol>
      <div>
        <p>
          A bad request (400) and a query without matches (404) are free. Over MCP, the same calls are tools at
          <code>${site.publicUrl}/mcp</code>.
        </p>
        <p class="actions"><a class="button second" href="/build">Or buy here, with a wallet of your browser</a></p>
      </div>
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

const record = html`<h2>What a record contains</h2>
  <ul class="tiles facts">
    <li>
      <h3>The source of each figure</h3>
      <p>Stated, derived and underwritten NOI are separate. A broker’s claim can lower a score but never raise it.</p>
    </li>
    <li>
      <h3>The reason for every absent value</h3>
      <p>No unexplained nulls: <code>absent</code> says why a field has no value.</p>
    </li>
    <li>
      <h3>Where it was read</h3>
      <p>The public page, the time, and the hash of the archived bytes.</p>
    </li>
    <li>
      <h3>How to recompute it</h3>
      <p>A score is a sum of named parts. A report prints each figure as a formula. <a href="/scores">The method</a></p>
    </li>
  </ul>`;

export const home: Page = {
  path: '/',
  title: 'Dealfeed: small multifamily deals, underwritten and explained',
  cache: 'snapshot',
  about:
    'Small multifamily listings underwritten with HUD rents, county tax delinquencies, sheriff sales, leads and ' +
    'business registrations. Paid per call, without an account.',
  async content(context) {
    const { coverage, signals_feed: signals, auctions_feed: auctions, leads_feed: leads } = context.meta;
    const metros = await metrosOf(context.request.snapshot);
    return html`<div class="hero first">
        <div>
          <h1>Small apartment buildings for sale, underwritten from public records</h1>
          <p class="lead">
            Dealfeed reads broker listings, tax lists, sheriff sales and registers in ${count(metros.length)} metros. It
            computes the income that local rents support and sells the records for cents per call.
          </p>
          <p class="actions">
            <a class="button" href="/deals">See the best deals</a
            ><a class="button second" href="/report">Read an example report</a>
          </p>
          <p class="terms">No account, no API key. No match, no charge.</p>
        </div>
        ${await gapToday(context)}
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
          label: 'Upcoming sales',
          value: count(auctions.coverage.upcoming_sales),
          note: html`${count(auctions.coverage.counties)} counties`,
        },
        { label: 'Leads', value: count(leads.coverage.available_leads), note: 'verified within 7 days' },
        {
          label: 'Freshest',
          value: day(coverage.freshest_verification),
          note: html`oldest ${day(coverage.oldest_active_verification)}`,
        },
      ])}
      ${await bestDeals(context)}
      <div class="split evidence">${realFinding()} ${await exampleDeal(context)}</div>
      ${offers(context.meta)} ${howToBuy(context)} ${record}`;
  },
};
