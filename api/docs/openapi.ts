/** The interface description, OpenAPI 3.1, from the routes and the records. */
import { z } from 'zod';
import { paramFacts, type ParamFacts } from '../routes/params.ts';
import { PROBLEMS, ProblemDocument } from '../http/problem.ts';
import { mediaOf, templateOf, type Route } from '../routes/define.ts';
import { INTERFACE_VERSION } from '../routes/meta.ts';
import { purchasesDescribed } from '../routes/purchases.ts';
import { TABLES } from '../snapshot/tables.ts';

export { templateOf };

export type JsonObject = Record<string, unknown>;

const componentPath = (id: string): string => `#/components/schemas/${id}`;
const ref = (id: string): JsonObject => ({ $ref: componentPath(id) });

const nameOf = (route: Route): string => route.path.slice(1).replaceAll(/[^a-z0-9]+/g, '_');

/** Name of the body of each route; routes that answer the same share one. */
function bodyNames(routes: readonly Route[]): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>();
  for (const route of routes) {
    if (route.media === undefined && !names.has(route.reply)) names.set(route.reply, nameOf(route));
    if (route.template) names.set(route.template.reply, `${nameOf(route)}_template`);
  }
  return names;
}

/** JSON Schemas of every record and every answer, by name. Records stand once and are referred to. */
function schemasOf(routes: readonly Route[]): Record<string, JsonObject> {
  const named = z.registry<{ id: string }>();
  const about = new Map<unknown, string>();
  for (const record of [TABLES.deals, TABLES.signals, TABLES.auctions, TABLES.leads, TABLES.filings]) {
    named.add(record.schema, { id: record.name });
    about.set(record.schema, record.about);
  }
  named.add(ProblemDocument, { id: 'problem' });
  for (const [body, id] of bodyNames(routes)) named.add(body, { id });
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

const header = (description: string) => ({ description, required: true, schema: { type: 'string' } });
const HEADERS = {
  'X-Request-Id': header('Names this request in our logs; the instance of a problem is the same.'),
  'PAYMENT-REQUIRED': header('What to sign: base64 of JSON, x402 version 2.'),
  'PAYMENT-RESPONSE': header('The settlement: base64 of JSON, x402 version 2.'),
  'X-Snapshot-Id': header('Names the snapshot that the answer was made from.'),
  'Receipt-Id': header(
    'Names the purchase. The wallet that paid can collect the answer again under /api/purchases/{id}.',
  ),
  'Repr-Digest': header('SHA-256 of the body as it is sent (RFC 9530). What was paid for is never compressed.'),
  Delivery: header(
    "How the answer was delivered: first, or again without a bill by the buyer's own payment identifier or by proof of the wallet that paid.",
  ),
  'Retry-After': header('Seconds to wait.'),
  ETag: header('Of the snapshot, the route and the query. Send it back in If-None-Match.'),
} as const;
const headers = (...names: (keyof typeof HEADERS)[]): JsonObject =>
  Object.fromEntries(names.map((n) => [n, { $ref: `#/components/headers/${n}` }]));

/** Headers of an answer that was paid for. */
const OF_A_PURCHASE = ['PAYMENT-RESPONSE', 'X-Snapshot-Id', 'Receipt-Id', 'Repr-Digest', 'Delivery'] as const;

/** Reasons of the routes that name them, and of no other. */
const OF_SOME_ROUTES = new Set<string>([
  'unknown_deal',
  'sign_in_on_head',
  'sign_in_required',
  'sign_in_invalid',
  'purchase_not_found',
  'purchase_released',
  'too_many_held_leads',
  'lead_pool_held',
  'exclusive_paused',
]);
/** Statuses, and reasons of other statuses, of priced routes only. */
const OF_PRICED_STATUSES = new Set<number>([402, 409, 410, 502]);
const OF_PRICED_ROUTES = new Set<string>([
  'no_matches',
  'payment_on_head',
  'payments_unavailable',
  'too_many_open_purchases',
  'payer_unbilled_too_often',
  'settlement_budget_spent',
]);
/** Statuses whose answers all carry Retry-After. */
const WITH_RETRY_AFTER = new Set<number>([429, 503]);

/** The statuses a route may answer with beside 200, each with its reasons. */
function refusals(route: Route): JsonObject {
  const statuses = new Map<number, string[]>();
  for (const [reason, { status }] of Object.entries(PROBLEMS)) {
    // A free route that shows which leads are left reads the ledger.
    const readsLedger = reason === 'payments_unavailable' && route.state !== undefined;
    const onlyPriced = (OF_PRICED_STATUSES.has(status) || OF_PRICED_ROUTES.has(reason)) && !readsLedger;
    const elsewhere = reason === 'not_found' || reason === 'method_not_allowed' || OF_SOME_ROUTES.has(reason);
    if (!route.reasons?.some((own) => own === reason) && (elsewhere || (onlyPriced && route.price === null))) continue;
    statuses.set(status, [...(statuses.get(status) ?? []), reason]);
  }
  return Object.fromEntries(
    [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, reasons]) => [
        String(status),
        {
          description: `Not billed${status === 502 ? ' as far as is known' : ''}. reason: ${reasons.join(', ')}.`,
          headers: headers(
            'X-Request-Id',
            ...(status === 402 ? ['PAYMENT-REQUIRED' as const] : []),
            ...(WITH_RETRY_AFTER.has(status) ? ['Retry-After' as const] : []),
          ),
          content: {
            'application/problem+json': { schema: ref('problem') },
            'text/html': {
              schema: { type: 'string', description: 'The same as a page, where Accept names text/html.' },
            },
          },
        },
      ]),
  );
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

/** The 200 answers of a route; one that answers its own template gives two bodies, of which one is free. */
function answerOf(route: Route, bodies: ReadonlyMap<z.ZodType, string>): JsonObject {
  const bodyOf = (reply: z.ZodType): JsonObject => ref(bodies.get(reply) ?? '');
  const billed = route.price === null ? 'Free.' : `Billed $${route.price}.`;
  if (!route.template) {
    return {
      description: billed,
      headers: headers('X-Request-Id', ...(route.price === null ? ['ETag' as const] : OF_A_PURCHASE)),
      content: { [mediaOf(route)]: { schema: route.media === undefined ? bodyOf(route.reply) : { type: 'string' } } },
    };
  }
  return {
    description: `${billed} Or: ${route.template.about}`,
    headers: {
      ...headers('X-Request-Id'),
      ...Object.fromEntries(
        OF_A_PURCHASE.map((name) => [
          name,
          {
            ...HEADERS[name],
            description: `${HEADERS[name].description} Only where the answer was billed.`,
            required: false,
          },
        ]),
      ),
    },
    content: { [mediaOf(route)]: { schema: { oneOf: [bodyOf(route.reply), bodyOf(route.template.reply)] } } },
  };
}

function operationOf(route: Route, bodies: ReadonlyMap<z.ZodType, string>): JsonObject {
  return {
    operationId: nameOf(route),
    summary: route.about,
    'x-price-usd': route.price ?? '0.00',
    security: route.price === null ? [] : [{ x402: [] }],
    parameters: [
      ...Object.entries(route.pathParams ?? {}).map(([name, schema]) => parameterOf(name, 'path', schema)),
      ...Object.entries(route.params).map(([name, schema]) => parameterOf(name, 'query', schema)),
    ],
    responses: {
      200: answerOf(route, bodies),
      ...(route.price === null || route.template
        ? {
            304: {
              description: `Not changed since the ETag that was sent${route.template ? ' for the free answer' : ''}.`,
              headers: headers('X-Request-Id', 'ETag'),
            },
          }
        : {}),
      ...refusals(route),
    },
  };
}

/** The OpenAPI document of `routes`, served at `publicUrl`. */
export function openApi(routes: readonly Route[], publicUrl: string): JsonObject {
  const bodies = bodyNames(routes);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dealfeed',
      version: INTERFACE_VERSION,
      description:
        'Priced, explained property intelligence from public pages. Every priced call is paid with x402 version 2 and billed only when the answer is 200. Money, percent and ratios are decimal strings with two decimals; absent values are null, and each field says when.',
    },
    servers: [{ url: publicUrl }],
    paths: {
      ...Object.fromEntries(routes.map((route) => [templateOf(route), { get: operationOf(route, bodies) }])),
      ...purchasesDescribed,
    },
    components: {
      schemas: schemasOf(routes),
      headers: HEADERS,
      securitySchemes: {
        x402: {
          type: 'apiKey',
          in: 'header',
          name: 'PAYMENT-SIGNATURE',
          description:
            'An x402 version 2 payment, signed for what the PAYMENT-REQUIRED header of the 402 asks. There is no key and no account.',
        },
        wallet: {
          type: 'apiKey',
          in: 'header',
          name: 'SIGN-IN-WITH-X',
          description:
            'The challenge of the 401, signed by the wallet that paid (x402 extension sign-in-with-x): base64 of JSON.',
        },
      },
    },
  };
}
