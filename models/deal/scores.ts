/** The fields of a deal on its scores, its paths and its offer range. */
import { z } from 'zod';
import { flag, integer, json, money, oneOf, percent, ratio } from '../../lib/record.ts';
import { rationale } from '../fields.ts';
import { NO_OFFER } from './absence.ts';

export const scores = {
  // Scores and their parts
  noi_scoring: money('The lower of noi_underwritten and the mean of it and the claim.', {
    absent:
      'underwrite_reliability is not ok, or the property has no rental income; underwrite_reason and dscr_reason ' +
      'say which',
  }),
  cap_scoring_pct: percent('noi_scoring over list_price.', { absent: 'noi_scoring is null' }),
  coverage_scoring: ratio('noi_scoring less reserves, over annual_debt_service.', { absent: 'noi_scoring is null' }),
  deal_score_yield: integer('Part of deal_score from cap_scoring_pct.', { unit: 'points' }),
  deal_score_coverage: integer('Part of deal_score from coverage_scoring.', { unit: 'points' }),
  deal_score_motivation: integer('Part of deal_score from motivation_score.', { unit: 'points' }),
  deal_score_distress: integer('Part of deal_score from distress_score.', { unit: 'points' }),
  motivation_price_cut: integer('Part of motivation_score from price_reduction_pct.', { unit: 'points' }),
  motivation_days: integer('Part of motivation_score from days_on_feed.', { unit: 'points' }),
  confidence_parts: json(z.record(z.string(), z.string()), 'Parts of confidence_score by name, decimals as strings.'),

  // Paths
  rental_rationale: rationale('rental'),
  wholesale_status: oneOf(['Hot', 'Warm', 'Pass'], 'The wholesale path.'),
  wholesale_rationale: rationale('wholesale'),
  creative_finance_status: oneOf(['Hot', 'Warm', 'Pass'], 'The creative-finance path.'),
  creative_finance_rationale: rationale('creative-finance'),

  // Offer range at the declared target cap rate
  offer_status: oneOf(
    [
      'computed',
      'claimed_basis_unverified',
      'proxy_out_of_range_without_claim',
      'price_below_proxy_range',
      'insufficient_data',
      'noi_not_positive',
      'not_applicable',
    ],
    'Whether an offer range could be computed, and on which NOI: noi_scoring, or if the proxy does not fit the ' +
      "broker's unverified claim.",
  ),
  offer_low: money("Low end: the high end's NOI under the declared stress, at the target cap.", { absent: NO_OFFER }),
  offer_high: money('High end: least of the asking price, NOI at the target cap, and NOI at the declared coverage.', {
    absent: NO_OFFER,
  }),
  offer_binding: oneOf(['list_price', 'target_cap', 'debt_coverage'], 'Which of them sets the high end.', {
    absent: NO_OFFER,
  }),
  ask_at_or_below_target_value: flag('The asking price is no higher than NOI at the target cap.', {
    absent: NO_OFFER,
  }),
};
