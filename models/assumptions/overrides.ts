/** Assumptions that the operator overrides in a settings file, checked like any other setting. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../lib/errors.ts';
import { SettingError } from '../../lib/settings.ts';
import { currentAssumptions, DECLARATIONS, type AssumptionSet } from '../assumptions.ts';
import type { Declaration } from './declared.ts';
import { brokenRule } from './rules.ts';

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d{1,2})?$/u;
const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/u;

/** The expected value of a key, in words; null if `value` is one. */
function expectation(declared: Declaration, value: unknown): string | null {
  const { unit, kind, decimals, least, most, isPositive, isFixed, options } = declared;
  if (unit === 'method') return 'no override: a file that sets loan_rate_pct has that rate';
  if (kind === 'computed') return 'no override: it follows from other values';
  if (isFixed) return 'no override: published words or the law fix it';
  if (options)
    return options.some((option) => String(option) === value)
      ? null
      : options.map((option) => JSON.stringify(String(option))).join(' or ');
  const form = decimals === 0 ? 'a string of a whole number' : 'a string of a decimal with at most two decimals';
  const range = `from ${isPositive && least === 0 ? 'above 0' : least} to ${most}`;
  const expected = `${form} ${range}, such as ${JSON.stringify(declared.value)}`;
  if (typeof value !== 'string' || !(decimals === 0 ? WHOLE_NUMBER : DECIMAL).test(value)) return expected;
  const number = Number(value);
  return number < least || number > most || (number === 0 && isPositive) ? expected : null;
}

/** One spelling of a number, so that equal values make equal sets. */
function normalize(value: string, declared: Declaration): string {
  if (Number(value) === Number(declared.value)) return declared.value;
  return declared.decimals === 0 ? value : Number(value).toFixed(declared.decimals);
}

/** A file that sets the rate means a fixed rate, even if the declared set takes it from a survey. */
function useDeclaredRate(overrides: Map<string, string>): void {
  if (overrides.has('loan_rate_pct')) overrides.set('loan_rate_method', 'declared');
}

/** @throws SettingError if the file is not one JSON object */
function readOverrides(path: string): Record<string, unknown> {
  const named = `ASSUMPTIONS_FILE is ${JSON.stringify(path)}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SettingError(`${named}, expected a readable JSON file: ${messageOf(error)}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new SettingError(`${named}, expected one JSON object of key to value`);
  return parsed as Record<string, unknown>;
}

/**
 * The declared assumption set with the values of a settings file: a JSON object of key to value, decimals as strings.
 * @param path the setting ASSUMPTIONS_FILE
 * @throws SettingError naming the file or the key, its value and the expected value
 */
export function assumptionsWith(path: string | undefined): AssumptionSet {
  if (path === undefined) return currentAssumptions();
  const overrides = new Map<string, string>();
  for (const [key, value] of Object.entries(readOverrides(path))) {
    const declaration = DECLARATIONS.get(key);
    const expected = declaration ? expectation(declaration, value) : 'a key of the declared assumption set';
    if (!declaration || expected !== null)
      throw new SettingError(`ASSUMPTIONS_FILE: ${key} is ${JSON.stringify(value)}, expected ${expected}`);
    overrides.set(key, normalize(String(value), declaration));
  }
  useDeclaredRate(overrides);
  const set = currentAssumptions(overrides);
  const broken = brokenRule(set.rows);
  if (broken !== null) throw new SettingError(`ASSUMPTIONS_FILE: ${broken}`);
  return set;
}
