/** How the computed fields of a row came about, as formulas over named inputs. Those of deals are published in its report; the others stand here. */
import { daysBetween } from '../../clock.ts';

export interface Step {
  readonly figure: string;
  readonly formula: string;
  /** Values by name, as text; a name is a field of the row, a figure of another step, or an assumption. */
  readonly inputs: Readonly<Record<string, string | null>>;
  readonly result: string | null;
  /** Why this formula and not another, in words. */
  readonly why?: string;
  /** False where the formula is for people: it rounds in a way the calculator does not know, or takes words. */
  readonly checkable?: boolean;
}

/** Fields of a row as text; null where absent. */
export type Fields = Readonly<Record<string, string | null>>;
/** Value of an assumption. */
export type Assumed = (key: string) => string;

/** A step whose inputs are fields of the row and assumptions, found by their names in the formula. */
function step(
  figure: string,
  formula: string,
  result: string | null,
  fields: Fields,
  a: Assumed,
  more: Partial<Step> = {},
): Step {
  const names = [...new Set(formula.match(/[a-z_][a-z_0-9]*/gu) ?? [])].filter(
    (n) => !/^(?:min|max|clamp|round0|round2|rounded|up|to|the|cent)$/u.test(n),
  );
  return {
    figure,
    formula,
    result,
    inputs: Object.fromEntries(names.map((n) => [n, n in fields ? (fields[n] ?? null) : a(n)])),
    ...more,
  };
}

const KEYS = { within_1_day: 'fresh', within_3_days: 'recent', within_7_days: 'old' } as const;

const partsOf = (row: Fields): Readonly<Record<string, number>> =>
  JSON.parse(row['score_parts'] ?? '{}') as Record<string, number>;
const reasonsOf = (row: Fields): Readonly<Record<string, string>> =>
  JSON.parse(row['score_rationale'] ?? '{}') as Record<string, string>;

function auctionFormulas(row: Fields, asOf: string, a: Assumed): Record<string, string> {
  const days = daysBetween(asOf, row['sale_date'] ?? asOf);
  const urgency = ['1', '2', '3', '4'].find((n) => days <= Number(a(`auction_days_${n}`))) ?? '5';
  return {
    base: 'auction_base',
    equity_gap:
      row['opening_bid_basis'] === 'no_minimum_second_sale'
        ? 'auction_gap_max'
        : row['appraisal_discount_pct'] === null
          ? '0'
          : 'max(0, min(auction_gap_max, round0(auction_gap_points_per_pct * appraisal_discount_pct)))',
    urgency: `auction_urgency_${urgency}`,
    corroboration: (row['corroboration'] ?? '[]') === '[]' ? '0' : 'auction_corroboration',
    absentee: ['in_state', 'out_of_state'].includes(row['owner_location'] ?? '') ? 'auction_absentee' : '0',
    freshness: `auction_${KEYS[(row['freshness'] ?? 'within_7_days') as keyof typeof KEYS]}`,
  };
}

function taxFormulas(row: Fields): Record<string, string> {
  const found = (JSON.parse(row['corroboration'] ?? '[]') as { kind: string }[]).map((c) => c.kind);
  return {
    base: 'tax_base',
    amount_to_value:
      row['county_value'] === null
        ? 'min(tax_amount_max, round0(amount / tax_amount_per_point))'
        : 'round0(tax_value_max * clamp((amount_to_value_pct - tax_value_from_pct) / tax_value_span_pct))',
    years_delinquent:
      row['years_delinquent'] === null ? '0' : 'min(tax_years_max, tax_points_per_year * years_delinquent)',
    absentee_owner:
      row['owner_location'] === 'out_of_state'
        ? 'tax_absentee_out_of_state'
        : row['owner_location'] === 'in_state'
          ? 'tax_absentee_in_state'
          : '0',
    corroboration: found.includes('sheriff_sale')
      ? 'tax_corroboration_sale'
      : found.includes('listing')
        ? 'tax_corroboration_listing'
        : '0',
    freshness: `tax_${KEYS[(row['freshness'] ?? 'within_7_days') as keyof typeof KEYS]}`,
  };
}

/** Steps of a lead: the score as the sum of its parts, and each part. */
export function leadSteps(row: Fields, asOf: string, a: Assumed): Step[] {
  const [parts, reasons] = [partsOf(row), reasonsOf(row)];
  const formulas = row['lead_type'] === 'tax_delinquent' ? taxFormulas(row) : auctionFormulas(row, asOf, a);
  const named = Object.keys(parts).map((p) => `part_${p}`);
  return [
    {
      figure: 'lead_score',
      formula: named.join(' + '),
      inputs: Object.fromEntries(Object.entries(parts).map(([p, n]) => [`part_${p}`, String(n)])),
      result: row['lead_score'] ?? null,
    },
    ...Object.entries(parts).map(([p, n]) =>
      step(`part_${p}`, formulas[p] ?? '0', String(n), row, a, { why: reasons[p] ?? '' }),
    ),
    ...shareSteps(row, a),
  ];
}

/** What leads share with the rows they rest on. */
function shareSteps(row: Fields, a: Assumed): Step[] {
  const steps: Step[] = [];
  if ((row['amount_to_value_pct'] ?? null) !== null)
    steps.push(
      step('amount_to_value_pct', 'round2(amount / county_value * 100)', row['amount_to_value_pct'] ?? null, row, a),
    );
  if ((row['appraisal_discount_pct'] ?? null) !== null)
    steps.push(
      step(
        'appraisal_discount_pct',
        'round2((appraised_value - opening_bid) / appraised_value * 100)',
        row['appraisal_discount_pct'] ?? null,
        row,
        a,
      ),
    );
  if (row['opening_bid_derived'] === 'true') {
    steps.push(
      step(
        'opening_bid',
        'appraised_value * opening_bid_numerator / opening_bid_denominator, rounded up to the cent',
        row['opening_bid'] ?? null,
        row,
        a,
        {
          checkable: false,
          why: `not published: two thirds of the appraisal, under ${row['statute_ref'] ?? 'the law'}`,
        },
      ),
    );
  }
  return steps;
}

/** Steps of a signal or an auction. */
export const recordSteps = (row: Fields, a: Assumed): Step[] => shareSteps(row, a);
