/** What it is, in one look. */
import { barChart } from '../charts.ts';
import { html } from '../html.ts';
import { code, figures } from '../layout.ts';
import { count, day, dollarsText, percentText } from '../format.ts';
import { rowsFor, type Given, type Page } from '../page.ts';

/** The deal that shows best what the service is for: a claim well above what HUD's rents give, where the proxy fits. */
async function overclaim(given: Given) {
  const [row] = await rowsFor(
    given,
    `SELECT address, city, state, cap_rate, cap_rate_underwritten, noi, noi_underwritten, list_price FROM deals
    WHERE listing_status = 'active' AND address IS NOT NULL AND underwrite_reliability = 'ok' AND noi_source <> 'underwritten' AND cap_gap_pct BETWEEN 1 AND 6 AND noi_underwritten > 0
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
      ${dollarsText(Number(row['list_price']))}. Net operating income a year:`,
      head: ['Whose figure', 'Net operating income'],
      bars: [
        { label: 'Broker', figure: dollarsText(claimed), to: claimed, tone: 'claimed' },
        { label: 'HUD rents', figure: dollarsText(underwritten), to: underwritten, tone: 'hud' },
      ],
    })}
    <p>
      Every listing is underwritten again from HUD’s Fair Market Rents and declared assumptions. The gap between the two
      is a field of the record, and so is whether the proxy can be trusted.
    </p>
  </section>`;
}

export const home: Page = {
  path: '/',
  title: 'Dealfeed: small multifamily deals, underwritten and explained',
  made: 'snapshot',
  about:
    'Small multifamily listings underwritten against HUD rents, county tax delinquencies, sheriff sales, leads and business registrations. Paid by the call, without an account.',
  async content(given) {
    const { meta, site } = given;
    const { coverage, signals_feed: signals, auctions_feed: auctions, leads_feed: leads } = meta;
    return html`<h1>Small multifamily deals, underwritten, explained, and sold by the call</h1>
      <p class="lead">
        Dealfeed reads broker listings, county tax lists, sheriff sales and business registers, underwrites each deal
        against HUD rents, and sells the records over HTTP for cents, paid per call. No account, no key, and no charge
        where nothing matches.
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
          label: 'Tax signals',
          value: count(signals.coverage.total_signals),
          note: html`${count(signals.coverage.counties)} counties`,
        },
        {
          label: 'Sheriff sales to come',
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
        ${await overclaim(given)}
        <section class="panel">
          <h2>What a record tells</h2>
          <ul>
            <li>
              <strong>Whose figure it is.</strong> A stated, a derived and an underwritten NOI are told apart, and a
              broker’s claim can lower a score but never lift it.
            </li>
            <li><strong>Why something is missing.</strong> No silent nulls: every absent value has a reason.</li>
            <li><strong>Where it was read.</strong> The public page, the time, and the hash of the archived bytes.</li>
            <li>
              <strong>How to make it again.</strong> Scores are sums of named parts; a report prints each figure as a
              formula over named inputs.
            </li>
          </ul>
          <p><a href="/scores">How scores are made</a></p>
        </section>
      </div>
      <h2>How a call is paid</h2>
      <ol>
        <li>
          Send the call. The answer is <strong>402</strong> with its price in the <code>PAYMENT-REQUIRED</code> header.
        </li>
        <li>
          Your wallet signs a transfer of exactly that amount:
          <a href="https://www.x402.org" rel="noreferrer">x402</a> version 2, USDC on Base.
          <code>@x402/fetch</code> does it by itself.
        </li>
        <li>
          Send it again with the signature. The answer is <strong>200</strong> and a receipt. A bad request is 400
          before any price; what matches nothing is 404, and neither is charged.
        </li>
      </ol>
      ${code(
        'A client in five lines of JavaScript',
        `import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
const schemes = [{ network: 'eip155:8453', client: new ExactEvmScheme(privateKeyToAccount(process.env.PRIVATE_KEY)) }];
const deals = await (await wrapFetchWithPaymentFromConfig(fetch, { schemes })('${site.publicUrl}/api/deals?state=OH')).json();`,
      )}
      ${site.purchase && html`<p>This server runs on test money: <a href="/sandbox/buy">walk through a purchase</a> and see every header.</p>`}`;
  },
};
