/** Thresholds of the paths, the offer range with its stress case, and the what-if grid of the report. */
import {
  dollars,
  dollarsPerUnit,
  LOAN_RATE,
  multiple,
  percent,
  score,
  share,
  units,
  type Declaration,
} from './declare.ts';

const GRID_VACANCY =
  "Vacancy in the report's grid. If a deal's vacancy differs from the declared one, the grid shifts by the difference.";
const GRID_RATE =
  "Loan rate in the report's grid. If a deal's rate differs from the declared one, the grid shifts by the difference.";

export const OFFERS: readonly Declaration[] = [
  // Paths
  units('minimum_units', '2', 'proposal', 'A property with fewer units is not an income property.', { isFixed: true }),
  multiple(
    'rental_hot_coverage',
    '1.00',
    'proposal',
    'What owners of such buildings typically earn pays the loan of loan_to_value after reserves. At loan_coverage, a ' +
      'lender then makes a loan of 60 % of the price; half of the agency loans of 5 to 12 units are at 62 to 75 %.',
  ),
  percent('rental_hot_cap_pct', '6.50', 'proposal', "Minimum of the owners' cap rate of a Hot rental.", {
    isPositive: true,
  }),
  multiple('rental_warm_coverage', '0.85', 'proposal', 'Coverage that a lower price may lift to that of a Hot rental.'),
  percent('rental_warm_cap_pct', '5.50', 'proposal', 'Minimum cap rate of a Warm rental.', { isPositive: true }),
  percent(
    'wholesale_arv_cap_pct',
    '5.70',
    'evidence',
    'Cap rate at which a repaired building sells: the median NOI over value of 14 securitized loans (EX-102).',
    { isPositive: true },
  ),
  share('wholesale_share', '0.70', 'evidence', 'The 70 % rule, applied to an income value.'),
  dollarsPerUnit(
    'wholesale_repairs_per_unit',
    '0',
    'proposal',
    'Repairs that a wholesaler expects in addition to upfront_repairs_per_unit.',
  ),
  dollars('wholesale_fee', '10000', 'proposal', 'Assignment fee.'),
  multiple(
    'wholesale_warm_multiple',
    '1.15',
    'proposal',
    'Asking price over the wholesale offer up to which the path is Warm: the price may still fall.',
  ),
  score('wholesale_warm_motivation', '40', 'proposal', 'Minimum motivation_score for a Warm wholesale path.'),
  multiple('creative_hot_coverage', '1.00', 'proposal', 'Coverage at seller terms.'),
  score('creative_hot_motivation', '50', 'proposal', 'Minimum of the larger of motivation_score and distress_score.'),
  multiple('creative_warm_coverage', '0.90', 'proposal', 'Coverage at seller terms.'),
  score('creative_warm_motivation', '25', 'proposal', 'Minimum of the larger of motivation_score and distress_score.'),
  // Offers
  percent('target_cap_pct', '8.00', 'proposal', 'Minimum cap rate of an offer.', { isPositive: true }),
  multiple('offer_coverage', '1.25', 'evidence', 'Minimum debt coverage of an offer at the declared loan.', {
    isPositive: true,
  }),
  dollars('offer_step', '500', 'proposal', 'Offers are rounded down to a multiple of this sum.', {
    isPositive: true,
    sql: 'INTEGER',
  }),
  share('stress_rent', '-0.05', 'proposal', 'Change of rent in the low offer.', { least: -0.99 }),
  share('stress_vacancy', '0.03', 'proposal', 'Added to vacancy in the low offer.'),
  share('stress_expenses', '0.00', 'proposal', 'Added to the expense ratio in the low offer.'),
  // Sensitivity grid of the report
  share('grid_rent_1', '-0.10', 'proposal', 'Change of rent in the grid of the report.', { least: -0.99 }),
  share('grid_rent_2', '-0.05', 'proposal', 'Change of rent in the grid of the report.', { least: -0.99 }),
  share('grid_rent_3', '0.00', 'proposal', 'Change of rent in the grid of the report.', { least: -0.99 }),
  share('grid_rent_4', '0.05', 'proposal', 'Change of rent in the grid of the report.', { least: -0.99 }),
  share('grid_vacancy_1', '0.05', 'proposal', GRID_VACANCY),
  share('grid_vacancy_2', '0.07', 'proposal', GRID_VACANCY),
  share('grid_vacancy_3', '0.10', 'proposal', GRID_VACANCY),
  share('grid_expenses_1', '-0.05', 'proposal', 'Added to the expense ratio in the grid of the report.', {
    least: -0.99,
  }),
  share('grid_expenses_2', '0.00', 'proposal', 'Added to the expense ratio in the grid of the report.', {
    least: -0.99,
  }),
  share('grid_expenses_3', '0.05', 'proposal', 'Added to the expense ratio in the grid of the report.', {
    least: -0.99,
  }),
  percent('grid_rate_1_pct', '6.00', 'proposal', GRID_RATE, { ...LOAN_RATE }),
  percent('grid_rate_2_pct', '7.00', 'proposal', GRID_RATE, { ...LOAN_RATE }),
  percent('grid_rate_3_pct', '8.00', 'proposal', GRID_RATE, { ...LOAN_RATE }),
];
