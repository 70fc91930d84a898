/** Rows of one snapshot: every promised value of every promised enum, absent values, and the bounds of every filter. */
import { rowOf, type Row } from '../support/snapshot_fixtures.ts';

/** State, city, price, advertised cap rate, units, score and status of a deal. */
type DealLine = readonly [string, string, string | null, string | null, number | null, number, string];

/** The address that a deal, a signal and an auction share. */
const MAIN_STREET = {
  state: 'OH',
  city: 'Cleveland',
  zip: '44113',
  address_key: '1 MAIN ST',
  street_key: 'MAIN ST',
  house_low: 1,
  house_high: 1,
};

const DEALS: readonly (readonly [DealLine, Row])[] = [
  [['OH', 'Cleveland', '100000.00', '5.00', 4, 90, 'Hot'], MAIN_STREET],
  [
    ['OH', 'Akron', '200000.00', '8.50', 8, 80, 'Warm'],
    { noi_source: 'stated', zip: '44702', listed_on: '2026-11-16' },
  ],
  [['IN', 'Indianapolis', '300000.00', '9.00', 12, 70, 'Pass'], { underwrite_reliability: 'proxy_out_of_range' }],
  [
    ['TX', 'San Antonio', null, null, null, 60, 'Hot'],
    {
      address: null,
      address_status: 'hidden_by_source',
      cap_rate_source: 'none',
      noi: null,
      noi_source: null,
      dscr: null,
      dscr_status: 'not_applicable',
      dscr_reason: 'price_missing',
      underwrite_reliability: 'unknown',
      underwrite_reason: 'units_missing',
      price_reduction_pct: null,
    },
  ],
  [
    ['MO', 'St. Louis', '500000.00', '10.00', 20, 50, 'Warm'],
    {
      dscr: null,
      dscr_status: 'insufficient_data',
      dscr_reason: 'noi_missing',
      noi_source: 'underwritten',
      zip: '63101',
      cap_rate_underwritten: '7.00',
      cap_gap_pct: '-1.00',
      listed_on: '2026-11-14',
    },
  ],
  [['MO', 'St. Louis', '500000.00', '12.00', 20, 99, 'Hot'], { listing_status: 'sold' }],
  [['AZ', 'Phoenix', '700000.00', '8.49', 30, 40, 'Pass'], {}],
];

const deal = (i: number, [state, city, price, cap, units, score, status]: DealLine, more: Row): Row =>
  rowOf('deals', i, {
    state,
    city,
    list_price: price,
    cap_rate: cap,
    units,
    deal_score: score,
    rental_status: status,
    dscr: '1.20',
    dscr_status: 'computed',
    market_rent_2br: '1279.00',
    noi_underwritten: '41000.00',
    cap_rate_underwritten: price === null ? null : '6.10',
    cap_gap_pct: price === null || cap === null ? null : '1.30',
    price_reduction_pct: '2.00',
    county: more['zip'] === '63101' ? null : `${more['zip'] === '44702' ? 'Stark' : 'Cuyahoga'} County, OH`,
    ...more,
  });

const COUNTY_CODES: Readonly<Record<string, string>> = {
  'Cuyahoga County, OH': '39035',
  'Stark County, OH': '39151',
};

const signal = (i: number, county: string, amount: string | null, address: string | null, more: Row = {}): Row =>
  rowOf('signals', i, {
    ...more,
    county,
    county_fips: COUNTY_CODES[county],
    state: 'OH',
    amount,
    owner_name: 'OWNER LLC',
    property_kind: more['property_kind'] ?? 'unknown',
    ...(address === null
      ? { has_address: false, address_status: 'pending_parcel_lookup' }
      : { has_address: true, address_status: 'available', address, address_basis: 'tax_list' }),
  });

const TWO_FAMILY = { property_class: '520', property_kind: 'two_to_four', property_kind_basis: 'county_class' };

const auction = (i: number, county: string, day: string, appraised: string | null, more: Row = {}): Row =>
  rowOf('auctions', i, {
    county,
    sale_date: day,
    appraised_value: appraised,
    property_address: `${i} Elm St`,
    city: 'Cleveland',
    state: 'OH',
    opening_bid: '60000.00',
    opening_bid_basis: 'two_thirds_of_appraisal',
    plaintiff: 'A BANK',
    defendant: 'A DEBTOR',
    ...more,
  });

const lead = (i: number, county: string, score: number, more: Row = {}): Row =>
  rowOf('leads', i, {
    county,
    state: 'OH',
    lead_score: score,
    score_rationale: { base: '+20 points, the parcel is on the list' },
    lead_type: 'tax_delinquent',
    property_kind: 'unknown',
    ...more,
  });

/** What an auction lead has and a tax lead does not. */
const SALE = {
  lead_type: 'sheriff_sale_auction',
  auction_type: 'sheriff_sale',
  sale_date: '2026-12-07',
  property_address: '3 Oak St',
  city: 'Cleveland',
  appraised_value: '90000.00',
  opening_bid: '60000.00',
  plaintiff: 'A BANK',
  score_rationale: {
    base: '+25 points, a sheriff sale is scheduled',
    equity_gap: '+4 points, the equity is unknown: no page prints the judgment',
    urgency: '+15 points, the sale is in 17 days',
  },
};

const filing = (i: number, filed: string, more: Row): Row =>
  rowOf('filings', i, { filing_date: filed, naics_status: 'not_collected_by_source', ...more });

/** Tables of the snapshot. */
export const ROWS = {
  deals: DEALS.map(([line, more], i) => deal(i + 1, line, more)),
  reports: DEALS.map((_, i) => rowOf('reports', i + 1)),
  signals: [
    signal(1, 'Cuyahoga County, OH', '500.00', '1 Main St', { ...MAIN_STREET, ...TWO_FAMILY }),
    signal(2, 'Stark County, OH', '9000.10', null, TWO_FAMILY),
    signal(3, 'Cuyahoga County, OH', null, null),
    signal(4, 'Stark County, OH', '700.00', '4 A St', { city: 'Canton', zip: '44702' }),
  ],
  auctions: [
    auction(1, 'Cuyahoga County, OH', '2026-11-19', '90000.00'),
    auction(2, 'Cuyahoga County, OH', '2026-12-03', '90000.00', MAIN_STREET),
    auction(3, 'Stark County, OH', '2026-11-20', '120000.00', { city: 'Canton', zip: '44702' }),
    auction(4, 'Stark County, OH', '2026-12-01', null),
  ],
  leads: [
    lead(1, 'Cuyahoga County, OH', 60, TWO_FAMILY),
    lead(2, 'Stark County, OH', 80, {
      property_class: '401',
      property_kind: 'five_up',
      city: 'Canton',
      zip: '44702',
    }),
    lead(3, 'Cuyahoga County, OH', 70, { ...SALE, ...TWO_FAMILY }),
    lead(4, 'Cuyahoga County, OH', 95, { last_verified: '2026-11-12T23:59:59Z' }),
    lead(5, 'Stark County, OH', 0, { last_verified: '2026-11-13T00:00:00Z', freshness: 'within_7_days' }),
  ],
  filings: [
    filing(1, '2026-11-18', {
      business_name: '100% CITY LLC',
      entity_type: 'domestic_llc',
      entity_type_raw: 'DOMESTIC LIMITED LIABILITY COMPANY',
      registered_agent_name: 'AGENTS INC',
      registered_agent_status: 'available',
      agent_addr1: '1 Agent St',
      agent_city: 'Columbus',
      agent_state: 'OH',
      agent_zip: '43215',
      charter_number: '5000001',
    }),
    filing(2, '2026-11-17', {
      business_name: 'O_FALLON HOMES',
      entity_type: 'other',
      registered_agent_status: 'not_provided_by_source',
    }),
    filing(3, '2026-11-16', {
      business_name: 'OXFALLON HOMES',
      entity_type: 'domestic_llc',
      source: 'colorado_sos',
      registered_agent_name: 'A PERSON',
      source_state: 'CO',
      entity_status: 'Good Standing',
      business_city: 'Denver',
      business_state: 'CO',
      business_zip: '80202',
    }),
    filing(4, '2026-10-02', {
      business_name: 'A\\B LLC',
      entity_type: 'other',
      first_seen: '2026-10-03T12:00:00Z',
      last_seen: '2026-10-03T12:00:00Z',
      registered_agent_status: 'not_provided_by_source',
      naics: '531110',
      naics_status: 'available',
    }),
  ],
};
