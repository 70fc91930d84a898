/** Listing site B, Lakes & Sunbelt Exchange: search results with one JSON-LD graph that has every field. */
import {
  httpDate,
  page,
  redirect,
  respond,
  withValidators,
  type SandboxRequest,
  type SandboxResponse,
} from '../http.ts';
import { Draw } from '../world/random.ts';
import type { ListingOnDay, WorldDay } from '../world/types.ts';
import { escapeHtml, htmlPage, jsonLd, priceText, wholeDollars } from './html.ts';
import { perDay } from './per_day.ts';
import { bracketText, typesText } from './unit_mixes.ts';

const MAX_PAGE_SIZE = 100;
const ROBOTS = 'User-agent: *\nDisallow: /account\nDisallow: /search?*sort=\n';
const AVAILABILITY = { for_sale: 'InStock', under_contract: 'LimitedAvailability', sold: 'SoldOut' } as const;

const listed = perDay((day): ListingOnDay[] =>
  day.listings
    .filter(({ site }) => site === 'lakes_sunbelt_exchange')
    .sort((a, b) => (a.listingId < b.listingId ? -1 : 1)),
);
const byId = perDay((day) => new Map(listed(day).map((listing) => [listing.listingId, listing])));

const titleOf = (listing: ListingOnDay): string => `${listing.street}, ${listing.city}`;

/** The item of a listing. Sites write the same fact in several forms; a listing always has the same. */
function item(day: WorldDay, listing: ListingOnDay, origin: string): unknown {
  const draw = new Draw(day.world.options.seed, 'page', listing.listingId);
  const asNumber = draw.chance(0.25);
  const saysCall = draw.chance(0.5);
  const unknownUnits = draw.pick([null, null, '0', 'N/A'] as const);
  const asText = draw.chance(0.5);
  const plusFour = draw.chance(0.1) ? `-${draw.int(1000, 9999)}` : '';
  const price =
    listing.price === null
      ? saysCall
        ? { price: 'Call for price' }
        : {}
      : { price: asNumber ? Number(listing.price) : wholeDollars(listing.price) };
  const property = (name: string, value: string | number | null): unknown[] =>
    value === null ? [] : [{ '@type': 'PropertyValue', name, value }];
  const mixText = asText ? typesText : bracketText;
  const units = listing.units === null ? unknownUnits : asText ? String(listing.units) : listing.units;
  return {
    '@type': ['Product', 'Residence'],
    '@id': `${origin}${listing.path}#item`,
    url: `${origin}${listing.path}`,
    sku: listing.listingId,
    name: titleOf(listing),
    datePosted: listing.postedOn,
    address: {
      '@type': 'PostalAddress',
      streetAddress: listing.street,
      addressLocality: listing.city,
      addressRegion: listing.state,
      postalCode: listing.zip + plusFour,
      addressCountry: 'US',
    },
    offers: {
      '@type': 'Offer',
      ...price,
      priceCurrency: 'USD',
      availability: `https://schema.org/${AVAILABILITY[listing.availability]}`,
    },
    additionalProperty: [
      ...property('Units', units),
      ...property('Cap Rate', listing.capRate === null ? null : `${listing.capRate}%`),
      ...property('NOI', listing.noi === null ? null : wholeDollars(listing.noi)),
      ...property('Unit Mix', listing.unitMix === null ? null : mixText(listing.unitMix)),
      ...property('Annual Taxes', listing.annualTaxes === null ? null : wholeDollars(listing.annualTaxes)),
      ...property(
        'Year Built',
        listing.yearBuilt === null ? null : asText ? String(listing.yearBuilt) : listing.yearBuilt,
      ),
    ],
  };
}

const website = (origin: string): unknown => ({
  '@type': 'WebSite',
  '@id': `${origin}/#website`,
  name: 'Lakes & Sunbelt Exchange (made up)',
  url: `${origin}/`,
});

function searchPage(day: WorldDay, request: SandboxRequest): SandboxResponse {
  const origin = `https://${request.publicHost}`;
  const integer = (name: string, byDefault: number): number => {
    const value = Number(request.query.get(name) ?? byDefault);
    return Number.isInteger(value) && value >= 0 ? value : byDefault;
  };
  const type = request.query.get('type') ?? 'multifamily';
  const all = type === 'multifamily' ? listed(day) : [];
  const start = integer('start', 0);
  const count = Math.min(MAX_PAGE_SIZE, Math.max(1, integer('count', 50)));
  const shown = all.slice(start, start + count);
  const graph = {
    '@context': 'https://schema.org',
    '@graph': [
      website(origin),
      {
        '@type': 'ItemList',
        numberOfItems: all.length,
        itemListElement: shown.map((listing, at) => ({
          '@type': 'ListItem',
          position: start + at + 1,
          item: item(day, listing, origin),
        })),
      },
    ],
  };
  const rows = shown.map(
    (listing) => `<li><a href="${listing.path}">${escapeHtml(titleOf(listing))}</a> ${priceText(listing.price)}</li>`,
  );
  return page(
    htmlPage(
      'Search: multifamily',
      `<h1>${all.length} multifamily properties</h1>\n<ul class="results">\n${rows.join('\n')}\n</ul>`,
      jsonLd(graph),
    ),
  );
}

function dealPage(day: WorldDay, request: SandboxRequest, id: string): SandboxResponse | null {
  const listing = byId(day).get(id);
  if (!listing) return null;
  const origin = `https://${request.publicHost}`;
  return page(
    htmlPage(
      titleOf(listing),
      `<h1>${escapeHtml(titleOf(listing))}</h1>\n<p>${priceText(listing.price)}</p>`,
      jsonLd({ '@context': 'https://schema.org', '@graph': [website(origin), item(day, listing, origin)] }),
    ),
  );
}

/** The site's pages. */
export function lakes(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/robots.txt')
    return withValidators(respond(ROBOTS, 'text/plain; charset=utf-8'), httpDate('2026-02-10'));
  if (request.path === '/') return redirect('/search?type=multifamily&start=0&count=50');
  const id = /^\/deal\/([\w-]+)\/?$/u.exec(request.path)?.[1];
  const found =
    request.path === '/search' ? searchPage(day, request) : id === undefined ? null : dealPage(day, request, id);
  return found && withValidators(found, httpDate(day.day));
}
