/** The interface description, OpenAPI 3.1, from the routes and the records. */
import { z } from 'zod';
import { paramFacts, type ParamFacts } from './params.ts';
import { PROBLEMS, ProblemDocument } from './problem.ts';
import { mediaOf, type Route } from './route.ts';
import { INTERFACE_VERSION } from './routes/meta.ts';
import { TABLES } from './tables.ts';

export type JsonObject = Record<string, unknown>;

const componentPath = (id: string): string => `#/components/schemas/${id}`;
const ref = (id: string): JsonObject => ({ $ref: componentPath(id) });

/** "/api/deals/:id" as OpenAPI writes it. */
export const templateOf = (route: Pick<Route, 'path'>): string => route.path.replaceAll(/:(\w+)/g, '{$1}');
const nameOf = (route: Route): string => route.path.slice(1).replaceAll(/[^a-z0-9]+/g, '_');

/** JSON Schemas of every record and every answer, by name. Records stand once and are referred to. */
function schemasOf(routes: readonly Route[]): Record<string, JsonObject> {
  const named = z.registry<{ id: string }>();
  const about = new Map<unknown, string>();
  for (const record of [TABLES.deals, TABLES.signals, TABLES.auctions, TABLES.leads, TABLES.filings]) {
    named.add(record.schema, { id: record.name });
    about.set(record.schema, record.about);
  }
  named.add(ProblemDocument, { id: 'problem' });
  for (const route of routes) if (route.media === undefined) named.add(route.reply, { id: nameOf(route) });
  const { schemas } = z.toJSONSchema(named, {
    uri: componentPath,
    override({ zodSchema, jsonSchema }) {
      const description = about.get(zodSchema) ?? z.globalRegistry.get(zodSchema)?.description;
      if (description !== undefined) jsonSchema.description = description;
      // The format says it; zod's own pattern is two hundred characters, and its bounds of integers are those of JavaScript.
      if (jsonSchema.format === 'date' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  // Inside the document a schema is known by its place.
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$id' && key !== '$schema'))]));
}

function paramSchema({ kind, values, range }: ParamFacts): JsonObject {
  if (kind === 'date') return { type: 'string', format: 'date' };
  return {
    type: kind,
    ...(values === undefined || kind === 'boolean' ? {} : { enum: values }),
    ...(range === undefined ? {} : { minimum: range[0], maximum: range[1] }),
  };
}

const header = (description: string): JsonObject => ({ description, schema: { type: 'string' } });
const HEADERS = {
  'X-Request-Id': header('Names this request in our logs; the instance of a problem is the same.'),
  'PAYMENT-REQUIRED': header('What to sign: base64 of JSON, x402 version 2.'),
  'PAYMENT-RESPONSE': header('The settlement: base64 of JSON, x402 version 2.'),
  'Retry-After': header('Seconds to wait.'),
  ETag: header('Of the snapshot, the route and the query. Send it back in If-None-Match.'),
} as const;
const headers = (...names: (keyof typeof HEADERS)[]): JsonObject => Object.fromEntries(names.map((n) => [n, { $ref: `#/components/headers/${n}` }]));

/** The statuses a route may answer with beside 200, each with its reasons. */
function refusals(route: Route): JsonObject {
  const statuses = new Map<number, string[]>();
  for (const [reason, { status }] of Object.entries(PROBLEMS)) {
    const onlyPriced = status === 402 || status === 409 || status === 502 || reason === 'no_matches' || reason === 'payment_on_head' || reason === 'payments_unavailable';
    const elsewhere = reason === 'not_found' || reason === 'method_not_allowed';
    if (elsewhere || (onlyPriced && route.price === null)) continue;
    statuses.set(status, [...(statuses.get(status) ?? []), reason]);
  }
  return Object.fromEntries([...statuses].sort(([a], [b]) => a - b).map(([status, reasons]) => [String(status), {
    description: `Not billed${status === 502 ? ' as far as is known' : ''}. reason: ${reasons.join(', ')}.`,
    headers: headers('X-Request-Id', ...(status === 402 ? ['PAYMENT-REQUIRED' as const] : []), ...(status === 503 ? ['Retry-After' as const] : [])),
    content: { 'application/problem+json': { schema: ref('problem') } },
  }]));
}

function operationOf(route: Route): JsonObject {
  const pathNames = [...route.path.matchAll(/:(\w+)/g)].map((m) => m[1]);
  return {
    operationId: nameOf(route), summary: route.about, 'x-price-usd': route.price ?? '0.00',
    security: route.price === null ? [] : [{ x402: [] }],
    parameters: [
      ...pathNames.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...Object.entries(route.params).map(([name, schema]) => {
        const facts = paramFacts(schema);
        return { name, in: 'query', required: false, description: `${facts.about} Expected: ${facts.expected}.`, schema: paramSchema(facts) };
      }),
    ],
    responses: {
      200: {
        description: route.price === null ? 'Free.' : `Billed $${route.price}.`,
        headers: headers('X-Request-Id', ...(route.price === null ? ['ETag' as const] : ['PAYMENT-RESPONSE' as const])),
        content: { [mediaOf(route)]: { schema: route.media === undefined ? ref(nameOf(route)) : { type: 'string' } } },
      },
      ...(route.price === null ? { 304: { description: 'Not changed since the ETag that was sent.', headers: headers('X-Request-Id', 'ETag') } } : {}),
      ...refusals(route),
    },
  };
}

/** The OpenAPI document of `routes`, served at `publicUrl`. */
export function openApi(routes: readonly Route[], publicUrl: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dealfeed', version: INTERFACE_VERSION,
      description: 'Priced, explained property intelligence from public pages. Every priced call is paid with x402 version 2 and billed only when the answer is 200. Money, percent and ratios are decimal strings with two decimals; absent values are null, and each field says when.',
    },
    servers: [{ url: publicUrl }],
    paths: Object.fromEntries(routes.map((route) => [templateOf(route), { get: operationOf(route) }])),
    components: {
      schemas: schemasOf(routes),
      headers: HEADERS,
      securitySchemes: {
        x402: { type: 'apiKey', in: 'header', name: 'PAYMENT-SIGNATURE', description: 'An x402 version 2 payment, signed for what the PAYMENT-REQUIRED header of the 402 asks. There is no key and no account.' },
      },
    },
  };
}
