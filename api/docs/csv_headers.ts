/** OpenAPI of lists as CSV: the headers that take the place of the envelope. */
import { LIST_HEADER_NAMES, LIST_HEADERS } from '../../lib/list_headers.ts';
import { CSV, FORMULA_RULE } from '../routes/list/csv.ts';
import type { Route } from '../routes/define.ts';
import type { JsonObject } from './schemas.ts';

const ABOUT: Readonly<Record<string, string>> = {
  [LIST_HEADERS.stale_sources]: 'Names of up to twenty stale_sources, with commas between them.',
  Link: 'URL of the next page, with rel="next".',
};

/** Header components of lists as CSV, by name. */
export const CSV_HEADERS = Object.fromEntries(
  LIST_HEADER_NAMES.map((name) => [
    name,
    {
      description: `Only as CSV. ${ABOUT[name] ?? `${name.toLowerCase().replaceAll('-', '_')} of the JSON response.`}`,
      required: false,
      schema: { type: 'string' },
    },
  ]),
);

/** References to these headers, for a route that also answers in CSV. */
export const csvHeadersOf = ({ csvColumns }: Pick<Route, 'csvColumns'>): JsonObject =>
  csvColumns
    ? Object.fromEntries(LIST_HEADER_NAMES.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
    : {};

const schema = {
  type: 'string',
  description:
    'If Accept prefers text/csv: a header line, then one line per record, with the fields of records in order. An ' +
    `absent value is an empty cell, an object or a list is JSON. ${FORMULA_RULE}`,
};

/** The CSV content of a route that also answers in CSV. */
export const csvContentOf = ({ csvColumns }: Pick<Route, 'csvColumns'>): JsonObject =>
  csvColumns ? { [CSV]: { schema } } : {};
