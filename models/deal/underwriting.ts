/** The fields of a deal on its claim, underwriting, income, debt and scores. */
import { z } from 'zod';
import {
  date,
  flag,
  instant,
  integer,
  json,
  money,
  oneOf,
  percent,
  ratio,
  text,
  uuid,
  words,
} from '../../lib/record.ts';
import { OUTDATED_REASONS } from '../../sources/days.ts';
import { rationale } from '../fields.ts';
import { DSCR_REASONS, INSIDE, OFFER_REASONS, UNDERWRITE_REASONS } from '../inside.ts';
import { TAX_AT_SALE } from '../references.ts';
import * as why from './absence.ts';

const nullableText = z.string().nullable();

/** Values of rent_basis. */
export const RENT_BASES = ['zip', 'zip_lowest_of_several', 'metro', 'metro_lowest_of_several', 'unknown'] as const;

/** The claim, the rent and each step of underwriting. */
export const underwriting = {
  // Claim
  cap_rate_source: oneOf(
    ['advertised', 'derived_from_stated_noi', 'none'],
    'Origin of the claim. advertised: in cap_rate; derived_from_stated_noi: in cap_rate_derived.',
  ),
  cap_rate_derived: percent('Stated NOI over list_price, if the site advertises no cap rate.', {
    absent: why.NOT_DERIVED,
  }),
  cap_gap_basis: oneOf(
    ['advertised_cap_rate', 'derived_cap_rate', 'no_claim', 'no_underwriting', 'no_claim_and_no_underwriting'],
    'The claim in cap_gap_pct, or why that is null.',
  ),
  claim_consistency: oneOf(
    ['consistent', 'inconsistent', 'not_checkable'],
    'Whether the stated NOI gives the advertised cap rate to within 0.10 points.',
  ),
  claim_issue: oneOf(
    ['none', 'noi_not_positive', 'noi_contradicts_cap_rate', 'year_built_in_future'],
    'First impossible figure of the listing. noi_contradicts_cap_rate: the stated NOI gives another cap rate.',
  ),
  underwriting_agreement: oneOf(
    words('agrees claim_too_high claim_too_low rated_pass contradicted unreliable no_underwriting no_claim'),
    'Whether the underwriting agrees with the claim. agrees: less than material_gap apart, and ' +
      'rental_status is Warm or Hot; claim_too_high, claim_too_low: that far apart or more; ' +
      "rated_pass: closer, but Pass; contradicted: claim_issue names the NOI; unreliable: HUD's " +
      'rent does not fit.',
  ),
  underwriting_note: text('underwriting_agreement in one sentence, with the figures and rental_status.'),

  // Rent
  rent_basis: oneOf(
    RENT_BASES,
    "zip: small-area rent; metro: of the ZIP's HUD area; lowest_of_several: the ZIP is in several areas.",
  ),
  rent_area_code: text('HUD area of the rent.', { absent: why.NO_RENT }),
  rent_area_name: text('Name of the HUD area.', { absent: why.NO_RENT }),
  rent_fiscal_year: integer('HUD fiscal year of the rent.', { absent: why.NO_RENT, unit: 'year' }),
  rent_source_url: text("HUD's page with the rent.", { absent: why.NO_RENT }),
  rent_observed_at: instant('When the rent was read.', { absent: why.NO_RENT, follows: 'reads' }),
  rent_outdated_reason: oneOf(
    OUTDATED_REASONS,
    'Why the rent is outdated. fiscal_year_over: it ended more than 60 days ago.',
    { absent: why.CURRENT_RENT },
  ),

  // Income
  gross_potential_rent: money('units x contract_rent x 12.', { absent: why.NO_INCOME }),
  effective_gross_income: money('gross_potential_rent less vacancy_pct of it.', { absent: why.NO_INCOME }),
  expense_ratio_pct: percent('operating_expenses over effective_gross_income.', { absent: why.NO_INCOME }),
  report_status: oneOf(
    ['available', 'no_underwriting'],
    'Whether the report is sold. no_underwriting: cap_rate_underwritten is null.',
  ),
  underwrite_reason: oneOf(UNDERWRITE_REASONS, 'First reason why underwrite_reliability is not ok.', {
    absent: why.RELIABLE,
  }),

  // Yield
  gross_rent_multiplier: ratio('list_price over gross_potential_rent.', { absent: why.NO_UNDERWRITING }),
};

const ByBedrooms = z.strictObject({
  br_0: nullableText,
  br_1: nullableText,
  br_2: nullableText,
  br_3: nullableText,
  br_4: nullableText,
});

const UNIT_MIX_BASES = words(
  'listing size_and_age size size_and_age_stated_mix_does_not_add_up size_stated_mix_does_not_add_up',
  'unknown',
);

const IN_PLACE_BASES = ['metro_of_source', 'metro_of_reference', 'declared'] as const;
const CONTRACT_BASES = ['county', 'largest_county_of_area', 'declared'] as const;
const TAX_RATE_BASES = words('county largest_county_of_area metro_of_source metro_of_reference declared');
const TAX_BILL_BASES = ['parcel', 'listing', 'estimated', 'unknown'] as const;
const TAX_AFTER_BASES = ['bill', 'reset', 'uncapped_to_assessment', 'exemption_ends', 'estimated', 'unknown'] as const;
const TAX_APPEAL_BASES = words(
  'assessment_above_price assessment_not_above_price assessment_missing bill_missing price_missing',
);
const TAX_RULE_BASES = ['confirmed', 'unconfirmed', 'declared'] as const;

const RentSteps = z.strictObject({
  mix: z.strictObject({ basis: z.enum(UNIT_MIX_BASES), weights: ByBedrooms, sum: nullableText }),
  market: z.strictObject({ basis: z.enum(RENT_BASES), rents: ByBedrooms }),
  in_place: z.strictObject({
    basis: z.enum(IN_PLACE_BASES),
    area: nullableText,
    year: z.int().nullable(),
    ratios: ByBedrooms,
    source_url: nullableText,
  }),
  contract: z.strictObject({
    basis: z.enum(CONTRACT_BASES),
    area: nullableText,
    year: z.int().nullable(),
    utility_share: nullableText,
    source_url: nullableText,
  }),
});

const ExpenseLine = z.strictObject({
  line: z.enum(['property_tax', 'insurance', 'management', 'repairs', 'owner_utilities', 'other']),
  amount: z.string(),
  basis: z.enum([...TAX_AFTER_BASES, 'size_and_state', 'size', 'declared']),
  place: nullableText,
  as_of: z.iso.date().nullable(),
  source: z.string(),
});

const VacancySurvey = z.strictObject({
  area: z.string(),
  region: z.enum(['northeast', 'midwest', 'south', 'west']),
  year: z.int(),
  quarter: z.int(),
  quarters: z.int(),
  metro_pct: z.string(),
  margin_pct: z.string(),
  region_pct: z.string(),
  metro_weight: z.string(),
  shrunk_pct: z.string(),
  source_url: z.string(),
});

const PropertyTax = z.strictObject({
  rate_pct: z.string(),
  rate_basis: z.enum(TAX_RATE_BASES),
  rate_area: nullableText,
  rate_year: z.int().nullable(),
  rate_source_url: nullableText,
  class_factor: z.string(),
  at_price: nullableText,
  bill: nullableText,
  current: nullableText,
  current_basis: z.enum(TAX_BILL_BASES),
  at_sale: z.enum([...TAX_AT_SALE, 'unknown']),
  reset_share: z.string(),
  taxed_value: nullableText,
  after_basis: z.enum(TAX_AFTER_BASES),
  if_appealed: nullableText,
  appeal_basis: z.enum(TAX_APPEAL_BASES),
  rule_basis: z.enum(TAX_RULE_BASES),
  statute: nullableText,
});

/** Rents in place, income and expenses, each step with its source. */
export const income = {
  // Rent
  market_rent_mix: money("HUD's rent of a unit and month, weighted by the mix of bedrooms.", { absent: why.NO_INCOME }),
  rent_in_place: money('Gross rent of sitting tenants for a unit and month: each rent in rent_steps times its ratio.', {
    absent: why.NO_INCOME,
  }),
  contract_rent: money('rent_in_place less the utilities that tenants pay themselves.', { absent: why.NO_INCOME }),
  rent_steps: json(
    RentSteps,
    "Steps from HUD to contract_rent: units by bedrooms, HUD's rents, the census's rent over HUD's, and " +
      'the share of utilities, each with its basis, place and year.',
    { inside: INSIDE.rent_steps },
  ),

  // Income and expenses
  vacancy_pct: percent('Vacancy and credit loss.'),
  vacancy_basis: oneOf(['metro_survey', 'declared'], 'metro_survey: vacancy_survey; declared: an assumption.'),
  vacancy_survey: json(
    VacancySurvey,
    'The survey behind vacancy_pct: the mean of the area, shrunk toward that of its region.',
    { absent: why.DECLARED_VACANCY },
  ),
  operating_expenses: money('effective_gross_income less noi_underwritten.', { absent: why.NO_INCOME }),
  expense_lines: json(
    z.array(ExpenseLine),
    'Operating expenses line by line, with basis, place, year and source. Empty if units or the rent is unknown.',
    { inside: INSIDE.expense_lines },
  ),
  expense_typical_pct: percent('Typical expense ratio at this size and age in the survey of landlords.', {
    absent: why.NO_UNITS,
  }),
  reserves: money('Replacement reserves of a year, below NOI.', { absent: why.NO_UNITS }),

  // Property tax
  property_tax: json(
    PropertyTax,
    "Property tax of a year: today's bill, the tax at the asking price, the share that a sale resets, " +
      'and the bill after an appeal.',
    { inside: INSIDE.property_tax },
  ),
  tax_after_reset: money(
    'Of property_tax, reset_share x at_price + (1 - reset_share) x bill, at least the bill; at_price without a bill.',
    { absent: why.NO_PRICE },
  ),
  noi_at_current_tax: money("NOI with today's tax bill.", { absent: why.NO_INCOME }),
  noi_after_reset: money('NOI with tax_after_reset.', { absent: why.NO_INCOME }),

  // The simple proxy
  noi_hud_2br: money("NOI by the simple proxy: HUD's 2-bedroom rent for every unit, and one expense ratio.", {
    absent: why.NO_INCOME,
  }),
  cap_rate_hud_2br: percent('noi_hud_2br over list_price.', { absent: why.NO_UNDERWRITING }),
};

const RATE = { absent: why.DECLARED_RATE } as const;
const SIZED = { absent: why.NO_DSCR_UNDERWRITTEN } as const;

/** The rate of the day, the loan that the price needs, and the loan that a lender sizes. */
export const debt = {
  // Rate
  loan_rate_pct: percent('The survey rate plus loan_rate_spread, or the declared rate.'),
  loan_rate_basis: oneOf(
    ['survey', 'declared'],
    'survey: the newest survey week at or before the day; declared: the assumption loan_rate_pct, by ' +
      'loan_rate_method or because no survey week is known.',
  ),
  loan_rate_series: text('Series of the survey rate.', RATE),
  loan_rate_on: date('Last day of the survey week.', RATE),
  loan_rate_age_days: integer('Days from loan_rate_on to the data clock.', { ...RATE, unit: 'days', follows: 'day' }),
  loan_rate_source_url: text('Page of the survey rate.', RATE),
  loan_rate_is_made_up: flag('True if the survey rate is made up, as in the sandbox.', RATE),

  // The loan that the price needs
  loan_amount: money('Loan at the declared loan-to-value.', { absent: why.NO_PRICE }),
  monthly_payment: money('Monthly payment of loan_amount at loan_rate_pct over the declared years.', {
    absent: why.NO_PRICE,
  }),
  annual_debt_service: money('Twelve payments.', { absent: why.NO_PRICE }),
  dscr_underwritten: ratio('noi_underwritten over annual_debt_service.', SIZED),
  dscr_reason: oneOf(DSCR_REASONS, 'Why dscr_status is not computed.', { absent: why.COMPUTED }),
  debt_yield_pct: percent('noi over loan_amount.', { absent: why.NO_DSCR }),
  break_even_occupancy_pct: percent('operating_expenses and annual_debt_service over gross_potential_rent.', SIZED),
  rent_over_pitia: ratio(
    'gross_potential_rent over annual_debt_service, tax_after_reset and insurance (PITIA), of 2 to 4 units.',
    { absent: why.NO_PITIA },
  ),

  // The loan that a lender sizes
  net_cash_flow: money('noi_underwritten less reserves: the income on which a lender sizes the loan.', {
    absent: why.NO_INCOME,
  }),
  loan_sized: money(
    'The lower of loan_amount and the loan that net_cash_flow covers loan_coverage times, in whole dollars. 0 if ' +
      'loan_binding is none or minimum_loan.',
    SIZED,
  ),
  loan_binding: oneOf(
    ['loan_to_value', 'debt_coverage', 'minimum_loan', 'none'],
    'Limit that determines loan_sized. minimum_loan: the income covers less than the smallest loan; ' +
      'none: net_cash_flow is not positive.',
    SIZED,
  ),
  debt_service_sized: money('Twelve payments of loan_sized.', SIZED),
  cash_flow_after_debt: money('net_cash_flow less debt_service_sized: cash left before income tax.', SIZED),
  cash_needed: money('list_price less loan_sized, plus closing costs. Without repairs.', SIZED),
  cash_on_cash_pct: percent('cash_flow_after_debt over cash_needed.', SIZED),
};

/** Why each input earns less than its weight of confidence, in the order of the inputs. */
const CONFIDENCE_REASONS = words(
  'rent_fit_not_tested rent_does_not_fit price_recent price_old_or_missing units_missing',
  'year_built_in_future year_built_missing bedrooms_assumed rent_of_area rent_outdated',
  'rent_in_place_of_reference rent_in_place_assumed utilities_of_area utilities_assumed vacancy_assumed',
  'tax_bill_exempt tax_after_sale_assumed tax_after_sale_unknown tax_bill_assumed tax_rate_of_area',
  'tax_rate_assumed loan_rate_stale loan_rate_old_or_assumed claim_derived noi_not_positive',
  'noi_contradicts_cap_rate claim_without_price claim_missing claim_differs claim_not_confirmed',
  'condition_record condition_risk',
);

/** Its scores, its paths and its offer range. */
export const scores = {
  // What owners of such buildings earned
  noi_low: money('A quarter of the owners of such buildings in the survey earned less, given our cap rate.', {
    absent: why.NO_RANGE,
  }),
  noi_middle: money('As noi_low: half of them earned less.', { absent: why.NO_RANGE }),
  noi_high: money('As noi_low: a quarter of them earned more.', { absent: why.NO_RANGE }),
  noi_range_n: integer('Owners in the survey at the nearest knot of our cap rate.', { absent: why.NO_RANGE }),
  noi_range_units: text('Units of their buildings.', { absent: why.NO_RANGE }),
  noi_range_reason: oneOf(
    [
      'owners_of_survey',
      'built_from_2000',
      ...why.NO_INCOME_KINDS,
      why.PRICE.code,
      why.UNITS.code,
      why.RENT.code,
      'price_per_unit_above_144x_monthly_2br_rent',
      'price_per_unit_below_24x_monthly_2br_rent',
    ],
    'Source of the range, or why there is none. owners_of_survey: one national survey (2011); ' +
      'built_from_2000: too few owners answered.',
  ),
  noi_range_note: text('noi_low and noi_high in one sentence, beside noi_underwritten.', { absent: why.NO_RANGE }),

  // Scores and their parts
  cap_rate_middle: percent('Middle of what owners in the survey earned over the price, given cap_rate_underwritten.', {
    absent: why.NO_SCORE,
  }),
  noi_scoring: money(
    'The lower of noi_underwritten and cap_rate_middle of list_price, or the mean of that and the claim if the claim ' +
      'is lower.',
    { absent: why.NO_SCORE },
  ),
  cap_scoring_pct: percent('noi_scoring over list_price.', { absent: why.NO_SCORE }),
  coverage_scoring: ratio('noi_scoring less reserves, over annual_debt_service.', { absent: why.NO_SCORE }),
  upfront_repairs_per_unit: money('Declared repairs per unit at this age, on top of the price.'),
  yield_on_cost_pct: percent('noi_scoring over list_price plus upfront_repairs_per_unit x units.', {
    absent: why.NO_SCORE,
  }),
  price_to_rent: ratio('price_per_unit over market_rent_2br, in monthly rents.', { absent: why.NO_SCORE }),
  score_share_pct: percent(
    'Share of the yield and coverage points that counts: 100.00 unless score_limit names a limit that is near.',
    { absent: why.NO_SCORE },
  ),
  score_limit: oneOf(
    ['none', 'condition_risk', 'near_upper_proxy_limit', 'not_scored'],
    "Reason for a score_share_pct below 100. near_upper_proxy_limit: above it, HUD's rent does not fit.",
  ),
  condition_risk: oneOf(
    words(
      'none condemned order_to_vacate vacant_building low_price_per_unit high_cap_rate low_price_to_rent',
      'code_case not_evaluated',
    ),
    'Gravest sign of poor condition. condemned, order_to_vacate, vacant_building, code_case: ' +
      'condition_record; the first three mean that nobody may live there. Others: the price or cap rate ' +
      'suggests it.',
  ),
  condition_record: oneOf(
    ['none', 'condemned', 'order_to_vacate', 'vacant_building', 'code_case'],
    'Gravest record in force in distress_matches on the condition of the building. order_to_vacate: a ' +
      'code case that orders people to leave; code_case: one whose words name a serious fault.',
  ),
  condition_record_on: date('Day of the record.', { absent: why.UNDATED }),
  condition_record_id: uuid('Id of the record, a signal.', { absent: why.NO_CONDITION_RECORD }),
  condition_record_url: text('Page of the record.', { absent: why.NO_CONDITION_RECORD }),
  deal_score_yield: integer('Part of deal_score from yield_on_cost_pct.', { unit: 'points' }),
  deal_score_coverage: integer('Part of deal_score from coverage_scoring.', { unit: 'points' }),
  deal_score_motivation: integer('Part of deal_score from motivation_score.', { unit: 'points', follows: 'day' }),
  deal_score_distress: integer('Part of deal_score from distress_score.', { unit: 'points', follows: 'day' }),
  deal_score_condition: integer(
    'Points of deal_score that condition_record takes: those above condition_score_cap, or condition_case_points. ' +
      'Zero or less.',
    { unit: 'points' },
  ),
  motivation_price_cut: integer('Part of motivation_score from price_reduction_pct.', { unit: 'points' }),
  motivation_days: integer('Part of motivation_score from days_on_feed.', { unit: 'points', follows: 'day' }),
  confidence_parts: json(
    z.record(z.string(), z.string()),
    'What each input earns of confidence_score, by its name, decimals as strings; condition is subtracted.',
    { follows: 'day' },
  ),
  confidence_reasons: json(
    z.array(z.enum(CONFIDENCE_REASONS)),
    'Why inputs earn less than their weight, in the order of confidence_parts. Known in part: ' +
      'price_recent, rent_of_area, utilities_of_area, tax_rate_of_area, rent_in_place_of_reference, ' +
      'tax_bill_exempt, tax_after_sale_assumed, loan_rate_stale, claim_derived, claim_differs. The others ' +
      'are not known. With rent_does_not_fit or rent_fit_not_tested, the inputs of rent are not listed.',
    { follows: 'day' },
  ),

  // Paths
  rental_rationale: rationale('rental'),
  wholesale_status: oneOf(['Hot', 'Warm', 'Pass'], 'Status of the wholesale path.', { follows: 'day' }),
  wholesale_rationale: rationale('wholesale'),
  creative_finance_status: oneOf(['Hot', 'Warm', 'Pass'], 'Status of the creative-finance path.', { follows: 'day' }),
  creative_finance_rationale: rationale('creative_finance'),

  // Offer range at the declared target cap rate
  offer_status: oneOf(
    ['computed', 'claimed_basis_unverified', ...OFFER_REASONS],
    "Whether an offer range could be computed. claimed_basis_unverified: on the broker's claim.",
  ),
  offer_low: money('The price at the target cap under the declared stress, with repairs; at most offer_high.', {
    absent: why.NO_OFFER,
  }),
  offer_high: money(
    'Least of the asking price, the price at the target cap with repairs, and that at the declared coverage.',
    { absent: why.NO_OFFER },
  ),
  offer_range_basis: oneOf(
    ['range', 'stress_above_high_end', 'within_one_step', 'no_value_under_stress'],
    'Reason for the low end. range: the value under stress; stress_above_high_end: that exceeds the high ' +
      'end, so both are equal; within_one_step: both round to one multiple; no_value_under_stress: repairs ' +
      'exceed it, and the low end is 0.',
    { absent: why.NO_OFFER },
  ),
  offer_binding: oneOf(
    ['list_price', 'target_cap', 'debt_coverage'],
    'Constraint that sets the high end of the offer.',
    { absent: why.NO_OFFER },
  ),
  ask_at_or_below_target_value: flag('True if the asking price is no higher than the price at the target cap.', {
    absent: why.NO_OFFER,
  }),
};
