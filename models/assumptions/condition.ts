/** Repairs by age of building, and the price limits below which a yield indicates the building's condition instead. */
import type { DeclaredAssumption } from './declare.ts';

export const CONDITION: readonly DeclaredAssumption[] = [
  // Repairs
  [
    'upfront_repairs_old',
    '15000',
    'usd_per_unit',
    'proposal',
    'Repairs a buyer of a building from before old_before_year pays on top of the price.',
  ],
  ['upfront_repairs_middle', '8000', 'usd_per_unit', 'proposal', 'The same for a building from the years between.'],
  ['upfront_repairs_new', '3000', 'usd_per_unit', 'proposal', 'The same for a building from new_from_year or later.'],
  [
    'upfront_repairs_age_unknown',
    '8000',
    'usd_per_unit',
    'proposal',
    'The same where the year of construction is unknown, or after the data clock.',
  ],
  // Condition risk: yield and coverage points taper
  [
    'taper_price_per_unit_from',
    '20000',
    'usd_per_unit',
    'proposal',
    'Price per unit up to which yield and coverage earn nothing: such a price tells of a vacant or damaged building.',
  ],
  [
    'taper_price_per_unit_span',
    '15000',
    'usd_per_unit',
    'proposal',
    'Price per unit above it from which they earn everything: $35,000 a door.',
  ],
  [
    'taper_cap_to_pct',
    '20.00',
    'percent',
    'proposal',
    'Underwritten cap rate from which they earn nothing: the market does not leave such a yield to an intact building.',
  ],
  [
    'taper_cap_span_pct',
    '8.00',
    'percent_points',
    'proposal',
    'Cap rate below it up to which they earn everything: 12 %.',
  ],
  [
    'taper_low_multiple_span',
    '12',
    'multiple',
    'proposal',
    'Monthly rents above proxy_low_multiple from which they earn everything; at the limit they earn nothing.',
  ],
  [
    'taper_high_multiple_span',
    '12',
    'multiple',
    'proposal',
    'Monthly rents below proxy_high_multiple up to which they earn everything; at the limit they earn nothing.',
  ],
];
