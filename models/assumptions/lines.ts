/** Rents of sitting tenants, vacancy, taxes and expenses line by line. */
import type { DeclaredAssumption } from './declare.ts';

const MANAGEMENT = "Management fee over effective income: the survey of landlords' median where one is paid.";
const RESERVES =
  'Replacement reserves below NOI, by size: 200 to 300 in securitized loans, more for small old buildings.';

export const LINES: readonly DeclaredAssumption[] = [
  // Rent
  [
    'in_place_ratio',
    '0.89',
    'share',
    'evidence',
    "Median of 38 metros: the census's gross rent of 2 bedrooms over HUD's, where a metro has no figure.",
  ],
  ['in_place_least', '0.70', 'share', 'proposal', 'A measured ratio below it is read as an error.'],
  ['utility_share_least', '0.03', 'share', 'proposal', 'Least share of gross rent that pays for utilities.'],
  ['utility_share_most', '0.20', 'share', 'proposal', 'Greatest share of gross rent that pays for utilities.'],
  // Vacancy
  ['vacancy_least', '0.05', 'share', 'proposal', 'The floor of bank underwriting.'],
  ['credit_loss', '0.015', 'share', 'proposal', 'Rent that is owed and never paid, on top of vacancy.'],
  ['vacancy_most', '0.15', 'share', 'proposal', 'Greatest vacancy with credit loss.'],
  ['vacancy_spread_points', '2.00', 'percent_points', 'proposal', 'Spread of true vacancy between metros of a region.'],
  ['vacancy_margin_divisor', '1.645', 'factor', 'evidence', "The survey's margins are of 90 %: 1.645 standard errors."],
  ['vacancy_quarters', '4', 'quarters', 'proposal', 'Newest quarters of the vacancy survey that count.'],
  // Expenses
  [
    'insurance_per_unit',
    '671',
    'usd_per_unit_year',
    'evidence',
    'Median apartment insurance a unit in 2024: FEDS Notes, 2025-09-19, 12 x 55.88.',
  ],
  ['management_share_2_4', '0.08', 'share', 'evidence', MANAGEMENT],
  ['management_share_5_12', '0.08', 'share', 'evidence', MANAGEMENT],
  ['management_share_13_24', '0.07', 'share', 'evidence', MANAGEMENT],
  ['management_share_25_49', '0.065', 'share', 'evidence', MANAGEMENT],
  ['management_share_50_up', '0.05', 'share', 'evidence', MANAGEMENT],
  ['other_per_unit', '150', 'usd_per_unit_year', 'proposal', 'Grounds, security, licenses and the like.'],
  ['reserves_per_unit_2_4', '450', 'usd_per_unit_year', 'proposal', RESERVES],
  ['reserves_per_unit_5_12', '400', 'usd_per_unit_year', 'proposal', RESERVES],
  ['reserves_per_unit_13_24', '400', 'usd_per_unit_year', 'proposal', RESERVES],
  ['reserves_per_unit_25_49', '400', 'usd_per_unit_year', 'proposal', RESERVES],
  ['reserves_per_unit_50_up', '300', 'usd_per_unit_year', 'proposal', RESERVES],
  // Property tax
  [
    'default_tax_rate_pct',
    '1.50',
    'percent',
    'proposal',
    'Tax over value where neither county nor metro has a figure.',
  ],
  [
    'default_tax_reset_share',
    '0.50',
    'share',
    'proposal',
    'Share of the value that a sale sets anew, in a state without a rule.',
  ],
  [
    'tax_bill_least_multiple',
    '0.25',
    'multiple',
    'proposal',
    'A smaller bill, as a multiple of the tax at the price, counts as this: an exemption that a sale ends, or an ' +
      'error.',
  ],
  [
    'tax_bill_most_multiple',
    '3.00',
    'multiple',
    'proposal',
    'A larger bill, as a multiple of the tax at the price, counts as this: it is read as an error.',
  ],
];
