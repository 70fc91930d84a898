/** Deals with repairs, taper, stressed coverage, claims that cannot be, offers and sentences computed by hand. */
import type { InputRow } from '../../build_models.ts';

/** A row of int_underwriting, and what follows from it. */
export interface Example {
  readonly name: string;
  readonly underwriting: InputRow;
  readonly yearBuilt: number | null;
  readonly taxOwed?: string;
  readonly dscrUnderwritten?: string;
  readonly expected: InputRow;
}

const STATED = { noi_source: 'stated', cap_rate: null, cap_rate_source: 'derived_from_stated_noi' };
const CHEAP = { noi: '16800.00', noi_source: 'underwritten', cap_rate_source: 'none', coverage_scoring: '2.17' };

export const EXAMPLES: readonly Example[] = [
  {
    name: 'at $30,000 a door earn two thirds of the points, and less confidence',
    yearBuilt: 1925,
    underwriting: {
      list_price: '120000.00',
      units: 4,
      price_per_unit: '30000.00',
      market_rent_2br: '700.00',
      effective_gross_income: '33600.00',
      vacancy_pct: '7.00',
      management: '2520.00',
      reserves: '1200.00',
      net_cash_flow: '15600.00',
      noi_underwritten: '16800.00',
      noi_scoring: '16800.00',
      ...CHEAP,
      cap_rate_underwritten: '14.00',
      loan_amount: '90000.00',
      cap_scoring_pct: '14.00',
      expense_ratio_pct: '50.00',
    },
    expected: {
      upfront_repairs_per_unit: '15000.00',
      yield_on_cost_pct: '9.33',
      dscr_stressed: '1.58',
      // (30,000 - 20,000) / 15,000
      score_share_pct: '66.67',
      score_limit: 'condition_risk',
      condition_risk: 'low_price_per_unit',
      deal_score_yield: 23,
      deal_score_coverage: 20,
      confidence_reasons: '["condition_risk","loan_rate_stale"]',
      offer_high: '120000.00',
      offer_low: '118500.00',
      offer_binding: 'list_price',
      why_this_is_interesting:
        'HUD rent supports a cap rate of 14.00%, but $30,000 per unit points to the condition of the building.',
    },
  },
  {
    name: 'with a stated NOI of $30,000 and an advertised 7 % of $500,000 contradict themselves',
    yearBuilt: 1990,
    underwriting: {
      list_price: '500000.00',
      units: 5,
      price_per_unit: '100000.00',
      market_rent_2br: '1000.00',
      effective_gross_income: '50000.00',
      vacancy_pct: '7.00',
      management: '3750.00',
      reserves: '1500.00',
      net_cash_flow: '23500.00',
      noi_underwritten: '25000.00',
      noi_scoring: '25000.00',
      claimed_noi: '30000.00',
      noi: '30000.00',
      noi_source: 'stated',
      cap_rate: '7.00',
      claim_consistency: 'inconsistent',
      cap_rate_underwritten: '5.00',
      cap_gap_pct: '2.00',
      loan_amount: '375000.00',
      expense_ratio_pct: '50.00',
    },
    expected: {
      claim_issue: 'noi_contradicts_cap_rate',
      underwriting_agreement: 'contradicted',
      confidence_reasons: '["noi_contradicts_cap_rate","loan_rate_stale"]',
      why_this_is_interesting:
        'The broker advertises a cap rate of 7.00% and HUD rent supports 5.00%, 2.00 points lower, but the ' +
        "broker's stated NOI of $30,000 contradicts the advertised cap rate.",
    },
  },
  {
    name: 'with a negative NOI have no upside',
    yearBuilt: 1990,
    underwriting: {
      ...STATED,
      list_price: '400000.00',
      units: 4,
      price_per_unit: '100000.00',
      market_rent_2br: '1000.00',
      effective_gross_income: '48000.00',
      vacancy_pct: '7.00',
      management: '3600.00',
      reserves: '1200.00',
      net_cash_flow: '22800.00',
      noi_underwritten: '24000.00',
      noi_scoring: '9500.00',
      claimed_noi: '-5000.00',
      noi: '-5000.00',
      cap_rate_derived: '-1.25',
      cap_rate_underwritten: '6.00',
      cap_gap_pct: '-7.25',
      loan_amount: '300000.00',
      expense_ratio_pct: '50.00',
    },
    expected: {
      claim_issue: 'noi_not_positive',
      underwriting_agreement: 'contradicted',
      why_this_is_interesting:
        "The broker's stated NOI gives a cap rate of -1.25% and HUD rent supports 6.00%, 7.25 points higher, but an " +
        'NOI of zero or less points to a vacant building or an error.',
    },
  },
  {
    name: 'with a year to come are of an unknown age; a debt is in the same sentence as the gap',
    yearBuilt: 2031,
    taxOwed: '3750.00',
    underwriting: {
      ...STATED,
      list_price: '300000.00',
      units: 4,
      price_per_unit: '75000.00',
      market_rent_2br: '1150.00',
      effective_gross_income: '45175.68',
      vacancy_pct: '7.00',
      management: '2846.07',
      reserves: '1200.00',
      net_cash_flow: '25001.89',
      noi_underwritten: '26201.89',
      noi_scoring: '22100.95',
      claimed_noi: '18000.00',
      noi: '18000.00',
      cap_rate_derived: '6.00',
      cap_rate_underwritten: '8.73',
      cap_gap_pct: '-2.73',
      loan_amount: '225000.00',
      expense_ratio_pct: '42.00',
    },
    expected: {
      claim_issue: 'year_built_in_future',
      upfront_repairs_per_unit: '8000.00',
      confidence_reasons: '["year_built_in_future","loan_rate_stale"]',
      underwriting_agreement: 'claim_too_low',
      why_this_is_interesting:
        "The broker's stated NOI gives a cap rate of 6.00% and HUD rent supports 8.73%, 2.73 points higher, a " +
        'possible upside; county records show $3,750 of delinquent tax.',
    },
  },
  {
    name: 'at 138 monthly rents earn half of the points, and repairs that take the whole value leave no offer',
    yearBuilt: 1925,
    underwriting: {
      list_price: '276000.00',
      units: 2,
      price_per_unit: '138000.00',
      market_rent_2br: '1000.00',
      effective_gross_income: '20000.00',
      vacancy_pct: '7.00',
      management: '2640.00',
      reserves: '600.00',
      net_cash_flow: '1800.00',
      noi_underwritten: '2400.00',
      noi_scoring: '2400.00',
      noi: '2400.00',
      noi_source: 'underwritten',
      cap_rate_source: 'none',
      cap_rate_underwritten: '0.87',
      loan_amount: '207000.00',
      expense_ratio_pct: '88.00',
    },
    dscrUnderwritten: '0.15',
    expected: {
      price_to_rent: '138.00',
      score_share_pct: '50.00',
      score_limit: 'near_upper_proxy_limit',
      condition_risk: 'none',
      offer_status: 'repairs_exceed_value',
      offer_high: null,
      offer_range_basis: null,
    },
  },
  {
    name: 'asking less than the value under stress have one offer, and say why',
    yearBuilt: 2005,
    underwriting: {
      list_price: '300000.00',
      units: 4,
      price_per_unit: '75000.00',
      market_rent_2br: '1500.00',
      effective_gross_income: '70000.00',
      vacancy_pct: '7.00',
      management: '5250.00',
      reserves: '1200.00',
      net_cash_flow: '33800.00',
      noi_underwritten: '35000.00',
      noi_scoring: '35000.00',
      noi: '35000.00',
      noi_source: 'underwritten',
      cap_rate_source: 'none',
      cap_rate_underwritten: '11.67',
      loan_amount: '225000.00',
      expense_ratio_pct: '50.00',
    },
    dscrUnderwritten: '1.95',
    expected: {
      upfront_repairs_per_unit: '3000.00',
      score_share_pct: '100.00',
      // 35,000 / 8 % x 0.8508 - 12,000 is $360,227
      offer_low: '300000.00',
      offer_high: '300000.00',
      offer_range_basis: 'stress_above_high_end',
    },
  },
];
