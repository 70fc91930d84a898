/**
 * Words for the bases, checks and limits of an underwriting, where the value alone says too little. A value without
 * words is a type error.
 */
import { sentence, words } from '../../format.ts';
import type { ReportBody } from '../../../routes/report.ts';

type Deal = ReportBody['deal'];
type Steps = Deal['rent_steps'];
type Tax = Deal['property_tax'];
type Words<Value extends string | null> = Readonly<Record<NonNullable<Value>, string>>;

/** A kind of public record, or the listing itself. */
export const recordName = (kind: string): string =>
  ({ tax_delinquent: 'Tax delinquency', condemned: 'Condemned building' })[kind] ?? sentence(kind);

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
  unknown: 'unknown, because there is no asking price',
};

export const TAX_AFTER: Words<Tax['after_basis']> = {
  bill: 'today’s bill',
  reset: 'today’s bill, raised toward the tax at the price',
  uncapped_to_assessment: 'today’s bill, raised to all of the county’s value from the part that is taxed today',
  exemption_ends: 'raised, because today’s bill is so low that it must have an exemption that a sale ends',
  estimated: 'the tax at the price, because no bill is known',
  unknown: 'unknown, because there is no asking price',
};

export const TAX_AT_SALE: Words<Tax['at_sale']> = {
  uncapped: 'a sale ends the limit on the taxable value, which becomes the market value',
  valued_yearly: 'the taxable value is the market value of each year',
  price_may_count: 'the assessor or a board may take the price',
  not_reset: 'a sale does not change the taxable value',
  unknown: 'we know no rule of this state',
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
  declared: 'The share that follows the price is our assumption',
};

export const lineName = ({ line }: Deal['expense_lines'][number]): string =>
  line === 'property_tax' ? 'Property tax after a sale' : sentence(line);

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
  if (line === 'property_tax') return `${TAX_AFTER[tax.after_basis]}; ${TAX_BILLS[tax.current_basis]}`;
  if (line === 'management') return 'a share of the income, by size of building';
  return LINE_BASES[basis] ?? 'unknown';
}

/** Why no range of what owners earned is given. */
export const RANGES: Words<Deal['noi_range_reason']> = {
  owners_of_survey: 'A range of what owners of such buildings earned in a national survey (2011) is given.',
  built_from_2000: 'Too few owners of buildings built from 2000 on answered the national survey to give a range.',
  single_unit: 'A single unit has no range of what owners earned.',
  not_income_property: 'Land has no range of what owners earned.',
  price_missing: 'Without a price there is no range of what owners earned.',
  units_missing: 'Without the number of units there is no range of what owners earned.',
  rent_missing: 'Without a HUD rent there is no range of what owners earned.',
  price_per_unit_above_144x_monthly_2br_rent: 'The price is too high for the HUD rent to give a range.',
  price_per_unit_below_24x_monthly_2br_rent: 'The price is too low for the HUD rent to give a range.',
};

export const RISKS: Words<Deal['condition_risk']> = {
  none: 'No public record, price or income points to a building in bad condition.',
  condemned: 'The building is condemned or declared dangerous, by a public record in force.',
  order_to_vacate: 'The city has ordered people to leave the building, by a public record in force.',
  vacant_building: 'The building is registered as vacant, by a public record in force.',
  low_price_per_unit: 'The price per unit is so low that it suggests a building in bad condition.',
  high_cap_rate: 'The cap rate is so high that it suggests a building in bad condition.',
  low_price_to_rent: 'The price is so low relative to the rent that it suggests a building in bad condition.',
  code_case: 'The city has an open case on a serious fault of the building.',
  not_evaluated: 'Not evaluated, because the deal could not be scored.',
};

const DSCR_REASONS: Words<Deal['dscr_reason']> = {
  single_unit: 'It has one unit, so it is not an income property.',
  not_income_property: 'It is not an income property.',
  loan_below_minimum: 'The loan would be below the smallest that lenders make.',
  price_missing: 'There is no asking price.',
  noi_missing: 'The net operating income is unknown.',
  price_and_noi_missing: 'The asking price and the net operating income are unknown.',
};

export const UNDERWRITE_REASONS: Words<Deal['underwrite_reason']> = {
  price_missing: 'There is no asking price.',
  units_missing: 'The number of units is unknown.',
  rent_missing: 'HUD’s rent is unknown.',
  price_per_unit_above_144x_monthly_2br_rent: 'The price per unit is above 144 monthly HUD rents.',
  price_per_unit_below_24x_monthly_2br_rent: 'The price per unit is below 24 monthly HUD rents.',
};

/** Why a path is Hot, Warm or Pass. */
export const PATH_REASONS: Readonly<Record<string, string>> = {
  ...DSCR_REASONS,
  ...UNDERWRITE_REASONS,
  meets_thresholds: 'It meets the thresholds.',
  below_thresholds: 'It is below the thresholds.',
  condition_risk: 'The price points to a building in bad condition, so it is not Hot.',
  condemned: 'The building is condemned, so nobody pays rent.',
  order_to_vacate: 'The building must be vacated, so nobody pays rent.',
  vacant_building: 'The building is registered as vacant, so nobody pays rent.',
  ask_at_or_below_offer: 'The asking price is at or below the maximum allowable offer.',
  ask_near_offer_and_motivated: 'The asking price is near the maximum allowable offer, and the seller is motivated.',
  ask_above_offer: 'The asking price is above the maximum allowable offer.',
};

export function dscrText({ dscr_reason: reason, dscr_status: status, noi_source: source }: Deal): string {
  if (reason !== null) return DSCR_REASONS[reason];
  if (status !== 'computed' || source === null) return words(status);
  return source === 'underwritten' ? 'of the underwritten income' : 'of the income that the broker claims';
}

export const CLAIMS: Words<ReportBody['comparison']['claim_basis']> = {
  stated: 'the broker states the net operating income',
  derived_from_advertised_cap: 'from the cap rate that the broker advertises',
  none: 'the broker claims neither an income nor a cap rate',
};

export const CAP_SOURCES: Words<Deal['cap_rate_source']> = {
  advertised: 'advertised by the broker',
  derived_from_stated_noi: 'from the broker’s income',
  none: 'the broker claims none',
};

export const RELIABILITIES: Words<Deal['underwrite_reliability']> = {
  ok: 'HUD’s rent fits this property',
  proxy_out_of_range: 'HUD’s rent does not fit this property',
  unknown: 'Whether HUD’s rent fits is unknown',
};

export const DISTRESSES: Words<Deal['distress_status']> = {
  matched: 'County records match this property.',
  none_found: 'No county record matches this property.',
  partly_covered: 'We read part of the county’s records, and none of them matches.',
  county_not_covered: 'We do not read this county’s records.',
  address_unknown: 'The listing has no address to search for.',
};

export const MATCHES: Words<Deal['distress_matches'][number]['match_basis']> = {
  address_exact: 'the same address',
  parcel_exact: 'the same parcel',
  address_range: 'an address range that contains it',
  address_without_unit: 'the same house, unit not given',
  address_without_zip: 'the same street address, no ZIP printed',
  address_exact_place_unknown: 'the same street address in the county, city and ZIP unknown',
  condominium_of_building: 'a condominium of the building',
};

export const OFFERS: Words<Deal['offer_status']> = {
  computed: 'It was computed.',
  claimed_basis_unverified: 'It is based on the broker’s unverified claim.',
  proxy_out_of_range_without_claim: 'HUD’s rent does not fit, and the broker claims no income.',
  price_below_proxy_range: 'The price is too low for HUD’s rent to fit.',
  insufficient_data: 'A figure is missing.',
  noi_not_positive: 'The net operating income is not positive.',
  repairs_exceed_value: 'The repairs cost more than the value.',
  not_applicable: 'It does not apply to this property.',
};
