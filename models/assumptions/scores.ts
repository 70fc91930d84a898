/**
 * Points of motivation, distress, deal score and confidence; repairs by age of building, and the price limits below
 * which a yield indicates the building's condition instead.
 */
import {
  characters,
  days,
  dollarsPerUnit,
  months,
  multiple,
  percent,
  percentPoints,
  points,
  share,
  type Declaration,
} from './declare.ts';

const weight = (key: string, value: string, basis: string): Declaration =>
  share(key, value, 'proposal', basis, { sql: 'DECIMAL(14, 2)' });

export const SCORES: readonly Declaration[] = [
  // Repairs
  dollarsPerUnit(
    'upfront_repairs_before_1960',
    '15000',
    'proposal',
    'Repairs that the buyer of a building of about 1940 or older pays on top of the price; between the years, blended.',
  ),
  dollarsPerUnit('upfront_repairs_1960_1999', '8000', 'proposal', 'The same for a building of about 1978.'),
  dollarsPerUnit('upfront_repairs_from_2000', '3000', 'proposal', 'The same for a building of about 2005 or newer.'),
  dollarsPerUnit(
    'upfront_repairs_any',
    '8000',
    'proposal',
    'The same if the year of construction is unknown or after the data clock.',
  ),
  // Condition risk: yield and coverage points taper
  dollarsPerUnit(
    'taper_price_per_unit_from',
    '20000',
    'proposal',
    'Price per unit up to which yield and coverage earn nothing: such a price suggests a vacant or damaged building.',
  ),
  dollarsPerUnit(
    'taper_price_per_unit_span',
    '15000',
    'proposal',
    'Range above taper_price_per_unit_from over which the points grow to their full value, at $35,000 per unit.',
    { isPositive: true },
  ),
  percent(
    'taper_cap_to_pct',
    '20.00',
    'proposal',
    'Underwritten cap rate from which yield and coverage earn nothing: no intact building sells at such a yield.',
  ),
  percentPoints(
    'taper_cap_span_pct',
    '8.00',
    'proposal',
    'Range below taper_cap_to_pct over which the points fall from their full value, at 12 %, to 0.',
    { isPositive: true },
  ),
  multiple(
    'taper_low_multiple_span',
    '12',
    'proposal',
    'Monthly rents above proxy_low_multiple over which the points grow from 0 to their full value.',
    { decimals: 0, isPositive: true },
  ),
  multiple(
    'taper_high_multiple_span',
    '12',
    'proposal',
    'Monthly rents below proxy_high_multiple over which the points fall from their full value to 0.',
    { decimals: 0, isPositive: true },
  ),
  // Condition by record
  points(
    'condition_score_cap',
    '10',
    'proposal',
    'Most points of a deal whose building is condemned, ordered to be vacated or registered as vacant: it is not ' +
      'let, so its yield and coverage do not exist. Low enough that no such deal is in the first third of the feed.',
  ),
  points(
    'condition_case_points',
    '8',
    'proposal',
    'Subtracted for an open code case whose words name a fault of structure, roof, heat, sewage or smoke alarms.',
  ),
  months(
    'condition_months',
    '36',
    'proposal',
    'A condemnation or vacancy registration counts for this long after its latest event if its list never says that ' +
      'one has ended.',
  ),
  // Motivation and distress
  points('motivation_points_per_cut_pct', '6', 'proposal', 'Points for each percent of observed price reduction.', {
    sql: 'DECIMAL(6, 2)',
  }),
  points('motivation_cut_max', '60', 'proposal', 'Maximum points from price reductions.'),
  points('motivation_days_max', '40', 'proposal', 'Maximum points from days on the feed.'),
  days('motivation_days_full', '180', 'proposal', 'Days on the feed that earn motivation_days_max.', {
    isPositive: true,
  }),
  points('distress_tax', '40', 'proposal', 'A tax delinquency of the same property.'),
  points('distress_tax_points_per_pct', '4', 'proposal', 'Points for each percent of the asking price that is owed.', {
    sql: 'DECIMAL(6, 2)',
  }),
  points('distress_tax_amount_max', '20', 'proposal', 'Maximum points from the amount.'),
  points('distress_sale', '40', 'proposal', 'A sheriff sale of the same property.'),
  points('distress_sale_soon', '20', 'proposal', 'A sheriff sale within distress_sale_soon_days.'),
  days(
    'distress_sale_soon_days',
    '30',
    'proposal',
    'Days before a sheriff sale within which it earns distress_sale_soon.',
  ),
  points('distress_max', '100', 'proposal', 'Largest distress score.'),
  // Deal score
  points('score_yield_weight', '35', 'proposal', 'Maximum points from the yield.'),
  percent('score_yield_from_pct', '2.00', 'proposal', 'Yield that earns nothing.'),
  percentPoints(
    'score_yield_span_pct',
    '5.00',
    'proposal',
    'Range above score_yield_from_pct over which the points grow to score_yield_weight.',
    { isPositive: true },
  ),
  points('score_coverage_weight', '30', 'proposal', 'Maximum points from debt coverage.'),
  multiple(
    'score_coverage_from',
    '1.00',
    'proposal',
    'Coverage that earns nothing: below it, what owners typically earn does not pay the loan.',
  ),
  multiple(
    'score_coverage_span',
    '0.50',
    'proposal',
    'Range above score_coverage_from over which the points grow to their maximum.',
    { isPositive: true },
  ),
  points('score_motivation_weight', '20', 'proposal', 'Maximum points from motivation.'),
  points('score_distress_weight', '15', 'proposal', 'Maximum points from distress.'),
  percentPoints(
    'material_gap',
    '1.00',
    'proposal',
    'Difference between claimed and underwritten cap rate that why_this_is_interesting states first.',
  ),
  characters('line_characters', '80', 'proposal', 'Most characters of why_this_is_interesting: a line of a terminal.', {
    isFixed: true,
  }),
  percent(
    'line_price_cut_pct',
    '5.00',
    'proposal',
    'Observed price reduction from which why_this_is_interesting names it.',
  ),
  multiple(
    'line_far_coverage',
    '0.60',
    'proposal',
    'DSCR below which why_this_is_interesting says that the income does not cover the debt by far.',
  ),
  multiple(
    'line_tax_rise',
    '1.25',
    'proposal',
    'Tax after a sale over a known bill of today from which why_this_is_interesting names it.',
  ),
  percentPoints(
    'claim_contradiction',
    '0.50',
    'proposal',
    'A stated NOI and an advertised cap rate that are further apart contradict each other.',
  ),
  // Confidence: the weight of each input
  weight('confidence_price', '0.08', 'The asking price, verified within confidence_fresh_days.'),
  weight('confidence_units', '0.08', 'The number of units, which the listing states.'),
  weight('confidence_year_built', '0.04', 'The year of construction, which the listing states.'),
  weight('confidence_bedrooms', '0.16', 'The units by bedrooms, which the listing states and which add up.'),
  weight('confidence_rent', '0.12', "HUD's current rent of the ZIP."),
  weight('confidence_in_place', '0.06', "The census's rent of sitting tenants, as the census publishes it."),
  weight('confidence_utilities', '0.06', 'The share of utilities in the rent of the county.'),
  weight('confidence_vacancy', '0.06', 'The vacancy of a survey of the metropolitan area.'),
  weight('confidence_tax_bill', '0.14', 'The tax after a sale, known from a bill and a confirmed rule.'),
  weight('confidence_tax_rate', '0.06', 'The tax rate of the county.'),
  weight('confidence_loan_rate', '0.04', 'The loan rate of a survey week of the last confidence_rate_stale_days.'),
  weight('confidence_claim', '0.04', 'The NOI, which the broker states.'),
  weight('confidence_agreement', '0.06', 'Claim and underwriting within confidence_gap_small_points.'),
  share(
    'confidence_partly',
    '0.50',
    'proposal',
    'Share of its weight that an input earns if it is known in part: older, of a wider area, implied or limited.',
  ),
  days('confidence_fresh_days', '2', 'proposal', 'A price verified within this many days is known.'),
  days('confidence_recent_days', '7', 'proposal', 'A price verified within this many days is known in part.'),
  days('confidence_rate_stale_days', '14', 'proposal', 'A loan rate is known in part if its survey week is older.'),
  days('confidence_rate_old_days', '60', 'proposal', 'A loan rate earns nothing if its survey week is older.'),
  percentPoints('confidence_gap_small_points', '1', 'proposal', 'Largest gap that earns all of confidence_agreement.', {
    decimals: 0,
  }),
  percentPoints('confidence_gap_medium_points', '2', 'proposal', 'Largest gap that earns a part of it.', {
    decimals: 0,
  }),
  weight(
    'confidence_condition_risk',
    '0.10',
    'Subtracted in proportion to the yield and coverage points that condition risk removes.',
  ),
  weight(
    'confidence_condition_record',
    '0.20',
    'Subtracted if the building is condemned, ordered to be vacated or registered as vacant: no rent is paid.',
  ),
];
