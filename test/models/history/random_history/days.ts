/** Random days of a few made-up sources: whatever a site may show, hide, correct or give another number. */
import fc from 'fast-check';
import { DISTRESS_TYPES } from '../../../../sources/kinds.ts';
import type { InputRow } from '../../build_models.ts';

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
const money = fc.constantFrom('0.01', '100.00', '2500.50', '90000.00', '450000.00', '12000000.00');
const day = fc.constantFrom('2019-02-28', '2026-10-30', '2026-11-18', '2026-11-21', '2026-12-04', '2027-01-15');
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { freq: 3, nil: null });
const count = maybe(fc.integer({ min: 0, max: 6 }));
const owner = maybe(fc.constantFrom('SMITH JOHN', 'Oak Street LLC', 'CITY OF CLEVELAND', 'SMITH JOHN & MARY'));
const cuyahoga = { county_fips: '39035', county: 'Cuyahoga County, OH' };
const mail = {
  owner_name: owner,
  mail_street: maybe(fc.constantFrom('1 Main St', 'PO Box 7', '900 5th Ave')),
  mail_city: maybe(fc.constantFrom('Cleveland', 'New York')),
  mail_state: maybe(fc.constantFrom('OH', 'NY')),
  mail_zip: maybe(fc.constantFrom('44102', '10001')),
};

const listing = fc.record({
  listing_id: fc.constantFrom('L1', 'L2', 'L3', 'L4'),
  listing_url: fc.constant('https://site.example/'),
  street,
  city: fc.constant('Cleveland'),
  state: fc.constant('OH'),
  zip: fc.constantFrom('44102', '44102', '44103'),
  list_price: maybe(money),
  units: maybe(fc.integer({ min: 1, max: 12 })),
  units_1br: count,
  units_2br: count,
  cap_rate: maybe(fc.constantFrom('0.10', '7.25', '99.00')),
  noi: maybe(money),
  annual_taxes: maybe(money),
  year_built: maybe(fc.integer({ min: 1850, max: 2026 })),
  property_type: maybe(fc.constantFrom('Multifamily', 'Vacant Land')),
  listed_on: maybe(day),
  availability: fc.constantFrom('for_sale', 'for_sale', 'under_contract', 'sold', 'unknown'),
});

const taxParcel = fc
  .record({
    parcel_raw: parcel,
    street,
    zip,
    amount: maybe(money),
    years_delinquent: maybe(fc.integer({ min: 0, max: 20 })),
    certified_year: maybe(fc.integer({ min: 2005, max: 2026 })),
    county_value: maybe(money),
    property_class: maybe(fc.constantFrom('5100', '401', 'RES 4-19', '400')),
    ...mail,
  })
  .map((row) => ({ ...cuyahoga, city: 'Cleveland', amount_basis: row.amount === null ? null : 'net', ...row }));

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
    appraised_value: maybe(money),
    opening_bid: maybe(money),
    judgment_amount: maybe(money),
    item_id: maybe(fc.constantFrom('1', '2')),
  })
  .map((row) => ({
    ...cuyahoga,
    auction_type: 'sheriff_sale',
    state: 'OH',
    sold_amount: row.status === 'sold' ? '70000.00' : null,
    ...row,
  }));

const distress = fc
  .record({
    signal_type: fc.constantFrom(...DISTRESS_TYPES),
    record_number: fc.constantFrom('R1', 'R2', 'R3'),
    parcel_raw: maybe(parcel),
    street,
    zip,
    amount: maybe(money),
    filed_on: maybe(day),
    last_activity_on: maybe(day),
    record_state: fc.constantFrom('open', 'open', 'closed', 'unknown'),
    tax_year: maybe(fc.integer({ min: 2015, max: 2026 })),
    ...mail,
  })
  .map((row) => ({ ...cuyahoga, amount_basis: row.amount === null ? null : 'lien', ...row }));

const roll = fc
  .record({
    parcel_raw: parcel,
    is_lot: fc.boolean(),
    street,
    city: maybe(fc.constantFrom('Cleveland', 'Lakewood')),
    city_is_municipality: fc.boolean(),
    zip,
    county_value: maybe(money),
    annual_taxes: maybe(money),
    sold: maybe(fc.record({ last_sale_date: day, last_sale_price: maybe(money) })),
    year_built: maybe(fc.integer({ min: 1850, max: 2026 })),
    units: maybe(fc.integer({ min: 1, max: 12 })),
    property_class: maybe(fc.constantFrom('5100', '401', '400')),
    point: maybe(fc.constantFrom({ latitude: '41.48000', longitude: '-81.70000' })),
    ...mail,
  })
  .map(({ sold, point, ...row }) => ({
    ...cuyahoga,
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

/** What each source shows on one day: rows of its record that differ in its key. */
const SOURCES = {
  site: ['listing', listing, ['listing_id'], 4],
  other_site: ['listing', listing, ['listing_id'], 4],
  county: ['tax_parcel', taxParcel, ['parcel_raw'], 5],
  sheriff: ['sheriff_sale', sale, ['case_number', 'parcel_raw', 'sale_date'], 6],
  city: ['distress_record', distress, ['signal_type', 'record_number', 'parcel_raw'], 6],
  assessor: ['parcel', roll, ['parcel_raw'], 5],
  colorado_sos: ['registration', registration, ['document_number'], 3],
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
