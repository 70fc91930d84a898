/**
 * Rules between assumptions. A set that breaks one would give scores above 100, offers that rise under stress, or a
 * higher score to a worse deal.
 */
import { words } from '../../lib/record.ts';
import type { AssumptionRow } from '../assumptions.ts';
import { PROPERTY_KINDS } from '../fields.ts';

interface Rule {
  readonly keys: readonly string[];
  /** The rule in words that name the keys. */
  readonly expected: string;
  /** Whether the values, in hundredths and in the order of the keys, follow the rule. */
  readonly isMet: (values: readonly number[]) => boolean;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Each value is at least the next one. */
const falling = (...keys: readonly string[]): Rule => ({
  keys,
  expected: keys.join(' >= '),
  isMet: (values) => values.every((value, index) => index === 0 || value <= (values[index - 1] ?? value)),
});
/** Each value is above the previous one. */
const rising = (...keys: readonly string[]): Rule => ({
  keys,
  expected: keys.join(' < '),
  isMet: (values) => values.every((value, index) => index === 0 || value > (values[index - 1] ?? value)),
});
/** The sum is at most a limit, in hundredths. */
const atMost = (limit: number, limitText: string, ...keys: readonly string[]): Rule => ({
  keys,
  expected: `${keys.join(' + ')} to be ${limitText} at most`,
  isMet: (values) => sum(values) <= limit,
});
/** Each value is at least the one before up to one peak, and at most the one before after it. */
const onePeak = (...keys: readonly string[]): Rule => ({
  keys,
  expected: `${keys.join(', ')} to rise to one peak and fall after it`,
  isMet: (values) => {
    const peak = values.indexOf(Math.max(...values));
    return values.every((value, index) => {
      const before = values[index - 1] ?? value;
      return index === 0 || (index <= peak ? value >= before : value <= before);
    });
  },
});
const within = (key: string, least: number, most: number, expected: string): Rule => ({
  keys: [key],
  expected,
  isMet: ([v = 0]) => v >= least && v <= most,
});

const EXPENSES = ['expense_ratio_2_4', 'expense_ratio_5_12', 'expense_ratio_13_50', 'expense_ratio_51_up'];
const ADDED = ['expense_old_adjustment', 'expense_new_adjustment'];

/** The highest and the lowest ratio of a size, after age, stress and grid, are between 0 and 1. */
const expenses = (size: string): Rule => ({
  keys: [size, ...ADDED, 'stress_expenses', 'grid_expenses_1', 'grid_expenses_2', 'grid_expenses_3'],
  expected:
    `${size} to stay from 0 to below 1 with every adjustment for age, and with stress_expenses or any ` +
    'grid_expenses added',
  isMet: ([ratio = 0, old = 0, fresh = 0, ...more]) =>
    ratio + Math.max(0, old, fresh) + Math.max(0, ...more) < 100 &&
    ratio + Math.min(0, old, fresh) + Math.min(0, ...more) >= 0,
});

/** Parts of a lead score at their maximum, without the urgency of a sale and the kind of property. */
const AUCTION_PARTS = words('auction_base auction_equity_max auction_corroboration auction_absentee auction_fresh');
const TAX_PARTS = words(
  'tax_base tax_value_max tax_years_max tax_absentee_out_of_state tax_corroboration_sale tax_fresh',
);
const URGENCIES = ['1', '2', '3', '4', '5'].map((step) => `auction_urgency_${step}`);
const KINDS = PROPERTY_KINDS.map((kind) => `lead_kind_${kind}`);

const RULES: readonly Rule[] = [
  // Income and loans
  { keys: ['vacancy', 'stress_vacancy'], expected: 'vacancy + stress_vacancy below 1', isMet: (v) => sum(v) < 100 },
  ...EXPENSES.map(expenses),
  { keys: ['stress_rent'], expected: 'a stress of 0 or below', isMet: ([v = 0]) => v <= 0 },
  {
    keys: ['old_before_year', 'new_from_year'],
    expected: 'old_before_year <= new_from_year',
    isMet: ([old = 0, fresh = 0]) => old <= fresh,
  },
  ...['offer_coverage', 'loan_coverage', 'wholesale_warm_multiple'].map((key) =>
    within(key, 100, 9_999, 'at least 1.00'),
  ),
  rising('grid_rent_1', 'grid_rent_2', 'grid_rent_3', 'grid_rent_4'),
  ...['vacancy', 'expenses'].map((what) => rising(`grid_${what}_1`, `grid_${what}_2`, `grid_${what}_3`)),
  rising('grid_rate_1_pct', 'grid_rate_2_pct', 'grid_rate_3_pct'),
  // Paths: a Hot deal meets the Warm thresholds too
  falling('rental_hot_coverage', 'rental_warm_coverage'),
  falling('rental_hot_cap_pct', 'rental_warm_cap_pct'),
  falling('creative_hot_coverage', 'creative_warm_coverage'),
  falling('creative_hot_motivation', 'creative_warm_motivation'),
  // Scores of 100 at most, confidence of 1
  {
    keys: ['score_yield_weight', 'score_coverage_weight', 'score_motivation_weight', 'score_distress_weight'],
    expected: 'the four score weights to add up to 100',
    isMet: (values) => sum(values) === 10_000,
  },
  atMost(10_000, '100', 'motivation_cut_max', 'motivation_days_max'),
  within('distress_max', 0, 10_000, 'at most 100'),
  atMost(
    100,
    '1.00',
    ...words(
      'confidence_price confidence_units confidence_year_built confidence_bedrooms confidence_rent',
      'confidence_in_place confidence_utilities confidence_vacancy confidence_tax_bill confidence_tax_rate',
      'confidence_loan_rate confidence_claim confidence_agreement',
    ),
  ),
  ...KINDS.flatMap((kind) => URGENCIES.map((urgency) => atMost(10_000, '100', ...AUCTION_PARTS, urgency, kind))),
  ...KINDS.map((kind) => atMost(10_000, '100', ...TAX_PARTS, kind)),
  falling('tax_value_max', 'tax_amount_max'),
  // More evidence never scores less
  rising('confidence_fresh_days', 'confidence_recent_days'),
  rising('confidence_rate_stale_days', 'confidence_rate_old_days'),
  rising('confidence_gap_small_points', 'confidence_gap_medium_points'),
  rising('auction_days_1', 'auction_days_2', 'auction_days_3', 'auction_days_4'),
  onePeak(...URGENCIES),
  falling('auction_equity_max', 'auction_equity_unknown_taxes', 'auction_equity_unknown'),
  falling('auction_fresh', 'auction_recent', 'auction_old'),
  falling('tax_fresh', 'tax_recent', 'tax_old'),
  falling('tax_absentee_out_of_state', 'tax_absentee_in_state'),
  falling('tax_corroboration_sale', 'tax_corroboration_listing'),
];

/**
 * The first rule that a set breaks, as the part of a message after the file's name; null if it breaks none.
 * @param rows the whole set; the message begins with a value that the operator set
 */
export function brokenRule(rows: readonly AssumptionRow[]): string | null {
  const row = new Map(rows.map((each) => [each.key, each]));
  const valueOf = (key: string): string => row.get(key)?.value ?? '';
  for (const { keys, expected, isMet } of RULES) {
    if (isMet(keys.map((key) => Math.round(Number(valueOf(key)) * 100)))) continue;
    const [first = '', ...others] = [...keys].sort(
      (a, b) => Number(row.get(b)?.kind === 'override') - Number(row.get(a)?.kind === 'override'),
    );
    const rest = others.length === 0 ? '' : ` (with ${others.map((other) => `${other} ${valueOf(other)}`).join(', ')})`;
    return `${first} is ${JSON.stringify(valueOf(first))}${rest}, expected ${expected}`;
  }
  return null;
}
