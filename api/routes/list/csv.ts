/**
 * CSV (RFC 4180) of records in their JSON form: UTF-8, a header line, CRLF, columns in record order. An absent value is
 * an empty cell, an empty text is "", and an object or a list is its JSON text.
 */
import { stringify } from 'csv-stringify/sync';
import type { Options } from 'csv-stringify';
import type { Context } from 'koa';
import { LIST_HEADERS } from '../../../lib/list_headers.ts';

export const CSV = 'text/csv';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** The rule against formula injection, for buyers. */
export const FORMULA_RULE =
  'A cell that begins with = + - @, a tab or a line break gets a leading apostrophe, to block formula injection; ' +
  'numbers do not.';

const NUMBER = /^-?\d+(\.\d+)?$/;
/** Also after spaces and apostrophes, and in full width, as some spreadsheets read them. */
const FORMULA = /^['\s]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^'*[\t\r\n]/u;

/** A text as a cell. Removing the leading apostrophe of an escaped cell restores the text. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** Options of csv-stringify for these columns. */
export const csvOptions = (columns: readonly string[]): Options => ({
  header: true,
  columns: [...columns],
  record_delimiter: 'windows',
  cast: {
    string: (text) => ({ value: escapeFormula(text), quoted_empty: true }),
    boolean: String,
    object: (value) => JSON.stringify(value),
  },
});

/** Headers that make a response a CSV file of this name. */
export function setCsvHeaders(ctx: Context, name: string): void {
  ctx.status = 200;
  ctx.type = CSV_TYPE;
  ctx.set('Content-Disposition', `attachment; filename="${name}"`);
}

/** A list as JSON: its envelope and its records. */
export interface ListBody {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly as_of: string;
  readonly next_cursor: string | null;
  readonly stale_sources: readonly { readonly source: string }[];
}

/** Most names of stale sources in a header. The note has their number. */
const MAX_SOURCES = 20;

const headerText = (value: unknown): string => String(value).replaceAll(/[^\u0020-\u007E]/gu, '?');

/** Send a list as CSV: its records as rows, and the rest of its envelope as headers. */
export function sendListCsv(ctx: Context, name: string, columns: readonly string[], body: ListBody): void {
  const { records, next_cursor: cursor } = body;
  const others = new Set(records.flatMap((record) => Object.keys(record)));
  for (const column of columns) others.delete(column);
  const envelope: Readonly<Record<string, unknown>> = {
    ...body,
    stale_sources: body.stale_sources
      .slice(0, MAX_SOURCES)
      .map(({ source }) => source)
      .join(', '),
  };
  for (const [field, header] of Object.entries(LIST_HEADERS)) {
    const value = envelope[field];
    if (value !== undefined && value !== null && value !== '') ctx.set(header, headerText(value));
  }
  if (cursor !== null) {
    const query = new URLSearchParams(ctx.querystring);
    query.set('cursor', cursor);
    ctx.set('Link', `<${ctx.path}?${query.toString()}>; rel="next"`);
  }
  ctx.body = stringify([...records], csvOptions([...columns, ...others]));
  setCsvHeaders(ctx, `dealfeed-${name}-${body.as_of}.csv`);
}

/** Types of `Accept` that mean CSV. */
const CSV_TYPES = [CSV, 'text/csv;charset=utf-8', 'text/csv;header=present', CSV_TYPE.replaceAll(' ', '')];

/** Whether a client prefers CSV to JSON. JSON is the default, also for a client that accepts neither. */
export const prefersCsv = (ctx: Pick<Context, 'accepts'>): boolean => {
  const preferred = ctx.accepts(['application/json', ...CSV_TYPES]);
  return typeof preferred === 'string' && preferred !== 'application/json';
};
