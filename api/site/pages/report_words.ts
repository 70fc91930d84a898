/** Words for the bases, checks and limits of an underwriting. A value without words is a type error. */
import type { ReportBody } from './report.ts';

type Deal = ReportBody['deal'];
type Steps = Deal['rent_steps'];
type Tax = Deal['property_tax'];
type Words<Value extends string | null> = Readonly<Record<NonNullable<Value>, string>>;

/** Kinds of public records, and the listing itself. */
export const RECORDS: Readonly<Record<string, string>> = {
  listing: 'Listing',
  tax_delinquent: 'Tax delinquency',
  foreclosure_filing: 'Foreclosure filing',
  tax_lien: 'Tax lien',
  code_violation: 'Code violation',
  vacant_building: 'Vacant building',
  condemned: 'Condemned building',
  blight_judgment: 'Blight judgment',
  sheriff_sale: 'Sheriff sale',
  foreclosure_sale: 'Foreclosure sale',
  tax_deed_sale: 'Tax deed sale',
  tax_sale: 'Tax sale',
  parcel_roll: 'Parcel roll',
};

export const MIXES: Words<Steps['mix']['basis']> = {
  listing: 'the bedrooms that the listing states',
  size_and_age: 'typical bedrooms of buildings of this size and age',
  size: 'typical bedrooms of buildings of this size; the year of construction is unknown',
  size_and_age_stated_mix_does_not_add_up:
    'typical bedrooms of buildings of this size and age; those that the listing states do not add up to its units',
  size_stated_mix_does_not_add_up:
    'typical bedrooms of buildings of this size; those that the listing states do not add up to its units',
  unknown: 'the number of units is unknown',
};

export const RENTS: Words<Deal['rent_basis']> = {
  zip: 'HUD’s rents of the ZIP code',
  zip_lowest_of_several: 'HUD’s rents of the ZIP code, the lowest of several areas that share it',
  metro: 'HUD’s rents of the metropolitan area',
  metro_lowest_of_several: 'HUD’s rents of the metropolitan area, the lowest of several that share the ZIP code',
  unknown: 'HUD’s rent is unknown',
};

export const IN_PLACE: Words<Steps['in_place']['basis']> = {
  metro_of_source: 'census rents of all tenants of the metropolitan area',
  metro_of_reference: 'census rents of all tenants of the metropolitan area, from our calibrated table',
  declared: 'our assumption; the census has no figure for the area',
};

export const CONTRACTS: Words<Steps['contract']['basis']> = {
  county: 'the census’s share of utilities in the county',
  largest_county_of_area: 'the census’s share of utilities in the largest county of the area',
  declared: 'our assumption; the census has no figure for the county',
};

export const TAX_BILLS: Words<Tax['current_basis']> = {
  parcel: 'the county’s bill of the parcel',
  listing: 'the bill that the listing states',
  estimated: 'estimated from the local tax rate',
  parcel_limited: 'the county’s bill of the parcel, limited by the tax at the price',
  listing_limited: 'the bill that the listing states, limited by the tax at the price',
  unknown: 'unknown, because there is no asking price',
};

export const TAX_RATES: Words<Tax['rate_basis']> = {
  county: 'the county’s rate',
  largest_county_of_area: 'the rate of the largest county of the area',
  metro_of_source: 'the rate of the metropolitan area',
  metro_of_reference: 'the rate of the metropolitan area, from our calibrated table',
  declared: 'our assumption of the rate',
};

export const TAX_RULES: Words<Tax['rule_basis']> = {
  confirmed: 'We read the state’s rule on an official page',
  unconfirmed: 'We have not confirmed the state’s rule on an official page',
  declared: 'We know no rule of this state, so the share is our assumption',
};

export const LINES: Words<Deal['expense_lines'][number]['line']> = {
  property_tax: 'Property tax after a sale',
  insurance: 'Insurance',
  management: 'Management',
  repairs: 'Repairs',
  owner_utilities: 'Utilities that the owner pays',
  other: 'Other',
};

/** Names of sources whose line has an id instead of a title. */
export const SOURCES: Readonly<Record<string, string>> = {
  assumptions: 'declared value',
  census_acs: 'American Community Survey',
};

/** Bases of the lines other than property tax and management. */
const LINE_BASES: Readonly<Record<string, string>> = {
  size_and_state: 'typical for the size of the building and the state',
  size: 'typical for the size of the building',
  declared: 'our assumption',
};

/** Where an expense comes from, in words. */
export function lineBasis({ line, basis }: Deal['expense_lines'][number], tax: Tax): string {
  if (line === 'property_tax')
    return `${TAX_RATES[tax.rate_basis]} at the price; today’s tax: ${TAX_BILLS[tax.current_basis]}`;
  if (line === 'management') return 'a share of the income, by size of building';
  return LINE_BASES[basis] ?? 'unknown';
}

export const CHECKS: Words<Deal['expense_check']> = {
  within_quartiles: 'The sum is within the range of the middle half of such buildings, so it counts.',
  below_quartiles:
    'The sum is below the middle half of such buildings, so the lower end of their range counts instead.',
  above_quartiles:
    'The sum is above the middle half of such buildings, so the upper end of their range counts instead.',
  no_tax_ratio_of_cell: 'There is no price and so no tax; the typical share of such buildings counts instead.',
  no_income: 'The income is unknown, so the expenses could not be checked.',
};

export const RISKS: Words<Deal['condition_risk']> = {
  none: 'Price and income do not point to a building in bad condition.',
  low_price_per_unit: 'The price per unit is so low that it points to the condition of the building.',
  high_cap_rate: 'The cap rate is so high that it points to the condition of the building.',
  low_price_to_rent: 'The price is so low against the rent that it points to the condition of the building.',
  not_evaluated: 'Not evaluated, because the deal could not be scored.',
};
