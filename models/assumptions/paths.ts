/** Thresholds of the rental, wholesale and creative-finance paths. */
import type { DeclaredAssumption } from './declare.ts';

export const PATHS: readonly DeclaredAssumption[] = [
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
];
