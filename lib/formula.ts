/** Exact fractions of whole numbers, and a reader of the formulas that reports publish: anybody's calculator. */

/** An exact fraction. */
export class Q {
  readonly n: bigint;
  readonly d: bigint;
  constructor(n: bigint, d: bigint) {
    if (d === 0n) throw new Error('division by zero');
    this.n = d < 0n ? -n : n;
    this.d = d < 0n ? -d : d;
  }
  static of(value: string | number): Q {
    const [whole = '0', decimals = ''] = String(value).split('.');
    return new Q(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
  }
  plus(o: Q): Q {
    return new Q(this.n * o.d + o.n * this.d, this.d * o.d);
  }
  minus(o: Q): Q {
    return new Q(this.n * o.d - o.n * this.d, this.d * o.d);
  }
  times(o: Q): Q {
    return new Q(this.n * o.n, this.d * o.d);
  }
  over(o: Q): Q {
    return new Q(this.n * o.d, this.d * o.n);
  }
  below(o: Q): boolean {
    return this.n * o.d < o.n * this.d;
  }
  equals(o: Q): boolean {
    return this.n * o.d === o.n * this.d;
  }
  /** Rounded half away from zero to a number of decimals. */
  rounded(decimals: number): string {
    const scale = 10n ** BigInt(decimals);
    const size = (2n * (this.n < 0n ? -this.n : this.n) * scale + this.d) / (2n * this.d);
    const digits = String(size).padStart(decimals + 1, '0');
    return `${this.n < 0n && size > 0n ? '-' : ''}${digits.slice(0, digits.length - decimals)}${decimals ? '.' : ''}${decimals ? digits.slice(-decimals) : ''}`;
  }
}

export const q = Q.of;
export const least = (a: Q, b: Q): Q => (b.below(a) ? b : a);
export const clamped = (a: Q): Q => (a.below(q(0)) ? q(0) : q(1).below(a) ? q(1) : a);

/** The functions formulas may call, as the report's note names them. */
const CALLS: Readonly<Record<string, (a: Q, b: Q) => Q>> = {
  min: least,
  max: (a, b) => (a.below(b) ? b : a),
  clamp: clamped,
  round0: (a) => q(a.rounded(0)),
  round2: (a) => q(a.rounded(2)),
  // Positive amounts: whole division of the fractions rounds down.
  floor_to: (a, b) => b.times(new Q((a.n * b.d) / (a.d * b.n), 1n)),
};

/** Value of a formula over named inputs. @throws on a name that the inputs do not have, or on what is no formula */
export function evaluate(formula: string, inputs: Readonly<Record<string, string | null>>): Q {
  const tokens = formula.match(/[a-z_][a-z_0-9]*|\d+(?:\.\d+)?|[-+*/(),]/gu) ?? [];
  if (tokens.join('') !== formula.replaceAll(' ', '')) throw new Error(`no formula: ${formula}`);
  let at = 0;
  const take = (wanted?: string): string => {
    const token = tokens[at] ?? '';
    at += 1;
    if (wanted !== undefined && token !== wanted) throw new Error(`${formula}: expected ${wanted}, got ${token}`);
    return token;
  };
  const sum = (): Q => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-')
      value = take() === '+' ? value.plus(product()) : value.minus(product());
    return value;
  };
  const product = (): Q => {
    let value = one();
    while (tokens[at] === '*' || tokens[at] === '/') value = take() === '*' ? value.times(one()) : value.over(one());
    return value;
  };
  const one = (): Q => {
    const token = take();
    if (token === '(') {
      const value = sum();
      take(')');
      return value;
    }
    if (/^\d/u.test(token)) return q(token);
    const call = CALLS[token];
    if (call && tokens[at] === '(') {
      take('(');
      const first = sum();
      const second = tokens[at] === ',' ? (take(), sum()) : q(0);
      take(')');
      return call(first, second);
    }
    const value = inputs[token];
    if (value === undefined || value === null) throw new Error(`${formula}: no input ${token}`);
    return q(value);
  };
  const value = sum();
  if (at !== tokens.length) throw new Error(`${formula}: nothing expected after ${tokens.slice(0, at).join(' ')}`);
  return value;
}
