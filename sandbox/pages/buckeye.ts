/** Listing site B, Buckeye Income Property: plain HTML cards without structured data. */
import { httpDate, page, respond, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import type { ListingOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { escapeHtml, htmlPage, priceText, wholeDollars } from './html.ts';
import { perDay } from './per_day.ts';
import { timesText } from './unit_mixes.ts';

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
