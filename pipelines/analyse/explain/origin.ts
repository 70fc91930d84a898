/** Where an input of a formula comes from, in words. */
import type { Explanation } from './explain.ts';

/** Group of a deal's provenance, by field. All other fields are of the listing. */
const GROUPS: Readonly<Record<string, string>> = {
  market_rent_0br: 'rent',
  market_rent_1br: 'rent',
  market_rent_2br: 'rent',
  market_rent_3br: 'rent',
  market_rent_4br: 'rent',
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
const MIX = 'rent_steps.mix: the listing, or the reference table bedroom_mixes';
const IN_PLACE = "rent_steps.in_place: the census's rent over HUD's in the metropolitan area";
const EXPENSE_CELL = 'the reference table expense_cells, for its size and vintage';

/** Inputs that come from no page of the row, and the field or the table that has them. */
const PARTS_OF_FIELDS: Readonly<Record<string, string>> = {
  expense_ratio_of_size_pct: 'the assumption expense_ratio_* for its number of units, in percent',
  expense_adjustment_pct: 'the assumption expense_*_adjustment for its year of construction, in percent',
  mix_0br: MIX,
  mix_1br: MIX,
  mix_2br: MIX,
  mix_3br: MIX,
  mix_4br: MIX,
  mix_sum: MIX,
  in_place_ratio_0br: IN_PLACE,
  in_place_ratio_1br: IN_PLACE,
  in_place_ratio_2br: IN_PLACE,
  in_place_ratio_3br: IN_PLACE,
  in_place_ratio_4br: IN_PLACE,
  utility_share_used: "rent_steps.contract: the county's contract rent over its gross rent",
  vacancy_pct: 'the vacancy survey of the metropolitan area, or an assumption, as vacancy_basis says',
  tax_rate_pct: 'property_tax.rate_pct: the census, as rate_basis says',
  tax_class_factor: 'property_tax.class_factor: the reference table tax_rules',
  tax_reset_share: 'property_tax.reset_share: the reference table tax_rules',
  tax_bill: 'property_tax.bill: of the county or the listing, as current_basis says',
  tax_current: 'property_tax.current: the tax at the price, as no bill is known',
  insurance_size_factor: 'the reference table insurance_sizes',
  insurance_state_factor: 'the reference table insurance_states',
  management_share: 'the assumption management_share_* for its size',
  reserves_per_unit: 'the assumption reserves_per_unit_* for its size',
  repairs_per_unit: 'the reference table expense_lines',
  utilities_per_unit: 'the reference table expense_lines',
  expense_q1_pct: EXPENSE_CELL,
  expense_q3_pct: EXPENSE_CELL,
  expense_typical_pct: EXPENSE_CELL,
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
export function describeOrigin(explanation: Explanation, figure: string, name: string): string {
  const assumption = explanation.assumptions.get(name);
  if (assumption) return `assumption of ${assumption.set}, ${assumption.unit}, ${assumption.kind}: ${assumption.basis}`;
  const part = PARTS_OF_FIELDS[name];
  if (part !== undefined && (figure === 'confidence_score' || part !== CONFIDENCE_PART)) return part;
  const group = GROUPS[name] ?? (explanation.table === 'deals' ? 'listing' : null);
  if (group === 'history') return 'from the versions of the listing, below';
  const page = explanation.pages.findIndex((each) => each.role === group);
  if (page >= 0) return `from page ${page + 1}`;
  return explanation.pages.length > 0 ? 'from page 1' : '';
}
