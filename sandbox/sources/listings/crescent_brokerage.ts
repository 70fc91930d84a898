/** Crescent Brokerage: a script in the browser creates its cards. A made-up site of the sandbox. */
import { htmlCardListings } from '../../../sources/readers/html_card_listings.ts';

const place = 'div.where';
const example = 'Detroit, MI 48201';

export default htmlCardListings({
  name: 'crescent_brokerage',
  title: 'Crescent Brokerage (made-up broker of the sandbox whose list is made by a script)',
  host: 'www.crescent-brokerage.example',
  terms: {
    basis: 'sandbox_only',
    note: 'A made-up site that exists only in the sandbox; nothing on it is real.',
    showPages: 'The site and everything on it are made up.',
  },
  everyDays: 1,
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  start: '/deals',
  rendered: '#deals[data-ready]',
  card: '#deals section.deal',
  nothing: '#deals[data-ready="0"]',
  next: 'a.next-deals',
  count: { at: '#count', pattern: /^([\d,]+) deals?$/u },
  fields: {
    listing_id: { attribute: 'data-deal', always: true },
    listing_url: { at: 'a.open', attribute: 'href', always: true },
    street: { at: 'div.street', always: true },
    city: { at: place, pattern: { match: /^(.+), [A-Z]{2} \d{5}$/u, example }, always: true },
    state: { at: place, pattern: { match: /, ([A-Z]{2}) \d{5}$/u, example }, always: true },
    zip: { at: place, pattern: { match: / (\d{5})$/u, example }, always: true },
    list_price: { at: 'div.ask', always: true },
    units: { at: '[data-fact="units"]' },
    cap_rate: { at: '[data-fact="cap"]' },
    noi: { at: '[data-fact="noi"]' },
    unit_mix: { at: '[data-fact="mix"]' },
    annual_taxes: { at: '[data-fact="taxes"]' },
    year_built: { at: '[data-fact="built"]' },
    listed_on: { attribute: 'data-since', always: true },
    availability: { attribute: 'data-standing' },
  },
});
