/** Documents for programs, catalogs and crawlers, in one table. */
import { readFileSync } from 'node:fs';
import type { Router } from '@koa/router';
import { RECEIPT_ALGORITHM } from '../../lib/receipt.ts';
import { isCached, shortHash } from '../http/caching.ts';
import { PROBLEM_PATH, PROBLEMS } from '../http/problem.ts';
import { INTERFACE_VERSION } from '../routes/meta.ts';
import type { ReceiptKeys } from '../payments/receipts/keys.ts';
import { FAVICON, PREVIEW_PATH, readImage } from '../site/assets.ts';
import { allPages } from '../site/pages/all.ts';
import { MCP_PATH, openApi } from './openapi.ts';
import { paramFacts } from '../routes/params.ts';
import { atomicOf, type Network } from '../../lib/network.ts';
import { priceText } from '../../lib/prices.ts';
import { DAY_MS, instantOf } from '../../lib/time.ts';
import { paymentSecondsOf, templateOf, type Route } from '../routes/define.ts';
import { catalogEntry } from './x402_extensions.ts';

export interface Document {
  readonly path: string;
  readonly type: string;
  /** Text, bytes, or what writes the text: once, or for each request if it has a date. */
  readonly content: string | Buffer | ((nowMs: number) => string);
  readonly isDated?: true;
  /** How long a cache may reuse it without revalidation. */
  readonly seconds: number;
}

/** Cache times: a description changes with the server's version, an image hardly ever. */
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400] as const;

export interface DocumentOptions {
  readonly routes: readonly Route[];
  readonly publicUrl: string;
  readonly payTo: string;
  /** Where payments are taken. */
  readonly network: Network;
  /** Shown if payments are in test money. */
  readonly notice?: string | undefined;
  /** Address of the operator: info.contact and security.txt. */
  readonly email?: string | undefined;
}

function llmsText({ routes, publicUrl, network, notice }: DocumentOptions): string {
  const line = (route: Route): string => {
    const params = Object.entries({ ...route.pathParams, ...route.params }).map(
      ([name, schema]) => `  - \`${name}\`: ${paramFacts(schema).about} Expected: ${paramFacts(schema).expected}.`,
    );
    const path = templateOf(route);
    return [
      `- [GET ${path}](${publicUrl}${path}): ${priceText(route)}. ${route.about}`,
      ...params,
      ...(route.template ? [`  - ${route.template.about}`] : []),
    ].join('\n');
  };
  const priced = routes.filter((route) => route.price !== null);
  return [
    '# Dealfeed',
    '> Property data from public pages, explained and priced per call: small multifamily listings with underwriting, ' +
      'signals of distress, sheriff and other sales, off-market leads, and new business registrations of Ohio and ' +
      'Colorado.',
    ...(notice === undefined ? [] : [notice]),
    'The first response to a priced request is 402 with a PAYMENT-REQUIRED header (x402 version 2, USDC on ' +
      `${network.name}). ` +
      'Sign its terms and send the request again with PAYMENT-SIGNATURE; @x402/fetch does both. You are billed only ' +
      'for a 200: a query that matches nothing is 404, a bad request is 400, and both are free. Errors are ' +
      'application/problem+json with a typed reason.',
    'A paid response has Receipt-Id, X-Snapshot-Id and Unencoded-Digest. Collect it again, byte for byte, free, at ' +
      `${publicUrl}/api/purchases/{Receipt-Id or nonce of the payment}: sign the challenge of its 401 with the ` +
      'wallet that paid and send it in SIGN-IN-WITH-X. Or send your own identifier with the payment (x402 extension ' +
      'payment-identifier) and repeat the request with it.',
    '## Free',
    routes
      .filter((route) => route.price === null)
      .map(line)
      .join('\n'),
    '## Paid',
    priced.map(line).join('\n'),
    '## More',
    `- [OpenAPI 3.1](${publicUrl}/openapi.json): every field of every response.\n` +
      `- [x402 resources](${publicUrl}/.well-known/x402): every priced endpoint with its payment requirements.\n` +
      `- [Skill](${publicUrl}/skill.md): how to use this shop, on one page.\n` +
      `- [Changelog](${publicUrl}/changelog)`,
  ]
    .join('\n\n')
    .concat('\n');
}

/** Priced endpoints in the format of x402 discovery. */
const x402Resources = ({ routes, publicUrl, payTo, network }: DocumentOptions): unknown => ({
  x402Version: 2,
  resources: routes
    .filter((route) => route.price !== null)
    .map((route) => {
      const { resource, extensions } = catalogEntry(route, publicUrl);
      const { url: _, ...about } = resource;
      return {
        ...about,
        resource: publicUrl + templateOf(route),
        type: 'http',
        x402Version: 2,
        extensions,
        accepts: [
          {
            scheme: 'exact',
            network: network.name,
            asset: network.usdc.address,
            amount: atomicOf(route.price ?? '0.00').toString(),
            payTo,
            maxTimeoutSeconds: paymentSecondsOf(route),
          },
        ],
      };
    }),
});

/** RFC 9116 advises less than a year. */
const SECURITY_DAYS = 180;

/** security.txt (RFC 9116), which expires half a year after today. */
const securityDocument = (email: string, publicUrl: string): Document => ({
  path: '/.well-known/security.txt',
  type: 'text/plain; charset=utf-8',
  content(nowMs) {
    const expires = instantOf((Math.floor(nowMs / DAY_MS) + SECURITY_DAYS) * DAY_MS);
    // The RFC allows no other scheme here; a server on this machine has http.
    const canonical = publicUrl.startsWith('https:') ? `Canonical: ${publicUrl}/.well-known/security.txt\n` : '';
    return `Contact: mailto:${email}\nExpires: ${expires}\nPreferred-Languages: en\n${canonical}`;
  },
  isDated: true,
  seconds: DAY,
});

/** Crawlers may read everything except the paths of single buyers. */
const robotsText = (publicUrl: string): string =>
  `User-agent: *\nDisallow: /api/purchases/\nDisallow: /sandbox/\n\nSitemap: ${publicUrl}/sitemap.xml\n`;

/** @param paths of the pages of the site */
const sitemap = (publicUrl: string, paths: readonly string[]): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...paths.map((path) => `  <url><loc>${publicUrl}${path}</loc></url>`),
    '</urlset>\n',
  ].join('\n');

/** A file of the project. */
const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The entry of this server in the MCP registry, which its operator publishes under the domain of the server. */
const registryEntry = (publicUrl: string): unknown => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: `${new URL(publicUrl).hostname.split('.').toReversed().join('.')}/dealfeed`,
  title: 'Dealfeed',
  description: 'Small multifamily deals, distress, auctions and leads of US counties, paid per call with x402.',
  version: INTERFACE_VERSION,
  remotes: [{ type: 'streamable-http', url: publicUrl + MCP_PATH }],
});

/** The page that the type of a problem document names. */
const problemPages = (publicUrl: string): Document[] =>
  Object.entries(PROBLEMS).map(([reason, { status, title }]) => ({
    path: PROBLEM_PATH + reason,
    type: 'text/plain; charset=utf-8',
    content:
      `${title}\n\nStatus ${status}, reason ${reason}. The detail of the response says what to change; billed says ` +
      `whether it was paid for.\nEvery reason and the calls that have it: ${publicUrl}/openapi.json\n`,
    seconds: DAY,
  }));

const once = (write: () => string): (() => string) => {
  let text: string | undefined;
  return () => (text ??= write());
};

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** The documents. They depend on no snapshot. */
export function discoveryDocuments(options: DocumentOptions): Document[] {
  const { routes, publicUrl, email } = options;
  const json = 'application/json';
  const plain = 'text/plain; charset=utf-8';
  const pages = allPages(routes).map(({ path }) => path);
  return [
    {
      path: '/openapi.json',
      type: json,
      content: once(() => JSON.stringify(openApi(routes, publicUrl, email))),
      seconds: MINUTE,
    },
    {
      path: '/llms.txt',
      type: 'text/markdown; charset=utf-8',
      content: once(() => llmsText(options)),
      seconds: MINUTE,
    },
    {
      path: '/skill.md',
      type: 'text/markdown; charset=utf-8',
      content: textOf('skill.md').replaceAll('{server}', publicUrl).replaceAll('{network}', options.network.name),
      seconds: HOUR,
    },
    { path: '/changelog', type: plain, content: textOf('../../CHANGELOG.md'), seconds: HOUR },
    { path: '/server.json', type: json, content: jsonText(registryEntry(publicUrl)), seconds: HOUR },
    ...problemPages(publicUrl),
    { path: '/.well-known/x402', type: json, content: once(() => jsonText(x402Resources(options))), seconds: MINUTE },
    ...(email === undefined ? [] : [securityDocument(email, publicUrl)]),
    { path: '/robots.txt', type: plain, content: robotsText(publicUrl), seconds: HOUR },
    { path: '/sitemap.xml', type: 'application/xml; charset=utf-8', content: sitemap(publicUrl, pages), seconds: HOUR },
    { path: '/favicon.svg', type: 'image/svg+xml', content: FAVICON, seconds: DAY },
    { path: '/favicon.ico', type: 'image/x-icon', content: readImage('favicon.ico'), seconds: DAY },
    { path: PREVIEW_PATH, type: 'image/png', content: readImage('preview.png'), seconds: DAY },
  ];
}

/** The published keys of receipts as a JWK Set (RFC 7517), each with its time. */
export const receiptKeysDocument = ({ published }: Pick<ReceiptKeys, 'published'>): Document => ({
  path: '/.well-known/jwks.json',
  type: 'application/jwk-set+json',
  content: jsonText({ keys: published.map((key) => ({ ...key, use: 'sig', alg: RECEIPT_ALGORITHM })) }),
  seconds: MINUTE,
});

const contentAt = ({ content }: Document, nowMs: number): string | Buffer =>
  typeof content === 'function' ? content(nowMs) : content;

/** Hash of all descriptions of the interface, computed when it is first asked for. */
export const interfaceHashOf = (documents: readonly Document[]): (() => string) =>
  once(() => shortHash(documents.map((one) => (one.isDated ? '' : hashOf(contentAt(one, 0))))));

const hashOf = (content: string | Buffer): string =>
  shortHash(typeof content === 'string' ? content : content.toString('base64'));

export function mountDocuments(router: Router, documents: readonly Document[], nowMs: () => number): void {
  for (const document of documents) {
    const { path, type, seconds, isDated } = document;
    // Hashed when it is first requested: the largest has a megabyte.
    const fixedHash = once(() => hashOf(contentAt(document, 0)));
    router.get(path, (ctx) => {
      const body = contentAt(document, nowMs());
      ctx.set('X-Content-Type-Options', 'nosniff');
      if (isCached(ctx, isDated ? hashOf(body) : fixedHash(), `public, max-age=${seconds}`)) return;
      ctx.body = body;
      ctx.type = type;
    });
  }
}
