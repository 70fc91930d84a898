/** Listing site A, Heartland Multifamily: cards that link to a page per listing, with one JSON-LD script each. */
import {
  page,
  redirect,
  respond,
  httpDate,
  withValidators,
  type SandboxRequest,
  type SandboxResponse,
} from '../http.ts';
import { Draw } from '../world/random.ts';
import type { ListingOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { escapeHtml, floorPlans, htmlPage, jsonLd, perDay, priceText } from './parts.ts';

const PER_PAGE = 25;
const ROBOTS = 'User-agent: *\nCrawl-delay: 1\nDisallow: /admin\n';
const AVAILABILITY = { for_sale: 'InStock', under_contract: 'LimitedAvailability', sold: 'SoldOut' } as const;

/** Newest first, as the site sorts them. */
const listed = perDay((day): ListingOnDay[] =>
  day.listings
    .filter(({ site }) => site === 'heartland_multifamily')
    .sort((a, b) =>
      a.postedOn === b.postedOn ? (a.listingId < b.listingId ? -1 : 1) : a.postedOn < b.postedOn ? 1 : -1,
    ),
);
const byId = perDay((day) => new Map(listed(day).map((listing) => [listing.listingId, listing])));

const titleOf = ({ units, city, state }: ListingOnDay): string =>
  [units === null ? 'Apartment building' : `${units}-unit building`, city, state].join(', ');

const card = (listing: ListingOnDay): string => `<a class="listing-card" href="${listing.path}">
  <h3>${escapeHtml(titleOf(listing))}</h3>
  <span class="street">${escapeHtml(listing.street)}</span>
  <span class="price">${priceText(listing.price)}</span>
</a>`;

function indexPage(day: WorldDay, number: number): SandboxResponse | null {
  const all = listed(day);
  const last = Math.max(1, Math.ceil(all.length / PER_PAGE));
  if (!Number.isInteger(number) || number < 1 || number > last) return null;
  const link = (rel: string, to: number): string => `<link rel="${rel}" href="/listings?page=${to}">\n`;
  const body = [
    '<h1>Multifamily for sale</h1>',
    `<p class="count">${all.length} listings</p>`,
    '<div class="cards">',
    all
      .slice((number - 1) * PER_PAGE, number * PER_PAGE)
      .map(card)
      .join('\n'),
    '</div>',
  ].join('\n');
  return page(
    htmlPage(
      `Multifamily for sale, page ${number} of ${last}`,
      body,
      (number > 1 ? link('prev', number - 1) : '') + (number < last ? link('next', number + 1) : ''),
    ),
  );
}

/** The listing's JSON-LD. Sites write the same fact in several forms; a listing always has the same. */
function structuredData(day: WorldDay, listing: ListingOnDay, url: string): unknown {
  const draw = new Draw(day.world.options.seed, 'page', listing.listingId);
  const asText = draw.chance(0.2);
  const bareUnits = draw.chance(0.25);
  const zeroUnits = draw.chance(0.3);
  const plusFour = draw.chance(0.08) ? `-${draw.int(1000, 9999)}` : '';
  const price = listing.price === null ? null : Number(listing.price);
  const units = listing.units ?? (zeroUnits ? 0 : null);
  const property = (name: string, value: string | null, unitText: string): unknown[] =>
    value === null ? [] : [{ '@type': 'PropertyValue', name, value: Number(value), unitText }];
  return {
    '@context': 'https://schema.org',
    '@type': 'RealEstateListing',
    name: titleOf(listing),
    url,
    identifier: listing.listingId,
    datePosted: listing.postedOn,
    offers: {
      '@type': 'Offer',
      ...(price === null ? {} : { price: asText ? String(price) : price }),
      priceCurrency: 'USD',
      availability: `https://schema.org/${AVAILABILITY[listing.availability]}`,
    },
    about: {
      '@type': 'ApartmentComplex',
      address: {
        '@type': 'PostalAddress',
        streetAddress: listing.street,
        addressLocality: listing.city,
        addressRegion: listing.state,
        postalCode: listing.zip + plusFour,
      },
      ...(units === null
        ? {}
        : { numberOfAccommodationUnits: bareUnits ? units : { '@type': 'QuantitativeValue', value: units } }),
      ...(listing.yearBuilt === null ? {} : { yearBuilt: listing.yearBuilt }),
      ...(listing.unitMix === null ? {} : { accommodationFloorPlan: floorPlans(listing.unitMix) }),
      additionalProperty: [
        ...property('Cap Rate', listing.capRate, 'PERCENT'),
        ...property('Net Operating Income', listing.noi, 'USD'),
        ...property('Annual Taxes', listing.annualTaxes, 'USD'),
      ],
    },
  };
}

function detailPage(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  const id = /^\/listing\/([^/]+)(?:\/|$)/u.exec(request.path)?.[1];
  if (id === undefined) return null;
  const listing = byId(day).get(id);
  if (!listing) return null;
  if (request.path !== listing.path) return redirect(listing.path, 301);
  const url = `https://${request.publicHost}${listing.path}`;
  const facts = [
    ['Price', priceText(listing.price)],
    ['Units', listing.units === null ? 'not stated' : String(listing.units)],
    ['Built', listing.yearBuilt === null ? 'not stated' : String(listing.yearBuilt)],
    ['Cap rate', listing.capRate === null ? 'not stated' : `${Number(listing.capRate)}%`],
  ]
    .map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`)
    .join('');
  const address = `${listing.street}, ${listing.city}, ${listing.state} ${listing.zip}`;
  return page(
    htmlPage(
      titleOf(listing),
      `<h1>${escapeHtml(titleOf(listing))}</h1>\n<p>${escapeHtml(address)}</p>\n<dl>${facts}</dl>`,
      jsonLd(structuredData(day, listing, url)),
    ),
  );
}

/** The site's pages. */
export function heartland(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/robots.txt')
    return withValidators(respond(ROBOTS, 'text/plain; charset=utf-8'), httpDate('2026-01-05'));
  const found =
    request.path === '/listings' ? indexPage(day, Number(request.query.get('page') ?? '1')) : detailPage(day, request);
  return found?.status === 200 ? withValidators(found, httpDate(day.day)) : found;
}
