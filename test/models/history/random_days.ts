/**
 * Random days of a few made-up sources: whatever a site may show, hide, correct or give another number, with the
 * smallest and the largest figures that staging accepts.
 */
import fc from 'fast-check';
import { INTEGERS, type Range } from '../../../lib/range.ts';
import { DISTRESS_TYPES } from '../../../sources/kinds.ts';
import {
  ABOVE_ZERO,
  APPRAISAL,
  FROM_ZERO,
  LATITUDE,
  LIST_PRICE,
  LONGITUDE,
  LISTED_UNITS,
  MONTHLY_RENT,
  PERCENT,
  UNITS_OF_MIX,
  TAX_OF_LISTING,
  UP_TO_A_BILLION,
  UP_TO_TEN_BILLION,
  YEAR,
  YEARS_OF_DEBT,
} from '../../../sources/ranges.ts';
import { CUYAHOGA, type InputRow } from '../build_models.ts';

/** Figures as most pages print them, and the least and greatest that are accepted. */
const figure = <T extends string | number>([least, most]: Range, ...usual: readonly T[]): fc.Arbitrary<T> =>
  fc.constantFrom(
    ...usual.filter((value) => Number(value) >= Number(least) && Number(value) <= Number(most)),
    least as T,
    most as T,
  );
const money = (range: Range): fc.Arbitrary<string> =>
  figure(range, '-450.00', '0.00', '0.01', '100.00', '2500.50', '90000.00', '450000.00', '12000000.00');

/** Streets that are one property in other words, neighbors of it, or none. */
const street = fc.constantFrom(
  null,
  'Main St',
  '1 Main St',
  '1-3 MAIN STREET',
  '3 Main St',
  '1 Main St Apt 2',
  '12 N Oak Ave',
  '12 Oak Ave North',
  '40 North Ave',
  'Corner of 5th and Oak',
);
const zip = fc.constantFrom(null, '44102', '44102', '44103');
const parcel = fc.constantFrom('001-01-001', '00101001', '001-01-002', '001 01 003', '001-01-004', '001-01-05', 'X');
const day = fc.constantFrom('2019-02-28', '2026-10-30', '2026-11-18', '2026-11-21', '2026-12-04', '2027-01-15');
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { freq: 3, nil: null });
const count = maybe(figure(UNITS_OF_MIX, 0, 1, 2, 3, 4, 5, 6));
const units = maybe(figure(LISTED_UNITS, 1, 2, 3, 4, 6, 8, 12));
const builtIn = maybe(figure(YEAR, 1850, 1925, 1987, 2021, 2026));
const owner = maybe(fc.constantFrom('SMITH JOHN', 'Oak Street LLC', 'CITY OF CLEVELAND', 'SMITH JOHN & MARY'));
const mail = {
  owner_name: owner,
  mail_street: maybe(fc.constantFrom('1 Main St', 'PO Box 7', '900 5th Ave')),
  mail_city: maybe(fc.constantFrom('Cleveland', 'New York')),
  mail_state: maybe(fc.constantFrom('OH', 'NY')),
  mail_zip: maybe(fc.constantFrom('44102', '10001')),
};

const listing = fc.record({
  listing_id: fc.constantFrom('L1', 'L2', 'L3', 'L4'),
  street,
  city: fc.constant('Cleveland'),
  state: fc.constant('OH'),
  zip: fc.constantFrom('44102', '44102', '44103'),
  list_price: maybe(money(LIST_PRICE)),
  units,
  units_1br: count,
  units_2br: count,
  cap_rate: maybe(figure(PERCENT, '0.10', '7.25', '99.00')),
  noi: maybe(money(UP_TO_A_BILLION)),
  annual_taxes: maybe(money(TAX_OF_LISTING)),
  year_built: builtIn,
  property_type: maybe(fc.constantFrom('Multifamily', 'Vacant Land')),
  listed_on: maybe(day),
  availability: fc.constantFrom('for_sale', 'for_sale', 'under_contract', 'sold', 'unknown'),
});

const taxParcel = fc
  .record({
    parcel_raw: parcel,
    street,
    zip,
    amount: maybe(money(UP_TO_A_BILLION)),
    years_delinquent: maybe(figure(YEARS_OF_DEBT, 0, 1, 3, 8, 20)),
    certified_year: maybe(figure(YEAR, 2005, 2019, 2025, 2026)),
    county_value: maybe(money(UP_TO_TEN_BILLION)),
    property_class: maybe(fc.constantFrom('5100', '401', 'RES 4-19', '400')),
    ...mail,
  })
  .map((row) => ({ ...CUYAHOGA, city: 'Cleveland', amount_basis: row.amount === null ? null : 'net', ...row }));

const sale = fc
  .record({
    case_number: fc.constantFrom('CV1', 'CV2', 'CV3', 'CV-1'),
    parcel_raw: maybe(parcel),
    street,
    zip,
    sale_date: day,
    status: fc.constantFrom(
      'scheduled',
      'scheduled',
      'cancelled',
      'withdrawn',
      'postponed',
      'sold',
      'unsold',
      'unknown',
    ),
    sale_kind: fc.constantFrom('mortgage_foreclosure', 'tax_foreclosure', 'other_judgment', 'unknown'),
    sale_round: maybe(fc.constantFrom(1, 2)),
    appraised_value: maybe(money(APPRAISAL)),
    opening_bid: maybe(money(FROM_ZERO)),
    judgment_amount: maybe(money(ABOVE_ZERO)),
    assessed_value: maybe(money(ABOVE_ZERO)),
    plaintiff_max_bid: maybe(money(ABOVE_ZERO)),
    deposit: maybe(money(FROM_ZERO)),
    sold: money(FROM_ZERO),
    item_id: maybe(fc.constantFrom('1', '2')),
  })
  .map(({ sold, ...row }) => ({
    ...CUYAHOGA,
    auction_type: 'sheriff_sale',
    state: 'OH',
    sold_amount: row.status === 'sold' ? sold : null,
    ...row,
  }));

const distress = fc
  .record({
    signal_type: fc.constantFrom(...DISTRESS_TYPES),
    record_number: fc.constantFrom('R1', 'R2', 'R3'),
    parcel_raw: maybe(parcel),
    street,
    zip,
    amount: maybe(money(UP_TO_A_BILLION)),
    filed_on: maybe(day),
    last_activity_on: maybe(day),
    record_state: fc.constantFrom('open', 'open', 'closed', 'unknown'),
    tax_year: maybe(figure(YEAR, 2015, 2024, 2026)),
    ...mail,
  })
  .map((row) => ({ ...CUYAHOGA, amount_basis: row.amount === null ? null : 'lien', ...row }));

const roll = fc
  .record({
    parcel_raw: parcel,
    is_lot: fc.boolean(),
    street,
    city: maybe(fc.constantFrom('Cleveland', 'Lakewood')),
    city_is_municipality: fc.boolean(),
    zip,
    county_value: maybe(money(UP_TO_TEN_BILLION)),
    annual_taxes: maybe(money(UP_TO_A_BILLION)),
    sold: maybe(fc.record({ last_sale_date: day, last_sale_price: maybe(money(UP_TO_TEN_BILLION)) })),
    year_built: builtIn,
    units: maybe(figure(INTEGERS, 1, 2, 3, 4, 6, 8, 12)),
    property_class: maybe(fc.constantFrom('5100', '401', '400')),
    point: maybe(fc.record({ latitude: figure(LATITUDE, '41.48000'), longitude: figure(LONGITUDE, '-81.70000') })),
    ...mail,
  })
  .map(({ sold, point, ...row }) => ({
    ...CUYAHOGA,
    ...row,
    ...sold,
    ...point,
    last_sale_basis: sold === null ? null : 'unknown',
  }));

const registration = fc
  .record({
    document_number: fc.constantFrom('1', '2', '3'),
    business_name_raw: fc.constantFrom('Oak Street LLC', 'Oak Street LLC, Delinquent November 18, 2026', '12 Oak LLC'),
    filing_date: day,
    entity_type_raw: maybe(fc.constantFrom('DLLC', 'FLLC', 'XYZ')),
    entity_status_raw: maybe(fc.constantFrom('Good Standing', 'Delinquent')),
    agent_name: owner,
    agent_addr1: maybe(fc.constantFrom('1 Main St', '900 5th Ave')),
  })
  .map((row) => ({ register: 'colorado_sos', ...row }));

const rent = figure(MONTHLY_RENT, '640.00', '980.00', '1250.00');
const hudArea = { hud_area_code: 'METRO17410N17460', hud_area_name: 'Cleveland, OH', fiscal_year: 2026 };

const areaRents = fc.record({ fmr_0: rent, fmr_1: rent, fmr_2: rent, fmr_3: rent, fmr_4: rent }).map((rents) => ({
  ...hudArea,
  ...rents,
  fips: '3903599999',
  county_fips: '39035',
  county_name: 'Cuyahoga County',
  state: 'OH',
  is_metro: true,
  population: 1_250_000,
  effective_on: '2025-10-01',
  revision: 'original',
}));

/** What each source shows on one day: rows of its record that differ in its key. */
const SOURCES = {
  site: ['listing', listing, ['listing_id'], 4],
  other_site: ['listing', listing, ['listing_id'], 4],
  county: ['tax_parcel', taxParcel, ['parcel_raw'], 5],
  sheriff: ['auction', sale, ['case_number', 'parcel_raw', 'sale_date'], 6],
  city: ['distress_record', distress, ['signal_type', 'record_number', 'parcel_raw'], 6],
  assessor: ['parcel', roll, ['parcel_raw'], 5],
  colorado_sos: ['registration', registration, ['document_number'], 3],
  hud_areas: ['fmr_area', areaRents, ['fips'], 1],
} as const satisfies Record<string, readonly [string, fc.Arbitrary<InputRow>, readonly string[], number]>;
export type Source = keyof typeof SOURCES;
export const sources = Object.keys(SOURCES) as Source[];
export const recordOf = (source: Source): string => SOURCES[source][0];

/** Rows of a source, or null where it cannot be read. */
const shownBy = (source: Source): fc.Arbitrary<readonly InputRow[] | null> => {
  const [, row, key, most] = SOURCES[source];
  const rows = fc.uniqueArray(row as fc.Arbitrary<InputRow>, {
    maxLength: most,
    selector: (made) => JSON.stringify(key.map((column) => made[column])),
  });
  return fc.option(rows, { freq: 6, nil: null });
};

export interface RandomDay {
  /** Days since the run before. */
  readonly gap: number;
  readonly shown: Readonly<Record<Source, readonly InputRow[] | null>>;
  /** A source that the service no longer reads from today on. */
  readonly removed: Source | null;
  /** Share of yesterday's rows that a source shows again as they were, in percent. */
  readonly kept: number;
  /** Leads of the run before, and keys of properties, that are sold, by their positions. */
  readonly sold: readonly number[];
}

export const randomDay: fc.Arbitrary<RandomDay> = fc.record({
  gap: fc.constantFrom(0, 1, 1, 1, 3, 8, 40),
  shown: fc.record(
    Object.fromEntries(sources.map((source) => [source, shownBy(source)])) as Record<
      Source,
      fc.Arbitrary<readonly InputRow[] | null>
    >,
  ),
  removed: fc.option(fc.constantFrom(...sources), { freq: 4 }),
  kept: fc.constantFrom(0, 50, 90),
  sold: fc.array(fc.nat({ max: 10 }), { maxLength: 2 }),
});
