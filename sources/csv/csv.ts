/** CSV text with a header: its rows as published, and the check of its columns. */
import { parse } from 'csv-parse/sync';
import { Quarantine } from '../contract.ts';
import { tidy } from '../values.ts';

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
  /** Every record after the header, of any length; empty lines are skipped. */
  readonly rows: readonly CsvRow[];
}

export interface CsvOptions {
  /** null for files that never quote; a quote mark is then an ordinary character. */
  readonly quote?: '"' | null;
  readonly delimiter?: string;
  /** A quote mark inside an unquoted field is an ordinary character: `THE "A" TEAM LLC,Akron`. */
  readonly looseQuotes?: boolean;
}

/** Options of csv-parse for every CSV file. */
export const CSV_FORMAT = { bom: true, raw: true, relax_column_count: true, skip_empty_lines: true } as const;

/**
 * Read a CSV text with a header. Records of the wrong length are returned too, for the caller to count.
 * @throws Quarantine malformed_page if the text is not CSV, empty_body if there is no header
 */
export function readCsv(text: string, pageUrl: string, options: CsvOptions = {}): Csv {
  let records: {
    record: string[];
    raw: string;
    info: { lines: number };
  }[];
  try {
    records = parse(text, {
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

/** Cells of a line that is one record; the line itself if a quote in it is unclosed. */
export function cellsOfLine(content: string): readonly string[] {
  if (!content.includes('"')) return content.split(',');
  try {
    // Cells may be padded outside their quotes.
    return (parse(content, { trim: true, relax_column_count: true, relax_quotes: true }) as string[][])[0] ?? [];
  } catch {
    return [content];
  }
}

/**
 * The same for a file with one record per line: a line break or stray quote mark inside a field then damages only its
 * own line. A line with an unclosed quote is returned as one cell.
 */
export function readCsvByLine(text: string, pageUrl: string): Csv {
  const [first, ...rest] = text
    .replace(/^\ufeff/u, '')
    .split(/\r?\n/u)
    .map((raw, index) => ({ raw, line: index + 1 }))
    .filter(({ raw }) => tidy(raw) !== null);
  if (!first) throw new Quarantine('empty_body', 'the CSV file has no header', pageUrl);
  return {
    header: cellsOfLine(first.raw).map((name) => name.trim()),
    rows: rest.map(({ raw, line }) => ({ cells: cellsOfLine(raw), raw, line })),
  };
}

const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');

/**
 * Check a header against the columns an adapter knows.
 * @param known further columns that may be present: names, or patterns for columns renamed from year to year
 * @throws Quarantine missing_column or unknown_column, naming the columns
 */
export function checkColumns(
  found: readonly string[],
  needed: readonly string[],
  pageUrl: string,
  known: readonly (string | RegExp)[] = [],
): void {
  const missing = needed.filter((name) => !found.includes(name));
  if (missing.length > 0)
    throw new Quarantine('missing_column', `missing column ${quoted(missing)}; found ${quoted(found)}`, pageUrl);
  const isKnown = (name: string): boolean =>
    needed.includes(name) || known.some((column) => (typeof column === 'string' ? column === name : column.test(name)));
  const unknown = found.filter((name) => !isKnown(name));
  if (unknown.length > 0) throw new Quarantine('unknown_column', `unknown column ${quoted(unknown)}`, pageUrl);
}
