/** Recomputes every figure of a published lead from its other columns. */
import { clamp, fraction, maximum, minimum, type Fraction } from '../../../lib/fraction.ts';
import {
  dayNumber,
  percent,
  valuesOf,
  type AssumptionValue,
  type PublishedRecord,
  type Recomputed,
  type Values,
} from './values.ts';

const MAX_SCORE = 100;

export function recomputeLead(lead: PublishedRecord, assumptions: AssumptionValue, asOf: string): Recomputed {
  const values = valuesOf(lead, assumptions, asOf);
  const age = dayNumber(asOf) - dayNumber(lead['last_verified']);
  const scored = lead['lead_type'] === 'sheriff_sale_auction' ? auction(values, age) : delinquency(values, age);
  const parts = scored['score_parts'] as Record<string, number>;
  const others = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const stacked = Math.max(0, Math.min(stackedPoints(values), MAX_SCORE - others));
  return {
    verified_age_days: age,
    freshness: age <= 1 ? 'within_1_day' : age <= 3 ? 'within_3_days' : 'within_7_days',
    ...scored,
    score_parts: { ...parts, stacked_distress: stacked },
    signals_count: 1 + furtherKinds(values).length,
    lead_score: others + stacked,
  };
}

/** Kind of the lead's own debt or sale. */
function ownKind({ record }: Values): string {
  if (record['lead_type'] === 'tax_delinquent' || record['sale_kind'] === 'tax_foreclosure') return 'unpaid_tax';
  return ['tax_deed_sale', 'tax_sale'].includes(String(record['auction_type'])) ? 'unpaid_tax' : 'foreclosure';
}

/** Independent kinds of the other records. */
const furtherKinds = (values: Values): string[] => [
  ...new Set(cited(values).flatMap(({ counts_as: kind }) => (kind === null || kind === ownKind(values) ? [] : [kind]))),
];

/** Points for the further kinds that are not the sale of a debt, or the debt of a sale. */
function stackedPoints(values: Values): number {
  const own = ownKind(values);
  const records = cited(values);
  const sales = records.filter(({ kind }) => kind.endsWith('_sale'));
  const isDebt = values.record['lead_type'] === 'tax_delinquent';
  const rewarded = isDebt
    ? sales.some(({ counts_as: kind }) => kind === own)
      ? []
      : sales
    : records.filter(({ kind }) => kind === 'tax_delinquent');
  return furtherKinds(values)
    .filter((kind) => !rewarded.some(({ counts_as: other }) => other === kind))
    .reduce((sum, kind) => sum + values.count(`stacked_${kind}`), 0);
}

function freshnessPoints({ count }: Values, kind: 'auction' | 'tax', age: number): number {
  if (age <= count('lead_fresh_days')) return count(`${kind}_fresh`);
  return count(age <= count('lead_recent_days') ? `${kind}_recent` : `${kind}_old`);
}

interface CitedRecord {
  readonly kind: string;
  readonly counts_as: string | null;
}

const cited = ({ record }: Values): readonly CitedRecord[] => record['corroboration'] as readonly CitedRecord[];
const corroborations = (values: Values): string[] => cited(values).map(({ kind }) => kind);

const kindPoints = ({ record, count }: Values): number => count(`lead_kind_${String(record['property_kind'])}`);

/** Published debts of a sale. */
function debtOf(values: Values): Fraction | null {
  const { has, of } = values;
  const taxes = has('unpaid_taxes') ? of('unpaid_taxes') : null;
  if (ownKind(values) === 'unpaid_tax') return has('opening_bid') ? of('opening_bid') : taxes;
  return has('judgment_amount') ? of('judgment_amount').plus(taxes ?? fraction(0)) : null;
}

/** What is left of the value after the debts, and the points for it. */
function equityOf(values: Values): [percent: string | null, points: number] {
  const { has, of, count, assumed } = values;
  const debt = debtOf(values);
  if (debt === null || !has('property_value'))
    return [null, count(`auction_equity_unknown${ownKind(values) === 'unpaid_tax' ? '_taxes' : ''}`)];
  const left = percent(maximum(fraction(0), of('property_value').minus(debt)), of('property_value'));
  const share = fraction(left).over(assumed('auction_equity_full_pct'));
  return [left, Number(share.times(assumed('auction_equity_max')).rounded(0))];
}

function auction(values: Values, age: number): Recomputed {
  const { record, asOf, has, count } = values;
  const [equity, points] = equityOf(values);
  const days = dayNumber(record['sale_date']) - dayNumber(asOf);
  const step = [1, 2, 3, 4].find((number) => days <= count(`auction_days_${number}`)) ?? 5;
  const isAbsentee = ['in_state', 'out_of_state'].includes(String(record['owner_location']));
  return {
    equity_pct: equity,
    property_value: record[has('appraised_value') ? 'appraised_value' : 'property_value'],
    value_basis: has('appraised_value') ? 'appraisal' : record['value_basis'],
    score_parts: {
      base: count('auction_base'),
      equity_gap: points,
      urgency: count(`auction_urgency_${step}`),
      corroboration: corroborations(values).includes('tax_delinquent') ? count('auction_corroboration') : 0,
      absentee: isAbsentee ? count('auction_absentee') : 0,
      freshness: freshnessPoints(values, 'auction', age),
      property_kind: kindPoints(values),
    },
  };
}

function delinquency(values: Values, age: number): Recomputed {
  const { has, of, count } = values;
  const ratio = has('county_value') ? percent(of('amount'), of('county_value')) : null;
  return {
    amount_to_value_pct: ratio,
    score_parts: {
      base: count('tax_base'),
      amount_to_value: amountPoints(values, ratio),
      years_delinquent: yearsPoints(values),
      absentee_owner: ownerPoints(values),
      corroboration: corroborationPoints(values),
      freshness: freshnessPoints(values, 'tax', age),
      property_kind: kindPoints(values),
    },
  };
}

function amountPoints({ of, count, assumed }: Values, ratio: string | null): number {
  if (ratio === null)
    return Math.min(count('tax_amount_max'), Number(of('amount').over(assumed('tax_amount_per_point')).rounded(0)));
  const rising = fraction(ratio).minus(assumed('tax_value_from_pct')).over(assumed('tax_value_span_pct'));
  const falling = fraction(100).minus(fraction(ratio)).over(assumed('tax_equity_span_pct'));
  return Number(clamp(minimum(rising, falling)).times(assumed('tax_value_max')).rounded(0));
}

function yearsPoints({ has, of, count, assumed }: Values): number {
  if (!has('months_delinquent')) return 0;
  const years = of('months_delinquent').over(assumed('months_per_year'));
  return Math.min(count('tax_years_max'), Number(years.times(assumed('tax_points_per_year')).rounded(0)));
}

function ownerPoints({ record, count }: Values): number {
  if (record['owner_location'] === 'out_of_state') return count('tax_absentee_out_of_state');
  return record['owner_location'] === 'in_state' ? count('tax_absentee_in_state') : 0;
}

function corroborationPoints(values: Values): number {
  const kinds = corroborations(values);
  if (kinds.some((kind) => kind.endsWith('_sale'))) return values.count('tax_corroboration_sale');
  return kinds.includes('listing') ? values.count('tax_corroboration_listing') : 0;
}
