/** What machines read first: the interface description, a page for language models, the list of what x402 buys. */
import { openApi } from './openapi.ts';
import { paramFacts } from '../routes/params.ts';
import { atomicOf, NETWORK, USDC } from '../../lib/network.ts';
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
  /** Said where payments are not in real money. */
  readonly notice?: string;
}

function forModels({ routes, publicUrl, notice }: DocumentOptions): string {
  const line = (route: Route): string => {
    const params = Object.entries({ ...route.pathParams, ...route.params }).map(
      ([name, schema]) => `  - \`${name}\`: ${paramFacts(schema).about} Expected: ${paramFacts(schema).expected}.`,
    );
    return [
      `- [GET ${templateOf(route)}](${publicUrl}${templateOf(route)}): ${route.price === null ? 'free' : `$${route.price}`}. ${route.about}`,
      ...params,
      ...(route.template ? [`  - ${route.template.about}`] : []),
    ].join('\n');
  };
  const priced = routes.filter((r) => r.price !== null);
  return [
    '# Dealfeed',
    '> Priced, explained property intelligence from public pages: small multifamily listings with underwriting, county tax-delinquency signals, sheriff sales, off-market leads, and new business registrations of Ohio and Colorado.',
    ...(notice === undefined ? [] : [notice]),
    `A priced call is answered 402 with a PAYMENT-REQUIRED header (x402 version 2, USDC on ${NETWORK}). Sign what it asks for and send the call again with PAYMENT-SIGNATURE; @x402/fetch does both. Only an answer of 200 is billed: a query that matches nothing is 404, a bad request 400, and neither costs anything. Errors are application/problem+json with a typed reason.`,
    `A paid answer carries Receipt-Id, X-Snapshot-Id and Repr-Digest. It can be collected again, byte for byte and unbilled, at ${publicUrl}/api/purchases/{Receipt-Id or nonce of the payment}: sign the challenge of its 401 with the wallet that paid and send it in SIGN-IN-WITH-X. Or send an identifier of your own with the payment (x402 extension payment-identifier) and repeat the call with it.`,
    '## Free',
    routes
      .filter((r) => r.price === null)
      .map(line)
      .join('\n'),
    '## Paid',
    priced.map(line).join('\n'),
    '## More',
    `- [OpenAPI 3.1](${publicUrl}/openapi.json): every field of every answer.\n- [x402 resources](${publicUrl}/.well-known/x402): what is sold, with its payment requirements.`,
  ]
    .join('\n\n')
    .concat('\n');
}

/** Priced resources in the form in which x402 discovery lists them. */
const resources = ({ routes, publicUrl, payTo }: DocumentOptions): unknown => ({
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
      accepts: [
        {
          scheme: 'exact',
          network: NETWORK,
          asset: USDC,
          amount: atomicOf(route.price ?? '0.00').toString(),
          payTo,
          maxTimeoutSeconds: paymentSecondsOf(route),
        },
      ],
    })),
});

/** The documents, which do not depend on any snapshot. */
export const documentsOf = (options: DocumentOptions): Document[] => [
  {
    path: '/openapi.json',
    type: 'application/json',
    text: `${JSON.stringify(openApi(options.routes, options.publicUrl), null, 1)}\n`,
  },
  { path: '/llms.txt', type: 'text/markdown; charset=utf-8', text: forModels(options) },
  { path: '/.well-known/x402', type: 'application/json', text: `${JSON.stringify(resources(options), null, 1)}\n` },
];
