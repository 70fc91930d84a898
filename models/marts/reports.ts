import { z } from 'zod';
import { defineRecord, json } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { fieldsOf, RATIONALES } from '../fields.ts';
import { Deal } from './deals.ts';
import { INSIDE } from '../inside.ts';

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const known = decimal.nullable();
const inputs = z.record(z.string(), z.string().nullable());

const Comparison = z.strictObject({
  status: z.enum(['compared', 'no_claim', 'no_underwriting', 'neither']),
  claim_basis: z.enum(['stated', 'derived_from_advertised_cap', 'none']),
  claim_consistency: Deal.schema.shape.claim_consistency,
  reliability: Deal.schema.shape.underwrite_reliability,
  reliability_reason: Deal.schema.shape.underwrite_reason,
  lines: z.array(
    z.strictObject({
      figure: z.enum(['noi', 'cap_rate_pct', 'dscr']),
      claimed: known,
      underwritten: known,
      difference: known,
    }),
  ),
});

const loan = {
  rate_pct: decimal,
  years: z.int(),
  loan_amount: known,
  monthly_payment: known,
  annual_debt_service: known,
};
const DebtTerms = z.strictObject({
  status: Deal.schema.shape.dscr_status,
  reason: Deal.schema.shape.dscr_reason,
  bank: z.strictObject({
    loan_to_value: decimal,
    minimum_loan: decimal,
    rate_basis: Deal.schema.shape.loan_rate_basis,
    rate_series: Deal.schema.shape.loan_rate_series,
    rate_on: Deal.schema.shape.loan_rate_on,
    rate_source_url: Deal.schema.shape.loan_rate_source_url,
    rate_is_made_up: Deal.schema.shape.loan_rate_is_made_up,
    ...loan,
  }),
  sized: z.strictObject({
    coverage: decimal,
    closing_cost_share: decimal,
    net_cash_flow: known,
    loan_amount: known,
    binding: Deal.schema.shape.loan_binding,
    annual_debt_service: known,
    cash_flow_after_debt: known,
    cash_needed: known,
    cash_on_cash_pct: known,
  }),
  seller: z.strictObject({ down_share: decimal, ...loan }),
});

const gridLoan = { rate_pct: decimal, monthly_factor: decimal, monthly_payment: decimal, annual_debt_service: decimal };
const Sensitivity = z.strictObject({
  status: z.enum(['computed', 'insufficient_data', 'not_applicable']),
  reliability: Deal.schema.shape.underwrite_reliability,
  formulas: z.record(z.string(), z.string()),
  inputs,
  rates: z.array(z.strictObject(gridLoan)),
  loans: z.array(z.strictObject({ years: z.int(), ...gridLoan, dscr: known })),
  cells: z.array(
    z.strictObject({
      rent_change: decimal,
      vacancy: decimal,
      expense_change: decimal,
      noi: decimal,
      cap_rate_pct: decimal,
      dscr: z.array(decimal).nullable(),
    }),
  ),
});

const Offer = z.strictObject({
  status: Deal.schema.shape.offer_status,
  target_cap_pct: decimal,
  noi_basis: z.enum(['noi_underwritten', 'claimed_noi']).nullable(),
  low: known,
  high: known,
  high_binding: Deal.schema.shape.offer_binding,
  low_binding: z.enum(['stress', 'high']).nullable(),
  range_basis: Deal.schema.shape.offer_range_basis,
  upfront_repairs: known,
  ask_at_or_below_target_value: z.boolean().nullable(),
  constraints: z.array(
    z.strictObject({
      constraint: z.enum(['list_price', 'target_cap', 'debt_coverage']),
      figure: decimal,
      binding: z.boolean(),
    }),
  ),
  at_high: z.strictObject({ tax: known, noi: known, cap_pct: known, annual_debt_service: known, dscr: known }),
});

const Paths = z.strictObject(RATIONALES);
const Step = z.strictObject({
  figure: z.string(),
  formula: z.string(),
  when: z.string().optional().meta({ description: 'Comparison that chose the formula, of several.' }),
  inputs,
  result: decimal,
});
export const Steps = z.array(Step);

const fields = {
  ...fieldsOf(Deal, ['id']),
  comparison: json(Comparison, "The claim against HUD's underwriting, line by line, with the difference.", {
    inside: INSIDE.comparison,
  }),
  debt_terms: json(DebtTerms, "The bank loan for the price, the loan that a lender sizes, and the seller's loan.", {
    inside: INSIDE.debt_terms,
  }),
  sensitivity: json(
    Sensitivity,
    "Underwriting under other rents, vacancies, expense ratios and loan rates. A cell's dscr has one " +
      'value for each of rates; loans has the debt service over 20, 25 and 30 years. formulas and inputs ' +
      'recompute them.',
    { inside: INSIDE.sensitivity },
  ),
  offer: json(
    Offer,
    'The offer range with the figure of each constraint. at_high: tax, NOI, cap rate and coverage at the ' +
      'high end.',
    { inside: INSIDE.offer },
  ),
  ...fieldsOf(Deal, ['distress_matches']),
  paths: json(Paths, 'The three paths with thresholds and inputs.', { inside: INSIDE.paths }),
  recompute: json(
    Steps,
    'Every figure as a formula over named inputs, with its result. Formulas use + - * / ( ) min max ' +
      'clamp (to 0..1), round0, round2, round4 and floor_to. when: the comparison that chose it.',
    { inside: INSIDE.recompute },
  ),
  ...fieldsOf(Deal, ['assumption_set_id']),
};

export const Report = defineRecord('report', 'One row per deal: its report. Decimals are strings.', ['id'], fields, {});

export default defineMart({
  record: Report,
  publish: { orderBy: ['id'], references: { id: 'deals' }, inFilesOnly: true },
});
