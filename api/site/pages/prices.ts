/** /prices: the price of every call, from the table that the 402 uses. */
import { html } from '../html.ts';
import { cardTable } from '../layout.ts';
import { templateOf } from '../../docs/openapi.ts';
import type { Route } from '../../routes/define.ts';
import { priceText } from '../../routes/prices.ts';
import type { Page } from '../page.ts';
import { endpointPath } from './reference/guide.ts';

/** The register of a path such as /ohio/api/filings, or ''. */
const feedOf = (route: Route): string => /^\/(ohio|colorado)\//.exec(route.path)?.[1] ?? '';

/** The reference has the rest. */
const firstSentence = (about: string): string => /^.*?\.(?=\s|$)/u.exec(about)?.[0] ?? about;

export const prices: Page = {
  path: '/prices',
  label: 'Prices',
  title: 'Prices',
  cache: 'snapshot',
  about: 'The price of every call, the free calls, and the responses without a charge.',
  content({ site }) {
    const ofFeed = (feed: string): Route[] => site.routes.filter((route) => feedOf(route) === feed);
    const rows = (routes: readonly Route[]) =>
      routes.map((route) => [
        html`<code>${templateOf(route)}</code>`,
        html`<strong>${priceText(route)}</strong>`,
        firstSentence(route.about),
        route.price === null || route.path.includes(':') || route.media !== undefined
          ? html`<a href="${endpointPath(route.name)}">Reference</a>`
          : html`<a class="nowrap" href="/build?call=${route.path}">Build a query</a>`,
      ]);
    const columns = [{ label: 'Call' }, { label: 'Price' }, { label: 'What you get' }, { label: 'Next' }];
    const byRegister = ['ohio', 'colorado'].flatMap(ofFeed);
    const byPrice = (a: Route, b: Route): number => Number(a.price) - Number(b.price);
    return html`<h1>Prices</h1>
      <p class="lead">
        One price per call, in USDC on ${site.network.title}. A list returns up to 500 records at the same price.
      </p>
      ${cardTable('Dollars per call with a 200 response', columns, rows(ofFeed('').sort(byPrice)))}
      ${
        byRegister.length > 0 &&
        html`<details>
          <summary>The registrations of one state, at the same prices (${byRegister.length} calls)</summary>
          ${cardTable('Feeds of one register', columns, rows(byRegister))}
        </details>`
      }
      <h2>Responses without a charge</h2>
      <ul>
        <li>A bad request: 400, before a payment is required.</li>
        <li>A query without matches: 404 with the reason <code>no_matches</code>.</li>
        <li>A failed response or a payment that could not be settled: 4xx or 5xx with <code>"billed": false</code>.</li>
        <li>The free calls above, <a href="/health">/health</a>, and everything on this site.</li>
      </ul>
      <p>
        There is no subscription, no minimum and no account. The price is part of what you sign, so it cannot change
        after you have signed.
      </p>`;
  },
};
