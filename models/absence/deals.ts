/** Why a field of a deal is null. */
import type { Cause } from '../../lib/record.ts';
import { pointCauses } from '../fields.ts';

const NO_PRICE = { if: 'list_price IS NULL', code: 'price_not_published' };
const NO_UNITS = { if: 'units IS NULL', code: 'units_not_published' };
const NO_RENT: readonly Cause[] = ['rent_unknown'];
const NO_STREET: readonly Cause[] = [{ of: 'address_status' }];
const NO_INCOME: readonly Cause[] = [NO_UNITS, ...NO_RENT];
const NO_UNDERWRITING: readonly Cause[] = [NO_PRICE, ...NO_INCOME];
const NO_DSCR: readonly Cause[] = [{ of: 'dscr_reason' }];
const NO_DSCR_UNDERWRITTEN: readonly Cause[] = [
  { if: "dscr_status = 'not_applicable'", code: 'dscr_not_applicable' },
  ...NO_UNDERWRITING,
];
const NO_SURVEY: readonly Cause[] = ['loan_rate_declared'];
const NO_PITIA: readonly Cause[] = [
  { if: "dscr_status = 'not_applicable'", code: 'dscr_not_applicable' },
  NO_PRICE,
  NO_UNITS,
  { if: 'market_rent_2br IS NULL', code: 'rent_unknown' },
  { if: 'units > 4', code: 'more_than_four_units' },
  'no_expense_lines',
];
const NO_SCORE: readonly Cause[] = [{ of: 'underwrite_reason' }, { of: 'dscr_reason' }];
const NO_OFFER: readonly Cause[] = [{ of: 'offer_status' }];
const NOT_STATED: readonly Cause[] = ['not_stated_by_site'];
const NO_ROLL: readonly Cause[] = [{ of: 'roll_status' }];
const NOT_ON_ROLL: readonly Cause[] = [{ if: "roll_status = 'matched'", code: 'not_on_roll' }, ...NO_ROLL];
const NO_COUNTY: readonly Cause[] = [
  { if: "geo_basis = 'zip_not_listed'", code: 'zip_not_listed' },
  'zip_in_other_state',
];

export const dealCauses = {
  address: NO_STREET,
  list_price: [NO_PRICE],
  units: [NO_UNITS],
  cap_rate: [{ if: 'cap_rate_derived IS NOT NULL', code: 'noi_stated_instead' }, 'not_advertised'],
  noi: ['not_stated_and_not_underwritten'],
  noi_source: ['noi_missing'],
  market_rent_2br: NO_RENT,
  noi_underwritten: NO_INCOME,
  cap_rate_underwritten: NO_UNDERWRITING,
  dscr: NO_DSCR,
  cap_gap_pct: [{ of: 'cap_gap_basis' }],
  price_reduction_pct: [NO_PRICE],

  address_key: NO_STREET,
  street_key: NO_STREET,
  house_low: NO_STREET,
  house_high: NO_STREET,
  unit_key: [{ if: 'address_key IS NOT NULL', code: 'no_unit' }, ...NO_STREET],
  delisted_on: ['not_delisted'],
  property_type: NOT_STATED,
  unit_mix_stated: ['unit_mix_not_stated'],
  annual_taxes: NOT_STATED,
  year_built: NOT_STATED,
  listed_on: NOT_STATED,
  first_price: [NO_PRICE],
  price_per_unit: [NO_PRICE, NO_UNITS],

  cap_rate_derived: [{ if: 'cap_rate IS NOT NULL', code: 'cap_rate_advertised' }, NO_PRICE, 'noi_not_stated'],
  rent_area_code: NO_RENT,
  rent_area_name: NO_RENT,
  rent_fiscal_year: NO_RENT,
  rent_source_url: NO_RENT,
  rent_observed_at: NO_RENT,
  rent_outdated_reason: [{ if: 'market_rent_2br IS NULL', code: 'rent_unknown' }, 'rent_not_outdated'],
  gross_potential_rent: NO_INCOME,
  effective_gross_income: NO_INCOME,
  expense_ratio_pct: NO_INCOME,
  vacancy_survey: ['vacancy_declared'],
  market_rent_mix: NO_INCOME,
  rent_in_place: NO_INCOME,
  contract_rent: NO_INCOME,
  operating_expenses: NO_INCOME,
  expense_q1_pct: [NO_UNITS],
  expense_q3_pct: [NO_UNITS],
  expense_typical_pct: [NO_UNITS],
  reserves: [NO_UNITS],
  tax_after_reset: [NO_PRICE],
  noi_at_current_tax: NO_INCOME,
  noi_after_reset: NO_INCOME,
  noi_hud_2br: NO_INCOME,
  cap_rate_hud_2br: NO_UNDERWRITING,
  underwrite_reason: ['reliability_ok'],
  loan_amount: [NO_PRICE],
  monthly_payment: [NO_PRICE],
  annual_debt_service: [NO_PRICE],
  dscr_underwritten: NO_DSCR_UNDERWRITTEN,
  dscr_reason: ['dscr_computed'],
  debt_yield_pct: NO_DSCR,
  break_even_occupancy_pct: NO_DSCR_UNDERWRITTEN,
  rent_over_pitia: NO_PITIA,
  loan_rate_series: NO_SURVEY,
  loan_rate_on: NO_SURVEY,
  loan_rate_age_days: NO_SURVEY,
  loan_rate_source_url: NO_SURVEY,
  loan_rate_is_made_up: NO_SURVEY,
  net_cash_flow: NO_INCOME,
  loan_sized: NO_DSCR_UNDERWRITTEN,
  loan_binding: NO_DSCR_UNDERWRITTEN,
  debt_service_sized: NO_DSCR_UNDERWRITTEN,
  cash_flow_after_debt: NO_DSCR_UNDERWRITTEN,
  cash_needed: NO_DSCR_UNDERWRITTEN,
  cash_on_cash_pct: NO_DSCR_UNDERWRITTEN,
  gross_rent_multiplier: NO_UNDERWRITING,

  noi_scoring: NO_SCORE,
  cap_scoring_pct: NO_SCORE,
  coverage_scoring: NO_SCORE,
  yield_on_cost_pct: NO_SCORE,
  noi_stressed: NO_SCORE,
  dscr_stressed: [...NO_SCORE, 'income_supports_no_loan'],
  price_to_rent: NO_SCORE,
  score_share_pct: NO_SCORE,
  offer_low: NO_OFFER,
  offer_high: NO_OFFER,
  offer_range_basis: NO_OFFER,
  offer_binding: NO_OFFER,
  ask_at_or_below_target_value: NO_OFFER,
  roll_parcel_id: NO_ROLL,
  last_sale_date: NOT_ON_ROLL,
  last_sale_price: NOT_ON_ROLL,
  last_sale_basis: NOT_ON_ROLL,
  assessed_market_value: NOT_ON_ROLL,
  roll_source: NO_ROLL,
  roll_source_url: NO_ROLL,
  county: NO_COUNTY,
  county_fips: NO_COUNTY,
  county_basis: NO_COUNTY,
  ...pointCauses,
} as const;
