/** Assumptions that the operator overrides in a settings file, checked as strictly as any other setting. */
import { readFileSync } from 'node:fs';
import { SettingError } from '../lib/settings.ts';
import { broken } from './assumption_rules.ts';
import { currentAssumptions, type AssumptionRow, type AssumptionSet } from './assumptions.ts';

/** Values that published words, names of keys or the law fix: a reason word says 144x, a key says 5_12. */
const FIXED =
  /^(?:proxy_.*|.*_units_max|minimum_units|claim_tolerance|opening_bid_.*|lead_(?:max_age|fresh|recent)_days)$/u;
/** Values that something is divided by. */
const DIVISORS =
  /^(?:loan_to_value|offer_coverage|offer_step|motivation_days_full|tax_amount_per_point)$|_(?:rate|cap|span|rate_\d)_pct$|_span$|_years$/u;

/** What a value of this row must be, or null where the given one will do. */
function expectation(row: AssumptionRow, value: unknown): string | null {
  if (row.kind === 'computed') return 'no override: it follows from other values';
  if (FIXED.test(row.key)) return 'no override: published words or the law fix it';
  const [fraction, negative] = [
    row.value.includes('.'),
    row.value.startsWith('-') || /^(?:grid_rent|grid_expenses)_/u.test(row.key),
  ];
  const [least, most] =
    row.unit === 'share'
      ? [negative ? -0.99 : 0, 0.99]
      : [
          0,
          row.unit === 'usd' || row.unit.startsWith('usd_')
            ? 1_000_000
            : row.unit === 'percent' || fraction
              ? 99.99
              : row.key.endsWith('_years')
                ? 40
                : 9999,
        ];
  const form = fraction ? 'a string of a decimal with at most two decimals' : 'a string of a whole number';
  const wanted = `${form} from ${DIVISORS.test(row.key) ? 'above 0' : least} to ${most}, such as ${JSON.stringify(row.value)}`;
  if (typeof value !== 'string' || !(fraction ? /^-?(?:0|[1-9]\d*)(?:\.\d{1,2})?$/u : /^(?:0|[1-9]\d*)$/u).test(value))
    return wanted;
  const number = Number(value);
  return number < least || number > most || (number === 0 && DIVISORS.test(row.key)) ? wanted : null;
}

/** One way to write a number, so that equal values make equal sets. */
const plain = (value: string, like: string): string => (like.includes('.') ? Number(value).toFixed(2) : value);

/**
 * The assumption set with the values of a settings file: a JSON object of key to value, decimals as strings.
 * @throws SettingError naming the file or the key, its value and what was expected
 */
export function assumptionsWith(path: string | undefined): AssumptionSet {
  if (path === undefined) return currentAssumptions();
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SettingError(
      `ASSUMPTIONS_FILE is ${JSON.stringify(path)}, expected a JSON file that can be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new SettingError(`ASSUMPTIONS_FILE is ${JSON.stringify(path)}, expected one JSON object of key to value`);
  const rows = new Map(currentAssumptions().rows.map((row) => [row.key, row]));
  const overrides = new Map<string, string>();
  for (const [key, value] of Object.entries(given)) {
    const row = rows.get(key);
    const wanted = row ? expectation(row, value) : 'a key of the declared assumption set';
    if (!row || wanted !== null)
      throw new SettingError(`ASSUMPTIONS_FILE: ${key} is ${JSON.stringify(value)}, expected ${wanted}`);
    overrides.set(key, plain(String(value), row.value));
  }
  const set = currentAssumptions(overrides);
  const fault = broken(set.rows);
  if (fault !== null) throw new SettingError(`ASSUMPTIONS_FILE: ${fault}`);
  return set;
}
