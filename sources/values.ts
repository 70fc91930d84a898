/**
 * Values as sites print them, turned into the JSON form of lib/record.ts. Pure, and exact: money and
 * percentages are read digit by digit, never by float arithmetic.
 *
 * The rule for absence is the same everywhere: blank, or a word that says "nothing here" such as "N/A",
 * gives null; a value that is there but cannot be what it claims throws a Refusal, which `candidate` turns
 * into a reject with its reason. Zero and placeholder figures are the caller's decision (`zeroIsUnknown`).
 */
import { parse as parseCsv } from 'csv-parse/sync';
import { Quarantine, type Candidate } from './contract.ts';

/** A value that cannot be accepted: the row is counted as a reject for this reason. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: string;
  constructor(reason: string, detail: string) {
    // Refusing a row is an everyday result, and nobody reads the stack of it.
    const depth = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = depth;
    this.reason = reason;
  }
}

/** Refuse the row being read. `reason` is a short word in snake_case, `detail` names field, value and expectation. */
export function refuse(reason: string, detail: string): never {
  throw new Refusal(reason, detail);
}

/** A field's name, in whatever case the source writes it, as part of a reason. */
const word = (field: string): string => field.toLowerCase().replace(/[^a-z0-9]+/gu, '_');
const bad = (field: string, detail: string): never => refuse(`bad_${word(field)}`, detail);

type Accepted = Extract<Candidate, { values: unknown }>;

/**
 * Run `build` for one row: its values become a candidate, a Refusal becomes a reject. Other errors pass
 * through, as they are faults of the adapter. `key` is the natural key where it can be read even from a bad row.
 * @param raw the row as published; a function where writing it down takes work, as most rows are never asked for it
 */
export function candidate(
  raw: string | (() => string),
  build: () => Omit<Accepted, 'raw'>,
  key?: Readonly<Record<string, string>>,
): Candidate {
  const published = {
    get raw(): string {
      return typeof raw === 'string' ? raw : raw();
    },
  };
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

/** Zero-width, bidirectional and control characters that sites leave in copied text. White space is kept for `line`. */
const INVISIBLE = /[^\P{Cc}\t\n\v\f\r]|[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;
const ASCII_TEXT = /^[\t\n\v\f\r\x20-\x7e]*$/u;
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;

/** Text without invisible characters and outer space; inner spaces stay as published. Null when nothing is left. */
export function tidy(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    return refuse('not_text', `expected text, found ${show(value)}`);
  }
  const text = String(value);
  // Nearly every value is plain ASCII, in which there is nothing to look for.
  return (ASCII_TEXT.test(text) ? text : text.replace(INVISIBLE, '').replace(ODD_SPACE, ' ')).trim() || null;
}

/** The same, with every run of white space made one space. */
export const line = (value: unknown): string | null => tidy(value)?.replace(/\s+/gu, ' ') ?? null;

/** Words by which sites say that there is no value. */
export const NOTHING =
  /^(?:-+|—|n\/?a|n\.a\.|none|null|nil|tbd|unknown|not (?:available|provided|disclosed|stated|applicable)|undisclosed)$/iu;

/** Text of one line, or null when blank or a word that says there is none. */
export function optional(value: unknown): string | null {
  const text = line(value);
  return text === null || NOTHING.test(text) ? null : text;
}

/** Text of one line that must be there; the reject's reason is `blank_<field>`. */
export function required(field: string, value: unknown): string {
  return optional(value) ?? refuse(`blank_${word(field)}`, `${field} is ${show(value)}, expected a value`);
}

/** The parts that are there, joined; null when none is. */
export const joined = (parts: readonly unknown[], separator = ' '): string | null =>
  parts
    .map(optional)
    .filter((part) => part !== null)
    .join(separator) || null;

// Numbers

/** A whole number of hundredths: the exact form in which money and percentages are reckoned. */
export type Hundredths = bigint;

const PLAIN = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/iu;

/**
 * Hundredths of a plain decimal ("1234.565", "1.2e+21", 7.4), half away from zero. A JavaScript number is read
 * by its shortest decimal form, which is the text it had in JSON. Null when it is not a number.
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

/** Hundredths as a decimal string with two decimals. */
export function decimal(value: Hundredths): string {
  const size = value < 0n ? -value : value;
  return `${value < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`;
}

/** `numerator / denominator` of hundredths by a plain decimal such as "0.35", half away from zero, in hundredths. */
export function divide(numerator: Hundredths, denominator: string): Hundredths {
  const places = (denominator.split('.')[1] ?? '').length;
  const divisor = BigInt(denominator.replace('.', ''));
  if (divisor <= 0n) throw new Error(`divide: ${denominator} is not a positive decimal`);
  const scaled = numerator * 10n ** BigInt(places);
  const size = ((scaled < 0n ? -scaled : scaled) * 2n + divisor) / (2n * divisor);
  return scaled < 0n ? -size : size;
}

const LARGEST = 10n ** 14n;

/** A printed figure without its signs: "$1,250,000", "(1,234.50)", "-$5.00", "7.25 %". Null when it is not one. */
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
  /** Read 0 as "not stated", as listing sites use it. */
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
  if (size >= LARGEST || size <= -LARGEST) return bad(field, `${field} is ${show(value)}, too large to be ${what}`);
  const digits = decimal(size).split('.')[0] ?? '';
  if (/^9{7,}$/u.test(digits) || digits === '-999')
    return refuse('sentinel_value', `${field} is ${show(value)}, a placeholder rather than ${what}`);
  return size === 0n && options?.zeroIsUnknown ? null : size;
}

/** Cents of an amount of dollars, as text or number. Null when absent. Refuses placeholders such as 999999999. */
export const cents = (field: string, value: unknown, options?: NumberOptions): Hundredths | null =>
  amount(field, value, 'an amount in dollars', options);

/** An amount of dollars as a decimal string. */
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

/** A whole number; thousands commas and a ".0" are accepted, a fraction is refused. */
export function integer(field: string, value: unknown, options?: NumberOptions): number | null {
  const size = amount(field, value, 'a whole number', options);
  if (size === null) return null;
  if (size % 100n !== 0n || size / 100n > 2_147_483_647n)
    return bad(field, `${field} is ${show(value)}, expected a whole number`);
  return Number(size / 100n);
}

/** A four-digit year between 1600 and 2199; 0 and blank are null. */
export function year(field: string, value: unknown): number | null {
  const text = optional(value);
  if (text === null || /^0+$/u.test(text)) return null;
  if (!/^(?:1[6-9]|2[01])\d\d$/u.test(text)) return bad(field, `${field} is ${show(value)}, expected a year`);
  return Number(text);
}

// Places

/** First five digits of a ZIP or ZIP+4, dashed, padded with zeros ("441130000") or plain. Null when blank or all zeros. */
export function zip(field: string, value: unknown): string | null {
  const text = optional(value);
  if (text === null || /^0[-0]*$/u.test(text)) return null;
  const match = /^(\d{5})(?:[- ]?\d{4})?-?$/u.exec(text);
  return match?.[1] ?? bad(field, `${field} is ${show(value)}, expected a five-digit ZIP`);
}

/** A two-letter state code, upper case. */
export function state(field: string, value: unknown): string | null {
  const text = optional(value);
  if (text === null) return null;
  return /^[a-z]{2}$/iu.test(text)
    ? text.toUpperCase()
    : bad(field, `${field} is ${show(value)}, expected a two-letter state`);
}

// Days

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

function day(field: string, value: unknown, y: number, m: number, d: number): string {
  const at = new Date(Date.UTC(y, m - 1, d));
  at.setUTCFullYear(y);
  if (at.getUTCMonth() !== m - 1 || at.getUTCDate() !== d)
    return bad(field, `${field} is ${show(value)}, not a day of the calendar`);
  return `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
}

/**
 * A calendar day in any of the forms the sources use: YYYY-MM-DD with or without a time after it, M/D/YYYY
 * padded or not, and DD-MON-YY or DD-MON-YYYY. The day is the one printed; no time zone is applied. A two-digit
 * year above 49 is of the last century.
 */
export function date(field: string, value: unknown): string | null {
  const text = optional(value);
  if (text === null) return null;
  const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d.*)?$/u.exec(text);
  if (iso) return day(field, value, Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const us = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: \d{1,2}:\d\d.*)?$/u.exec(text);
  if (us) return day(field, value, Number(us[3]), Number(us[1]), Number(us[2]));
  const named = /^(\d{1,2})-([a-z]{3})-(\d{2}|\d{4})$/iu.exec(text);
  const month = MONTHS.indexOf(named?.[2]?.toUpperCase() ?? '') + 1;
  if (named && month > 0) {
    const y = Number(named[3]);
    return day(field, value, named[3]?.length === 2 ? (y > 49 ? 1900 : 2000) + y : y, month, Number(named[1]));
  }
  return bad(field, `${field} is ${show(value)}, expected a date`);
}

// CSV

export interface CsvRow {
  /** Cells as published, untrimmed. */
  readonly cells: readonly string[];
  /** The record as published, without its line end. */
  readonly raw: string;
  /** Line of the file on which the record ends, from 1. */
  readonly line: number;
}

export interface Csv {
  /** Column names, trimmed, byte order mark removed. */
  readonly header: readonly string[];
  /** Every record after the header, of whatever length; wholly empty lines are left out. */
  readonly rows: readonly CsvRow[];
}

export interface CsvOptions {
  /** null for files that do not quote and where a quote mark is a letter like any other. */
  readonly quote?: '"' | null;
  readonly delimiter?: string;
  /** Where a field is not quoted as a whole, its quote marks are letters: `THE "A" TEAM LLC,Akron`. */
  readonly looseQuotes?: boolean;
}

/** Options of csv-parse for every CSV file. */
export const CSV_FORMAT = { bom: true, raw: true, relax_column_count: true, skip_empty_lines: true } as const;

/**
 * Read a CSV text with a header. Records of the wrong length are returned as they are, so that the caller
 * counts them.
 * Throws Quarantine("malformed_page") where the text breaks the format, ("empty_body") where there is no header.
 */
export function readCsv(text: string, pageUrl: string, options: CsvOptions = {}): Csv {
  let records: { record: string[]; raw: string; info: { lines: number } }[];
  try {
    records = parseCsv(text, {
      ...CSV_FORMAT,
      info: true,
      relax_quotes: options.looseQuotes ?? false,
      quote: options.quote === undefined ? '"' : options.quote,
      delimiter: options.delimiter ?? ',',
    }) as unknown as typeof records;
  } catch (error) {
    throw new Quarantine(
      'malformed_page',
      `not a CSV file: ${error instanceof Error ? error.message : String(error)}`,
      pageUrl,
    );
  }
  const [first, ...rest] = records;
  if (!first) throw new Quarantine('empty_body', 'the CSV file has no header', pageUrl);
  return {
    header: first.record.map((name) => name.trim()),
    rows: rest.map(({ record, raw, info }) => ({
      cells: record,
      raw: raw.replace(/^[\r\n]+|[\r\n]+$/gu, ''),
      line: info.lines,
    })),
  };
}

/**
 * The same for a file whose every line is meant to be a record: a line break or a stray quote mark inside a
 * field then spoils its own line only. A line with a quoted cell that does not end is returned as one cell.
 */
export function readCsvByLine(text: string, pageUrl: string): Csv {
  const cells = (content: string): readonly string[] => {
    if (!content.includes('"')) return content.split(',');
    try {
      // Cells may be padded outside their quotes; a quote mark within an unquoted cell is a letter.
      return (parseCsv(content, { trim: true, relax_column_count: true, relax_quotes: true }) as string[][])[0] ?? [];
    } catch {
      return [content];
    }
  };
  const [first, ...rest] = text
    .replace(/^\ufeff/u, '')
    .split(/\r?\n/u)
    .map((raw, index) => ({ raw, line: index + 1 }))
    .filter(({ raw }) => tidy(raw) !== null);
  if (!first) throw new Quarantine('empty_body', 'the CSV file has no header', pageUrl);
  return {
    header: cells(first.raw).map((name) => name.trim()),
    rows: rest.map(({ raw, line: number }) => ({ cells: cells(raw), raw, line: number })),
  };
}

/**
 * Check a header against the columns an adapter knows. Throws Quarantine("missing_column") or
 * ("unknown_column"), naming them. `known` may hold patterns for columns that are renamed or not needed.
 */
export function checkColumns(
  found: readonly string[],
  needed: readonly string[],
  pageUrl: string,
  known: readonly (string | RegExp)[] = [],
): void {
  const missing = needed.filter((name) => !found.includes(name));
  if (missing.length)
    throw new Quarantine(
      'missing_column',
      `missing column ${missing.map(show).join(', ')}; found ${found.map(show).join(', ')}`,
      pageUrl,
    );
  const unknown = found.filter(
    (name) => !needed.includes(name) && !known.some((k) => (typeof k === 'string' ? k === name : k.test(name))),
  );
  if (unknown.length) throw new Quarantine('unknown_column', `unknown column ${unknown.map(show).join(', ')}`, pageUrl);
}
