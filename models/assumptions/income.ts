/** Rents, vacancy, taxes and expenses line by line; the simple proxy, and the limits of HUD's rent as a proxy. */
import type { DeclaredAssumption } from './declare.ts';

const MANAGEMENT = 'Management fee over effective income: the median of the landlords in the survey who pay one.';
const RESERVES =
  'Replacement reserves below NOI, by size: 200 to 300 in securitized loans, more for small old buildings.';

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
  // Rent
  [
    'in_place_ratio',
    '0.89',
    'share',
    'evidence',
    'Census rent over HUD rent for 2 bedrooms: the median of 38 metros, used if a metro has no figure of its own.',
  ],
  [
    'in_place_least',
    '0.70',
    'share',
    'proposal',
    'Minimum ratio of rent in place to HUD rent. A lower measured ratio is replaced by it.',
  ],
  ['utility_share_least', '0.03', 'share', 'proposal', 'Minimum share of gross rent that pays for utilities.'],
  ['utility_share_most', '0.20', 'share', 'proposal', 'Maximum share of gross rent that pays for utilities.'],
  // Vacancy
  ['vacancy_least', '0.05', 'share', 'proposal', 'The floor of bank underwriting.'],
  ['credit_loss', '0.015', 'share', 'proposal', 'Rent that is owed and never paid, on top of vacancy.'],
  ['vacancy_most', '0.15', 'share', 'proposal', 'Maximum vacancy, including credit loss.'],
  ['vacancy_spread_points', '2.00', 'percent_points', 'proposal', 'Spread of true vacancy between metros of a region.'],
  [
    'vacancy_margin_divisor',
    '1.645',
    'factor',
    'evidence',
    'The survey states 90 % margins of error: 1.645 standard errors.',
  ],
  ['vacancy_quarters', '4', 'quarters', 'proposal', 'Newest quarters of the vacancy survey that count.'],
  // Expenses
  [
    'insurance_per_unit',
    '671',
    'usd_per_unit_year',
    'evidence',
    'Median insurance per apartment in 2024: FEDS Notes, 2025-09-19, 12 x 55.88.',
  ],
  ['management_share_2_4', '0.08', 'share', 'evidence', MANAGEMENT],
  ['management_share_5_12', '0.08', 'share', 'evidence', MANAGEMENT],
  ['management_share_13_24', '0.07', 'share', 'evidence', MANAGEMENT],
  ['management_share_25_49', '0.065', 'share', 'evidence', MANAGEMENT],
  ['management_share_50_up', '0.05', 'share', 'evidence', MANAGEMENT],
  ['other_per_unit', '150', 'usd_per_unit_year', 'proposal', 'Grounds, security, licenses and similar costs.'],
  ['reserves_per_unit_2_4', '450', 'usd_per_unit_year', 'proposal', RESERVES],
  ['reserves_per_unit_5_12', '400', 'usd_per_unit_year', 'proposal', RESERVES],
  ['reserves_per_unit_13_24', '400', 'usd_per_unit_year', 'proposal', RESERVES],
  ['reserves_per_unit_25_49', '400', 'usd_per_unit_year', 'proposal', RESERVES],
  ['reserves_per_unit_50_up', '300', 'usd_per_unit_year', 'proposal', RESERVES],
  // Property tax
  ['default_tax_rate_pct', '1.50', 'percent', 'proposal', 'Tax over value if neither county nor metro has a figure.'],
  [
    'default_tax_reset_share',
    '0.50',
    'share',
    'proposal',
    'Share of the tax that a sale resets, in a state without a rule.',
  ],
  [
    'tax_bill_least_multiple',
    '0.25',
    'multiple',
    'proposal',
    'Minimum tax bill, as a multiple of the tax at the price. A smaller bill is an exemption that a sale ends, or an ' +
      'error.',
  ],
  [
    'tax_bill_most_multiple',
    '3.00',
    'multiple',
    'proposal',
    'Maximum tax bill, as a multiple of the tax at the price. A larger bill is an error.',
  ],
];
