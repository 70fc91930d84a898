/**
 * The x402 configuration of the priced routes, with the extensions of each 402: parameters and an example call with its
 * answer (Bazaar, read by catalogs of paid services), and support for payment identifiers.
 *
 * sign-in-with-x is not declared: clients that see it sign at every 402, and it would promise that a signature alone
 * opens the same URL again. A purchase is collected at /api/purchases/:id, whose 401 has the challenge.
 */
import type { RouteConfig } from '@x402/core/server';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { stringify } from 'csv-stringify/sync';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { atomicOf, BASE, type Network } from '../../lib/network.ts';
import { CSV, csvOptions } from '../routes/list/csv.ts';
import { paramFacts } from '../routes/params.ts';
import { mediaOf, paymentSecondsOf, routeKey, type Route } from '../routes/define.ts';
import { answerExample, exampleCall } from './examples.ts';

/**
 * Most characters of a route's description and its Bazaar entry as JSON. With the rest of the 402, the header is below
 * 3,000 characters of base64 then.
 */
const MAX_CHARACTERS = 1_510;

/**
 * Sizes of an entry, largest first: fields of a record, fields of another section, and the longest list of accepted
 * values of a parameter. The first one that fits is used; OpenAPI has everything.
 */
const DETAILS: readonly (readonly [record: number, section: number, values: number])[] = [
  [10, 2, 400],
  [8, 2, 200],
  [8, 2, 60],
  [8, 1, 60],
  [6, 1, 60],
  [5, 1, 0],
  [4, 0, 0],
  [2, 0, 0],
  [1, 0, 0],
];

/** Fields of a list's answer in its example, besides the records. */
const LIST_FIELDS = ['count', 'total_matches', 'as_of', 'next_cursor'];
/** Fields of every answer that catalogs do not need. */
const OMITTED_FIELDS = ['note', 'generated_at', 'snapshot_id'];
const MAX_TEXT = 40;

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
const shortText = (value: unknown): unknown =>
  typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}...` : value;

/** The first scalar fields of an object. */
const firstFields = (object: JsonObject, count: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => isScalar(value))
      .slice(0, count)
      .map(([name, value]) => [name, shortText(value)]),
  );

/** An answer with the first record of a list, or the first fields of each section. */
function shortened(answer: JsonObject, inRecord: number, inSection: number): JsonObject {
  const { records } = answer;
  if (Array.isArray(records)) {
    const list = Object.entries(answer).filter(([name]) => LIST_FIELDS.includes(name));
    return {
      ...Object.fromEntries(list),
      records: records.slice(0, 1).map((record: JsonObject) => firstFields(record, inRecord)),
    };
  }
  const section = (value: unknown): unknown => {
    if (Array.isArray(value)) return inSection === 0 ? [] : value.slice(0, 1).map(section);
    return isObject(value) ? firstFields(value, inSection) : shortText(value);
  };
  const entries = Object.entries(answer).filter(([name]) => !OMITTED_FIELDS.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, section(value)]));
}

/** Type of each parameter, with its accepted values if they are few. */
const typesOf = (params: Route['params'], maxValues: number): JsonObject =>
  Object.fromEntries(
    Object.entries(params).map(([name, schema]) => {
      const { kind, values } = paramFacts(schema);
      const type = ['integer', 'number', 'boolean'].includes(kind) ? kind : 'string';
      const isListed = values !== undefined && kind !== 'boolean' && JSON.stringify(values).length <= maxValues;
      return [name, { type, ...(isListed ? { enum: values } : {}) }];
    }),
  );

interface Bazaar {
  readonly info: JsonObject;
  readonly schema: { readonly properties: JsonObject };
}

/** An entry for an answer that is text; the library knows JSON answers only. */
const withText = ({ info, schema }: Bazaar, format: string, example: unknown): Bazaar => ({
  info: { ...info, output: { type: 'text', format, example } },
  schema: {
    ...schema,
    properties: {
      ...schema.properties,
      output: { type: 'object', properties: { example: { type: 'string' } }, required: ['type'] },
    },
  },
});

function bazaarOf(route: Route, [inRecord, inSection, values]: (typeof DETAILS)[number]): Bazaar {
  const answer = answerExample(route);
  const { bazaar } = declareDiscoveryExtension({
    input: exampleCall(route),
    inputSchema: { properties: typesOf(route.params, values) },
    ...(route.pathParams === undefined ? {} : { pathParamsSchema: { properties: typesOf(route.pathParams, 0) } }),
    output: { example: isObject(answer) ? shortened(answer, inRecord, inSection) : {} },
  }) as unknown as { bazaar: Bazaar };
  return route.media === undefined ? bazaar : withText(bazaar, route.media, answer);
}

/** Characters that the library adds to the entry of a path with an id: its template, and the id of the request. */
const PATH_CHARACTERS = 120;

/** The most detailed entry that fits into the header. */
function shortBazaar(route: Route): Bazaar {
  const room = MAX_CHARACTERS - route.about.length - (route.pathParams === undefined ? 0 : PATH_CHARACTERS);
  const entries = DETAILS.values().map((details) => bazaarOf(route, details));
  const entry = entries.find((bazaar) => JSON.stringify(bazaar).length <= room);
  if (!entry) throw new Error(`${route.path}: its description and parameters are too long for the 402 header`);
  return entry;
}

/** Extensions of a route's payment configuration. */
const extensionsOf = (route: Route): Record<string, unknown> => ({
  bazaar: shortBazaar(route),
  [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(),
});

/** The first record in the example of an entry. */
function recordIn({ info }: Bazaar): JsonObject {
  const { example } = info['output'] as { readonly example: JsonObject };
  const { records } = example;
  return Array.isArray(records) ? (records[0] as JsonObject) : {};
}

/** Extensions of a list's 402 for a request that prefers CSV: the same example, as it is then sent. */
export function csvExtensions(extensions: JsonObject): Record<string, unknown> {
  const bazaar = extensions['bazaar'] as Bazaar;
  const record = recordIn(bazaar);
  const { info, schema } = withText(bazaar, CSV, stringify([record], csvOptions(Object.keys(record))));
  const input = schema.properties['input'] as { readonly properties: JsonObject };
  return {
    ...extensions,
    bazaar: {
      info: { ...info, input: { ...(info['input'] as JsonObject), headers: { Accept: CSV } } },
      schema: {
        ...schema,
        properties: {
          ...schema.properties,
          input: { ...input, properties: { ...input.properties, headers: { type: 'object' } } },
        },
      },
    },
  };
}

/** x402 configuration of the priced routes, in the format of the official middleware. */
export function paymentRoutes(
  routes: readonly Route[],
  payTo: string,
  { name: network, usdc }: Network = BASE,
): Record<string, RouteConfig> {
  return Object.fromEntries(
    routes
      .filter((route) => route.price !== null)
      .map((route) => [
        routeKey(route),
        {
          accepts: {
            scheme: 'exact',
            network,
            payTo,
            price: {
              amount: String(atomicOf(route.price ?? '')),
              asset: usdc.address,
              extra: { name: usdc.name, version: usdc.version },
            },
            maxTimeoutSeconds: paymentSecondsOf(route),
          },
          description: route.about,
          mimeType: mediaOf(route),
          serviceName: 'Dealfeed',
          extensions: extensionsOf(route),
        } satisfies RouteConfig,
      ]),
  );
}
