/**
 * Points of motivation, distress, deal score and confidence; repairs by age of building, the price limits below which a
 * yield indicates the building's condition instead, and the stressed coverage.
 */
import { days, dollarsPerUnit, multiple, percent, percentPoints, points, share, type Declaration } from './declare.ts';

export const SCORES: readonly Declaration[] = [
  // Repairs
  dollarsPerUnit(
    'upfront_repairs_old',
    '15000',
    'proposal',
    'Repairs that the buyer of a building from before old_before_year pays on top of the price.',
  ),
  dollarsPerUnit('upfront_repairs_middle', '8000', 'proposal', 'The same for a building from the years between.'),
  dollarsPerUnit('upfront_repairs_new', '3000', 'proposal', 'The same for a building from new_from_year or later.'),
  dollarsPerUnit(
    'upfront_repairs_age_unknown',
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
  // Stressed coverage
  share('stress_coverage_rent', '-0.10', 'proposal', 'Change of rent in the stressed coverage.', { least: -0.99 }),
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
  percent('score_yield_from_pct', '3.00', 'proposal', 'Yield that earns nothing.'),
  percentPoints(
    'score_yield_span_pct',
    '6.00',
    'proposal',
    'Range above score_yield_from_pct over which the points grow to score_yield_weight.',
    { isPositive: true },
  ),
  points('score_coverage_weight', '30', 'proposal', 'Maximum points from debt coverage.'),
  multiple('score_coverage_from', '0.75', 'proposal', 'Coverage that earns nothing.'),
  multiple(
    'score_coverage_span',
    '0.25',
    'proposal',
    'Range above score_coverage_from over which the points grow to their maximum: at 1.00, a bad year still covers ' +
      'the payments.',
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
  percentPoints(
    'claim_contradiction',
    '0.50',
    'proposal',
    'A stated NOI and an advertised cap rate that are further apart contradict each other.',
  ),
  // Confidence
  share('confidence_price_fresh', '0.15', 'proposal', 'Price verified within confidence_fresh_days.', {
    sql: 'DECIMAL(14, 2)',
  }),
  share('confidence_price_recent', '0.10', 'proposal', 'Price verified within confidence_recent_days.', {
    sql: 'DECIMAL(14, 2)',
  }),
  share('confidence_price_old', '0.05', 'proposal', 'Price verified earlier.', { sql: 'DECIMAL(14, 2)' }),
  days('confidence_fresh_days', '2', 'proposal', 'A price verified within this many days is fresh.'),
  days('confidence_recent_days', '7', 'proposal', 'A price verified within this many days is recent.'),
  share('confidence_units', '0.15', 'proposal', 'The number of units is known.', { sql: 'DECIMAL(14, 2)' }),
  share(
    'confidence_rent_zip',
    '0.20',
    'proposal',
    'HUD publishes the rent for the ZIP itself; counts only where the proxy fits.',
    { sql: 'DECIMAL(14, 2)' },
  ),
  share(
    'confidence_rent_metro',
    '0.12',
    'proposal',
    'The rent is that of the HUD area; counts only where the proxy fits.',
    { sql: 'DECIMAL(14, 2)' },
  ),
  share('confidence_noi_stated', '0.15', 'proposal', 'NOI stated by the broker.', { sql: 'DECIMAL(14, 2)' }),
  share('confidence_noi_derived', '0.08', 'proposal', 'NOI derived from the advertised cap rate.', {
    sql: 'DECIMAL(14, 2)',
  }),
  share('confidence_noi_underwritten', '0.05', 'proposal', 'NOI underwritten by this service.', {
    sql: 'DECIMAL(14, 2)',
  }),
  share(
    'confidence_gap_small',
    '0.15',
    'proposal',
    'Claim and underwriting agree within confidence_gap_small_points; counts only where the proxy fits.',
    { sql: 'DECIMAL(14, 2)' },
  ),
  share(
    'confidence_gap_medium',
    '0.08',
    'proposal',
    'Claim and underwriting agree within confidence_gap_medium_points.',
    { sql: 'DECIMAL(14, 2)' },
  ),
  share('confidence_gap_none', '0.05', 'proposal', 'There is no claim to compare.', { sql: 'DECIMAL(14, 2)' }),
  percentPoints('confidence_gap_small_points', '1', 'proposal', 'Largest gap that earns confidence_gap_small.', {
    decimals: 0,
  }),
  percentPoints('confidence_gap_medium_points', '2', 'proposal', 'Largest gap that earns confidence_gap_medium.', {
    decimals: 0,
  }),
  share('confidence_reliable', '0.15', 'proposal', 'The proxy fits.', { sql: 'DECIMAL(14, 2)' }),
  share('confidence_reliability_unknown', '0.05', 'proposal', 'It is unknown whether the proxy fits.', {
    sql: 'DECIMAL(14, 2)',
  }),
  share('confidence_year_built', '0.05', 'proposal', 'The year of construction is known.', { sql: 'DECIMAL(14, 2)' }),
  share(
    'confidence_condition_risk',
    '0.10',
    'proposal',
    'Subtracted in proportion to the yield and coverage points that condition risk removes.',
    { sql: 'DECIMAL(14, 2)' },
  ),
  days('confidence_rate_stale_days', '14', 'proposal', 'A loan rate is stale if its survey week is older.'),
  days('confidence_rate_old_days', '60', 'proposal', 'A loan rate is old if its survey week is older.'),
  share('confidence_rate_stale', '0.05', 'proposal', 'Subtracted if the scores use a stale loan rate.', {
    sql: 'DECIMAL(14, 2)',
  }),
  share(
    'confidence_rate_old',
    '0.10',
    'proposal',
    'Subtracted if the scores use an old loan rate, or one without a survey.',
    { sql: 'DECIMAL(14, 2)' },
  ),
  share(
    'confidence_claim_contradicted',
    '0.15',
    'proposal',
    'Subtracted from the part noi_source, down to 0 at least, if claim_issue names the NOI.',
    { sql: 'DECIMAL(14, 2)' },
  ),
];
