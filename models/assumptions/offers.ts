/** Thresholds of the paths, the offer range with its stress case, and the what-if grid of the report. */
import type { DeclaredAssumption } from './declare.ts';

const GRID_VACANCY =
  "Vacancy in the report's grid. If a deal's vacancy differs from the declared one, the grid shifts by the difference.";
const GRID_RATE =
  "Loan rate in the report's grid. If a deal's rate differs from the declared one, the grid shifts by the difference.";

export const OFFERS: readonly DeclaredAssumption[] = [
  // Paths
  ['minimum_units', '2', 'units', 'proposal', 'A property with fewer units is not an income property.'],
  ['rental_hot_coverage', '1.25', 'multiple', 'evidence', 'Debt coverage that lenders require in standard markets.'],
  ['rental_hot_cap_pct', '8.00', 'percent', 'proposal', 'About the loan constant, so that leverage is positive.'],
  [
    'rental_warm_coverage',
    '1.10',
    'multiple',
    'proposal',
    'Coverage that a better price or rate may lift to lending terms.',
  ],
  ['rental_warm_cap_pct', '6.50', 'percent', 'proposal', 'Minimum cap rate of a Warm rental.'],
  ['wholesale_arv_cap_pct', '7.50', 'percent', 'proposal', 'Cap rate at which a repaired building is assumed to sell.'],
  ['wholesale_share', '0.70', 'share', 'evidence', 'The 70 % rule, applied to an income value.'],
  [
    'wholesale_repairs_per_unit',
    '0',
    'usd_per_unit',
    'proposal',
    'Repairs that a wholesaler expects in addition to upfront_repairs_per_unit.',
  ],
  ['wholesale_fee', '10000', 'usd', 'proposal', 'Assignment fee.'],
  [
    'wholesale_warm_multiple',
    '1.15',
    'multiple',
    'proposal',
    'Asking price over the wholesale offer up to which the path is Warm: the price may still fall.',
  ],
  ['wholesale_warm_motivation', '40', 'score', 'proposal', 'Minimum motivation_score for a Warm wholesale path.'],
  ['creative_hot_coverage', '1.15', 'multiple', 'proposal', 'Coverage at seller terms.'],
  [
    'creative_hot_motivation',
    '50',
    'score',
    'proposal',
    'Minimum of the larger of motivation_score and distress_score.',
  ],
  ['creative_warm_coverage', '1.00', 'multiple', 'proposal', 'Coverage at seller terms.'],
  [
    'creative_warm_motivation',
    '25',
    'score',
    'proposal',
    'Minimum of the larger of motivation_score and distress_score.',
  ],
  // Offers
  ['target_cap_pct', '8.00', 'percent', 'proposal', 'Minimum cap rate of an offer.'],
  ['offer_coverage', '1.25', 'multiple', 'evidence', 'Minimum debt coverage of an offer at the declared loan.'],
  ['offer_step', '500', 'usd', 'proposal', 'Offers are rounded down to a multiple of this sum.'],
  ['stress_rent', '-0.05', 'share', 'proposal', 'Change of rent in the low offer.'],
  ['stress_vacancy', '0.03', 'share', 'proposal', 'Added to vacancy in the low offer.'],
  ['stress_expenses', '0.00', 'share', 'proposal', 'Added to the expense ratio in the low offer.'],
  // Sensitivity grid of the report
  ['grid_rent_1', '-0.10', 'share', 'proposal', 'Change of rent in the grid of the report.'],
  ['grid_rent_2', '-0.05', 'share', 'proposal', 'Change of rent in the grid of the report.'],
  ['grid_rent_3', '0.00', 'share', 'proposal', 'Change of rent in the grid of the report.'],
  ['grid_rent_4', '0.05', 'share', 'proposal', 'Change of rent in the grid of the report.'],
  ['grid_vacancy_1', '0.05', 'share', 'proposal', GRID_VACANCY],
  ['grid_vacancy_2', '0.07', 'share', 'proposal', GRID_VACANCY],
  ['grid_vacancy_3', '0.10', 'share', 'proposal', GRID_VACANCY],
  ['grid_expenses_1', '-0.05', 'share', 'proposal', 'Added to the expense ratio in the grid of the report.'],
  ['grid_expenses_2', '0.00', 'share', 'proposal', 'Added to the expense ratio in the grid of the report.'],
  ['grid_expenses_3', '0.05', 'share', 'proposal', 'Added to the expense ratio in the grid of the report.'],
  ['grid_rate_1_pct', '6.00', 'percent', 'proposal', GRID_RATE],
  ['grid_rate_2_pct', '7.00', 'percent', 'proposal', GRID_RATE],
  ['grid_rate_3_pct', '8.00', 'percent', 'proposal', GRID_RATE],
];
