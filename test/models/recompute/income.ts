/** Recomputes a deal's days, yield and claim, and whether the HUD rent fits. */
import { fraction, type Fraction } from '../../../lib/fraction.ts';
import { dayNumber, isPriced, isRented, percent, valueIf, type Recomputed, type Values } from './record.ts';

export function recomputeListing(values: Values): Recomputed {
  const { record, has, of } = values;
  const reduction = (): string =>
    of('first_price').isBelow(of('list_price'))
      ? '0.00'
      : percent(of('first_price').minus(of('list_price')), of('first_price'));
  return {
    days_on_feed: Math.max(0, dayNumber(record['delisted_on'] ?? values.asOf) - dayNumber(record['first_seen'])),
    price_per_unit: valueIf(isPriced(values) && has('units'), () => of('list_price').over(of('units')).rounded(2)),
    price_reduction_pct: valueIf(isPriced(values), reduction),
  };
}

export function recomputeYield(values: Values): Recomputed {
  const { of } = values;
  const isUnderwritten = isRented(values) && isPriced(values);
  return {
    report_status: isUnderwritten ? 'available' : 'no_underwriting',
    cap_rate_underwritten: valueIf(isUnderwritten, () => percent(of('noi_underwritten'), of('list_price'))),
    cap_rate_hud_2br: valueIf(isUnderwritten, () => percent(of('noi_hud_2br'), of('list_price'))),
    gross_rent_multiplier: valueIf(isUnderwritten, () => of('list_price').over(of('gross_potential_rent')).rounded(2)),
  };
}

/** NOI and cap rate as the broker states them, or as they follow from each other. */
export function recomputeClaim(values: Values): Recomputed {
  const { record, of, assumed } = values;
  const [priced, rented] = [isPriced(values), isRented(values)];
  const [stated, advertised] = [record['noi_source'] === 'stated', record['cap_rate_source'] === 'advertised'];
  const capRate = (): string => percent(of('noi'), of('list_price'));
  const fromCap = (): Recomputed => ({
    noi: of('list_price').times(of('cap_rate')).over(fraction(100)).rounded(2),
    noi_source: 'derived_from_advertised_cap',
  });
  const underwritten = { noi: record['noi_underwritten'], noi_source: rented ? 'underwritten' : null };
  const difference = stated && advertised && priced ? fraction(capRate()).minus(of('cap_rate')) : null;
  return {
    ...(stated ? { noi: record['noi'], noi_source: 'stated' } : advertised && priced ? fromCap() : underwritten),
    cap_rate_derived: valueIf(!advertised && stated && priced, capRate),
    claim_consistency: consistency(difference, assumed('claim_tolerance')),
  };
}

/** The claimed cap rate less the underwritten one, and which claim that is. */
export function recomputeCapGap({ record, has, of }: Values): Recomputed {
  const claim = ['cap_rate', 'cap_rate_derived'].find((name) => has(name));
  const isUnderwritten = has('cap_rate_underwritten');
  if (claim === undefined || !isUnderwritten) {
    const missing = [claim === undefined ? 'no_claim' : '', isUnderwritten ? '' : 'no_underwriting'];
    return { cap_gap_pct: null, cap_gap_basis: missing.filter(Boolean).join('_and_') };
  }
  return {
    cap_gap_pct: of(claim).minus(of('cap_rate_underwritten')).rounded(2),
    cap_gap_basis: record['cap_rate_source'] === 'advertised' ? 'advertised_cap_rate' : 'derived_cap_rate',
  };
}

/** Whether the underwriting agrees with the claimed cap rate. */
export function recomputeAgreement({ record, has, of, assumed }: Values): Recomputed {
  const agreement = (): string => {
    if (record['cap_rate_source'] === 'none') return 'no_claim';
    if (!has('cap_rate_underwritten')) return 'no_underwriting';
    if (String(record['claim_issue']).startsWith('noi_')) return 'contradicted';
    if (record['underwrite_reliability'] !== 'ok') return 'unreliable';
    const [gap, material] = [of('cap_gap_pct'), assumed('material_gap')];
    if (!gap.isBelow(material)) return 'claim_too_high';
    if (!fraction(0).minus(gap).isBelow(material)) return 'claim_too_low';
    return record['rental_status'] === 'Pass' ? 'rated_pass' : 'agrees';
  };
  return { underwriting_agreement: agreement() };
}

function consistency(difference: Fraction | null, tolerance: Fraction): string {
  if (difference === null) return 'not_checkable';
  const isWithin = !tolerance.isBelow(difference) && !tolerance.isBelow(fraction(0).minus(difference));
  return isWithin ? 'consistent' : 'inconsistent';
}

/** Whether the HUD rent fits the price per unit. */
export function recomputeReliability(values: Values): Recomputed {
  const reason = underwriteReason(values);
  const isOutOfRange = reason === 'price_per_unit_above_144x_monthly_2br_rent';
  return {
    underwrite_reason: reason,
    underwrite_reliability: reason === null ? 'ok' : isOutOfRange ? 'proxy_out_of_range' : 'unknown',
  };
}

function underwriteReason(values: Values): string | null {
  const { has, of, assumed } = values;
  if (!isPriced(values)) return 'price_missing';
  if (!has('units')) return 'units_missing';
  if (!has('market_rent_2br')) return 'rent_missing';
  const atMultiple = (key: string): Fraction => assumed(key).times(of('market_rent_2br')).times(of('units'));
  if (atMultiple('proxy_high_multiple').isBelow(of('list_price'))) return 'price_per_unit_above_144x_monthly_2br_rent';
  if (of('list_price').isBelow(atMultiple('proxy_low_multiple'))) return 'price_per_unit_below_24x_monthly_2br_rent';
  return null;
}
