/** The reference tables: facts that no source publishes in a usable form, each a CSV file of models/reference. */
import {
  date,
  defineRecord,
  degrees,
  flag,
  integer,
  money,
  oneOf,
  percent,
  ratio,
  text,
  type RecordDefinition,
} from '../lib/record.ts';
import { AUCTION_TYPES, COVERED_KINDS } from '../sources/kinds.ts';
import { PROPERTY_KINDS } from './fields.ts';
import { ENTITY_TYPES } from './marts/filings.ts';

/** The loans of the table: rates in whole hundredths of a percent (200n is 2.00 %), and years. */
export const LOAN_RATES = { least: 200n, most: 1500n } as const;
export const LOAN_YEARS = [20, 25, 30] as const;

/** Sizes of buildings, in the order of the tables. A single unit is described by the smallest. */
const BUILDING_SIZES = ['2_4', '5_12', '13_24', '25_49', '50_up'] as const;

/** Years of construction, in the order of the tables. */
const VINTAGES = ['before_1960', '1960_1999', 'from_2000'] as const;

/** Vintages of the calibrated tables. any: all properties of a size; for buildings of unknown year and thin cells. */
const CELL_VINTAGES = [...VINTAGES, 'any'] as const;

/** Source of a cell's figures: its own properties, or those of its size if its own are too few. */
const CELL_BASES = ['cell', 'parent'] as const;

const share = (about: string) => ratio(about, { decimals: 4 });
const shareOfUnits = (bedrooms: string) => share(`Share of units with ${bedrooms}.`);

const EXPENSE_LINES = [
  'repairs',
  'owner_utilities',
  'insurance',
  'payroll',
  'grounds',
  'security',
  'professional',
  'other',
] as const;

const effectiveNumber = () =>
  ratio('Effective number of properties: square of the sum of weights over the sum of squares.', { decimals: 1 });

const perUnit = (about: string) => money(about, { unit: 'USD per unit and year' });

const ABSENT = 'the census gives none, or only that it is above its highest class';

const grossRent = (bedrooms: string) => money(`Median gross rent, ${bedrooms} (B25031), a month.`, { absent: ABSENT });

const CENSUS_REGIONS = ['northeast', 'midwest', 'south', 'west'] as const;

export const TAX_AT_SALE = ['uncapped', 'valued_yearly', 'price_may_count', 'not_reset'] as const;

/** By the name of the CSV file, in the order in which they are loaded. */
export const REFERENCES = {
  /**
   * ZIPs and the HUD areas they overlap, for the areas of the twenty metros and Canton, OH. From the ZIP-level rents
   * that HUD published for fiscal year 2024 (a US government work), with the current code of Cleveland's area. A ZIP
   * has one row for each area it overlaps. ZIPs opened since then, and ZIPs of post office boxes, are missing: a
   * property there has no rent.
   */
  hud_zips: defineRecord('hud_zip', 'One row per ZIP and HUD area that it overlaps.', ['zip', 'hud_area_code'], {
    zip: text('Five-digit ZIP.'),
    hud_area_code: text('HUD area code.'),
  }),
  /**
   * ZIPs that the sources of a county cover. Of an Ohio county: the postal area around its seat, and single ZIPs of its
   * other towns. Of other counties: the census's ZIPs that two public lists of ZIPs, one of them GeoNames, both put
   * into the county. A ZIP may cross a county line, so this decides only whether "none found" has a meaning. It never
   * places a property in a county.
   */
  county_zips: defineRecord('county_zip', 'One row per county and ZIP prefix.', ['county_fips', 'zip_prefix'], {
    county_fips: text('Five-digit county FIPS.'),
    zip_prefix: text(
      "First three digits of the ZIPs of the county's own postal area, or all five of a ZIP outside it.",
    ),
  }),
  /**
   * Meaning of the registers' type codes. Ohio's code is the number of the report file, which determines the type;
   * Colorado's is that of dataset 4ykn-tg5h. DT is a ditch company in the state's own exports, though one public list
   * calls it a trust. Any other code is published as "other", with its raw text.
   */
  entity_types: defineRecord('entity_type', 'One row per register and type code.', ['register', 'code'], {
    register: oneOf(['ohio_sos', 'colorado_sos'], 'The register.'),
    code: text("The register's own code."),
    entity_type: oneOf(ENTITY_TYPES, 'Normalized type.'),
  }),
  /**
   * Written by `make docs` from monthlyFactor and annualConstant of models/assumptions/loan_factors.ts; do not edit.
   * SQL has no exact powers, so the models look the factors up.
   */
  loan_factors: defineRecord(
    'loan_factor',
    'One row per loan rate and years of amortization: the payments per dollar of loan.',
    ['rate_pct', 'years'],
    {
      rate_pct: percent('Yearly rate of the loan.'),
      years: integer('Years until the loan is repaid by equal monthly payments.', { unit: 'years' }),
      monthly_factor: ratio('Monthly payment per dollar of loan.', { decimals: 20 }),
      annual_constant: ratio('Payments of a year per dollar of loan.', { decimals: 20 }),
    },
  ),
  /**
   * The law behind an opening bid. Ohio's is from public copies of the Ohio Revised Code; bills SB 135 and HB 151
   * (136th General Assembly), which would amend 2329.17, 2329.20 and 2329.52, were pending at that time. A bid is
   * derived only in a state that has a row of the basis two_thirds_of_appraisal.
   */
  sale_rules: defineRecord(
    'sale_rule',
    'One row per state, kind of auction, kind of sale and basis of the opening bid.',
    ['state', 'auction_type', 'sale_kind', 'opening_bid_basis'],
    {
      state: text('Two-letter state.'),
      auction_type: oneOf(AUCTION_TYPES, 'Kind of auction.'),
      sale_kind: text('Kind of sale.'),
      opening_bid_basis: text('Basis of the opening bid.'),
      statute_ref: text('Section of the law of the state.', { absent: 'the section was not verified' }),
      rule: text('The rule in one sentence.'),
      checked_on: date('Day the text was last read.', { absent: 'the text was not read for this table' }),
    },
  ),
  building_sizes: defineRecord(
    'building_size',
    'One row per size under which the survey of landlords describes buildings.',
    ['size'],
    {
      size: oneOf(BUILDING_SIZES, 'Name of the size.'),
      least_units: integer('Fewest units.', { unit: 'units' }),
      most_units: integer('Most units.', { unit: 'units', absent: 'the size has no upper end' }),
      knot_units: integer('Units of a building that the figures of the size describe; between two, they are blended.', {
        unit: 'units',
        absent: 'the size has too few properties, so that its neighbors are blended',
      }),
    },
  ),
  building_vintages: defineRecord(
    'building_vintage',
    'One row per group of years of construction under which the survey of landlords describes buildings.',
    ['vintage'],
    {
      vintage: oneOf(VINTAGES, 'Name of the years.'),
      first_year: integer('First year.', { unit: 'year', absent: 'the years have no first one' }),
      last_year: integer('Last year.', { unit: 'year', absent: 'the years have no last one' }),
      knot_year: integer('Year of a building that the figures describe; between two, they are blended.', {
        unit: 'year',
      }),
    },
  ),
  /** Average mix of bedrooms by size and year of construction, from the survey of landlords. */
  bedroom_mixes: defineRecord('bedroom_mix', 'One row per size and vintage of buildings.', ['size', 'vintage'], {
    size: oneOf(BUILDING_SIZES, 'Size of the building.'),
    vintage: oneOf(CELL_VINTAGES, 'Years of construction. any: all of the size, also of unknown year.'),
    share_0: shareOfUnits('no bedroom'),
    share_1: shareOfUnits('one bedroom'),
    share_2: shareOfUnits('two bedrooms'),
    share_3: shareOfUnits('three bedrooms'),
    share_4: shareOfUnits('four or more bedrooms. The five shares add up to one'),
    n: integer('Properties of the cell.'),
    n_eff: effectiveNumber(),
    basis: oneOf(CELL_BASES, 'Properties behind the shares. parent: those of vintage any, as n_eff is below 15.'),
    source: text('Source of the figures.'),
    as_of: date('Last day that the figures describe.'),
  }),
  /** Operating expenses over collected rent by size and year of construction, from the survey of landlords. */
  expense_cells: defineRecord('expense_cell', 'One row per size and vintage of buildings.', ['size', 'vintage'], {
    size: oneOf(BUILDING_SIZES, 'Size of the building.'),
    vintage: oneOf(CELL_VINTAGES, 'Years of construction. any: all of the size, also of unknown year.'),
    median: share('Weighted median of the ratio.'),
    shrunk: share("The cell's own median, shrunk toward its prior with the weight of 30 properties."),
    n: integer('Properties of the cell.'),
    n_eff: effectiveNumber(),
    source: text('Source of the figures.'),
    as_of: date('Last day that the figures describe.'),
  }),
  /** Yearly expenses a unit by size, from the survey of landlords. The rest is declared as other_per_unit. */
  expense_lines: defineRecord('expense_line', 'One row per size of buildings and kind of expense.', ['size', 'line'], {
    size: oneOf(BUILDING_SIZES, 'Size of the building.'),
    line: oneOf(EXPENSE_LINES, 'Kind of expense.'),
    survey_amount: perUnit(
      'In dollars of the year of the survey. Up to 12 units the weighted mean, with the highest 2 % counted as the ' +
        '98th percentile, because a sum of medians is below a typical sum; else the median. Owners who paid nothing ' +
        'count, but not for insurance.',
    ),
    amount: perUnit('In dollars of 2024: survey_amount x 1.39.'),
    n: integer('Properties behind the figures.'),
    source: text('Source of the figures.'),
    as_of: date('Last day that the survey describes.'),
  }),
  /** Insurance a unit by size of building against buildings of 50 units and more, from the survey of landlords. */
  insurance_sizes: defineRecord('insurance_size', 'One row per size of buildings.', ['size'], {
    size: oneOf(BUILDING_SIZES, 'Size of the building.'),
    survey_amount: perUnit(
      'A unit, in dollars of the year of the survey, where insurance is paid. Up to 12 units the weighted mean, with ' +
        'the highest 2 % counted as the 98th percentile, else the median.',
    ),
    factor: ratio('survey_amount over that of 50 units and more, rounded to one decimal.', { decimals: 4 }),
    n: integer('Properties behind the figure.'),
    source: text('Source of the figures.'),
    as_of: date('Last day that the figures describe.'),
  }),
  /**
   * Insurance by state against the nation. No official figure of apartment buildings is published by state: the square
   * root of the ratio of homeowners' premiums stands for it, as apartments differ less than homes do.
   */
  insurance_states: defineRecord('insurance_state', 'One row per state.', ['state'], {
    state: text('State, by its two letters.'),
    premium: money('Average yearly premium of a homeowner (HO-3).'),
    factor: ratio('Square root of premium over that of the United States.', { decimals: 4 }),
    source: text('Source of the figures.'),
    as_of: date('Last day that the figures describe.'),
  }),
  /** The census's rents and taxes of the metropolitan areas of hud_zips.csv. Digits 6 to 10 of a HUD area code. */
  census_metros: defineRecord('census_metro', 'One row per metropolitan area.', ['cbsa'], {
    cbsa: text('Code of the area, five digits.'),
    name: text('Name of the area.'),
    gross_rent_0: grossRent('no bedroom'),
    gross_rent_1: grossRent('one bedroom'),
    gross_rent_2: grossRent('two bedrooms'),
    gross_rent_3: grossRent('three bedrooms'),
    gross_rent_4: grossRent('four bedrooms'),
    median_gross_rent: money('Median gross rent of all units (B25064), a month.', { absent: ABSENT }),
    median_tax: money("Median yearly property tax of owners' homes (B25103).", { absent: ABSENT }),
    median_value: money("Median value of owners' homes (B25077).", { absent: ABSENT }),
    tax_rate: ratio('median_tax over median_value.', { decimals: 6, absent: 'median_tax or median_value is null' }),
    vintage: integer('Last of the five years.', { unit: 'year' }),
    source: text('Source of the figures.'),
    as_of: date('Last day that the figures describe.'),
  }),
  /**
   * The metropolitan areas of the Housing Vacancy Survey among the twenty metros. An area whose name changed has a row
   * for each name.
   */
  hvs_areas: defineRecord('hvs_area', 'One row per name of an area.', ['area_name'], {
    area_name: text("Name as in the survey's table, without dots and footnote digits."),
    cbsa: text('Code of the metropolitan area, five digits.'),
    region: oneOf(CENSUS_REGIONS, 'Region of the census of its largest city.'),
    source: text('Source of the names.'),
    as_of: date('Last day of the newest table under whose names they were written down.'),
  }),
  /** How a sale changes the property tax, and how rentals are taxed against owners' homes, by state. */
  tax_rules: defineRecord('tax_rule', 'One row per state.', ['state'], {
    state: text('State, by its two letters.'),
    at_sale: oneOf(
      TAX_AT_SALE,
      'What a sale does to the taxable value. uncapped: a limit on its growth ends, and it becomes the market value; ' +
        'valued_yearly: it is the market value of each year; price_may_count: the assessor or a board may take the ' +
        'price; not_reset: nothing.',
    ),
    class_factor: ratio("Rate of a rental building over that of owners' homes, which the census measures.", {
      decimals: 4,
    }),
    class_factor_from_units: integer('Units from which class_factor applies.', { unit: 'units' }),
    rule: text('The rule in one or two sentences, with the direction of a known error.'),
    statute: text('Statute or ordinance.'),
    confirmed: flag('The text of the rule was read on an official page. The factors are choices either way.'),
    read_on: date('Day the text was last read.'),
  }),
  /**
   * What owners of the survey earned, given our own cap rate of the same building on its value as the owner states it:
   * in each block of units, properties built before 2000 in three groups by our cap rate. A knot is the weighted
   * median of our cap rate in its group. The middle never falls from knot to knot, so that a higher rent or a lower
   * price never lowers it.
   */
  noi_ranges: defineRecord('noi_range', 'One row per block of units and knot.', ['least_units', 'cap_pct'], {
    least_units: integer('Fewest units of the block.', { unit: 'units' }),
    most_units: integer('Most units of the block.', { unit: 'units', absent: 'the block has no upper end' }),
    cap_pct: percent('Our cap rate.'),
    low_pct: percent("First weighted quartile of the owners' NOI over the value."),
    middle_pct: percent("Weighted median of the owners' NOI over the value."),
    high_pct: percent("Third weighted quartile of the owners' NOI over the value."),
    n: integer('Properties of the group.'),
    n_eff: effectiveNumber(),
    source: text('Source of the figures.'),
    as_of: date('Last day that the figures describe.'),
  }),
  /**
   * Parcel numbers as counties print them, with the key by which rows are compared. The macro parcel_key_of implements
   * the rules; a test compares it with the key of each row. Other counties: letters and digits of the number.
   */
  parcel_formats: defineRecord(
    'parcel_format',
    'One row per county and form in which its parcel numbers are printed.',
    ['county_fips', 'form'],
    {
      county_fips: text('Five-digit county FIPS.'),
      county: text('County and state.'),
      form: text('Name of the form.'),
      printed: text('A number in this form. Most of them are invented.'),
      parcel_key: text('Its key.'),
      rule: text('Parts of the number, and the parts that the key keeps.'),
      confirmed: oneOf(
        ['publisher', 'recorded', 'third_party', 'unconfirmed'],
        'Evidence of the form. publisher: its documentation says so; recorded: rows of a source show it; ' +
          'third_party: a public project that reads the source says so; unconfirmed: assumed.',
      ),
      source: text('Document or page in which the form was read.'),
      read_on: date('Day on which it was read.'),
    },
  ),
  /**
   * The kind of property that a county's class code or land use words mean. Ohio's codes are those of Ohio
   * Administrative Code 5703-25-10; counties add digits and print words. A code for 4 to 19 units counts as five_up:
   * most of its range is. Where a class means different property in different counties, its kind is unknown.
   */
  property_classes: defineRecord(
    'property_class',
    'One row per rule, the first that matches.',
    ['area', 'rule_number'],
    {
      area: text('Start of the county FIPS: two digits for a state, five for a county, whose rules come first.'),
      rule_number: integer('Place in the order of the area.'),
      pattern: text('Regular expression of the class in upper case.'),
      example: text('A class as published that the rule matches.'),
      property_kind: oneOf(PROPERTY_KINDS, 'Kind of property.'),
      meaning: text('The class in words.'),
      source: text('Rule or list that defines it.'),
      read_on: date('Day the source was last read.'),
    },
  ),
  /**
   * Counties of the metros: of the twenty with listings, and of those without whose records are read. Metros and
   * counties are those of HUD's rent areas of fiscal year 2026. A listing is in the metro of its rent area.
   */
  metro_counties: defineRecord('metro_county', 'One row per county of a metro.', ['county_fips'], {
    metro: text('Name of the metro: its largest city.'),
    county_fips: text('Five-digit county FIPS.'),
    county: text('Name of the county.'),
    state: text('Two-letter state.'),
    cbsa: text('Code of the metropolitan area, five digits.'),
    is_core: flag('True if the largest city of the metro is in the county.'),
    has_listings: flag('True if listing sites of the metro are read.'),
  }),
  /**
   * Counties of the states and the District of Columbia, from the census's list. Of Connecticut those before 2022, to
   * which the ZIPs are assigned. An independent city is written as the sources write it: "St. Louis City".
   */
  counties: defineRecord('county', 'One row per county.', ['county_fips'], {
    county_fips: text('Five-digit county FIPS.'),
    county: text('Name of the county, such as "Cuyahoga County".'),
    state: text('Two-letter state.'),
  }),
  /**
   * Where a ZIP is, by two files of the census, which are US government works: the gazetteer of 2025 (an internal point
   * of each ZIP tabulation area) and the relationship file of 2020 (land of each area by county). ZIPs of the states of
   * metro_counties. ZIPs of post office boxes and of single large buildings have no area, and are missing.
   */
  zip_places: defineRecord('zip_place', 'One row per ZIP tabulation area of the covered states.', ['zip'], {
    zip: text('Five-digit ZIP.'),
    latitude: degrees('Latitude of the internal point.'),
    longitude: degrees('Longitude of the internal point.'),
    county_fips: text('Five-digit FIPS of the county with most of its land.'),
    land_share_pct: integer('Share of its land in that county. 100 means all of it.', { unit: 'percent' }),
  }),
  /** What was looked for where no source of a kind is declared, and what was found. */
  not_covered_reasons: defineRecord('not_covered_reason', 'One row per metro and kind of record.', ['metro', 'kind'], {
    metro: text('Name of the metro, as in metro_counties.'),
    kind: oneOf(COVERED_KINDS, 'Kind of record.', { absent: 'the row is about all kinds without a row of their own' }),
    looked_for: text('Data that was looked for.'),
    finding: text('Result of the search.'),
    read_on: date('Day on which it was looked for.'),
  }),
} satisfies Readonly<Record<string, RecordDefinition>>;
