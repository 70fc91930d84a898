/** The OpenAPI 3.1 description, generated from the routes and the records. */
import { z } from 'zod';
import { paramFacts, type ParamFacts } from '../routes/params.ts';
import { ProblemDocument, PROBLEMS, type Reason } from '../http/problem.ts';
import { isJson, mediaOf, templateOf, type Route } from '../routes/define.ts';
import type { JsonObject } from '../../lib/json.ts';
import { LIST_HEADER_NAMES, LIST_HEADERS } from '../../lib/list_headers.ts';
import { priceText } from '../../lib/prices.ts';
import type { RecordDefinition } from '../../lib/record.ts';
import { CSV, FORMULA_RULE } from '../routes/list/csv.ts';
import { INTERFACE_VERSION } from '../routes/meta.ts';
import { COLLECT_REASONS, PendingPurchase } from '../routes/purchases.ts';
import { TABLES } from '../../models/serving/tables.ts';
import { ALL, FIELD_GROUPS, fieldChoices, type FieldGroups } from '../routes/list/field_groups.ts';
import { partialOf } from '../routes/list/route.ts';

const componentPath = (id: string): string => `#/components/schemas/${id}`;
const ref = (id: string): JsonObject => ({ $ref: componentPath(id) });

/** Where the same calls are tools over MCP. */
export const MCP_PATH = '/mcp';

/** Groups of endpoints, by the first part of their path after /api/, without a register's prefix. */
const TAGS = {
  deals: 'Listings for sale with their underwriting, and reports.',
  signals: 'Public records of distress: tax debts, filings, liens, code cases, vacant and condemned buildings.',
  auctions: 'Sheriff, foreclosure and tax sales.',
  leads: 'Off-market seller leads.',
  owners: 'Organizations with several distressed or listed properties.',
  lookup: 'All records of one address or parcel.',
  filings: 'New business registrations of Ohio and Colorado.',
  purchases: 'Collect paid responses again.',
  discovery: 'Free: coverage, prices and samples.',
} as const;
export const tagOf = (path: string): string => {
  const subject = /\/api\/(\w+)/u.exec(path)?.[1] ?? '';
  if (subject === 'batch') return 'filings';
  return Object.hasOwn(TAGS, subject) ? subject : 'discovery';
};

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
/** References to headers. */
const refsTo = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const headers = (...names: (keyof typeof HEADERS)[]): JsonObject => refsTo(names);

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

const csvContent: JsonObject = {
  [CSV]: {
    schema: {
      type: 'string',
      description:
        'If Accept prefers text/csv: a header line, then one line per record, with the fields of records in order. ' +
        `An absent value is an empty cell, an object or a list is JSON. ${FORMULA_RULE}`,
    },
  },
};

/** Schema name of each response body; routes with the same body share one. */
function bodySchemaNames(routes: readonly Route[]): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>([
    [ProblemDocument, 'problem'],
    [PendingPurchase, 'pending_purchase'],
  ]);
  for (const route of routes) {
    if (isJson(route) && !names.has(route.response)) names.set(route.response, `${route.name}_response`);
    if (route.template) names.set(route.template.response, `${route.name}_template`);
    if (route.miss) names.set(route.miss, `${route.name}_miss`);
  }
  return names;
}

type Schemas = Readonly<Record<string, JsonObject>>;

/** Schemas of the last document, cached: writing them is slow, and every server of a process has the same responses. */
let last: { readonly names: ReadonlyMap<z.ZodType, string>; readonly schemas: Schemas } | undefined;

const isSame = (a: ReadonlyMap<z.ZodType, string>, b: ReadonlyMap<z.ZodType, string>): boolean =>
  a.size === b.size && [...a].every(([body, name]) => b.get(body) === name);

/** JSON Schemas of every record and response, by name. Each record is defined once and referenced. */
function schemasOf(names: ReadonlyMap<z.ZodType, string>): Schemas {
  if (!last || !isSame(last.names, names)) last = { names, schemas: writeSchemas(names) };
  return last.schemas;
}

function writeSchemas(names: ReadonlyMap<z.ZodType, string>): Schemas {
  const named = z.registry<{ id: string }>();
  const about = new Map<unknown, string>();
  const byDefault = new Map<unknown, readonly string[]>();
  for (const [table, { groups, ...group }] of Object.entries(FIELD_GROUPS) as [
    keyof typeof FIELD_GROUPS,
    FieldGroups,
  ][]) {
    const record: RecordDefinition = TABLES[table];
    const partial = partialOf(record.schema);
    named.add(record.schema, { id: record.name });
    about.set(record.schema, record.about);
    named.add(partial, { id: `${record.name}_in_list` });
    about.set(
      partial,
      `${record.about} id is always there, and absent unless a change has the id alone; without the parameter ` +
        'fields, so are all of x-default-fields.',
    );
    const choices = fieldChoices(Object.keys(record.schema.shape), groups);
    byDefault.set(
      partial,
      (group.byDefault ?? [ALL]).flatMap((name) => choices.get(name) ?? []),
    );
  }
  for (const [body, id] of names) named.add(body, { id });
  const { schemas } = z.toJSONSchema(named, {
    uri: componentPath,
    override({ zodSchema, jsonSchema }) {
      const description = about.get(zodSchema) ?? z.globalRegistry.get(zodSchema)?.description;
      if (description !== undefined) jsonSchema.description = description;
      const fields = byDefault.get(zodSchema);
      if (fields)
        jsonSchema['x-default-fields'] = Object.keys(jsonSchema.properties ?? {}).filter((name) =>
          fields.includes(name),
        );
      // Redundant: zod adds a 200-character pattern to a format, and JavaScript's bounds to every integer.
      if (jsonSchema.format === 'date' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  // In OpenAPI a schema is referenced by its location.
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$id' && key !== '$schema')),
    ]),
  );
}

function paramSchema({ kind, values, range }: ParamFacts): JsonObject {
  if (kind === 'date' || kind === 'uuid') return { type: 'string', format: kind };
  return {
    type: kind,
    ...(values === undefined || kind === 'boolean' ? {} : { enum: values }),
    ...(range === undefined ? {} : { minimum: range[0], maximum: range[1] }),
  };
}

/** Reasons of the error responses of a route. */
const reasonsOf = ({ price, reasons, stateKey }: Route): Reason[] =>
  (Object.keys(PROBLEMS) as Reason[]).filter(
    (reason) =>
      PROBLEMS[reason].of === 'all' ||
      (PROBLEMS[reason].of === 'priced' && price !== null) ||
      // A free route that shows available leads reads the ledger.
      (reason === 'payments_unavailable' && stateKey !== undefined) ||
      reasons?.includes(reason) === true,
  );

/** Error responses by status. @param miss name of the schema of a 404, if it is not that of other problems */
function errorResponses(reasons: readonly Reason[], isExclusive = false, miss = 'problem'): JsonObject {
  const html = { schema: { type: 'string', description: 'The same as a page, if Accept names text/html.' } };
  const responseOf = (status: number, own: readonly Reason[]): JsonObject => {
    const billed = status === 502 ? 'Not known yet whether it is billed' : 'Not billed';
    const schema = ref(status === 404 ? miss : 'problem');
    return {
      description: `${billed}. reason: ${own.join(', ')}.`,
      headers: headers(
        'X-Request-Id',
        ...(status === 402 ? ['PAYMENT-REQUIRED' as const] : []),
        ...(status === 402 && !isExclusive ? ['X-Snapshot-Id' as const] : []),
        ...([429, 503].includes(status) ? ['Retry-After' as const] : []),
      ),
      content: { 'application/problem+json': { schema }, 'text/html': html },
    };
  };
  // Numbers are keys in their order.
  const byStatus = Map.groupBy(reasons, (reason) => PROBLEMS[reason].status);
  return Object.fromEntries([...byStatus].map(([status, own]) => [status, responseOf(status, own)]));
}

function parameterOf(name: string, place: 'path' | 'query', schema: z.ZodType): JsonObject {
  const facts = paramFacts(schema);
  return {
    name,
    in: place,
    required: place === 'path',
    description: `${facts.about} Expected: ${facts.expected}.`,
    schema: paramSchema(facts),
  };
}

/** The 200 response of a route. A route with a template has two bodies, one of them free. */
function okResponse(route: Route, bodies: ReadonlyMap<z.ZodType, string>): JsonObject {
  const bodyOf = (schema: z.ZodType): JsonObject => ref(bodies.get(schema) ?? '');
  const billed = route.price === null ? 'Free.' : `Billed ${priceText(route)}.`;
  if (!route.template) {
    return {
      description: billed,
      headers: {
        ...headers('X-Request-Id', ...(route.price === null ? ['ETag' as const] : PURCHASE_HEADERS)),
        ...(route.csvColumns && refsTo(LIST_HEADER_NAMES)),
      },
      content: {
        [mediaOf(route)]: { schema: isJson(route) ? bodyOf(route.response) : { type: 'string' } },
        ...(route.csvColumns && csvContent),
      },
    };
  }
  const ofPurchase = PURCHASE_HEADERS.map((name) => {
    const description = `${HEADERS[name].description} Only if the response is billed.`;
    return [name, { ...HEADERS[name], description, required: false }];
  });
  const schema = { oneOf: [bodyOf(route.response), bodyOf(route.template.response)] };
  return {
    description: `${billed} Or: ${route.template.about}`,
    headers: { ...headers('X-Request-Id'), ...Object.fromEntries(ofPurchase) },
    content: { [mediaOf(route)]: { schema } },
  };
}

/** The price of a call, and when it is billed. */
function descriptionOf(route: Route): string {
  if (route.price === null) return 'Free.';
  const cost = `Costs ${priceText(route)}, paid with x402 and billed only if the response is 200.`;
  return route.template ? `${cost} ${route.template.about}` : cost;
}

function operationOf(route: Route, bodies: ReadonlyMap<z.ZodType, string>): JsonObject {
  return {
    operationId: route.name,
    tags: [tagOf(route.path)],
    summary: route.about,
    description: descriptionOf(route),
    'x-price-usd': route.price ?? '0.00',
    ...(route.price !== null && {
      'x-payment-info': {
        price: { mode: 'fixed', currency: 'USD', amount: route.price },
        protocols: [{ x402: {} }],
      },
    }),
    // A payment is the only authorization: there is no key and no account.
    security: [],
    parameters: [
      ...Object.entries(route.pathParams ?? {}).map(([name, schema]) => parameterOf(name, 'path', schema)),
      ...Object.entries(route.params).map(([name, schema]) => parameterOf(name, 'query', schema)),
    ],
    responses: {
      200: okResponse(route, bodies),
      ...(route.price === null || route.template
        ? {
            304: {
              description: `Not changed since the ETag in If-None-Match${route.template ? ' (free response)' : ''}.`,
              headers: headers('X-Request-Id', 'ETag'),
            },
          }
        : {}),
      ...errorResponses(reasonsOf(route), route.isExclusive, route.miss && bodies.get(route.miss)),
    },
  };
}

export const COLLECT_PATH = '/api/purchases/{id}';
/** Collecting a purchase, which no route of the list describes. */
export const collectOperation = {
  operationId: 'collect',
  tags: ['purchases'],
  summary: 'Collect a paid response again, byte for byte, after a sign-in by the wallet that paid.',
  description:
    'Free. Without a sign-in the response is 401, and its sign_in has the challenge to sign. A response that the ' +
    'server has lost is 410: then the payment is owed.',
  'x-price-usd': '0.00',
  security: [{ wallet: [] }],
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'Receipt-Id of the response, or nonce of the payment. Expected: a UUID, or 0x and 64 hex digits.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: {
      description: 'The paid response with its headers. Not billed.',
      headers: headers('X-Request-Id', ...PURCHASE_HEADERS, 'Refund'),
      content: { '*/*': { schema: {} } },
    },
    202: {
      description: 'The outcome of the settlement is unknown. Try again after Retry-After.',
      headers: headers('X-Request-Id', 'Retry-After'),
      content: { 'application/json': { schema: ref('pending_purchase') } },
    },
    ...errorResponses(COLLECT_REASONS),
  },
};

/**
 * The OpenAPI document of `routes`, served at `publicUrl`.
 * @param email of the operator, for catalogs and users
 */
export function openApi(routes: readonly Route[], publicUrl: string, email?: string): JsonObject {
  const bodies = bodySchemaNames(routes);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dealfeed',
      version: INTERFACE_VERSION,
      description:
        'Property data from public pages, explained and priced per call. Priced requests are paid with x402 version ' +
        '2 and billed only if the response is 200. Money, percent and ratios are decimal strings with two decimals. ' +
        'Absent values are null; each field says when.',
      'x-guidance': guidanceOf(publicUrl),
      contact: { name: 'Dealfeed', url: publicUrl, ...(email === undefined ? {} : { email }) },
      license: { name: 'Public records, under the terms of each source', url: `${publicUrl}/coverage` },
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    externalDocs: { description: 'For language models.', url: `${publicUrl}/llms.txt` },
    'x-agentcash-guidance': { llmsTxtUrl: `${publicUrl}/llms.txt` },
    servers: [{ url: publicUrl }],
    paths: {
      ...Object.fromEntries(routes.map((route) => [templateOf(route), { get: operationOf(route, bodies) }])),
      [COLLECT_PATH]: { get: collectOperation },
    },
    components: {
      schemas: schemasOf(bodies),
      headers: { ...HEADERS, ...CSV_HEADERS },
      securitySchemes: {
        wallet: {
          type: 'apiKey',
          in: 'header',
          name: 'SIGN-IN-WITH-X',
          'x-agentcash-auth-kind': 'siwx',
          description:
            'The challenge of the 401, signed by the wallet that paid (x402 extension sign-in-with-x): base64 of JSON.',
        },
      },
    },
  };
}

const guidanceOf = (publicUrl: string): string =>
  [
    'Dealfeed sells data of small multifamily deals, signals of distress, sheriff and tax sales, off-market leads, ' +
      'owners, and new business registrations of Ohio and Colorado, priced per call.',
    'Send the GET request. The 402 has its terms in the PAYMENT-REQUIRED header (x402 version 2, USDC on the network ' +
      'in accepts), and its body says what the call buys. Sign them and repeat the request with PAYMENT-SIGNATURE; ' +
      '@x402/fetch does both. There is no key and no account. Only a 200 is billed.',
    'Before you pay: GET /api/meta (coverage, freshness, a note on every field), GET /api/count/{list} (the range of ' +
      'matches), GET /api/deals/ids (ids for GET /api/deals/{id}/report), GET /api/example_report.',
    'A page costs the same up to limit=500. fields=all returns every field. Accept: text/csv returns a list as CSV. ' +
      'A paid response has Receipt-Id: its wallet collects it again, free, at /api/purchases/{id}.',
    `Every call and its rules: ${publicUrl}/llms.txt. The same calls are tools of the MCP server at ${publicUrl}/mcp.`,
  ].join('\n\n');
