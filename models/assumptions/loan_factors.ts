/** Payments per dollar of loan, exactly: SQL has no powers of decimals. */

/** Digits after the point of the computed factors. */
const DIGITS = 20n;

/** n / d to `digits` decimals, rounded half away from zero, as a decimal string. Both positive. */
function divideExactly(numerator: bigint, denominator: bigint, digits: bigint): string {
  const scaled = (2n * numerator * 10n ** digits + denominator) / (2n * denominator);
  const digitsText = scaled.toString().padStart(Number(digits) + 1, '0');
  return `${digitsText.slice(0, -Number(digits))}.${digitsText.slice(-Number(digits))}`;
}

/** (1 + m)^n with m = rate / 12, as a fraction of whole numbers. */
function growth(annualRate: bigint, years: bigint): { grown: bigint; one: bigint; scale: bigint } {
  const [months, scale] = [years * 12n, 120_000n];
  return { grown: (scale + annualRate) ** months, one: scale ** months, scale };
}

/**
 * Monthly payment per dollar of loan: m / (1 - (1 + m)^-n) with m = rate / 12. Computed as one fraction of whole
 * numbers, so that only the last of the twenty decimals is rounded.
 * @param annualRate whole hundredths of a percent: 700n is 7.00 %
 */
export function monthlyFactor(annualRate: bigint, years: bigint): string {
  const { grown, one, scale } = growth(annualRate, years);
  return divideExactly(annualRate * grown, scale * (grown - one), DIGITS);
}

/**
 * Yearly payments per dollar of loan: twelve monthly payments.
 * @param annualRate whole hundredths of a percent: 700n is 7.00 %
 */
export function annualConstant(annualRate: bigint, years: bigint): string {
  const { grown, one, scale } = growth(annualRate, years);
  return divideExactly(12n * annualRate * grown, scale * (grown - one), DIGITS);
}
