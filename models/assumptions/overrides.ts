/** Assumptions that the operator overrides in a settings file, checked like any other setting. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../lib/errors.ts';
import { SettingError } from '../../lib/settings.ts';
import { currentAssumptions, type AssumptionRow, type AssumptionSet } from '../assumptions.ts';
import { LOAN_RATES, LOAN_YEARS } from '../references.ts';
import { brokenRule } from './rules.ts';

/** Values that published words, key names or the law fix: a reason word contains 144x, a key contains 5_12. */
const FIXED_KEYS = /^(?:.*_units_max|minimum_units|claim_tolerance|lead_(?:max_age|fresh|recent)_days)$/u;
const FIXED_STARTS = /^(?:proxy|opening_bid|tax_certified)_/u;
const isFixed = (key: string): boolean => FIXED_KEYS.test(key) || FIXED_STARTS.test(key);
/** Values that are divisors. */
const DIVISOR_KEYS = /^(?:loan_to_value|offer_coverage|motivation_days_full|tax_amount_per_point)$/u;
const DIVISOR_ENDINGS = /_(?:rate|cap|span|rate_\d)_pct$|_span$|_step$|_years$/u;
const isDivisor = (key: string): boolean => DIVISOR_KEYS.test(key) || DIVISOR_ENDINGS.test(key);

/** Rates of the bank loan: the table of loan factors must have them. */
const LOAN_RATE_KEYS = /^(?:loan|grid)_rate(?:_\d)?_pct$/u;
/** The greatest spread and stress of a loan rate, in points. */
const MAX_RATE_POINTS = 5;

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d{1,2})?$/u;
const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/u;

/** The least and the greatest value of a row. */
function acceptedRange(row: AssumptionRow): readonly [number, number] {
  if (row.unit === 'share') {
    const mayBeNegative = row.value.startsWith('-') || /^(?:grid_rent|grid_expenses)_/u.test(row.key);
    return [mayBeNegative ? -0.99 : 0, 0.99];
  }
  if (LOAN_RATE_KEYS.test(row.key)) return [Number(LOAN_RATES.least) / 100, Number(LOAN_RATES.most) / 100];
  if (row.key.startsWith('loan_rate_')) return [0, MAX_RATE_POINTS];
  if (row.unit === 'usd' || row.unit.startsWith('usd_')) return [0, 1_000_000];
  if (row.unit === 'percent' || row.value.includes('.')) return [0, 99.99];
  return [0, row.key.endsWith('_years') ? 40 : 9999];
}

/** The accepted years of the bank loan, as text. */
const YEARS = LOAN_YEARS.map(String);

/** The expected value of a row, in words; null if `value` is one. */
function expectation(row: AssumptionRow, value: unknown): string | null {
  if (row.key === 'loan_rate_method') return 'no override: a file that sets loan_rate_pct has that rate';
  if (row.kind === 'computed') return 'no override: it follows from other values';
  if (isFixed(row.key)) return 'no override: published words or the law fix it';
  if (row.key === 'loan_years')
    return YEARS.some((years) => years === value) ? null : YEARS.map((years) => JSON.stringify(years)).join(' or ');
  const isDecimal = row.value.includes('.');
  const [least, most] = acceptedRange(row);
  const form = isDecimal ? 'a string of a decimal with at most two decimals' : 'a string of a whole number';
  const range = `from ${isDivisor(row.key) && least === 0 ? 'above 0' : least} to ${most}`;
  const expected = `${form} ${range}, such as ${JSON.stringify(row.value)}`;
  if (typeof value !== 'string' || !(isDecimal ? DECIMAL : WHOLE_NUMBER).test(value)) return expected;
  const number = Number(value);
  return number < least || number > most || (number === 0 && isDivisor(row.key)) ? expected : null;
}

/** One spelling of a number, so that equal values make equal sets. */
const normalize = (value: string, declared: string): string =>
  declared.includes('.') ? Number(value).toFixed(2) : value;

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
  const declared = currentAssumptions();
  if (path === undefined) return declared;
  const rows = new Map(declared.rows.map((row) => [row.key, row]));
  const overrides = new Map<string, string>();
  for (const [key, value] of Object.entries(readOverrides(path))) {
    const row = rows.get(key);
    const expected = row ? expectation(row, value) : 'a key of the declared assumption set';
    if (!row || expected !== null)
      throw new SettingError(`ASSUMPTIONS_FILE: ${key} is ${JSON.stringify(value)}, expected ${expected}`);
    overrides.set(key, normalize(String(value), row.value));
  }
  useDeclaredRate(overrides);
  const set = currentAssumptions(overrides);
  const broken = brokenRule(set.rows);
  if (broken !== null) throw new SettingError(`ASSUMPTIONS_FILE: ${broken}`);
  return set;
}
