/** Exact fractions of whole numbers. */
export class Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
  constructor(numerator: bigint, denominator: bigint) {
    if (denominator === 0n) throw new Error('division by zero');
    this.numerator = denominator < 0n ? -numerator : numerator;
    this.denominator = denominator < 0n ? -denominator : denominator;
  }
  static of(value: string | number): Fraction {
    const [whole = '0', decimals = ''] = String(value).split('.');
    return new Fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
  }
  plus(other: Fraction): Fraction {
    return new Fraction(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }
  minus(other: Fraction): Fraction {
    return new Fraction(
      this.numerator * other.denominator - other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }
  times(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }
  over(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.denominator, this.denominator * other.numerator);
  }
  isBelow(other: Fraction): boolean {
    return this.numerator * other.denominator < other.numerator * this.denominator;
  }
  equals(other: Fraction): boolean {
    return this.numerator * other.denominator === other.numerator * this.denominator;
  }
  /** Rounded half away from zero to a number of decimals. */
  rounded(decimals: number): string {
    const scale = 10n ** BigInt(decimals);
    const size =
      (2n * (this.numerator < 0n ? -this.numerator : this.numerator) * scale + this.denominator) /
      (2n * this.denominator);
    const sign = this.numerator < 0n && size > 0n ? '-' : '';
    const digits = String(size).padStart(decimals + 1, '0');
    return decimals === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  }
}

export const fraction = Fraction.of;
export const minimum = (a: Fraction, b: Fraction): Fraction => (b.isBelow(a) ? b : a);
export const maximum = (a: Fraction, b: Fraction): Fraction => (a.isBelow(b) ? b : a);
export const clamp = (a: Fraction): Fraction => minimum(maximum(a, fraction(0)), fraction(1));
