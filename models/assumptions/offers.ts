/** The offer range, its stress case and the what-if grid of the report. */
import type { DeclaredAssumption } from './declare.ts';

const GRID_VACANCY =
  "Vacancy in the report's grid. If a deal's vacancy differs from the declared one, the grid shifts by the difference.";
const GRID_RATE =
  "Loan rate in the report's grid. If a deal's rate differs from the declared one, the grid shifts by the difference.";

export const OFFERS: readonly DeclaredAssumption[] = [
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
