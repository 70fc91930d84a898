/**
 * The x402 configuration of the priced routes, and what catalogs of paid services (Bazaar) list of each. The 402 has
 * the parameters and an example call, because its header must stay short; facilitators and /.well-known/x402 also get
 * tags, an icon and an example answer.
 *
 * sign-in-with-x is not declared: clients that see it sign at every 402, and it would promise that a signature alone
 * opens the same URL again. A purchase is collected at /api/purchases/:id, whose 401 has the challenge.
 */
import type { RouteConfig } from '@x402/core/server';
import type { PaymentPayload } from '@x402/core/types';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { atomicOf, BASE, type Network } from '../../lib/network.ts';
import { paramFacts } from '../routes/params.ts';
import { mediaOf, paymentSecondsOf, routeKey, type Route } from '../routes/define.ts';
import { answerExample, exampleCall, exampleUrl } from './examples.ts';
import { tagOf } from './openapi.ts';

/** Longest list of accepted values of a parameter; OpenAPI has all of them. */
const MAX_VALUES_CHARACTERS = 60;
/** Type of each parameter, with its accepted values if they are few. */
const typesOf = (params: Route['params'] = {}): JsonObject =>
  Object.fromEntries(
    Object.entries(params).map(([name, schema]) => {
      const { kind, values } = paramFacts(schema);
      const type = ['integer', 'number', 'boolean'].includes(kind) ? kind : 'string';
      const isListed =
        values !== undefined && kind !== 'boolean' && JSON.stringify(values).length <= MAX_VALUES_CHARACTERS;
      return [name, { type, ...(isListed ? { enum: values } : {}) }];
    }),
  );

interface Bazaar {
  readonly info: { readonly input: JsonObject; readonly output?: JsonObject };
  readonly schema: { readonly properties: JsonObject };
}

/** The Bazaar entry of a route, with an example answer. */
function bazaarOf(route: Route): Bazaar {
  const answer = answerExample(route);
  const { bazaar } = declareDiscoveryExtension({
    input: exampleCall(route),
    inputSchema: { properties: typesOf(route.params) },
    ...(route.pathParams === undefined ? {} : { pathParamsSchema: { properties: typesOf(route.pathParams) } }),
    output: { example: isObject(answer) ? answer : {} },
  }) as unknown as { bazaar: Bazaar };
  if (route.media === undefined) return bazaar;
  // The library knows JSON answers only.
  const output = { type: 'object', properties: { example: { type: 'string' } }, required: ['type'] };
  return {
    info: { ...bazaar.info, output: { type: 'text', format: route.media, example: answer } },
    schema: { ...bazaar.schema, properties: { ...bazaar.schema.properties, output } },
  };
}

/** What a catalog lists of a route: nothing in it depends on a buyer's request. */
export function catalogEntry(
  route: Route,
  publicUrl: string,
): Required<Pick<PaymentPayload, 'resource' | 'extensions'>> {
  const { info, schema } = bazaarOf(route);
  const url = exampleUrl(route, publicUrl).split('?')[0] ?? '';
  const parts = new URL(url).pathname.split('/');
  const named = route.path.split('/').flatMap((name, i) => (name.startsWith(':') ? [[name.slice(1), parts[i]]] : []));
  const input = {
    ...info.input,
    method: 'GET',
    ...(named.length === 0 ? {} : { pathParams: Object.fromEntries(named) }),
  };
  return {
    resource: {
      url,
      description: route.about,
      mimeType: mediaOf(route),
      serviceName: SERVICE,
      tags: [tagOf(route.path), 'real estate', 'public records', 'USA'],
      iconUrl: `${publicUrl}/favicon.ico`,
    },
    extensions: {
      bazaar: { info: { ...info, input }, schema, ...(named.length === 0 ? {} : { routeTemplate: route.path }) },
    },
  };
}

/** Extensions of the 402 of a route. */
function extensionsOf(route: Route): Record<string, unknown> {
  const { info, schema } = bazaarOf(route);
  return {
    bazaar: { info: { input: info.input }, schema },
    [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(),
  };
}

const SERVICE = 'Dealfeed';

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
          serviceName: SERVICE,
          extensions: extensionsOf(route),
        } satisfies RouteConfig,
      ]),
  );
}
