/** Repairs by age of building, and the price limits below which a yield indicates the building's condition instead. */
import type { DeclaredAssumption } from './declare.ts';

export const CONDITION: readonly DeclaredAssumption[] = [
  // Repairs
  [
    'upfront_repairs_old',
    '15000',
    'usd_per_unit',
    'proposal',
    'Repairs that the buyer of a building from before old_before_year pays on top of the price.',
  ],
  ['upfront_repairs_middle', '8000', 'usd_per_unit', 'proposal', 'The same for a building from the years between.'],
  ['upfront_repairs_new', '3000', 'usd_per_unit', 'proposal', 'The same for a building from new_from_year or later.'],
  [
    'upfront_repairs_age_unknown',
    '8000',
    'usd_per_unit',
    'proposal',
    'The same if the year of construction is unknown or after the data clock.',
  ],
  // Condition risk: yield and coverage points taper
  [
    'taper_price_per_unit_from',
    '20000',
    'usd_per_unit',
    'proposal',
    'Price per unit up to which yield and coverage earn nothing: such a price suggests a vacant or damaged building.',
  ],
  [
    'taper_price_per_unit_span',
    '15000',
    'usd_per_unit',
    'proposal',
    'Range above taper_price_per_unit_from over which the points grow to their full value, at $35,000 per unit.',
  ],
  [
    'taper_cap_to_pct',
    '20.00',
    'percent',
    'proposal',
    'Underwritten cap rate from which yield and coverage earn nothing: no intact building sells at such a yield.',
  ],
  [
    'taper_cap_span_pct',
    '8.00',
    'percent_points',
    'proposal',
    'Range below taper_cap_to_pct over which the points fall from their full value, at 12 %, to 0.',
  ],
  [
    'taper_low_multiple_span',
    '12',
    'multiple',
    'proposal',
    'Monthly rents above proxy_low_multiple over which the points grow from 0 to their full value.',
  ],
  [
    'taper_high_multiple_span',
    '12',
    'multiple',
    'proposal',
    'Monthly rents below proxy_high_multiple over which the points fall from their full value to 0.',
  ],
];
