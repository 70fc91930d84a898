/** Rents, vacancy, taxes and expenses line by line; the simple proxy, and the limits of HUD's rent as a proxy. */
import {
  dollarsPerUnitYear,
  factor,
  months,
  multiple,
  percent,
  percentPoints,
  quarters,
  share,
  units,
  year,
  type Declaration,
} from './declare.ts';

const MANAGEMENT = 'Management fee over effective income: the median of the landlords in the survey who pay one.';
const OTHER =
  'Payroll, grounds, security, professional and other costs in dollars of 2024: the sum of their means in the rental ' +
  'housing survey (2011), the highest 2 % of each line top-coded';
const RESERVES =
  'Replacement reserves below NOI, by size: 200 to 300 in securitized loans, more for small old buildings.';

export const INCOME: readonly Declaration[] = [
  // Rent and expenses
  share(
    'utility_share',
    '0.12',
    'proposal',
    'HUD rents include utilities: contract rent is assumed to be 88 % of gross rent in the simple proxy, and in ' +
      'counties without a census figure.',
  ),
  share('vacancy', '0.07', 'proposal', 'Vacancy and credit loss, above the 5 % floor of bank underwriting.'),
  months('months_per_year', '12', 'computed', 'Rents are monthly, income is yearly.'),
  share(
    'expense_ratio_2_4',
    '0.42',
    'proposal',
    "Operating expenses over effective income, 2 to 4 units: the rental housing survey's 38 % plus " +
      'professional management.',
  ),
  share(
    'expense_ratio_5_12',
    '0.45',
    'proposal',
    'The same for 5 to 12 units; small multifamily is quoted at 35 to 45 %.',
  ),
  share('expense_ratio_13_50', '0.47', 'proposal', 'The same for 13 to 50 units.'),
  share(
    'expense_ratio_51_up',
    '0.48',
    'proposal',
    'The same for 51 units and more; 40 to 50 % is considered stabilized.',
  ),
  units('small_units_max', '4', 'proposal', 'Largest property of the first expense band.', { isFixed: true }),
  units('medium_units_max', '12', 'proposal', 'Largest property of the second expense band.', { isFixed: true }),
  units('large_units_max', '50', 'proposal', 'Largest property of the third expense band.', { isFixed: true }),
  year('old_before_year', '1960', 'proposal', 'Buildings older than this cost more to run.'),
  year('new_from_year', '2000', 'proposal', 'Buildings of this year and later cost less to run.'),
  share(
    'expense_old_adjustment',
    '0.03',
    'proposal',
    'Added to the expense ratio of old buildings; the direction is evidence, the size is our choice.',
  ),
  share('expense_new_adjustment', '-0.03', 'proposal', 'Added to the expense ratio of new buildings.', {
    least: -0.99,
  }),
  percentPoints(
    'claim_tolerance',
    '0.10',
    'proposal',
    'A stated NOI is consistent with the advertised cap rate if it gives that rate to within this difference.',
    { isFixed: true },
  ),
  // Proxy limits
  multiple(
    'proxy_high_multiple',
    '144',
    'proposal',
    'Price per unit above this many monthly 2-bedroom rents means a better or larger unit than the proxy.',
    { isFixed: true },
  ),
  multiple(
    'proxy_low_multiple',
    '24',
    'proposal',
    'Price per unit below this many monthly 2-bedroom rents counts as a typing error or a building in ruins.',
    { isFixed: true },
  ),
  // Rent
  share(
    'in_place_ratio',
    '0.89',
    'evidence',
    'Census rent over HUD rent for 2 bedrooms: the median of 38 metros, used if a metro has no figure of its own.',
  ),
  share(
    'in_place_least',
    '0.70',
    'proposal',
    'Minimum ratio of rent in place to HUD rent. A lower measured ratio is replaced by it.',
  ),
  share('utility_share_least', '0.03', 'proposal', 'Minimum share of gross rent that pays for utilities.'),
  share('utility_share_most', '0.20', 'proposal', 'Maximum share of gross rent that pays for utilities.'),
  // Vacancy
  share('vacancy_least', '0.05', 'proposal', 'The floor of bank underwriting.'),
  share('credit_loss', '0.015', 'proposal', 'Rent that is owed and never paid, on top of vacancy.'),
  share('vacancy_most', '0.15', 'proposal', 'Maximum vacancy, including credit loss.'),
  share(
    'loss_of_small',
    '0.038',
    'evidence',
    'Income that owners of up to small_loss_units lose beyond the 7 % of the simple proxy: 290 owners of that size ' +
      'in the rental housing survey (2011) lost 12.0 % at the weighted mean, 10.6 % of all dollars and 3.5 % at the ' +
      'median; 10.8 % in all is between the two means.',
  ),
  units('small_loss_units', '12', 'evidence', 'Units up to which loss_of_small counts in full.', { isFixed: true }),
  units('small_loss_span', '24', 'proposal', 'Units over which it falls to nothing.', { isFixed: true }),
  percentPoints('vacancy_spread_points', '2.00', 'proposal', 'Spread of true vacancy between metros of a region.'),
  factor(
    'vacancy_margin_divisor',
    '1.645',
    'evidence',
    'The survey states 90 % margins of error: 1.645 standard errors.',
    { sql: 'DECIMAL(6, 4)' },
  ),
  quarters('vacancy_quarters', '4', 'proposal', 'Newest quarters of the vacancy survey that count.'),
  // Expenses
  dollarsPerUnitYear(
    'insurance_per_unit',
    '671',
    'evidence',
    'Median insurance per apartment in 2024: FEDS Notes, 2025-09-19, 12 x 55.88.',
  ),
  share('management_share_2_4', '0.08', 'evidence', MANAGEMENT),
  share('management_share_5_12', '0.08', 'evidence', MANAGEMENT),
  share('management_share_25_49', '0.065', 'evidence', MANAGEMENT),
  share('management_share_50_up', '0.05', 'evidence', MANAGEMENT),
  dollarsPerUnitYear('other_per_unit_2_4', '570', 'evidence', `${OTHER}, 203 to 233 owners.`),
  dollarsPerUnitYear('other_per_unit_5_12', '484', 'evidence', `${OTHER}, 146 to 170 owners.`),
  dollarsPerUnitYear('other_per_unit_25_49', '150', 'proposal', 'Grounds, security, licenses and similar costs.'),
  dollarsPerUnitYear('other_per_unit_50_up', '150', 'proposal', 'The same for 50 units and more.'),
  dollarsPerUnitYear('reserves_per_unit_2_4', '450', 'proposal', RESERVES),
  dollarsPerUnitYear('reserves_per_unit_5_12', '400', 'proposal', RESERVES),
  dollarsPerUnitYear('reserves_per_unit_25_49', '400', 'proposal', RESERVES),
  dollarsPerUnitYear('reserves_per_unit_50_up', '300', 'proposal', RESERVES),
  share(
    'typical_weight',
    '0.50',
    'proposal',
    'Share of the expenses other than tax that is the typical ratio of such buildings instead of lines, which are ' +
      'tables of sizes and say nothing of this building.',
  ),
  share(
    'typical_tax_share',
    '0.12',
    'evidence',
    "Tax in the typical ratio: the median of 1,175 owners' tax over collected rent (2011), 0.15 to 0.08 by size.",
  ),
  // What owners earned
  units(
    'range_small_units',
    '8',
    'proposal',
    'Units up to which the owners of 2 to 12 units alone give the range of NOI.',
    { isFixed: true },
  ),
  units('range_units_span', '16', 'proposal', 'Units over which the owners of 13 units and more take their place.', {
    isFixed: true,
  }),
  // Property tax
  percent('default_tax_rate_pct', '1.50', 'proposal', 'Tax over value if neither county nor metro has a figure.', {
    isPositive: true,
  }),
  share(
    'tax_reset_share_may',
    '0.50',
    'proposal',
    'Share of the tax that follows the price where the law lets the price count, or where its rule is not known.',
  ),
  multiple(
    'tax_bill_least_multiple',
    '0.25',
    'proposal',
    'Minimum tax after a sale, as a multiple of the tax at the price. A smaller bill has an exemption that ends, or ' +
      'is an error.',
  ),
];
