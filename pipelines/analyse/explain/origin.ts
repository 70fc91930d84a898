/** Where an input of a formula comes from, in words. */
import type { Explanation } from './explain.ts';

/** Group of a deal's provenance, by field. All other fields are of the listing. */
const GROUPS: Readonly<Record<string, string>> = {
  market_rent_2br: 'rent',
  rent_area_code: 'rent',
  rent_area_name: 'rent',
  rent_fiscal_year: 'rent',
  rent_outdated_reason: 'rent',
  cap_rate: 'claim',
  cap_rate_derived: 'claim',
  noi: 'claim',
  days_on_feed: 'history',
  first_price: 'history',
  first_seen: 'history',
};

const CONFIDENCE_PART = 'a part of confidence_parts';

/** Inputs that are no field of the row, and the field that has them. */
const PARTS_OF_FIELDS: Readonly<Record<string, string>> = {
  expense_ratio_of_size_pct: 'the assumption expense_ratio_* for its number of units, in percent',
  expense_adjustment_pct: 'the assumption expense_*_adjustment for its year of construction, in percent',
  declared_loan_rate_pct: 'the assumption loan_rate_pct',
  survey_rate_pct: 'the survey week loan_rate_on of loan_rate_source_url',
  monthly_factor: 'the reference table loan_factors, at loan_rate_pct over loan_years',
  annual_constant: 'the reference table loan_factors, at loan_rate_pct over loan_years',
  tax_amount: 'the debts in distress_matches',
  sale_in_days: 'days from the data clock to the sale in distress_matches',
  offer_noi: 'noi_scoring, or the claim if offer_status says so',
  upfront_repairs: 'upfront_repairs_per_unit x units',
  condition_risk: CONFIDENCE_PART,
  claim_contradicted: CONFIDENCE_PART,
  loan_rate: CONFIDENCE_PART,
  price_verified: CONFIDENCE_PART,
  units_known: CONFIDENCE_PART,
  rent_proxy: CONFIDENCE_PART,
  noi_source: CONFIDENCE_PART,
  agreement: CONFIDENCE_PART,
  reliability: CONFIDENCE_PART,
  year_built: CONFIDENCE_PART,
};

/** Origin of the input `name` of a figure's formula. */
export function originOf(e: Explanation, figure: string, name: string): string {
  const assumption = e.assumptions.get(name);
  if (assumption) return `assumption of ${assumption.set}, ${assumption.unit}, ${assumption.kind}: ${assumption.basis}`;
  const part = PARTS_OF_FIELDS[name];
  if (part !== undefined && (figure === 'confidence_score' || !(name in e.row))) return part;
  const group = GROUPS[name] ?? (e.table === 'deals' ? 'listing' : null);
  if (group === 'history') return 'from the versions of the listing, below';
  const page = e.pages.findIndex((p) => p.role === group);
  if (page >= 0) return `from page ${page + 1}`;
  return e.pages.length > 0 ? 'from page 1' : '';
}
