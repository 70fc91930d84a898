/** Buckeye Income Property: listings as HTML cards. A made-up site of the sandbox. */
import { htmlCardListings } from '../../../sources/readers/html_card_listings.ts';

const place = 'p.property__place';
const example = 'Cleveland, OH 44102';

export default htmlCardListings({
  name: 'buckeye_income_property',
  title: 'Buckeye Income Property (made-up broker of the sandbox)',
  host: 'www.buckeye-income-property.example',
  terms: {
    basis: 'sandbox_only',
    note: 'A made-up site that exists only in the sandbox; nothing on it is real.',
    showPages: 'The site and everything on it are made up.',
  },
  everyDays: 1,
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  start: '/properties?page=1',
  card: 'article.property',
  nothing: 'p.no-results',
  next: 'nav.pages a[rel="next"]',
  count: { at: 'p.results-count', pattern: /of ([\d,]+)/u },
  fields: {
    listing_id: { attribute: 'data-property', always: true },
    listing_url: { at: 'h2 a', attribute: 'href', always: true },
    street: { at: 'h2 a', always: true },
    city: { at: place, pattern: { match: /^(.+), [A-Z]{2} \d{5}$/u, example }, always: true },
    state: { at: place, pattern: { match: /, ([A-Z]{2}) \d{5}$/u, example }, always: true },
    zip: { at: place, pattern: { match: / (\d{5})$/u, example }, always: true },
    list_price: { at: 'p.property__price', always: true },
    units: { at: 'li.units', pattern: { match: /^([\d,]+) units?$/u, example: '12 units' } },
    cap_rate: { at: 'li.cap', pattern: { match: /^([\d.]+%) cap$/u, example: '7.25% cap' } },
    noi: { at: 'li.noi', pattern: { match: /^NOI (\$[\d,]+)$/u, example: 'NOI $48,000' } },
    unit_mix: { at: 'li.mix' },
    annual_taxes: { at: 'li.taxes', pattern: { match: /^Taxes (.+)$/u, example: 'Taxes $4,312/yr' } },
    year_built: { at: 'li.built', pattern: { match: /^Built (\d{4})$/u, example: 'Built 1962' } },
    listed_on: { at: 'time', attribute: 'datetime', always: true },
    availability: { at: 'span.property__status' },
  },
});
