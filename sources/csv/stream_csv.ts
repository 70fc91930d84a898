/** CSV files that are too large for one string or one list of records, read record by record or line by line. */
import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { type Page, Quarantine } from '../contract.ts';
import { textParts } from '../fetch/http/decode.ts';
import { tidy } from '../values.ts';
import { CSV_FORMAT, type CsvOptions, type CsvRow } from './csv.ts';

/** Where a large CSV file can be cut. */
const QUOTE = 0x22;
const NEWLINE = 0x0a;

/**
 * Cut a CSV file with a header, whose cells may be quoted, at ends of records (Divides of contract.ts). A line break in
 * quotes does not end a record. A stray quote mark may put the cuts inside records, but such a file is not valid CSV.
 */
export function csvCuts(bytes: Uint8Array, parts: number): readonly number[] {
  const ends: number[] = [];
  let isQuoted = false;
  let quote = bytes.indexOf(QUOTE);
  let start = 0;
  /** End of the record in which the byte `at` is. */
  const endAfter = (at: number): number => {
    for (let from = at; from < bytes.length;) {
      const line = bytes.indexOf(NEWLINE, from);
      const end = line === -1 ? bytes.length : line + 1;
      for (; quote !== -1 && quote < end; quote = bytes.indexOf(QUOTE, quote + 1)) isQuoted = !isQuoted;
      if (!isQuoted) return end;
      from = end;
    }
    return bytes.length;
  };
  for (let part = 0; part <= parts; part += 1) {
    start = Math.max(start, endAfter(Math.max(start - 1, Math.floor((part * bytes.length) / parts))));
    ends.push(start);
  }
  return ends;
}

/** A longer record is a quote mark that nothing closes. */
const MAX_RECORD_CHARACTERS = 1_000_000;

/**
 * Records of the page in order, the header first. Records of the wrong length are returned as they are, so that the
 * caller counts them.
 * @throws Quarantine malformed_page where the text breaks the format
 */
export async function* streamCsv(
  { bytes, url }: Page,
  { looseQuotes = false }: Pick<CsvOptions, 'looseQuotes'> = {},
): AsyncGenerator<Pick<CsvRow, 'cells' | 'raw'>> {
  const parser = parse({ ...CSV_FORMAT, relax_quotes: looseQuotes, max_record_size: MAX_RECORD_CHARACTERS });
  // An error of either stream ends the loop below.
  pipeline(Readable.from(textParts(bytes, 'windows-1252', url)), parser, () => undefined);
  try {
    for await (const { record, raw } of parser as AsyncIterable<{ record: string[]; raw: string }>)
      yield { cells: record, raw: raw.replace(/^[\r\n]+|[\r\n]+$/gu, '') };
  } catch (error) {
    if (error instanceof Quarantine) throw error;
    throw new Quarantine(
      'malformed_page',
      `not a CSV file: ${error instanceof Error ? error.message : String(error)}`,
      url,
    );
  }
}

/** Lines of a text in Windows-1252 that arrives in parts, numbered from 1; empty lines are skipped. */
export async function* linesOfParts(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Pick<CsvRow, 'raw' | 'line'>> {
  const decoder = new TextDecoder('windows-1252');
  let line = 0;
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      if (tidy(text) !== null) yield { raw: text.replace(/\r$/u, ''), line };
    }
  }
  if (tidy(rest) !== null) yield { raw: rest, line: line + 1 };
}
