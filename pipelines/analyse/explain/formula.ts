/** Exact fractions of whole numbers, and an evaluator of the formulas that reports publish. */

/** An exact fraction. */
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

/** The functions that formulas may call. */
const FUNCTIONS: Readonly<Record<string, (a: Fraction, b: Fraction) => Fraction>> = {
  min: minimum,
  max: maximum,
  clamp,
  round0: (a) => fraction(a.rounded(0)),
  round2: (a) => fraction(a.rounded(2)),
  // Positive amounts: whole division of the fractions rounds down.
  floor_to: (a, b) => b.times(new Fraction((a.n * b.d) / (a.d * b.n), 1n)),
};

/** Value of a formula over named inputs. @throws Error for a name that the inputs lack, or a syntax error */
export function evaluate(formula: string, inputs: Readonly<Record<string, string | null>>): Fraction {
  const tokens = formula.match(/[a-z_][a-z_0-9]*|\d+(?:\.\d+)?|[-+*/(),]/gu) ?? [];
  if (tokens.join('') !== formula.replaceAll(' ', '')) throw new Error(`no formula: ${formula}`);
  let at = 0;
  const take = (expected?: string): string => {
    const token = tokens[at] ?? '';
    at += 1;
    if (expected !== undefined && token !== expected) throw new Error(`${formula}: expected ${expected}, got ${token}`);
    return token;
  };
  const sum = (): Fraction => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-')
      value = take() === '+' ? value.plus(product()) : value.minus(product());
    return value;
  };
  const product = (): Fraction => {
    let value = factor();
    while (tokens[at] === '*' || tokens[at] === '/')
      value = take() === '*' ? value.times(factor()) : value.over(factor());
    return value;
  };
  const factor = (): Fraction => {
    const token = take();
    if (token === '(') {
      const value = sum();
      take(')');
      return value;
    }
    if (/^\d/u.test(token)) return fraction(token);
    const call = FUNCTIONS[token];
    if (call && tokens[at] === '(') {
      take('(');
      const first = sum();
      const second = tokens[at] === ',' ? (take(), sum()) : fraction(0);
      take(')');
      return call(first, second);
    }
    const value = inputs[token];
    if (value === undefined || value === null) throw new Error(`${formula}: no input ${token}`);
    return fraction(value);
  };
  const value = sum();
  if (at !== tokens.length) throw new Error(`${formula}: nothing expected after ${tokens.slice(0, at).join(' ')}`);
  return value;
}
