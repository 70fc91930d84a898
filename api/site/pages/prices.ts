/** /prices: the price of every call, from the table that the payments use. */
import type { Route } from '../../routes/define.ts';
import { html } from '../html.ts';
import { cardTable, fold } from '../layout.ts';
import type { Page } from '../page.ts';
import { feedName } from './build/form.ts';
import { endpointPath } from './reference.ts';

/** The register of a path such as /ohio/api/filings, or ''. */
const registerOf = ({ path }: Route): string => /^\/(ohio|colorado)\//u.exec(path)?.[1] ?? '';

/** The reference has the rest. */
const firstSentence = (about: string): string => /^.*?\.(?=\s|$)/u.exec(about)?.[0] ?? about;

const table = (caption: string, routes: readonly Route[]) =>
  cardTable(
    caption,
    ['What', 'Price', 'You get', 'Next'],
    routes
      .toSorted((a, b) => Number(a.price) - Number(b.price))
      .map((route) => [
        feedName(route.path),
        html`<strong>${route.price === null ? 'free' : `$${route.price}`}</strong>`,
        firstSentence(route.about),
        route.path.includes(':id')
          ? html`<a class="nowrap" href="/report">Example report</a>`
          : route.price === null || route.media !== undefined
            ? html`<a href="${endpointPath(route.name)}">Reference</a>`
            : html`<a class="nowrap" href="/build?call=${route.path}">Build a query</a>`,
      ]),
  );

export const prices: Page = {
  path: '/prices',
  label: 'Prices',
  title: 'Prices',
  cache: 'snapshot',
  about: 'What each list, report and lead costs, what is free, and when you pay nothing.',
  content({ site }) {
    const all = site.routes.filter((route) => registerOf(route) === '');
    const ofRegisters = site.routes.filter((route) => registerOf(route) !== '');
    return html`<h1>Prices</h1>
      <p class="lead">
        You pay for each answer, in USDC on ${site.network.title}. A list costs the same for one record as for 500.
        There is no subscription, no minimum and no account.
      </p>
      ${table(
        'Dollars for each answer',
        all.filter(({ price }) => price !== null),
      )}
      <h2>You pay nothing</h2>
      <ul>
        <li>if nothing matches, or a filter is wrong;</li>
        <li>if we fail to answer, or your payment does not go through;</li>
        <li>for every page of this site, and for what follows.</li>
      </ul>
      ${table(
        'Free',
        all.filter(({ price }) => price === null),
      )}
      <p>The price is part of what your wallet signs, so it cannot change afterwards.</p>
      ${ofRegisters.length > 0 && fold('New businesses of one state', table('One register', ofRegisters))}`;
  },
};
