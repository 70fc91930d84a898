/** /deals: the free deals and their filters. /deals/<id>: one of them, and what its report adds. */
import { Problem } from '../../http/problem.ts';
import { above, link, list, outcome } from '../components.ts';
import {
  DEALS_PRICE,
  dealList,
  dealPath,
  factsOf,
  filtered,
  freeDeals,
  REPORT_PRICE,
  scoreOf,
  streetOf,
  type FreeDeal,
} from '../deal_cards.ts';
import { count, countText, dollars } from '../format.ts';
import { html } from '../html.ts';
import { METROS_PATH, pathOf } from '../map/metros.ts';
import type { Page, PageContext } from '../page.ts';

export const deals: Page = {
  path: '/deals',
  label: 'Deals',
  title: 'Small apartment buildings for sale, best scores first',
  cache: 'none',
  about: 'The fifty best small multifamily deals by score, free: address, asking price, units, advertised cap rate.',
  async content(context) {
    const all = await freeDeals(context);
    const total = count(context.meta.coverage.active_records);
    const { form, found, query } = await filtered('/deals', all, context);
    const none = outcome('thin', `None of these matches. The list below filters all ${total.text} deals.`);
    return html`<h1>The ${countText(all.length)} best deals, free</h1>
      <p class="lead">
        Of ${total} small apartment buildings for sale, these score highest. ${link(METROS_PATH, 'See them on a map')},
        or filter them here.
      </p>
      ${form}
      ${
        found.length === 0
          ? none
          : html`<h2 id="list">${countText(found.length)} ${found.length === 1 ? 'deal' : 'deals'}</h2>
              ${dealList(found)}`
      }
      <section class="panel">
        <h2>All ${total} deals</h2>
        <p>
          A list has up to 500 of them, each with the income that rents support, the cap rate and debt coverage that
          follow, the gap to the broker’s claim, and distress at the address.
        </p>
        <p class="actions">
          ${link(`/build?call=/api/deals${query}`, `Choose a list, ${DEALS_PRICE}`, { class: 'button' })}
        </p>
      </section>
      <p class="small">For programs: <a href="/api/deals/ids">the same fifty as JSON</a></p>`;
  },
};

/** What a report adds to the free figures of a deal. */
const REPORT_ADDS = [
  'What to offer: a range that meets your yield, debt coverage and cash',
  'Income from local rents, expenses line by line, and the tax after the sale',
  'The broker’s claim, and why ours differs',
  'What if rents, rates or the price differ',
  'Tax debts, liens, code cases and sales at the address',
  'A formula and a source for every figure',
];

/** @throws Problem if it is none of the free ones */
async function freeDeal(context: PageContext): Promise<FreeDeal> {
  const deal = (await freeDeals(context)).find(({ record }) => record.id === context.path['id']);
  if (!deal) throw new Problem('unknown_deal', 'This deal is not among the fifty that are free today.');
  return deal;
}

export const dealPage: Page = {
  path: dealPath(':id'),
  title: 'A deal',
  cache: 'none',
  about: 'One of the fifty free deals.',
  async headOf(context) {
    const deal = await freeDeal(context);
    const title = `${streetOf(deal)}, ${deal.record.city ?? ''}`;
    return { title, about: factsOf(deal), path: dealPath(deal.record.id) };
  },
  async content(context) {
    const deal = await freeDeal(context);
    const { id, city, state, list_price: price, report_status: status } = deal.record;
    const button = { class: 'button', rel: 'nofollow' };
    const buy = html`<p class="actions">
      ${link(`/api/deals/${id}/report`, `Buy the report, ${REPORT_PRICE}`, button)} <a href="/report">See an example</a>
    </p>`;
    const none = outcome('thin', 'There is no report: the listing says too little to compute an income.');
    return html`${deal.metro && above(pathOf(deal.metro), deal.metro.name)}
      <h1>${streetOf(deal)}</h1>
      <div class="split">
        <section class="panel one-deal">
          <p class="price">${dollars(price)} ${scoreOf(deal)}</p>
          <p>${city}, ${state}<br />${factsOf(deal)}</p>
          <p class="small">The score weighs yield, debt coverage and distress. <a href="/scores">How it is made</a></p>
        </section>
        <section class="panel">
          <h2>What the report adds</h2>
          ${list(REPORT_ADDS)} ${status === 'available' ? buy : none}
        </section>
      </div>`;
  },
};
