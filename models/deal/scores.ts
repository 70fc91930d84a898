/** The fields of a deal on its scores, its paths and its offer range. */
import { z } from 'zod';
import { date, flag, integer, json, money, oneOf, percent, ratio, text, uuid, words } from '../../lib/record.ts';
import { OFFER_REASONS } from '../absence/inside.ts';
import { rationale } from '../fields.ts';
import {
  NO_CONDITION_RECORD,
  NO_INCOME_KINDS,
  NO_OFFER,
  NO_RANGE,
  NO_SCORE,
  PRICE,
  RENT,
  UNDATED,
  UNITS,
} from '../absence/deals.ts';

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

export const scores = {
  // What owners of such buildings earned
  noi_low: money('A quarter of the owners of such buildings in the survey earned less, given our cap rate.', {
    absent: NO_RANGE,
  }),
  noi_middle: money('As noi_low: half of them earned less.', {
    absent: NO_RANGE,
  }),
  noi_high: money('As noi_low: a quarter of them earned more.', {
    absent: NO_RANGE,
  }),
  noi_range_n: integer('Owners in the survey at the nearest knot of our cap rate.', { absent: NO_RANGE }),
  noi_range_units: text('Units of their buildings.', { absent: NO_RANGE }),
  noi_range_reason: oneOf(
    [
      'owners_of_survey',
      'built_from_2000',
      ...NO_INCOME_KINDS,
      PRICE.code,
      UNITS.code,
      RENT.code,
      'price_per_unit_above_144x_monthly_2br_rent',
      'price_per_unit_below_24x_monthly_2br_rent',
    ],
    'Source of the range, or why there is none. owners_of_survey: one national survey (2011); ' +
      'built_from_2000: too few owners answered.',
  ),
  noi_range_note: text('noi_low and noi_high in one sentence, beside noi_underwritten.', { absent: NO_RANGE }),

  // Scores and their parts
  cap_rate_middle: percent('Middle of what owners in the survey earned over the price, given cap_rate_underwritten.', {
    absent: NO_SCORE,
  }),
  noi_scoring: money(
    'The lower of noi_underwritten and cap_rate_middle of list_price, or the mean of that and the claim if the claim ' +
      'is lower.',
    { absent: NO_SCORE },
  ),
  cap_scoring_pct: percent('noi_scoring over list_price.', { absent: NO_SCORE }),
  coverage_scoring: ratio('noi_scoring less reserves, over annual_debt_service.', { absent: NO_SCORE }),
  upfront_repairs_per_unit: money('Declared repairs per unit at this age, on top of the price.'),
  yield_on_cost_pct: percent('noi_scoring over list_price plus upfront_repairs_per_unit x units.', {
    absent: NO_SCORE,
  }),
  price_to_rent: ratio('price_per_unit over market_rent_2br, in monthly rents.', { absent: NO_SCORE }),
  score_share_pct: percent(
    'Share of the yield and coverage points that counts: 100.00 unless score_limit names a limit that is near.',
    { absent: NO_SCORE },
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
  condition_record_on: date('Day of the record.', { absent: UNDATED }),
  condition_record_id: uuid('Id of the record, a signal.', { absent: NO_CONDITION_RECORD }),
  condition_record_url: text('Page of the record.', { absent: NO_CONDITION_RECORD }),
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
    absent: NO_OFFER,
  }),
  offer_high: money(
    'Least of the asking price, the price at the target cap with repairs, and that at the declared coverage.',
    { absent: NO_OFFER },
  ),
  offer_range_basis: oneOf(
    ['range', 'stress_above_high_end', 'within_one_step', 'no_value_under_stress'],
    'Reason for the low end. range: the value under stress; stress_above_high_end: that exceeds the high ' +
      'end, so both are equal; within_one_step: both round to one multiple; no_value_under_stress: repairs ' +
      'exceed it, and the low end is 0.',
    { absent: NO_OFFER },
  ),
  offer_binding: oneOf(
    ['list_price', 'target_cap', 'debt_coverage'],
    'Constraint that sets the high end of the offer.',
    { absent: NO_OFFER },
  ),
  ask_at_or_below_target_value: flag('True if the asking price is no higher than the price at the target cap.', {
    absent: NO_OFFER,
  }),
};
