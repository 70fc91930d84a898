/** A condemned building keeps ten points: worked by hand from docs/underwriting.md. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annualConstant } from '../../../models/assumptions/loan_factors.ts';
import { build, type InputRow } from '../build_models.ts';

const MODELS = ['int_scores', 'int_confidence', 'int_paths', 'int_offers', 'int_sentences'];
const NOI = '35000.00';

/** Four units of 2005 for $300,000, of which all is known but the tax after a sale, and a rate 20 days old. */
const INPUTS: Readonly<Record<string, InputRow>> = {
  int_underwriting: {
    claim_issue: 'none',
    underwrite_reliability: 'ok',
    price_per_unit: '75000.00',
    net_cash_flow: '33800.00',
    noi_underwritten: NOI,
    noi: NOI,
    noi_source: 'underwritten',
    cap_rate_source: 'none',
    cap_rate_underwritten: '11.67',
    loan_amount: '225000.00',
    expense_ratio_pct: '50.00',
  },
  int_unit_mixes: { unit_mix_basis: 'listing' },
  int_rents_in_place: { in_place_basis: 'metro_of_source', contract_basis: 'county' },
  int_property_taxes: { tax_current_basis: 'parcel', tax_rate_basis: 'county', tax_per_dollar: '0' },
  int_vacancies: { vacancy_basis: 'metro_survey' },
  int_expenses: {
    effective_gross_income: '70000.00',
    vacancy_pct: '7.00',
    management: '5250.00',
    reserves: '1200.00',
    management_share: '0.075',
    noi_highest: NOI,
    noi_untaxed: NOI,
  },
  int_owner_incomes: { noi_scoring: NOI, cap_scoring_pct: '11.67', coverage_scoring: '1.88' },
  int_buildings: { upfront_repairs_per_unit: '3000.00' },
  int_debt_coverage: { dscr_underwritten: '1.95' },
  int_properties: {
    list_price: '300000.00',
    units: 4,
    year_built: 2005,
    as_of: '2026-11-21',
    last_verified: '2026-11-20T12:00:00Z',
    price_reduction_pct: '0.00',
    days_on_feed: 0,
  },
  int_market_rents: { rent_basis: 'zip', market_rent_2br: '1500.00' },
  int_distress: { condition_record: 'condemned', tax_records: 0, sale_records: 0 },
};

test('deals that are condemned keep 10 points and no rental path, although they would be Hot', async () => {
  const rows = Object.entries(INPUTS).map(([table, row]) => [table, [{ id: 'deal', ...row }]]);
  const rates = [{ loan_rate_age_days: 20, annual_constant: annualConstant(700n, 30n) }];
  const built = await build({ ...Object.fromEntries(rows), int_loan_rates: rates }, ({ name }) =>
    MODELS.includes(name),
  );
  const figures = Object.assign({}, ...(await Promise.all(MODELS.map((model) => built.one(model))))) as InputRow;
  built.close();
  const expected = {
    condition_risk: 'condemned',
    score_limit: 'none',
    deal_score_yield: 35,
    deal_score_coverage: 30,
    deal_score_condition: -55,
    deal_score: 10,
    rental_status: 'Pass',
    // 35,000 / 5.7 % x 0.70 - 12,000 - 10,000 is $407,824
    wholesale_status: 'Warm',
    creative_finance_status: 'Pass',
    // 1 - 0.07 tax - 0.02 loan rate - 0.04 claim - 0.06 agreement - 0.20 condition
    confidence_score: '0.61',
    why_this_is_interesting: 'Condemned (date unknown); no rent is paid.',
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((k) => [k, figures[k]])), expected);
});
