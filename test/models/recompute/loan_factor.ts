/** Payments per dollar of loan at a deal's rate, by the annuity formula in exact fractions. */
import { Fraction, fraction } from '../../../lib/fraction.ts';
import type { Values } from './record.ts';

/** Decimals of a published factor. */
const DECIMALS = 20;

/** Exact factors by rate and years: a snapshot has one of each. */
const exact = new Map<string, Fraction>();

/** m / (1 - (1 + m)^-n), with m the rate of a month and n the months. */
function exactFactor(ratePct: string, years: number): Fraction {
  const key = `${ratePct} ${years}`;
  const known = exact.get(key);
  if (known) return known;
  const rate = fraction(ratePct).over(fraction(1200));
  const { numerator, denominator } = rate.plus(fraction(1));
  const months = BigInt(12 * years);
  const factor = rate.over(fraction(1).minus(new Fraction(denominator ** months, numerator ** months)));
  exact.set(key, factor);
  return factor;
}

const factorOf = ({ record, count }: Values): Fraction =>
  exactFactor(String(record['loan_rate_pct']), count('loan_years'));

export const monthlyFactorOf = (values: Values): Fraction => fraction(factorOf(values).rounded(DECIMALS));

export const annualConstantOf = (values: Values): Fraction =>
  fraction(factorOf(values).times(fraction(12)).rounded(DECIMALS));
