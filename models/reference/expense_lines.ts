import { date, defineRecord, integer, money, oneOf, ratio, text } from '../../lib/record.ts';
import { BUILDING_SIZES } from './building_sizes.ts';

const EXPENSE_LINES = [
  'property_tax',
  'insurance',
  'payroll',
  'repairs',
  'owner_utilities',
  'management',
  'grounds',
  'security',
  'professional',
] as const;

/** Sizes whose properties are counted together. */
const POOLED_SIZES = ['2_4', '5_24', '25_49', '50_up'] as const;

const perUnit = (about: string) => money(about, { unit: 'USD per unit and year' });

/** Yearly expenses a unit by size, from the survey of landlords. The underwriting reads repairs and owner_utilities. */
export default defineRecord('expense_line', 'One row per size of buildings and kind of expense.', ['size', 'line'], {
  size: oneOf(BUILDING_SIZES, 'Size of the building.'),
  line: oneOf(EXPENSE_LINES, 'Kind of expense.'),
  pooled_size: oneOf(POOLED_SIZES, 'Properties behind the figures.'),
  counted: oneOf(['all', 'who_paid'], 'all: owners who paid nothing count as zero. who_paid: they do not count.'),
  amount: perUnit('Median in dollars of 2024: survey_amount x price_factor.'),
  survey_amount: perUnit('Weighted median in dollars of the year of the survey.'),
  q1: perUnit('First weighted quartile in dollars of the year of the survey.'),
  q3: perUnit('Third weighted quartile in dollars of the year of the survey.'),
  n: integer('Properties behind the figures.'),
  price_factor: ratio('Consumer prices of 2024 over those of the year of the survey.', { decimals: 4 }),
  source: text('Source of the figures.'),
  as_of: date('Last day that the survey describes.'),
});
