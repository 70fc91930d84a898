/**
 * Listing sites made of HTML cards: B, Buckeye Income Property, without structured data, and D, Crescent Brokerage, an
 * empty page whose script fetches the deals and creates the cards.
 */
import { httpDate, json, page, respond, type SandboxRequest, type SandboxResponse, withValidators } from '../http.ts';
import type { ListingOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { bedsAndBathsText, escapeHtml, htmlPage, perDay, priceText, timesText, wholeDollars } from './parts.ts';

const PER_PAGE = 20;
const ROBOTS = 'User-agent: *\nDisallow: /members/\n';
const BADGE = { for_sale: '', under_contract: 'Under contract', sold: 'Sold' } as const;

const listed = perDay((day): ListingOnDay[] =>
  day.listings
    .filter(({ site }) => site === 'buckeye_income_property')
    .sort((a, b) => (a.city === b.city ? (a.listingId < b.listingId ? -1 : 1) : a.city < b.city ? -1 : 1)),
);

function card(listing: ListingOnDay): string {
  const fact = (name: string, text: string | null): string => (text === null ? '' : `<li class="${name}">${text}</li>`);
  const badge = BADGE[listing.availability];
  const facts = [
    fact('units', listing.units === null ? null : listing.units === 1 ? '1 unit' : `${listing.units} units`),
    fact('cap', listing.capRate === null ? null : `${listing.capRate}% cap`),
    fact('noi', listing.noi === null ? null : `NOI ${wholeDollars(listing.noi)}`),
    fact('mix', listing.unitMix === null ? null : timesText(listing.unitMix)),
    fact('taxes', listing.annualTaxes === null ? null : `Taxes ${wholeDollars(listing.annualTaxes)}/yr`),
    fact('built', listing.yearBuilt === null ? null : `Built ${listing.yearBuilt}`),
  ].join('');
  const status = badge === '' ? '' : `\n  <span class="property__status">${badge}</span>`;
  return `<article class="property" data-property="${listing.listingId}">
  <h2><a href="${listing.path}">${escapeHtml(listing.street)}</a></h2>
  <p class="property__place">${escapeHtml(listing.city)}, ${listing.state} ${listing.zip}</p>
  <p class="property__price">${priceText(listing.price)}</p>
  <ul>${facts}</ul>
  <time datetime="${listing.postedOn}">Listed ${listing.postedOn}</time>${status}
</article>`;
}

function listPage(day: WorldDay, number: number): SandboxResponse | null {
  const all = listed(day);
  if (all.length === 0)
    return page(htmlPage('Income property', '<p class="no-results">Nothing is listed at the moment.</p>'));
  const last = Math.ceil(all.length / PER_PAGE);
  if (!Number.isInteger(number) || number < 1 || number > last) return null;
  const from = (number - 1) * PER_PAGE;
  const shown = all.slice(from, from + PER_PAGE);
  const next = number < last ? `<a rel="next" href="/properties?page=${number + 1}">Next</a>` : '';
  const body = [
    '<h1>Income property</h1>',
    `<p class="results-count">Showing ${from + 1}-${from + shown.length} of ${all.length}</p>`,
    ...shown.map(card),
    `<nav class="pages">${next}</nav>`,
  ].join('\n');
  return page(htmlPage(`Income property, page ${number} of ${last}`, body));
}

/** The site's pages. */
export function buckeye(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/robots.txt')
    return withValidators(respond(ROBOTS, 'text/plain; charset=utf-8'), httpDate('2026-03-02'));
  const found = request.path === '/properties' ? listPage(day, Number(request.query.get('page') ?? '1')) : null;
  return found && withValidators(found, httpDate(day.day));
}

const CRESCENT_ROBOTS = 'User-agent: *\nDisallow: /track\n';
const STATUS = { for_sale: 'Available', under_contract: 'Under contract', sold: 'Sold' } as const;

const deals = perDay((day): ListingOnDay[] =>
  day.listings.filter(({ site }) => site === 'crescent_brokerage').sort((a, b) => (a.listingId < b.listingId ? -1 : 1)),
);

/** Runs in the browser. robots.txt disallows the tracker, and the page works without it. */
const SCRIPT = `'use strict';
fetch('/track?page=deals').catch(() => {});
const list = document.getElementById('deals');
const add = (to, tag, name, text) => {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  to.append(element);
  return element;
};
fetch('/data/deals.json').then((answer) => answer.json()).then(({ deals }) => {
  document.getElementById('count').textContent = deals.length + (deals.length === 1 ? ' deal' : ' deals');
  for (const deal of deals) {
    const card = add(list, 'section', 'deal', '');
    card.dataset.deal = deal.id;
    card.dataset.since = deal.since;
    card.dataset.standing = deal.standing;
    add(card, 'div', 'street', deal.street);
    add(card, 'div', 'where', deal.where);
    add(card, 'div', 'ask', deal.ask);
    for (const [name, text] of Object.entries(deal.facts)) add(card, 'span', 'fact', text).dataset.fact = name;
    add(card, 'a', 'open', 'Open').setAttribute('href', deal.path);
  }
  list.dataset.ready = String(deals.length);
});
`;

const facts = (listing: ListingOnDay): Record<string, string> =>
  Object.fromEntries(
    [
      ['units', listing.units === null ? null : String(listing.units)],
      ['cap', listing.capRate === null ? null : `${listing.capRate}%`],
      ['noi', listing.noi === null ? null : wholeDollars(listing.noi)],
      ['mix', listing.unitMix === null ? null : bedsAndBathsText(listing.unitMix)],
      ['taxes', listing.annualTaxes === null ? null : wholeDollars(listing.annualTaxes)],
      ['built', listing.yearBuilt === null ? null : String(listing.yearBuilt)],
    ].filter((fact): fact is [string, string] => typeof fact[1] === 'string'),
  );

const dealOf = (listing: ListingOnDay): unknown => ({
  id: listing.listingId,
  path: listing.path,
  since: listing.postedOn,
  standing: STATUS[listing.availability],
  street: listing.street,
  where: `${listing.city}, ${listing.state} ${listing.zip}`,
  ask: priceText(listing.price),
  facts: facts(listing),
});

/** The site's pages. */
export function crescent(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  const { path } = request;
  if (path === '/robots.txt')
    return withValidators(respond(CRESCENT_ROBOTS, 'text/plain; charset=utf-8'), httpDate('2026-04-01'));
  if (path === '/track') return respond('', 'image/gif');
  if (path === '/assets/deals.js')
    return withValidators(respond(SCRIPT, 'text/javascript; charset=utf-8'), httpDate('2026-04-01'));
  if (path === '/data/deals.json')
    return withValidators(
      json({ notice: 'SANDBOX: everything here is made up.', deals: deals(day).map(dealOf) }),
      httpDate(day.day),
    );
  if (path === '/deals') {
    return withValidators(
      page(
        htmlPage(
          'Deals',
          '<h1>Deals</h1>\n<p id="count"></p>\n<div id="deals"></div>',
          '<script src="/assets/deals.js" defer></script>\n',
        ),
      ),
      httpDate('2026-04-01'),
    );
  }
  return null;
}
