/** Checks the steps of reports by themselves: an evaluator of their formulas, in exact fractions. */
import { clamp, Fraction, fraction, maximum, minimum } from '../../../lib/fraction.ts';

/** The functions that formulas may call. */
const FUNCTIONS: Readonly<Record<string, (a: Fraction, b: Fraction) => Fraction>> = {
  min: minimum,
  max: maximum,
  clamp,
  round0: (value) => fraction(value.rounded(0)),
  round2: (value) => fraction(value.rounded(2)),
  round4: (value) => fraction(value.rounded(4)),
  // Positive amounts, up to the cent
  ceil2: (value) => new Fraction((value.numerator * 100n + value.denominator - 1n) / value.denominator, 100n),
  // Positive amounts: whole division of the fractions rounds down.
  floor_to: (a, b) => b.times(new Fraction((a.numerator * b.denominator) / (a.denominator * b.numerator), 1n)),
};

type Inputs = Readonly<Record<string, string | Fraction | null | undefined>>;

/** Value of a formula over named inputs. @throws Error for a name that the inputs lack, or a syntax error */
export function evaluate(formula: string, inputs: Inputs): Fraction {
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
    if (token === '-') return fraction(0).minus(factor());
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
    return value instanceof Fraction ? value : fraction(value);
  };
  const value = sum();
  if (at !== tokens.length) throw new Error(`${formula}: nothing expected after ${tokens.slice(0, at).join(' ')}`);
  return value;
}

export interface Step {
  readonly figure: string;
  readonly formula: string;
  readonly when?: string | undefined;
  readonly inputs: Readonly<Record<string, string | null>>;
  readonly result: string;
}

/** Whether a comparison of two formulas holds. */
export function holds(comparison: string, inputs: Inputs): boolean {
  const [left = '', operator = '', right = ''] = comparison.split(/ (<=?|>=?) /u);
  const [a, b] = [evaluate(left, inputs), evaluate(right, inputs)];
  if (operator.endsWith('=') && a.equals(b)) return true;
  return operator.startsWith('<') ? a.isBelow(b) : b.isBelow(a);
}

/** Faults of a step by itself: a name without a value, a value that its formula does not use, another result. */
export function faultsOf({ figure, formula, when = '', inputs, result }: Step): string[] {
  const comparisons = when === '' ? [] : when.split(' and ');
  const names = new Set(
    [formula, ...comparisons]
      .join(' ')
      .match(/[a-z_][a-z_0-9]*/gu)
      ?.filter((name) => !(name in FUNCTIONS)),
  );
  const listed = new Set(Object.keys(inputs));
  const faults = [
    ...[...names.difference(listed)].map((name) => `${figure} lists no ${name}`),
    ...[...listed.difference(names)].map((name) => `${figure} lists ${name}, which its formula does not use`),
    ...[...listed].filter((name) => inputs[name] === null).map((name) => `${figure} uses ${name}, which is null`),
  ];
  if (faults.length > 0) return faults;
  const wrong = comparisons.filter((comparison) => !holds(comparison, inputs));
  if (wrong.length > 0) return [`${figure} is chosen when ${wrong.join(' and ')}, which does not hold`];
  const value = evaluate(formula, inputs);
  return value.equals(fraction(result)) ? [] : [`${figure} is ${result}, and its formula gives ${value.rounded(6)}`];
}
