/** Exact fractions of whole numbers. */
export class Fraction {
  readonly n: bigint;
  readonly d: bigint;
  constructor(n: bigint, d: bigint) {
    if (d === 0n) throw new Error('division by zero');
    this.n = d < 0n ? -n : n;
    this.d = d < 0n ? -d : d;
  }
  static of(value: string | number): Fraction {
    const [whole = '0', decimals = ''] = String(value).split('.');
    return new Fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
  }
  plus(o: Fraction): Fraction {
    return new Fraction(this.n * o.d + o.n * this.d, this.d * o.d);
  }
  minus(o: Fraction): Fraction {
    return new Fraction(this.n * o.d - o.n * this.d, this.d * o.d);
  }
  times(o: Fraction): Fraction {
    return new Fraction(this.n * o.n, this.d * o.d);
  }
  over(o: Fraction): Fraction {
    return new Fraction(this.n * o.d, this.d * o.n);
  }
  isBelow(o: Fraction): boolean {
    return this.n * o.d < o.n * this.d;
  }
  equals(o: Fraction): boolean {
    return this.n * o.d === o.n * this.d;
  }
  /** Rounded half away from zero to a number of decimals. */
  rounded(decimals: number): string {
    const scale = 10n ** BigInt(decimals);
    const size = (2n * (this.n < 0n ? -this.n : this.n) * scale + this.d) / (2n * this.d);
    const sign = this.n < 0n && size > 0n ? '-' : '';
    const digits = String(size).padStart(decimals + 1, '0');
    return decimals === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  }
}

export const fraction = Fraction.of;
export const minimum = (a: Fraction, b: Fraction): Fraction => (b.isBelow(a) ? b : a);
export const maximum = (a: Fraction, b: Fraction): Fraction => (a.isBelow(b) ? b : a);
export const clamp = (a: Fraction): Fraction => minimum(maximum(a, fraction(0)), fraction(1));
