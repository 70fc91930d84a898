/** An evaluator of the formulas that reports publish, in exact fractions. */
import { clamp, Fraction, fraction, maximum, minimum } from '../../../lib/fraction.ts';

/** The functions that formulas may call. */
const FUNCTIONS: Readonly<Record<string, (a: Fraction, b: Fraction) => Fraction>> = {
  min: minimum,
  max: maximum,
  clamp,
  round0: (value) => fraction(value.rounded(0)),
  round2: (value) => fraction(value.rounded(2)),
  // Positive amounts: whole division of the fractions rounds down.
  floor_to: (a, b) => b.times(new Fraction((a.numerator * b.denominator) / (a.denominator * b.numerator), 1n)),
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
