/** Rent, vacancy and expenses by one ratio: the simple proxy; and the limits of HUD's rent as a proxy. */
import type { DeclaredAssumption } from './declare.ts';

export const INCOME: readonly DeclaredAssumption[] = [
  // Rent and expenses
  [
    'utility_share',
    '0.12',
    'share',
    'proposal',
    'HUD rents include utilities: contract rent is assumed to be 88 % of gross rent in the simple proxy, and in ' +
      'counties without a census figure.',
  ],
  ['vacancy', '0.07', 'share', 'proposal', 'Vacancy and credit loss, above the 5 % floor of bank underwriting.'],
  ['months_per_year', '12', 'months', 'computed', 'Rents are monthly, income is yearly.'],
  [
    'expense_ratio_2_4',
    '0.42',
    'share',
    'proposal',
    "Operating expenses over effective income, 2 to 4 units: the rental housing survey's 38 % plus " +
      'professional management.',
  ],
  [
    'expense_ratio_5_12',
    '0.45',
    'share',
    'proposal',
    'The same for 5 to 12 units; small multifamily is quoted at 35 to 45 %.',
  ],
  ['expense_ratio_13_50', '0.47', 'share', 'proposal', 'The same for 13 to 50 units.'],
  [
    'expense_ratio_51_up',
    '0.48',
    'share',
    'proposal',
    'The same for 51 units and more; 40 to 50 % is considered stabilized.',
  ],
  ['small_units_max', '4', 'units', 'proposal', 'Largest property of the first expense band.'],
  ['medium_units_max', '12', 'units', 'proposal', 'Largest property of the second expense band.'],
  ['large_units_max', '50', 'units', 'proposal', 'Largest property of the third expense band.'],
  ['old_before_year', '1960', 'year', 'proposal', 'Buildings older than this cost more to run.'],
  ['new_from_year', '2000', 'year', 'proposal', 'Buildings of this year and later cost less to run.'],
  [
    'expense_old_adjustment',
    '0.03',
    'share',
    'proposal',
    'Added to the expense ratio of old buildings; the direction is evidence, the size is our choice.',
  ],
  ['expense_new_adjustment', '-0.03', 'share', 'proposal', 'Added to the expense ratio of new buildings.'],
  [
    'claim_tolerance',
    '0.10',
    'percent_points',
    'proposal',
    'A stated NOI is consistent with the advertised cap rate if it gives that rate to within this difference.',
  ],
  // Proxy limits
  [
    'proxy_high_multiple',
    '144',
    'multiple',
    'proposal',
    'Price per unit above this many monthly 2-bedroom rents means a better or larger unit than the proxy.',
  ],
  [
    'proxy_low_multiple',
    '24',
    'multiple',
    'proposal',
    'Price per unit below this many monthly 2-bedroom rents counts as a typing error or a building in ruins.',
  ],
];
