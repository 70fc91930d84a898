/** Header components of responses, and references to them. */
import type { JsonObject } from './schemas.ts';
import { LIST_HEADER_NAMES, LIST_HEADERS } from '../../lib/list_headers.ts';
import { CSV, FORMULA_RULE } from '../routes/list/csv.ts';
import type { Route } from '../routes/define.ts';

const header = (description: string) => ({ description, required: true, schema: { type: 'string' } });
export const HEADERS = {
  'X-Request-Id': header('Id of this request in the server log; the same as instance of a problem document.'),
  'PAYMENT-REQUIRED': header('Payment terms to sign: base64 of JSON, x402 version 2.'),
  'PAYMENT-RESPONSE': header('The settlement: base64 of JSON, x402 version 2.'),
  'X-Snapshot-Id': header(
    'Id of the snapshot that the response is computed from; of a 402, that the paid one would be.',
  ),
  'Receipt-Id': header(
    'Id of the purchase. The wallet that paid can collect the response again at /api/purchases/{id}.',
  ),
  'Signed-Receipt': header(
    'Receipt signed by the server (compact JWS): price, payment, request, SHA-256 of the body, snapshot. The keys ' +
      'are at /.well-known/jwks.json.',
  ),
  'Unencoded-Digest': header('SHA-256 of the body before Content-Encoding. The server keeps the body in this form.'),
  Delivery: header(
    'first: the paid response. identifier, wallet: the same response again, free, for the payment identifier or the ' +
      'sign-in of the wallet that paid.',
  ),
  Refund: {
    ...header(
      'Only if the guarantee owes a refund: JSON with state (due, refunded), amount, what ended and its pages.',
    ),
    required: false,
  },
  'Retry-After': header('Seconds to wait.'),
  ETag: header('Depends on the snapshot, the route and the query. Send it back in If-None-Match.'),
} as const;
/** References to these headers. */
export const headers = (...names: (keyof typeof HEADERS)[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of a paid response. */
export const PURCHASE_HEADERS = [
  'PAYMENT-RESPONSE',
  'X-Snapshot-Id',
  'Receipt-Id',
  'Signed-Receipt',
  'Unencoded-Digest',
  'Delivery',
] as const;

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
