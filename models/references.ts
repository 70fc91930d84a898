/** The reference tables: facts that no source publishes in a usable form, each a CSV file of models/reference. */
import { join } from 'node:path';
import { createTable } from '../lib/record.ts';
import { identifier, literal } from '../lib/sql.ts';

/** The loans of the table: rates in whole hundredths of a percent (200n is 2.00 %), and years. */
export const LOAN_RATES = { least: 200n, most: 1500n } as const;
export const LOAN_YEARS = [20, 25, 30] as const;

export const TAX_AT_SALE = ['uncapped', 'valued_yearly', 'price_may_count', 'not_reset'] as const;

/** Orders of values in the calibrated files. `any` is all properties of a size, also of unknown year. */
export const ORDERS: Readonly<Record<string, readonly string[]>> = {
  size: ['2_4', '5_12', '13_24', '25_49', '50_up'],
  vintage: ['before_1960', '1960_1999', 'from_2000', 'any'],
  line: ['repairs', 'owner_utilities', 'insurance', 'payroll', 'grounds', 'security', 'professional', 'other'],
};

/** By the name of the file: the columns of its key, and all columns; one with a question mark may be null. */
const TABLES: Readonly<Record<string, readonly [key: string, columns: string]>> = {
  // ZIPs and the HUD areas that they overlap, from HUD's rents by ZIP of fiscal year 2024 (a US government work), with
  // the current code of Cleveland's area. ZIPs opened since then, and of post office boxes, are missing.
  hud_zips: ['zip, hud_area_code', 'zip VARCHAR, hud_area_code VARCHAR'],
  // ZIPs that the sources of a county cover, or the first three digits of its own postal area. It decides only whether
  // "none found" has a meaning, and never places a property.
  county_zips: ['county_fips, zip_prefix', 'county_fips VARCHAR, zip_prefix VARCHAR'],
  // Ohio's code is the number of the report file; Colorado's is that of dataset 4ykn-tg5h. DT is a ditch company.
  entity_types: ['register, code', 'register VARCHAR, code VARCHAR, entity_type VARCHAR'],
  // Written by `make docs` from models/assumptions/loan_factors.ts: SQL has no exact powers. Payments per dollar.
  loan_factors: [
    'rate_pct, years',
    'rate_pct DECIMAL(14,2), years INTEGER, monthly_factor DECIMAL(32,20), annual_constant DECIMAL(32,20)',
  ],
  // The law behind an opening bid. Ohio's is from public copies of the Ohio Revised Code; SB 135 and HB 151 (136th
  // General Assembly) were pending. A bid is derived only in a state with a row of two_thirds_of_appraisal.
  sale_rules: [
    'state, auction_type, sale_kind, opening_bid_basis',
    `state VARCHAR, auction_type VARCHAR, sale_kind VARCHAR, opening_bid_basis VARCHAR, statute_ref? VARCHAR,
      rule VARCHAR, checked_on? DATE`,
  ],
  // Between two knots, the figures of a building are blended. A size without one has too few properties.
  building_sizes: ['size', 'size VARCHAR, least_units INTEGER, most_units? INTEGER, knot_units? INTEGER'],
  building_vintages: ['vintage', 'vintage VARCHAR, first_year? INTEGER, last_year? INTEGER, knot_year INTEGER'],
  // The survey of landlords by size and year of construction. n_eff is the square of the sum of weights over the sum of
  // squares; the shares of a parent are those of vintage any, as n_eff is below 15.
  bedroom_mixes: [
    'size, vintage',
    `size VARCHAR, vintage VARCHAR, share_0 DECIMAL(16,4), share_1 DECIMAL(16,4), share_2 DECIMAL(16,4),
      share_3 DECIMAL(16,4), share_4 DECIMAL(16,4), n INTEGER, n_eff DECIMAL(13,1), basis VARCHAR, source VARCHAR,
      as_of DATE`,
  ],
  // Operating expenses over collected rent: the weighted median, and drawn toward its prior as 30 properties.
  expense_cells: [
    'size, vintage',
    `size VARCHAR, vintage VARCHAR, median DECIMAL(16,4), shrunk DECIMAL(16,4), n INTEGER, n_eff DECIMAL(13,1),
      source VARCHAR, as_of DATE`,
  ],
  // A unit and year, in dollars of the survey and of 2024. Up to 12 units the mean, with the highest 2 % counted as the
  // 98th percentile, else the median.
  expense_lines: [
    'size, line',
    `size VARCHAR, line VARCHAR, survey_amount DECIMAL(14,2), amount DECIMAL(14,2), n INTEGER, source VARCHAR,
      as_of DATE`,
  ],
  // The same of insurance where it is paid; the factor is over 50 units and more.
  insurance_sizes: [
    'size',
    'size VARCHAR, survey_amount DECIMAL(14,2), factor DECIMAL(16,4), n INTEGER, source VARCHAR, as_of DATE',
  ],
  // The square root of homeowners' premiums over the nation's: no figure of apartments is published by state.
  insurance_states: ['state', 'state VARCHAR, premium DECIMAL(14,2), factor DECIMAL(16,4), source VARCHAR, as_of DATE'],
  // The census's rents (B25031, B25064) and taxes (B25103 over B25077) of the metropolitan areas of hud_zips, digits 6
  // to 10 of their codes. Null: the census gives none, or only that it is above its highest class.
  census_metros: [
    'cbsa',
    `cbsa VARCHAR, name VARCHAR, gross_rent_0? DECIMAL(14,2), gross_rent_1? DECIMAL(14,2), gross_rent_2? DECIMAL(14,2),
      gross_rent_3? DECIMAL(14,2), gross_rent_4? DECIMAL(14,2), median_gross_rent? DECIMAL(14,2),
      median_tax? DECIMAL(14,2), median_value? DECIMAL(14,2), tax_rate? DECIMAL(18,6), vintage INTEGER,
      source VARCHAR, as_of DATE`,
  ],
  // Areas of the Housing Vacancy Survey among the twenty metros, a row for each name that an area has had.
  hvs_areas: ['area_name', 'area_name VARCHAR, cbsa VARCHAR, region VARCHAR, source VARCHAR, as_of DATE'],
  // How a sale changes the property tax, as property_tax.at_sale says, and the rate of rentals over that of homes.
  tax_rules: [
    'state',
    `state VARCHAR, at_sale VARCHAR, class_factor DECIMAL(16,4), class_factor_from_units INTEGER, rule VARCHAR,
      statute VARCHAR, confirmed BOOLEAN, read_on DATE`,
  ],
  // What owners of the survey earned over the value, by block of units and our own cap rate: weighted quartiles. The
  // middle never falls from knot to knot, so that a higher rent or a lower price never lowers it.
  noi_ranges: [
    'least_units, cap_pct',
    `least_units INTEGER, most_units? INTEGER, cap_pct DECIMAL(14,2), low_pct DECIMAL(14,2), middle_pct DECIMAL(14,2),
      high_pct DECIMAL(14,2), n INTEGER, n_eff DECIMAL(13,1), source VARCHAR, as_of DATE`,
  ],
  // Parcel numbers as counties print them, with the key of the macro parcel_key_of; elsewhere letters and digits.
  parcel_formats: [
    'county_fips, form',
    `county_fips VARCHAR, county VARCHAR, form VARCHAR, printed VARCHAR, parcel_key VARCHAR, rule VARCHAR,
      confirmed VARCHAR, source VARCHAR, read_on DATE`,
  ],
  // The kind of property of a county's class, by the first rule of the county or else of the state that matches. A code
  // of several kinds, or of different ones in two counties, is unknown; one for 4 to 19 units counts as five_up.
  property_classes: [
    'area, rule_number',
    `area VARCHAR, rule_number INTEGER, pattern VARCHAR, example VARCHAR, property_kind VARCHAR, meaning VARCHAR,
      source VARCHAR, read_on DATE`,
  ],
  // Counties of the twenty metros and of those whose records alone are read, by HUD's rent areas of 2026.
  metro_counties: [
    'county_fips',
    `metro VARCHAR, county_fips VARCHAR, county VARCHAR, state VARCHAR, cbsa VARCHAR, is_core BOOLEAN,
      has_listings BOOLEAN`,
  ],
  // The census's counties; of Connecticut those before 2022. An independent city is written "St. Louis City".
  counties: ['county_fips', 'county_fips VARCHAR, county VARCHAR, state VARCHAR'],
  // Where a ZIP is: an internal point (gazetteer of 2025) and the county with most of its land (relationship file of
  // 2020). ZIPs of post office boxes and of single large buildings have no area, and are missing.
  zip_places: [
    'zip',
    'zip VARCHAR, latitude DECIMAL(8,5), longitude DECIMAL(8,5), county_fips VARCHAR, land_share_pct INTEGER',
  ],
  // What was looked for where no source of a kind is declared. Without a kind: all kinds without a row of their own.
  not_covered_reasons: [
    'metro, kind',
    'metro VARCHAR, kind? VARCHAR, looked_for VARCHAR, finding VARCHAR, read_on DATE',
  ],
};

/** A CSV file of facts. Its table is `ref_<name>`. */
export interface Reference {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly { readonly name: string; readonly sql: string; readonly absent?: string }[];
  readonly csvPath: string;
}

const columnOf = (declared: string): Reference['columns'][number] => {
  const [name = '', sql = ''] = declared.split(' ');
  return name.endsWith('?') ? { name: name.slice(0, -1), sql, absent: 'the cell is empty' } : { name, sql };
};

/** The reference tables, loaded before a build. */
export const loadReferences = (): Reference[] =>
  Object.entries(TABLES).map(([name, [key, columns]]) => ({
    name,
    key: key.split(', '),
    columns: columns.split(/,\s+/u).map(columnOf),
    csvPath: join(import.meta.dirname, 'reference', `${name}.csv`),
  }));

/** Statements that create the table of a reference and fill it. An empty cell is null. The format is not guessed. */
export function referenceSql({ name, columns, csvPath }: Reference): readonly string[] {
  const table = `ref_${name}`;
  const types = columns.map((column) => `${literal(column.name)}: ${literal(column.sql)}`).join(', ');
  const names = columns.map((column) => identifier(column.name)).join(', ');
  return [
    createTable(table, columns),
    `INSERT INTO ${identifier(table)} SELECT ${names}
     FROM read_csv(${literal(csvPath)}, auto_detect = false, header = true, comment = '#', nullstr = '',
       columns = {${types}})`,
  ];
}
