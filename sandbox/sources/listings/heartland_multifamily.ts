/** Heartland Multifamily: cards that link to one page per listing. A made-up site of the sandbox. */
import { jsonLdListings } from '../../../sources/readers/jsonld.ts';

export default jsonLdListings({
  name: 'heartland_multifamily',
  title: 'Heartland Multifamily (made-up broker of the sandbox)',
  host: 'www.heartland-multifamily.example',
  terms: {
    basis: 'sandbox_only',
    note: 'A made-up site that exists only in the sandbox; nothing on it is real.',
    showPages: 'The site and everything on it are made up.',
  },
  everyDays: 1,
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  list: {
    start: '/listings?page=1',
    card: 'a.listing-card',
    idInPath: /^\/listing\/([^/]+)(?:\/|$)/u,
    type: 'RealEstateListing',
  },
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
    cap_rate: ['about.additionalProperty[Cap Rate]', 'additionalProperty[Cap Rate]'],
    noi: ['about.additionalProperty[Net Operating Income]', 'additionalProperty[Net Operating Income]'],
    floor_plans: ['about.accommodationFloorPlan'],
    annual_taxes: ['about.additionalProperty[Annual Taxes]'],
    year_built: ['about.yearBuilt'],
    property_type: ['about.additionalProperty[Property Type]', 'about.@type'],
    listed_on: ['datePosted'],
  },
});
