/**
 * Rules between assumptions. A set that breaks one would give scores above 100, offers that rise under stress, or a
 * higher score to a worse deal. A rule is a chain of comparisons of sums of keys and numbers.
 */
import type { AssumptionRow } from '../assumptions.ts';
import { PROPERTY_KINDS } from '../fields.ts';

const GRID_EXPENSES = 'grid_expenses_1 grid_expenses_2 grid_expenses_3';

/** The ratio of each size, after age, and after stress or grid, is from 0 to below 1. */
const EXPENSES = ['2_4', '5_12', '13_50', '51_up'].flatMap((size) =>
  ['', ' + expense_old_adjustment', ' + expense_new_adjustment'].flatMap((age) =>
    ['', ...`stress_expenses ${GRID_EXPENSES}`.split(' ').map((key) => ` + ${key}`)].map(
      (added) => `0 <= expense_ratio_${size}${age}${added} < 1`,
    ),
  ),
);

/** Parts of a lead score at their maximum. */
const AUCTION_PARTS = 'auction_base + auction_equity_max + auction_corroboration + auction_absentee + auction_fresh';
const TAX_PARTS =
  'tax_base + tax_value_max + tax_years_max + tax_absentee_out_of_state + tax_corroboration_sale + tax_fresh';
const URGENCIES = ['1', '2', '3', '4', '5'].map((step) => `auction_urgency_${step}`);

const RULES: readonly string[] = [
  // Income and loans
  'vacancy + stress_vacancy < 1',
  ...EXPENSES,
  'stress_rent <= 0',
  'old_before_year <= new_from_year',
  'offer_coverage >= 1',
  'loan_coverage >= 1',
  'wholesale_warm_multiple >= 1',
  'grid_rent_1 < grid_rent_2 < grid_rent_3 < grid_rent_4',
  'grid_vacancy_1 < grid_vacancy_2 < grid_vacancy_3',
  GRID_EXPENSES.replaceAll(' ', ' < '),
  'grid_rate_1_pct < grid_rate_2_pct < grid_rate_3_pct',
  // Paths: a Hot deal meets the Warm thresholds too
  'rental_hot_coverage >= rental_warm_coverage',
  'rental_hot_cap_pct >= rental_warm_cap_pct',
  'creative_hot_coverage >= creative_warm_coverage',
  'creative_hot_motivation >= creative_warm_motivation',
  // Scores of 100 at most, confidence of 1
  'score_yield_weight + score_coverage_weight + score_motivation_weight + score_distress_weight = 100',
  'motivation_cut_max + motivation_days_max <= 100',
  'distress_max <= 100',
  'confidence_price + confidence_units + confidence_year_built + confidence_bedrooms + confidence_rent + ' +
    'confidence_in_place + confidence_utilities + confidence_vacancy + confidence_tax_bill + confidence_tax_rate + ' +
    'confidence_loan_rate + confidence_claim + confidence_agreement <= 1',
  ...PROPERTY_KINDS.flatMap((kind) => [
    ...URGENCIES.map((urgency) => `${AUCTION_PARTS} + ${urgency} + lead_kind_${kind} <= 100`),
    `${TAX_PARTS} + lead_kind_${kind} <= 100`,
  ]),
  'tax_value_max >= tax_amount_max',
  // More evidence never scores less
  'confidence_fresh_days < confidence_recent_days',
  'confidence_rate_stale_days < confidence_rate_old_days',
  'confidence_gap_small_points < confidence_gap_medium_points',
  'auction_days_1 < auction_days_2 < auction_days_3 < auction_days_4',
  // One peak
  URGENCIES.map((_, peak) => URGENCIES.reduce((all, key, at) => `${all} ${at <= peak ? '<=' : '>='} ${key}`)).join(
    ' or ',
  ),
  'auction_equity_max >= auction_equity_unknown_taxes >= auction_equity_unknown',
  'auction_fresh >= auction_recent >= auction_old',
  'tax_fresh >= tax_recent >= tax_old',
  'tax_absentee_out_of_state >= tax_absentee_in_state',
  'tax_corroboration_sale >= tax_corroboration_listing',
];

const HOLDS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '>=': (a, b) => a >= b,
};

/** Whether a chain holds; sums are whole ten-thousandths. */
function isMet(chain: string, valueOf: (key: string) => string): boolean {
  const parts = chain.split(/ ([<>=]+) /u);
  const sumAt = (at: number): number =>
    (parts[at] ?? '')
      .split(' + ')
      .reduce((sum, term) => sum + Math.round(Number(/^\d/u.test(term) ? term : valueOf(term)) * 10_000), 0);
  return parts.every((part, at) => at % 2 === 0 || HOLDS[part]?.(sumAt(at - 1), sumAt(at + 1)));
}

/**
 * The first rule that a set breaks, as the part of a message after the file's name; null if it breaks none.
 * @param rows the whole set; the message begins with a value that the operator set
 */
export function brokenRule(rows: readonly AssumptionRow[]): string | null {
  const row = new Map(rows.map((each) => [each.key, each]));
  const valueOf = (key: string): string => row.get(key)?.value ?? '';
  const broken = RULES.find((rule) => !rule.split(' or ').some((chain) => isMet(chain, valueOf)));
  if (broken === undefined) return null;
  const keys = [...new Set(broken.match(/[a-z]\w+/gu))].filter((key) => row.has(key));
  const [first = '', ...others] = keys.sort(
    (a, b) => Number(row.get(b)?.kind === 'override') - Number(row.get(a)?.kind === 'override'),
  );
  const rest = others.length === 0 ? '' : ` (with ${others.map((other) => `${other} ${valueOf(other)}`).join(', ')})`;
  return `${first} is ${JSON.stringify(valueOf(first))}${rest}, expected ${broken}`;
}
