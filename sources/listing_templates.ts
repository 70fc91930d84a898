/** Templates of `make listing` for each family: source.ts, cases of pages.json, and a made-up page that it reads. */
import { LOGIN_PAGE, type NewSource } from './new_source.ts';

export interface NewListing {
  readonly name: string;
  readonly title: string;
  /** Host of the site. */
  readonly site: string;
}

export type ListingTemplate = (listing: NewListing) => Omit<NewSource, 'family' | 'name'>;

const SAY_TERMS = 'Say here under which terms the listings may be read and used, and what is unknown about them.';
const MADE_UP = 'The page in this folder is made up: replace it, and compare the result.';

/** The declaration that all families share. */
const declared = ({ name, title }: NewListing, what: string): string => `  name: '${name}',
  title: '${title} (${what})',
  terms: {
    basis: 'permission',
    note: '${SAY_TERMS}',
  },
  everyDays: 1,
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },`;

const POLITENESS = 'politeness: { minIntervalMs: 2000, concurrency: 1 },';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const PLACE = { City: 'Dayton', StateOrProvince: 'OH', PostalCode: '45402' };

const reso: ListingTemplate = (listing) => {
  const page = {
    kind: 'property',
    url: 'https://api.bridgedataoutput.com/api/v2/OData/dataset/Property',
    contentType: 'application/json',
  };
  return {
    source: `/** ${listing.title}: an MLS by RESO Web API. */
import { resoWebApi } from '../../families/reso/adapter.ts';
import { bridge } from '../../families/reso/vendors.ts';

export default resoWebApi({
${declared(listing, 'MLS by RESO Web API')}
  // Page of the MLS on which a person can see what it is.
  home: 'https://${listing.site}/',
  // Preset of the vendor: reso, mlsGrid, bridge, spark or trestle. To change a value, spread it:
  // { ...bridge('dataset'), lacks: ['CapRate'] }. Other values: ../../families/reso/server.ts.
  server: bridge('dataset'),
});
`,
    pages: {
      property: { ...page, file: 'property.json' },
      nothing_listed: { ...page, text: '{"value": []}' },
      cut_off: { ...page, file: 'property.json', cutTo: 200, quarantine: 'malformed_page' },
      keys_renamed: { ...page, text: '{"value": [{"Key": "1", "Status": "Active"}]}', quarantine: 'template_changed' },
      blocked_login_page: { ...page, text: LOGIN_PAGE, quarantine: 'malformed_page' },
    },
    files: {
      'property.json': json({
        value: [
          {
            ListingKey: '1001',
            StandardStatus: 'Active',
            PropertyType: 'Residential Income',
            PropertySubType: 'Duplex',
            ListPrice: 185_000,
            NumberOfUnitsTotal: 2,
            TaxAnnualAmount: 3_412.5,
            StreetNumber: '912',
            StreetName: 'Example',
            StreetSuffix: 'Ave',
            ...PLACE,
            ModificationTimestamp: '2026-11-19T14:03:11Z',
          },
          {
            ListingKey: '1002',
            StandardStatus: 'Pending',
            PropertyType: 'Commercial Sale',
            PropertySubType: 'Multi Family',
            ListPrice: 1_240_000,
            NumberOfUnitsTotal: 24,
            UnparsedAddress: '40 Example St, Dayton, OH 45402',
            ...PLACE,
            ModificationTimestamp: '2026-11-19T14:05:11Z',
          },
        ],
      }),
    },
    record: `property.json: a response of the server with two or three listings, cut out of a page. ${MADE_UP}`,
  };
};

const jsonld: ListingTemplate = (listing) => {
  const url = `https://${listing.site}/listing/1001`;
  const page = { kind: 'detail', url, context: { listing_id: '1001' } };
  const node = {
    '@context': 'https://schema.org',
    '@type': 'RealEstateListing',
    identifier: '1001',
    url,
    datePosted: '2026-10-02',
    offers: { '@type': 'Offer', price: 740_000, priceCurrency: 'USD', availability: 'https://schema.org/InStock' },
    about: {
      '@type': 'ApartmentComplex',
      address: { streetAddress: '12 Example Ave', addressLocality: 'Dayton', addressRegion: 'OH', postalCode: '45402' },
      numberOfAccommodationUnits: 8,
      yearBuilt: 1974,
      additionalProperty: [
        { '@type': 'PropertyValue', name: 'Cap Rate', value: 7.4 },
        { '@type': 'PropertyValue', name: 'Unit Mix', value: '4x1BR, 4x2BR' },
        { '@type': 'PropertyValue', name: 'Annual Taxes', value: '$11,240' },
      ],
    },
  };
  const html = (head: string): string =>
    `<!doctype html>\n<html><head><title>12 Example Ave</title>\n${head}</head><body></body></html>\n`;
  const script = (text: string): string => `<script type="application/ld+json">\n${text}</script>\n`;
  return {
    source: `/** ${listing.title}: a list of cards that link to one page per listing, each with schema.org data. */
import { jsonLdListings } from '../../families/jsonld/adapter.ts';

export default jsonLdListings({
${declared(listing, 'broker')}
  host: '${listing.site}',
  ${POLITENESS}
  // For a site whose list holds every field, use kind: 'item_list' (../../families/jsonld/adapter.ts).
  list: {
    kind: 'cards',
    start: '/listings?page=1',
    card: 'a.listing-card',
    idInPath: /^\\/listing\\/([^/]+)/u,
    type: 'RealEstateListing',
  },
  // Paths into the JSON-LD; the first with a value counts. [] for what the site does not state.
  paths: {
    listing_id: ['identifier'],
    listing_url: ['url'],
    street: ['about.address.streetAddress'],
    city: ['about.address.addressLocality'],
    state: ['about.address.addressRegion'],
    zip: ['about.address.postalCode'],
    list_price: ['offers.price'],
    currency: ['offers.priceCurrency'],
    availability: ['offers.availability'],
    units: ['about.numberOfAccommodationUnits'],
    // The unit mix as text, such as "4x1BR, 4x2BR"; if it is schema.org's floor plans: floor_plans instead.
    unit_mix: ['about.additionalProperty[Unit Mix]'],
    cap_rate: ['about.additionalProperty[Cap Rate]'],
    noi: ['about.additionalProperty[Net Operating Income]'],
    annual_taxes: ['about.additionalProperty[Annual Taxes]'],
    year_built: ['about.yearBuilt'],
    property_type: ['about.@type'],
    listed_on: ['datePosted'],
  },
});
`,
    pages: {
      listing: { ...page, file: 'listing.html' },
      blank: { ...page, text: '', quarantine: 'empty_body' },
      cut_off: { ...page, text: html(script('{"@type": "RealEst')), quarantine: 'malformed_page' },
      other_type: { ...page, text: html(script('{"@type": "Organization"}')), quarantine: 'template_changed' },
      blocked_login_page: { ...page, text: LOGIN_PAGE, quarantine: 'template_changed' },
    },
    files: { 'listing.html': html(script(json(node))) },
    record:
      "listing.html: the page of one listing, with its id in context.listing_id and its address in url. The page's " +
      `source (Ctrl+U) shows the JSON-LD. ${MADE_UP}`,
  };
};

const cards: ListingTemplate = (listing) => {
  const page = { kind: 'cards', url: `https://${listing.site}/properties?page=1` };
  const html = (body: string): string =>
    `<!doctype html>\n<html><head><title>Properties</title></head><body>\n${body}</body></html>\n`;
  const card = (priceClass: string): string => `<article class="property" data-property="1001">
  <h2><a href="/properties/1001">12 Example Ave</a></h2>
  <p class="place">Dayton, OH 45402</p>
  <p class="${priceClass}">$740,000</p>
  <ul><li class="units">8 units</li><li class="mix">4x1BR, 4x2BR</li><li class="cap">7.4% cap</li></ul>
</article>
`;
  const count = '<p class="count">1 properties</p>\n';
  return {
    source: `/** ${listing.title}: listings as HTML cards, without structured data. */
import { htmlCardListings } from '../../families/html_card_listings.ts';

const place = 'p.place';
const example = 'Dayton, OH 45402';

export default htmlCardListings({
${declared(listing, 'broker')}
  host: '${listing.site}',
  ${POLITENESS}
  start: '/properties?page=1',
  // CSS selectors: right-click an element in the browser, Inspect. If a script creates the cards, add \`rendered\`.
  card: 'article.property',
  nothing: 'p.no-results',
  next: 'a[rel="next"]',
  count: { at: 'p.count', pattern: /([\\d,]+) properties/u },
  // \`always\`: every card has the field, so a page without it is a changed template.
  fields: {
    listing_id: { attribute: 'data-property', always: true },
    listing_url: { at: 'h2 a', attribute: 'href', always: true },
    street: { at: 'h2 a', always: true },
    city: { at: place, pattern: { match: /^(.+), [A-Z]{2} \\d{5}$/u, example }, always: true },
    state: { at: place, pattern: { match: /, ([A-Z]{2}) \\d{5}$/u, example }, always: true },
    zip: { at: place, pattern: { match: / (\\d{5})$/u, example }, always: true },
    list_price: { at: 'p.price', always: true },
    units: { at: 'li.units', pattern: { match: /^([\\d,]+) units?$/u, example: '8 units' } },
    unit_mix: { at: 'li.mix' },
    cap_rate: { at: 'li.cap', pattern: { match: /^([\\d.]+%) cap$/u, example: '7.4% cap' } },
  },
});
`,
    pages: {
      cards: { ...page, file: 'cards.html' },
      nothing_listed: { ...page, text: html('<p class="no-results">No properties.</p>\n') },
      cut_off: { ...page, file: 'cards.html', cutTo: 200, quarantine: 'truncated_download' },
      price_renamed: { ...page, text: html(count + card('amount')), quarantine: 'template_changed' },
      blocked_login_page: { ...page, text: LOGIN_PAGE, quarantine: 'template_changed' },
    },
    files: { 'cards.html': html(count + card('price')) },
    record: `cards.html: a page of the list, cut down to two or three cards. ${MADE_UP}`,
  };
};

const file: ListingTemplate = (listing) => {
  const page = { kind: 'csv', url: `file:///drop/${listing.name}/list.csv` };
  const workbook = { kind: 'xlsx', url: `file:///drop/${listing.name}/list.xlsx` };
  return {
    source: `/** ${listing.title}: a list dropped by the operator as a workbook, text, web page or JSON. */
import { defineSource } from '../../contract.ts';
import { listingFiles } from '../../families/listing_files/formats.ts';
import { parseListingFile } from '../../families/listing_files/parse.ts';
import { Listing } from '../../rows/listing.ts';

export default defineSource({
  family: 'listings',
${declared(listing, 'list dropped by the operator')}
  // Page on which a person asks for the list.
  home: 'https://${listing.site}/',
  hosts: [],
  politeness: { minIntervalMs: 0, concurrency: 1 },
  row: Listing,
  drop: listingFiles('under any name'),
  parse: parseListingFile,
});
`,
    pages: {
      list: { ...page, file: 'list.csv' },
      headings_only: { ...page, text: 'Address,City,State,ZIP,Price\n' },
      heading_renamed: { ...page, text: 'Address,City,State,ZIP,Sum\nA,B,OH,45402,1\n', quarantine: 'missing_column' },
      blocked_page_saved_as_a_list: { ...page, text: LOGIN_PAGE, quarantine: 'missing_column' },
      not_a_workbook: { ...workbook, text: '%PDF-1.7\n', quarantine: 'malformed_page' },
    },
    files: {
      'list.csv':
        'Listing ID,Address,City,State,ZIP,Price,Units,1BR,2BR,Cap Rate,Annual Taxes\n' +
        '1001,12 Example Ave,Dayton,OH,45402,"$740,000",8,4,4,7.4%,"$11,240"\n',
    },
    record: `list.csv: two or three rows of the broker's list with its own headings. ${MADE_UP}`,
  };
};

/** Templates by FAMILY. */
export const LISTING_TEMPLATES = { reso, jsonld, cards, file } as const satisfies Readonly<
  Record<string, ListingTemplate>
>;
