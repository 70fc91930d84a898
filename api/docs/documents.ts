/** Documents for programs: the OpenAPI description, llms.txt, and the list of priced x402 resources. */
import type { Router } from '@koa/router';
import { isCached } from '../http/caching.ts';
import { openApi } from './openapi.ts';
import { paramFacts } from '../routes/params.ts';
import { atomicOf, type Network } from '../../lib/network.ts';
import { mediaOf, paymentSecondsOf, templateOf, type Route } from '../routes/define.ts';

export interface Document {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

export interface DocumentOptions {
  readonly routes: readonly Route[];
  readonly publicUrl: string;
  readonly payTo: string;
  /** Where payments are taken, in order of preference. */
  readonly networks: readonly Network[];
  /** Shown if payments are in test money. */
  readonly notice?: string;
  /** Address of the operator: info.contact and security.txt. */
  readonly email?: string;
}

function llmsText({ routes, publicUrl, networks, notice }: DocumentOptions): string {
  const line = (route: Route): string => {
    const params = Object.entries({ ...route.pathParams, ...route.params }).map(
      ([name, schema]) => `  - \`${name}\`: ${paramFacts(schema).about} Expected: ${paramFacts(schema).expected}.`,
    );
    const path = templateOf(route);
    const price = route.price === null ? 'free' : `$${route.price}`;
    return [
      `- [GET ${path}](${publicUrl}${path}): ${price}. ${route.about}`,
      ...params,
      ...(route.template ? [`  - ${route.template.about}`] : []),
    ].join('\n');
  };
  const priced = routes.filter((r) => r.price !== null);
  return [
    '# Dealfeed',
    '> Property data from public pages, explained and priced per call: small multifamily listings with underwriting, ' +
      'signals of distress, sheriff and other sales, off-market leads, and new business registrations of Ohio and ' +
      'Colorado.',
    ...(notice === undefined ? [] : [notice]),
    'The first response to a priced request is 402 with a PAYMENT-REQUIRED header (x402 version 2, USDC on ' +
      `${networks.map(({ name }) => name).join(' or ')}). ` +
      'Sign its terms and send the request again with PAYMENT-SIGNATURE; @x402/fetch does both. You are billed only ' +
      'for a 200: a query that matches nothing is 404, a bad request is 400, and both are free. Errors are ' +
      'application/problem+json with a typed reason.',
    'A paid response has Receipt-Id, X-Snapshot-Id and Unencoded-Digest. Collect it again, byte for byte, free, at ' +
      `${publicUrl}/api/purchases/{Receipt-Id or nonce of the payment}: sign the challenge of its 401 with the ` +
      'wallet that paid and send it in SIGN-IN-WITH-X. Or send your own identifier with the payment (x402 extension ' +
      'payment-identifier) and repeat the request with it.',
    '## Free',
    routes
      .filter((r) => r.price === null)
      .map(line)
      .join('\n'),
    '## Paid',
    priced.map(line).join('\n'),
    '## More',
    `- [OpenAPI 3.1](${publicUrl}/openapi.json): every field of every response.\n` +
      `- [x402 resources](${publicUrl}/.well-known/x402): every priced endpoint with its payment requirements.`,
  ]
    .join('\n\n')
    .concat('\n');
}

/** Priced endpoints in the format of x402 discovery. */
const x402Resources = ({ routes, publicUrl, payTo, networks }: DocumentOptions): unknown => ({
  x402Version: 2,
  resources: routes
    .filter((r) => r.price !== null)
    .map((route) => ({
      resource: publicUrl + templateOf(route),
      type: 'http',
      x402Version: 2,
      serviceName: 'Dealfeed',
      description: route.about,
      mimeType: mediaOf(route),
      accepts: networks.map(({ name, usdc }) => ({
        scheme: 'exact',
        network: name,
        asset: usdc.address,
        amount: atomicOf(route.price ?? '0.00').toString(),
        payTo,
        maxTimeoutSeconds: paymentSecondsOf(route),
      })),
    })),
});

/** The documents. They depend on no snapshot. */
export const discoveryDocuments = (options: DocumentOptions): Document[] => [
  {
    path: '/openapi.json',
    type: 'application/json',
    text: `${JSON.stringify(openApi(options.routes, options.publicUrl, options.email), null, 1)}\n`,
  },
  { path: '/llms.txt', type: 'text/markdown; charset=utf-8', text: llmsText(options) },
  { path: '/.well-known/x402', type: 'application/json', text: `${JSON.stringify(x402Resources(options), null, 1)}\n` },
];

export function mountDocuments(router: Router, documents: readonly Document[], interfaceHash: string): void {
  for (const { path, type, text } of documents) {
    router.get(path, (ctx) => {
      if (isCached(ctx, interfaceHash)) return;
      ctx.body = text;
      ctx.type = type;
    });
  }
}
