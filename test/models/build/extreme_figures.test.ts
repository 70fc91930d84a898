/**
 * The least and the greatest figures that staging accepts build in every combination: no ratio of them overflows its
 * column, and no blocking audit finds a row. sources/ranges.ts has the arithmetic.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAssumptions } from '../../../models/assumptions.ts';
import {
  APPRAISAL,
  FROM_ZERO,
  LIST_PRICE,
  LISTED_UNITS,
  MONTHLY_RENT,
  PERCENT,
  UP_TO_A_BILLION,
  UP_TO_TEN_BILLION,
  YEARS_OF_DEBT,
} from '../../../sources/ranges.ts';
import { buildTables, CUYAHOGA, type InputRow } from '../build_models.ts';

const DAY = '2026-11-20';
const NOON = `${DAY}T12:00:00Z`;
const TABLES = ['assumptions', 'auctions', 'deals', 'leads', 'listing_history', 'owners', 'reports', 'signals'];
const COUNTY_SOURCES = ['county', 'sheriff'];
const SOURCES = ['site', 'hud', 'census', ...COUNTY_SOURCES];

const read = (source: string, page_row = 0): InputRow => ({
  source,
  source_url: `https://${source}.example/`,
  page_row,
  observed_at: NOON,
});

/** Every combination of these values. */
const combinations = (fields: Readonly<Record<string, readonly unknown[]>>): readonly InputRow[] =>
  Object.entries(fields).reduce<readonly InputRow[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );

/** A place for each of the extreme rents: a ZIP, its county and its HUD area. */
const PLACES = [
  { zip: '44102', county_fips: '39035', area: 'METRO17410N17460', cbsa: '17410', rent: MONTHLY_RENT[0] },
  { zip: '43215', county_fips: '39049', area: 'METRO18140M18140', cbsa: '18140', rent: MONTHLY_RENT[1] },
] as const;

const street = (index: number): string => `${index + 1} Elm St`;

/** Alabama taxes rentals at twice the rate of homes, the most of all states. */
const listings = combinations({
  list_price: [...LIST_PRICE, null],
  units: LISTED_UNITS,
  noi: [...UP_TO_A_BILLION, null],
  cap_rate: [...PERCENT, null],
  annual_taxes: [UP_TO_A_BILLION[1], null],
  state: ['AL', 'OH'],
  zip: PLACES.map(({ zip }) => zip),
}).map((figures, index) => ({
  ...read('site', index),
  listing_id: `L${index}`,
  street: street(index),
  city: 'Cleveland',
  ...figures,
}));

const debts = combinations({
  amount: UP_TO_A_BILLION,
  county_value: [...UP_TO_TEN_BILLION, '0.01', '1.00', null],
  years_delinquent: YEARS_OF_DEBT,
}).map((figures, index) => ({
  ...read('county', index),
  ...CUYAHOGA,
  parcel_raw: `001-01-${String(index).padStart(3, '0')}`,
  street: street(index),
  city: 'Cleveland',
  zip: '44102',
  owner_name: 'Oak Street LLC',
  amount_basis: 'net',
  ...figures,
}));

const sales = combinations({ appraised_value: [...APPRAISAL, null], opening_bid: [...FROM_ZERO, null] }).map(
  (figures, index) => ({
    ...read('sheriff', index),
    ...CUYAHOGA,
    auction_type: 'sheriff_sale',
    case_number: `CV${index}`,
    street: street(index),
    state: 'OH',
    zip: '44102',
    sale_date: '2026-12-04',
    sale_kind: 'mortgage_foreclosure',
    ...figures,
  }),
);

/** HUD's rents of an area, all of one amount. */
const rents = PLACES.map(({ county_fips, area, rent }): InputRow => ({
  ...read('hud'),
  ...Object.fromEntries([0, 1, 2, 3, 4].map((bedrooms) => [`fmr_${bedrooms}`, rent])),
  hud_area_code: area,
  hud_area_name: `HUD area ${area}`,
  fiscal_year: 2026,
  fips: `${county_fips}99999`,
  county_fips,
  county_name: `County ${county_fips}`,
  state: 'OH',
  is_metro: true,
  population: 1_250_000,
  effective_on: '2025-10-01',
}));

/** The highest tax rate and the least rents that the census's tables can state. */
const census = PLACES.flatMap(({ county_fips, cbsa }) =>
  [
    ['metro', cbsa],
    ['county', county_fips],
  ].map(([geography, area_code]) => ({
    ...read('census'),
    geography,
    area_code,
    area_name: `Area ${area_code}`,
    vintage: 2024,
    median_gross_rent: '3501.00',
    median_contract_rent: '99.00',
    gross_rent_2: '99.00',
    median_tax: '10001.00',
    median_value: '9999.00',
  })),
);

test('the least and greatest figures can be published', async () => {
  const built = await buildTables(
    {
      run: [{ as_of: DAY, observed_at: NOON, assumption_set_id: currentAssumptions().id }],
      source_reads: SOURCES.map((source) => ({
        source,
        every_days: 1,
        status: 'good',
        last_good_at: NOON,
        age_days: 0,
        ...(COUNTY_SOURCES.includes(source) ? CUYAHOGA : {}),
      })),
      staged_listing: listings,
      staged_tax_parcel: debts,
      staged_sheriff_sale: sales,
      staged_fmr_area: rents,
      staged_area_census: census,
    },
    TABLES,
  );
  try {
    assert.deepEqual(built.failed, []);
    const deals = await built.rows('deals');
    assert.equal(deals.length, listings.length);
    assert.deepEqual(new Set(deals.map((deal) => deal['market_rent_2br'])), new Set<unknown>(MONTHLY_RENT));
    assert.equal((await built.rows('signals', 'county_value < 1')).length, 0, 'less than a dollar is no value');
  } finally {
    built.close();
  }
});
