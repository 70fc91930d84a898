/** The front page. */
import { barChart } from '../charts.ts';
import { html } from '../html.ts';
import { code, figures } from '../layout.ts';
import { count, day, dollarsText, percentText } from '../format.ts';
import { rowsFor, type PageContext, type Page } from '../page.ts';

/** The example on the front page: a claim well above the HUD underwriting, for a deal that HUD's rent fits. */
async function overclaim(context: PageContext) {
  const [row] = await rowsFor(
    context,
    `SELECT address, city, state, coalesce(cap_rate, cap_rate_derived) AS cap_rate, cap_rate_underwritten, noi,
      noi_underwritten, list_price FROM deals
    WHERE listing_status = 'active' AND address IS NOT NULL AND underwrite_reliability = 'ok'
      AND noi_source <> 'underwritten' AND cap_gap_pct BETWEEN 1 AND 6 AND noi_underwritten > 0
    ORDER BY cap_gap_pct DESC, id LIMIT 1`,
  );
  if (!row) return '';
  const [claimed, underwritten] = [Number(row['noi']), Number(row['noi_underwritten'])];
  return html`<section class="panel">
    <h2>
      Claimed ${percentText(Number(row['cap_rate']))}, underwritten ${percentText(Number(row['cap_rate_underwritten']))}
    </h2>
    ${barChart({
      caption: html`${row['address'] as string}, ${row['city'] as string}, ${row['state'] as string}, asking
      ${dollarsText(Number(row['list_price']))}. Net operating income per year:`,
      head: ['Source', 'Net operating income'],
      bars: [
        { label: 'Broker', figure: dollarsText(claimed), to: claimed, tone: 'claimed' },
        { label: 'HUD rents', figure: dollarsText(underwritten), to: underwritten, tone: 'hud' },
      ],
    })}
    <p>
      Every listing is underwritten from HUD’s Fair Market Rents and declared assumptions. The gap between claim and
      underwriting is a field of the record, and so is the reliability of the HUD rent.
    </p>
  </section>`;
}

export const home: Page = {
  path: '/',
  title: 'Dealfeed: small multifamily deals, underwritten and explained',
  cache: 'snapshot',
  about:
    'Small multifamily listings underwritten with HUD rents, county tax delinquencies, sheriff sales, leads and ' +
    'business registrations. Paid per call, without an account.',
  async content(context) {
    const { meta, site } = context;
    const { coverage, signals_feed: signals, auctions_feed: auctions, leads_feed: leads } = meta;
    return html`<h1>Small multifamily deals, underwritten and explained, paid per call</h1>
      <p class="lead">
        Dealfeed reads broker listings, county tax lists, sheriff sales and business registers, underwrites each deal
        with HUD rents, and sells the records over HTTP for cents per call. No account, no API key. No match, no charge.
      </p>
      <div class="actions">
        <a class="button" href="/build">Build a query</a
        ><a class="button second" href="/report">Read an example report</a>
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
      <div class="split">
        ${await overclaim(context)}
        <section class="panel">
          <h2>What a record contains</h2>
          <ul>
            <li>
              <strong>The source of each figure.</strong> Stated, derived and underwritten NOI are separate, and a
              broker’s claim can lower a score but never raise it.
            </li>
            <li><strong>The reason for every absent value.</strong> No unexplained nulls.</li>
            <li><strong>Where it was read.</strong> The public page, the time, and the hash of the archived bytes.</li>
            <li>
              <strong>How to recompute it.</strong> Scores are sums of named parts; a report prints each figure as a
              formula over named inputs.
            </li>
          </ul>
          <p><a href="/scores">How scores are computed</a></p>
        </section>
      </div>
      <h2>How you pay for a call</h2>
      <ol>
        <li>
          Send the request. The response is <strong>402</strong>, with the price in the
          <code>PAYMENT-REQUIRED</code> header.
        </li>
        <li>
          Your wallet signs a transfer of exactly that amount:
          <a href="https://www.x402.org" rel="noreferrer">x402</a> version 2, USDC on Base or another network that the
          402 offers. <code>@x402/fetch</code> does this automatically.
        </li>
        <li>
          Send it again with the signature. The response is <strong>200</strong> with a receipt. A bad request is 400, a
          query without matches is 404, and both are free.
        </li>
      </ol>
      ${code(
        'A client in six lines of JavaScript',
        `import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
const schemes = [{ network: 'eip155:8453', client: new ExactEvmScheme(privateKeyToAccount(process.env.PRIVATE_KEY)) }];
const pay = wrapFetchWithPaymentFromConfig(fetch, { schemes });
const deals = await (await pay('${site.publicUrl}/api/deals?state=OH')).json();`,
      )}
      ${
        site.purchase &&
        html`<p>This server uses test money: <a href="/sandbox/buy">make a test purchase</a> and see every header.</p>`
      }`;
  },
};
