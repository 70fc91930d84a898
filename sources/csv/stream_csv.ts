/** CSV files that are too large for one string or one list of records, read record by record or line by line. */
import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { Quarantine, type Page } from '../contract.ts';
import { textParts } from '../fetch/http/decode.ts';
import { tidy } from '../values.ts';
import { CSV_FORMAT, type CsvOptions, type CsvRow } from './csv.ts';

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
