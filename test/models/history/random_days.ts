/**
 * Random days of a few made-up sources: whatever a record of staging may hold, with the smallest and the largest
 * figures that it accepts, at a few places that are one property in other words, neighbors of it, or none.
 */
import fc from 'fast-check';
import type { Column } from '../../../lib/record.ts';
import { loadRowRecords } from '../../../sources/index.ts';
import { CUYAHOGA, type InputRow } from '../build_models.ts';

/** Texts that models read, by column. Other texts are left out. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  listing_id: ['L1', 'L2', 'L3', 'L4'],
  case_number: ['CV1', 'CV2', 'CV3', 'CV-1'],
  item_id: ['1', '2'],
  record_number: ['R1', 'R2', 'R3'],
  document_number: ['1', '2', '3'],
  parcel_raw: ['001-01-001', '00101001', '001-01-002', '001 01 003', '001-01-004', '001-01-05', 'X'],
  street: [
    'Main St',
    '1 Main St',
    '1-3 MAIN STREET',
    '3 Main St',
    '1 Main St Apt 2',
    '12 N Oak Ave',
    '12 Oak Ave North',
    '40 North Ave',
    'Corner of 5th and Oak',
  ],
  city: ['Cleveland', 'Cleveland', 'Lakewood'],
  zip: ['44102', '44102', '44103'],
  property_type: ['Multifamily', 'Vacant Land'],
  property_class: ['5100', '401', 'RES 4-19', '400'],
  owner_name: ['SMITH JOHN', 'Oak Street LLC', 'CITY OF CLEVELAND', 'SMITH JOHN & MARY'],
  mail_street: ['1 Main St', 'PO Box 7', '900 5th Ave'],
  mail_city: ['Cleveland', 'New York'],
  mail_state: ['OH', 'NY'],
  mail_zip: ['44102', '10001'],
  business_name_raw: ['Oak Street LLC', 'Oak Street LLC, Delinquent November 18, 2026', '12 Oak LLC'],
  entity_type_raw: ['DLLC', 'FLLC', 'XYZ'],
  entity_status_raw: ['Good Standing', 'Delinquent'],
  agent_name: ['SMITH JOHN', 'Oak Street LLC'],
  agent_addr1: ['1 Main St', '900 5th Ave'],
};
/** Values as most pages print them, by kind. */
const USUAL: Readonly<Partial<Record<Column['kind'], readonly unknown[]>>> = {
  money: ['-450.00', '0.00', '0.01', '100.00', '2500.50', '90000.00', '450000.00', '12000000.00'],
  percent: ['0.10', '7.25', '99.00'],
  degrees: ['41.48000', '-81.70000'],
  integer: [0, 1, 2, 3, 4, 6, 8, 12, 1850, 1987, 2019, 2025, 2026],
  date: ['2019-02-28', '2026-10-30', '2026-11-18', '2026-11-21', '2026-12-04', '2027-01-15'],
  flag: [true, false],
};

/** Values of a column: usual ones, and the least and the greatest that is accepted. */
function valuesOf({ name, kind, values, range }: Column): readonly unknown[] {
  const usual = TEXTS[name] ?? values ?? USUAL[kind] ?? [];
  if (range === undefined) return usual;
  const [least, most] = range;
  return [...usual.filter((value) => Number(value) >= Number(least) && Number(value) <= Number(most)), least, most];
}

/** A row as a reader makes it: no basis without its amount, no price without a sale, and a point has two figures. */
function consistent(row: InputRow): InputRow {
  const without = (isMissing: boolean, ...names: readonly string[]): InputRow =>
    isMissing ? Object.fromEntries(names.flatMap((name) => (name in row ? [[name, null]] : []))) : {};
  return {
    ...row,
    ...without(row['amount'] === null, 'amount_basis'),
    ...without(row['status'] !== 'sold', 'sold_amount'),
    ...without(row['last_sale_date'] === null, 'last_sale_price', 'last_sale_basis'),
    ...without(row['latitude'] === null || row['longitude'] === null, 'latitude', 'longitude'),
  };
}

const HUD_AREA = {
  fips: '3903599999',
  county_fips: '39035',
  county_name: 'Cuyahoga County',
  state: 'OH',
  hud_area_code: 'METRO17410N17460',
  hud_area_name: 'Cleveland, OH',
  is_metro: true,
  population: 1_250_000,
  fiscal_year: 2026,
  effective_on: '2025-10-01',
  revision: 'original',
};

/** What each source shows on one day: its record, the values that are always the same, its key, and most rows. */
const SOURCES = {
  site: ['listing', { state: 'OH' }, ['listing_id'], 4],
  other_site: ['listing', { state: 'OH' }, ['listing_id'], 4],
  county: ['tax_parcel', { ...CUYAHOGA, amount_basis: 'net' }, ['parcel_raw'], 5],
  sheriff: [
    'auction',
    { ...CUYAHOGA, auction_type: 'sheriff_sale', state: 'OH' },
    ['case_number', 'parcel_raw', 'sale_date'],
    6,
  ],
  city: ['distress_record', { ...CUYAHOGA, amount_basis: 'lien' }, ['signal_type', 'record_number', 'parcel_raw'], 6],
  assessor: ['parcel', { ...CUYAHOGA, last_sale_basis: 'unknown' }, ['parcel_raw'], 5],
  colorado_sos: ['registration', { register: 'colorado_sos' }, ['document_number'], 3],
  hud_areas: ['fmr_area', HUD_AREA, ['fips'], 1],
} as const satisfies Record<string, readonly [string, InputRow, readonly string[], number]>;
export type Source = keyof typeof SOURCES;
export const sources = Object.keys(SOURCES) as Source[];
export const recordOf = (source: Source): string => SOURCES[source][0];

const records = new Map((await loadRowRecords()).map((record) => [record.name, record]));

/** Rows of a source, or null where it cannot be read. */
function shownBy(source: Source): fc.Arbitrary<readonly InputRow[] | null> {
  const [name, fixed, key, most] = SOURCES[source];
  const columns = (records.get(name)?.columns ?? []).filter((column) => !(column.name in fixed));
  const drawn = columns.flatMap((column) => {
    const values = valuesOf(column);
    if (values.length === 0) return [];
    const value = fc.constantFrom(...values);
    return [[column.name, column.absent === undefined ? value : fc.option(value, { freq: 3, nil: null })] as const];
  });
  const row = fc.record(Object.fromEntries(drawn)).map((values) => consistent({ ...values, ...fixed }));
  const rows = fc.uniqueArray(row, {
    maxLength: most,
    selector: (made) => JSON.stringify(key.map((column) => made[column])),
  });
  return fc.option(rows, { freq: 6, nil: null });
}

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
