/** /prices: the price of every call, from the table that the payments use. */
import type { Route } from '../../routes/define.ts';
import { cardTable, fold, link } from '../components.ts';
import { html, type Html } from '../html.ts';
import type { Page } from '../page.ts';
import { feedName } from './build/form.ts';
import { endpointPath } from './reference.ts';

const isOfRegister = ({ path }: Route): boolean => /^\/(ohio|colorado)\//u.test(path);

/** The reference has the rest. */
const firstSentence = (about: string): string => /^.*?\.(?=\s|$)/u.exec(about)?.[0] ?? about;

function nextOf({ path, price, media, name }: Route): Html {
  if (path.includes(':id')) return link('/report', 'Example report', { class: 'nowrap' });
  if (price === null || media !== undefined) return link(endpointPath(name), 'Reference');
  return link(`/build?call=${path}`, 'Build a query', { class: 'nowrap' });
}

const table = (caption: string, routes: readonly Route[]): Html =>
  cardTable(
    caption,
    ['What', 'Price', 'You get', 'Next'],
    routes
      .toSorted((a, b) => Number(a.price) - Number(b.price))
      .map((route) => [
        feedName(route.path),
        html`<strong>${route.price === null ? 'free' : `$${route.price}`}</strong>`,
        firstSentence(route.about),
        nextOf(route),
      ]),
  );

export const prices: Page = {
  path: '/prices',
  label: 'Prices',
  title: 'Prices',
  cache: 'snapshot',
  about: 'What each list, report and lead costs, what is free, and when you pay nothing.',
  content({ site }) {
    const all = site.routes.filter((route) => !isOfRegister(route));
    const ofRegisters = site.routes.filter(isOfRegister);
    const [free, priced] = [all.filter(({ price }) => price === null), all.filter(({ price }) => price !== null)];
    return html`<h1>Prices</h1>
      <p class="lead">
        You pay for each answer, in USDC on ${site.network.title}. A list costs the same for one record as for 500. No
        subscription, no minimum, no account.
      </p>
      ${table('Dollars for each answer', priced)}
      <h2>You pay nothing</h2>
      <ul>
        <li>if nothing matches, or a filter is wrong;</li>
        <li>if we fail to answer, or your payment does not go through;</li>
        <li>for every page of this site, and for what follows.</li>
      </ul>
      ${table('Free', free)}
      <p>Your wallet signs the price, so it cannot change afterwards.</p>
      ${ofRegisters.length > 0 && fold('New businesses of one state', table('One register', ofRegisters))}`;
  },
};
