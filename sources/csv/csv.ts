/** The one reader of CSV: whole texts, files too large for one string, and files with one record per line. */
import { type Page, Quarantine } from '../contract.ts';
import { textParts } from '../fetch/page.ts';
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
  /** One character. Default: a comma. */
  readonly delimiter?: string;
  /** A quote mark inside an unquoted cell, or text after a quoted one, is as published: `THE "A" TEAM LLC,Akron`. */
  readonly looseQuotes?: boolean;
  /**
   * Every line is one record, so that a line break or stray quote mark damages only its own line: one whose quotes do
   * not pair is a single cell. Quoted cells may be padded; blank lines are skipped.
   */
  readonly byLine?: boolean;
}

const [NEWLINE, RETURN, SPACE, TAB, QUOTE] = [0x0a, 0x0d, 0x20, 0x09, 0x22];
const LINE_END = /\r\n|\n|\r/gu;

/** A longer record is a quote mark that nothing closes. */
const MAX_RECORD_CHARACTERS = 1_000_000;

/** A record with a quoted cell; a fault where the quotes do not pair; null if the text ends before the record. */
type QuotedRecord = { readonly cells: readonly string[]; readonly end: number } | { readonly fault: string } | null;

/** Reads the records of a text that arrives in parts. A line may end with CRLF, LF or CR, also in one file. */
class CsvReader {
  readonly #url: string;
  readonly #options: Required<CsvOptions>;
  /** Start of a record that the next part continues; null before the first part. */
  #rest: string | null = null;
  /** Lines before it. */
  #lines = 0;

  constructor(url: string, { delimiter = ',', looseQuotes = false, byLine = false }: CsvOptions) {
    this.#url = url;
    this.#options = { delimiter, looseQuotes, byLine };
  }

  /** Records that end in this part. @throws Quarantine malformed_page where the text breaks the format */
  *read(part: string, isLast = false): Generator<CsvRow> {
    const { delimiter, byLine } = this.#options;
    const text = this.#rest === null ? part.replace(/^\ufeff/u, '') : this.#rest + part;
    const after = (sign: string, from: number): number => {
      const found = text.indexOf(sign, from);
      return found === -1 ? Infinity : found;
    };
    let [newline, carriage, quote] = [-1, -1, -1];
    let at = 0;
    while (at < text.length) {
      if (newline < at) newline = after('\n', at);
      if (carriage < at) carriage = after('\r', at);
      if (quote < at) quote = after('"', at);
      let end = Math.min(newline, carriage, text.length);
      let cells: readonly string[];
      if (quote >= end) {
        cells = text.slice(at, end).split(delimiter);
      } else if (byLine) {
        const line = text.slice(at, end);
        const record = this.#quoted(line, 0, true);
        cells = record === null || 'fault' in record ? [line] : record.cells;
      } else {
        const record = this.#quoted(text, at, isLast);
        if (record === null) break;
        if ('fault' in record) this.#refuse(record.fault);
        ({ cells, end } = record);
      }
      // A line end may continue in the next part.
      if (!isLast && end + 1 >= text.length && text.charCodeAt(end) !== NEWLINE) break;
      const raw = text.slice(at, end);
      this.#lines += quote < end && !byLine ? 1 + (raw.match(LINE_END)?.length ?? 0) : 1;
      if (byLine ? tidy(raw) !== null : raw !== '') yield { cells, raw, line: this.#lines };
      at = end + (text.charCodeAt(end) === RETURN && text.charCodeAt(end + 1) === NEWLINE ? 2 : 1);
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > MAX_RECORD_CHARACTERS)
      this.#refuse(`a record has more than ${MAX_RECORD_CHARACTERS} characters`);
  }

  /** The record at `start` of a text. */
  #quoted(text: string, start: number, isLast: boolean): QuotedRecord {
    const { delimiter, looseQuotes, byLine } = this.#options;
    const separator = delimiter.charCodeAt(0);
    const isEnd = (at: number): boolean => {
      const sign = text.charCodeAt(at);
      return sign === separator || sign === NEWLINE || sign === RETURN || at >= text.length;
    };
    const afterPadding = (at: number): number => {
      let end = at;
      if (byLine) while (text.charCodeAt(end) === SPACE || text.charCodeAt(end) === TAB) end += 1;
      return end;
    };
    const cells: string[] = [];
    for (let at = start; ; at += 1) {
      let value = '';
      const open = afterPadding(at);
      if (text.charCodeAt(open) === QUOTE) {
        let close = text.indexOf('"', open + 1);
        while (close !== -1 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2);
        if (!isLast && (close === -1 || close + 1 === text.length)) return null;
        if (close === -1) return { fault: `cell ${cells.length + 1} has a quote mark that nothing closes` };
        value = text.slice(open + 1, close).replaceAll('""', '"');
        at = afterPadding(close + 1);
        if (!isEnd(at)) {
          if (!looseQuotes) return { fault: `cell ${cells.length + 1} goes on after its closing quote mark` };
          value = `"${value}"`;
        }
      }
      const from = at;
      for (; !isEnd(at); at += 1)
        if (text.charCodeAt(at) === QUOTE && !looseQuotes && !byLine)
          return { fault: `cell ${cells.length + 1} has a quote mark inside` };
      cells.push(value + text.slice(from, at));
      if (at >= text.length || text.charCodeAt(at) !== separator) return { cells, end: at };
    }
  }

  #refuse(fault: string): never {
    const where = `in the record at line ${this.#lines + 1}`;
    throw new Quarantine('malformed_page', `not a CSV file: ${fault}, ${where}`, this.#url);
  }
}

/**
 * Read a CSV text with a header. Records of the wrong length are returned too, for the caller to count.
 * @throws Quarantine malformed_page if the text is not CSV, empty_body if there is no header
 */
export function readCsv(text: string, pageUrl: string, options: CsvOptions = {}): Csv {
  const [first, ...rows] = new CsvReader(pageUrl, options).read(text, true);
  if (!first) throw new Quarantine('empty_body', 'the CSV file has no header', pageUrl);
  return { header: first.cells.map((name) => name.trim()), rows };
}

/**
 * Records of a page that is too large for one string or one list of records, the header first. Records of the wrong
 * length are returned as they are, so that the caller counts them.
 * @throws Quarantine malformed_page where the text breaks the format
 */
export function* streamCsv({ bytes, url }: Page, options: CsvOptions = {}): Generator<Pick<CsvRow, 'cells' | 'raw'>> {
  const reader = new CsvReader(url, options);
  for (const part of textParts(bytes, 'windows-1252', url)) yield* reader.read(part);
  yield* reader.read('', true);
}

/** Records, one per line, of a text in Windows-1252 in parts, the header first. @throws like `streamCsv` */
export async function* csvLines(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  pageUrl: string,
): AsyncGenerator<CsvRow> {
  const decoder = new TextDecoder('windows-1252');
  const reader = new CsvReader(pageUrl, { byLine: true });
  for await (const part of parts) yield* reader.read(decoder.decode(part, { stream: true }));
  yield* reader.read('', true);
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
