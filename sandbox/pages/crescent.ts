/** Listing site D, Crescent Brokerage: an empty page whose script fetches the deals and creates the cards. */
import { httpDate, json, page, respond, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import type { ListingOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { htmlPage, priceText, wholeDollars } from './html.ts';
import { perDay } from './per_day.ts';
import { bedsAndBathsText } from './unit_mixes.ts';

const ROBOTS = 'User-agent: *\nDisallow: /track\n';
const STATUS = { for_sale: 'Available', under_contract: 'Under contract', sold: 'Sold' } as const;

const listed = perDay((day): ListingOnDay[] =>
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
    return withValidators(respond(ROBOTS, 'text/plain; charset=utf-8'), httpDate('2026-04-01'));
  if (path === '/track') return respond('', 'image/gif');
  if (path === '/assets/deals.js')
    return withValidators(respond(SCRIPT, 'text/javascript; charset=utf-8'), httpDate('2026-04-01'));
  if (path === '/data/deals.json')
    return withValidators(
      json({ notice: 'SANDBOX: everything here is made up.', deals: listed(day).map(dealOf) }),
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
