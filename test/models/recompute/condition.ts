/** Recomputes a deal's claim issue, repairs, yield on cost, condition record and share of points. */
import { clamp, fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import { blend, weightsByAge } from './blend.ts';
import { isNotLet, isPriced, isScored, percent, valueIf, yearBuilt, type Recomputed, type Values } from './record.ts';

/** Whether the figures of the listing contradict each other or cannot be. */
export function recomputeClaimIssue(values: Values): Recomputed {
  const { record, has, of, assumed } = values;
  const isClaimed = record['noi_source'] === 'stated' || record['noi_source'] === 'derived_from_advertised_cap';
  const isContradicted = (): boolean => {
    if (record['claim_consistency'] !== 'inconsistent') return false;
    const gap = fraction(percent(of('noi'), of('list_price'))).minus(of('cap_rate'));
    const size = gap.isBelow(fraction(0)) ? fraction(0).minus(gap) : gap;
    return assumed('claim_contradiction').isBelow(size);
  };
  const issue = (): string => {
    if (isClaimed && !fraction(0).isBelow(of('noi'))) return 'noi_not_positive';
    if (isContradicted()) return 'noi_contradicts_cap_rate';
    return has('year_built') && yearBuilt(values) === null ? 'year_built_in_future' : 'none';
  };
  return { claim_issue: issue() };
}

/** Declared repairs for a building of this age. */
export const recomputeRepairs = (values: Values): Recomputed => ({
  upfront_repairs_per_unit: blend(weightsByAge(values), (age) => values.assumed(`upfront_repairs_${age}`)).rounded(2),
});

export function recomputeYieldOnCost(values: Values): Recomputed {
  const { of } = values;
  const cost = (): Fraction => of('list_price').plus(of('upfront_repairs_per_unit').times(of('units')));
  return {
    yield_on_cost_pct: valueIf(isScored(values), () => percent(of('noi_scoring'), cost())),
    price_to_rent: valueIf(isScored(values), () => of('price_per_unit').over(of('market_rent_2br')).rounded(2)),
  };
}

interface Match {
  readonly kind: string;
  readonly id: string;
  readonly description: string | null;
  readonly filed_on: string | null;
  readonly source_url: string;
}

const VACATE = /\b(?:vacate|unfit for (?:human )?(?:habitation|occupancy))\b/iu;
const SERIOUS = /\b(?:unsafe|dangerous|hazardous|structural|structure|collapsed?|roof|foundation|fire damage)\b/iu;
const UNHEALTHY = /\b(?:no heat|without heat|sewage|smoke alarms?|smoke detectors?)\b/iu;

/** What a match says about the building, from the gravest. */
const GRAVITY: readonly (readonly [string, (match: Match) => boolean])[] = [
  ['condemned', ({ kind }) => kind === 'condemned'],
  ['order_to_vacate', ({ kind, description }) => kind === 'code_violation' && VACATE.test(description ?? '')],
  ['vacant_building', ({ kind }) => kind === 'vacant_building'],
  [
    'code_case',
    ({ kind, description }) =>
      kind === 'code_violation' && [SERIOUS, UNHEALTHY].some((words) => words.test(description ?? '')),
  ],
];

export function recomputeConditionRecord({ record }: Values): Recomputed {
  const matches = (record['distress_matches'] as readonly Match[]).toSorted(
    (a, b) => (b.filed_on ?? '').localeCompare(a.filed_on ?? '') || a.id.localeCompare(b.id),
  );
  const [name = 'none', says = () => false] = GRAVITY.find(([, isOf]) => matches.some(isOf)) ?? [];
  const found = matches.find(says);
  return {
    condition_record: name,
    condition_record_on: found?.filed_on ?? null,
    condition_record_id: found?.id ?? null,
    condition_record_url: found?.source_url ?? null,
  };
}

/** Distance from a limit as a percentage of the span in which points taper. */
const shareOf = (distance: Fraction, span: Fraction): Fraction =>
  fraction(clamp(distance.over(span)).times(fraction(100)).rounded(2));

export function recomputeShare(values: Values): Recomputed {
  const { of, assumed } = values;
  const recorded = String(values.record['condition_record']);
  const riskOr = (other: string): string => (recorded === 'none' ? other : recorded);
  if (!isScored(values) || !isPriced(values))
    return { score_share_pct: null, score_limit: 'not_scored', condition_risk: riskOr('not_evaluated') };
  const shares: readonly (readonly [string, Fraction])[] = [
    [
      'low_price_per_unit',
      shareOf(of('price_per_unit').minus(assumed('taper_price_per_unit_from')), assumed('taper_price_per_unit_span')),
    ],
    [
      'high_cap_rate',
      shareOf(assumed('taper_cap_to_pct').minus(of('cap_rate_underwritten')), assumed('taper_cap_span_pct')),
    ],
    [
      'low_price_to_rent',
      shareOf(of('price_to_rent').minus(assumed('proxy_low_multiple')), assumed('taper_low_multiple_span')),
    ],
  ];
  const upper = shareOf(assumed('proxy_high_multiple').minus(of('price_to_rent')), assumed('taper_high_multiple_span'));
  const lowest = shares.map(([, share]) => share).reduce(minimum);
  const ofPrice = shares.find(([, one]) => one.equals(lowest))?.[0] ?? 'none';
  const isWhole = (share: Fraction): boolean => share.equals(fraction(100));
  const share = minimum(lowest, upper);
  const limit = (): string => {
    if (isWhole(share)) return 'none';
    return share.equals(lowest) ? 'condition_risk' : 'near_upper_proxy_limit';
  };
  return {
    score_share_pct: share.rounded(2),
    score_limit: limit(),
    condition_risk: isNotLet(values) || isWhole(lowest) ? riskOr('none') : ofPrice,
  };
}
