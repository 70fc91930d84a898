/** Lakes & Sunbelt Exchange: search results in one ItemList with every field. A made-up site of the sandbox. */
import { jsonLdListings } from '../../families/jsonld/adapter.ts';

export default jsonLdListings({
  name: 'lakes_sunbelt_exchange',
  title: 'Lakes & Sunbelt Exchange (made-up broker of the sandbox)',
  host: 'www.lakes-sunbelt-exchange.example',
  terms: {
    basis: 'sandbox_only',
    note: 'A made-up site that exists only in the sandbox; nothing on it is real.',
    showPages: 'The site and everything on it are made up.',
  },
  everyDays: 1,
  politeness: { minIntervalMs: 1000, concurrency: 1 },
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  list: {
    kind: 'item_list',
    start: '/search?type=multifamily&start=0&count=50',
    offset: 'start',
    count: 'count',
    type: 'Residence',
  },
  paths: {
    listing_id: ['sku'],
    listing_url: ['url', '@id'],
    street: ['address.streetAddress'],
    city: ['address.addressLocality'],
    state: ['address.addressRegion'],
    zip: ['address.postalCode'],
    list_price: ['offers.price'],
    currency: ['offers.priceCurrency'],
    availability: ['offers.availability'],
    units: ['additionalProperty[Units]'],
    cap_rate: ['additionalProperty[Cap Rate]'],
    noi: ['additionalProperty[NOI]'],
    unit_mix: ['additionalProperty[Unit Mix]'],
    annual_taxes: ['additionalProperty[Annual Taxes]'],
    year_built: ['additionalProperty[Year Built]'],
    property_type: ['additionalProperty[Property Type]'],
    listed_on: ['datePosted'],
  },
});
