/**
 * Parsers for values as sites print them, into the JSON form of lib/record.ts. Pure. Money and percentages are exact:
 * no float arithmetic. Blank, or a word for "no value" such as "N/A", gives null. A value of the wrong form throws a
 * Refusal, which `candidate` turns into a reject. Callers decide whether zero means unknown (`zeroIsUnknown`).
 */
import { stateCode } from '../lib/states.ts';
import type { Candidate } from './contract.ts';

/** A value that cannot be accepted. The row becomes a reject with this reason. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: string;
  constructor(reason: string, detail: string) {
    // Refusals are frequent and their stack is never read; collecting it is slow.
    const depth = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = depth;
    this.reason = reason;
  }
}

/** Refuse the current row. `reason` is in snake_case; `detail` names the field, its value and the expected form. */
export function refuse(reason: string, detail: string): never {
  throw new Refusal(reason, detail);
}

/** A field name in snake_case, for a reason. */
const word = (field: string): string => field.toLowerCase().replace(/[^a-z0-9]+/gu, '_');
const bad = (field: string, detail: string): never => refuse(`bad_${word(field)}`, detail);

type Accepted = Extract<Candidate, { values: unknown }>;

/** A row as published that is serialized when it is read. */
class LazyRaw {
  readonly #raw: () => string;
  constructor(raw: () => string) {
    this.#raw = raw;
  }
  get raw(): string {
    return this.#raw();
  }
}

/**
 * Build the candidate of one row. A Refusal becomes a reject; other errors are defects of the adapter and pass through.
 * @param raw the row as published; a function if serializing it is slow, because few callers read it
 * @param key natural key, if it can be read even from a bad row
 */
export function candidate(
  raw: string | (() => string),
  build: () => Omit<Accepted, 'raw'>,
  key?: Readonly<Record<string, string>>,
): Candidate {
  const published = typeof raw === 'string' ? { raw } : new LazyRaw(raw);
  try {
    return Object.assign(published, build());
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return Object.assign(published, {
      reject: { reason: error.reason, detail: error.message },
      ...(key === undefined ? {} : { key }),
    });
  }
}

const show = (value: unknown): string => JSON.stringify(value) ?? String(value);

// Text

/** Zero-width, bidirectional and control characters, which sites leave in copied text. */
const INVISIBLE = /[^\P{Cc}\t\n\v\f\r]|[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;
const ASCII_TEXT = /^[\t\n\v\f\r\x20-\x7e]*$/u;
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;

/** Text without invisible characters and outer space; inner spaces stay as published. Null if empty. */
export function tidy(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    return refuse('not_text', `expected text, found ${show(value)}`);
  }
  const text = String(value);
  // Fast path: nearly every value is plain ASCII.
  return (ASCII_TEXT.test(text) ? text : text.replace(INVISIBLE, '').replace(ODD_SPACE, ' ')).trim() || null;
}

/** Words of printable ASCII with one space between them. */
const PLAIN_WORDS = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/u;

/** The same, with each run of white space collapsed to one space. */
export function line(value: unknown): string | null {
  // Fast path: nearly every value stays as it is.
  if (typeof value === 'string' && PLAIN_WORDS.test(value)) return value;
  return tidy(value)?.replace(/\s+/gu, ' ') ?? null;
}

/** Words that sites print instead of a value. */
export const NOTHING = new RegExp(
  '^(?:-+|—|n\\/?a|n\\.a\\.|none|null|nil|tbd|unknown|' +
    'not (?:available|provided|disclosed|stated|applicable)|undisclosed)$',
  'iu',
);

/** Text on one line, or null if blank or a word for "no value". */
export function optional(value: unknown): string | null {
  // Fast path: most cells of a wide table are empty.
  if (value === '') return null;
  const text = line(value);
  return text === null || NOTHING.test(text) ? null : text;
}

/** The same, but null for what is neither text nor a number: for keys, which are read before a row can be refused. */
export const published = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? optional(value) : null;

/** Text on one line. Refuses the row with reason `blank_<field>` if there is none. */
export function required(field: string, value: unknown): string {
  return optional(value) ?? refuse(`blank_${word(field)}`, `${field} is ${show(value)}, expected a value`);
}

/** The parts that are not blank, joined; null if all are. */
export const joined = (parts: readonly unknown[], separator = ' '): string | null =>
  parts
    .map(optional)
    .filter((part) => part !== null)
    .join(separator) || null;

// Numbers

/** An integer number of hundredths: the exact form for arithmetic on money and percentages. */
export type Hundredths = bigint;

const PLAIN = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/iu;

/**
 * Hundredths of a plain decimal ("1234.565", "1.2e+21", 7.4), rounded half away from zero; null if it is not a number.
 * A JavaScript number is read from its shortest decimal form, which is its text in JSON.
 */
export function hundredths(value: string | number): Hundredths | null {
  const match = PLAIN.exec(String(value).trim());
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return null;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + 2;
  const scale = 10n ** BigInt(Math.abs(shift));
  const size = shift >= 0 ? digits * scale : (2n * digits + scale) / (2n * scale);
  return sign === '-' ? -size : size;
}

/** Hundredths as text with two decimals. */
export function decimal(value: Hundredths): string {
  const size = value < 0n ? -value : value;
  return `${value < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`;
}

/** Divide hundredths by a plain decimal such as "0.35", rounded half away from zero. */
export function divide(numerator: Hundredths, denominator: string): Hundredths {
  const places = (denominator.split('.')[1] ?? '').length;
  const divisor = BigInt(denominator.replace('.', ''));
  if (divisor <= 0n) throw new Error(`divide: ${denominator} is not a positive decimal`);
  const scaled = numerator * 10n ** BigInt(places);
  const size = ((scaled < 0n ? -scaled : scaled) * 2n + divisor) / (2n * divisor);
  return scaled < 0n ? -size : size;
}

/** Ohio taxes 35 % of a property's market value (ORC 5715.01). */
export const TAXABLE_SHARE = '0.35';

const LARGEST = 10n ** 14n;

/** Hundredths of a printed figure: "$1,250,000", "(1,234.50)", "-$5.00", "7.25 %". Null for any other text. */
function printed(text: string): Hundredths | null {
  const match = /^(-?)(\(?)\s*(-?)\$?\s*([\d,]*\.?\d*)\s*%?(\)?)$/u.exec(
    text.replace(/^USD\s+/iu, '').replace(/\s+USD$/iu, ''),
  );
  if (!match) return null;
  const [, outer = '', open = '', inner = '', figure = '', close = ''] = match;
  if ((open === '') !== (close === '')) return null;
  const whole = figure.split('.')[0] ?? '';
  if (whole.includes(',') && !/^\d{1,3}(?:,\d{3})+$/u.test(whole)) return null;
  const size = hundredths(figure.replaceAll(',', ''));
  if (size === null) return null;
  const signs = [outer, inner, open].filter(Boolean).length;
  return signs > 1 ? null : signs === 1 ? -size : size;
}

export interface NumberOptions {
  /** Read 0 as unknown, as listing sites print it. */
  readonly zeroIsUnknown?: boolean;
}

function amount(field: string, value: unknown, what: string, options: NumberOptions | undefined): Hundredths | null {
  let size: Hundredths | null;
  if (typeof value === 'number') size = hundredths(value);
  else {
    const text = optional(value);
    if (text === null) return null;
    size = printed(text);
  }
  if (size === null) return bad(field, `${field} is ${show(value)}, expected ${what}`);
  if (size >= LARGEST || size <= -LARGEST)
    return bad(field, `${field} is ${show(value)}, expected ${what} below one trillion`);
  const digits = decimal(size).split('.')[0] ?? '';
  if (/^9{7,}$/u.test(digits) || digits === '-999')
    return refuse('sentinel_value', `${field} is ${show(value)}, a placeholder rather than ${what}`);
  return size === 0n && options?.zeroIsUnknown ? null : size;
}

/** Cents of an amount in dollars, given as text or number; null if absent. Refuses placeholders such as 999999999. */
export const cents = (field: string, value: unknown, options?: NumberOptions): Hundredths | null =>
  amount(field, value, 'an amount in dollars', options);

/** An amount in dollars as a decimal string. */
export function money(field: string, value: unknown, options?: NumberOptions): string | null {
  const size = cents(field, value, options);
  return size === null ? null : decimal(size);
}

/** A rate in percent as a decimal string: 7.4, "7.25%" and "7.25 %" are 7.40, 7.25 and 7.25. */
export function percent(field: string, value: unknown, options?: NumberOptions): string | null {
  const size = amount(field, value, 'a percentage', options);
  if (size === null) return null;
  if (size > 10_000n || size < -10_000n)
    return bad(field, `${field} is ${show(value)}, expected a percentage between -100 and 100`);
  return decimal(size);
}

/** An integer. Accepts thousands commas and ".0", refuses a fraction. */
export function integer(field: string, value: unknown, options?: NumberOptions): number | null {
  const size = amount(field, value, 'a whole number', options);
  if (size === null) return null;
  if (size % 100n !== 0n || size / 100n > 2_147_483_647n)
    return bad(field, `${field} is ${show(value)}, expected a whole number`);
  return Number(size / 100n);
}

/** A year from 1600 to 2199; 0 and blank are null. */
export function year(field: string, value: unknown): number | null {
  const text = optional(value);
  if (text === null || /^0+$/u.test(text)) return null;
  if (!/^(?:1[6-9]|2[01])\d\d$/u.test(text)) return bad(field, `${field} is ${show(value)}, expected a year`);
  return Number(text);
}

// Places

/** First five digits of a ZIP or ZIP+4, with a dash or without ("441130000"). Null if blank or all zeros. */
export function zip(field: string, value: unknown): string | null {
  const text = optional(value);
  if (text === null || /^0[-0]*$/u.test(text)) return null;
  // A spreadsheet that took it for a number prints 44113.0.
  const match = /^(\d{5})(?:[- ]?\d{4}|\.0+)?-?$/u.exec(text);
  return match?.[1] ?? bad(field, `${field} is ${show(value)}, expected a five-digit ZIP`);
}

/** A two-letter state code in upper case, from the code or the name. */
export function state(field: string, value: unknown): string | null {
  const text = optional(value);
  return text === null ? null : (stateCode(text) ?? bad(field, `${field} is ${show(value)}, expected a state`));
}

// Days

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Days of each month of a common year. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

interface DayParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function formatDay(field: string, value: unknown, parts: DayParts): string {
  const { year: inFull, month, day } = parts;
  const isLeap = inFull % 4 === 0 && (inFull % 100 !== 0 || inFull % 400 === 0);
  if (day < 1 || day > (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)))
    return bad(field, `${field} is ${show(value)}, not a day of the calendar`);
  return `${String(inFull).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/**
 * A day as YYYY-MM-DD, from the forms that sources print: YYYY-MM-DD with or without a time, M/D/YYYY, DD-MON-YY and
 * DD-MON-YYYY. No time zone is applied. A two-digit year above 49 is in the 1900s.
 */
export function date(field: string, value: unknown): string | null {
  const text = optional(value);
  if (text === null) return null;
  const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d.*)?$/u.exec(text);
  if (iso) return formatDay(field, value, { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) });
  const us = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: \d{1,2}:\d\d.*)?$/u.exec(text);
  if (us) return formatDay(field, value, { year: Number(us[3]), month: Number(us[1]), day: Number(us[2]) });
  const named = /^(\d{1,2})-([a-z]{3})-(\d{2}|\d{4})$/iu.exec(text);
  const month = MONTHS.indexOf(named?.[2]?.toUpperCase() ?? '') + 1;
  if (named && month > 0) {
    const digits = Number(named[3]);
    const inFull = named[3]?.length === 2 ? (digits > 49 ? 1900 : 2000) + digits : digits;
    return formatDay(field, value, { year: inFull, month, day: Number(named[1]) });
  }
  return bad(field, `${field} is ${show(value)}, expected a date`);
}

/** The label on pages with made-up figures, such as those of the sandbox. */
export const MADE_UP = /\bmade[- ]up\b/iu;
