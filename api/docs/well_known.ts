/** Documents at fixed places: security.txt (RFC 9116), the API catalog (RFC 9727), robots.txt and the sitemap. */
import { DAY_MS } from '../../lib/time.ts';
import { MCP_PATH, tagOf } from './openapi.ts';
import { templateOf, type Route } from '../routes/define.ts';
import { INTERFACE_VERSION } from '../routes/meta/facts.ts';
import { priceText } from '../../lib/prices.ts';

export const API_CATALOG_PATH = '/.well-known/api-catalog';
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** RFC 9116 advises less than a year. */
const SECURITY_DAYS = 180;

/** The text, which expires half a year after the day of `nowMs`. */
export function securityText(email: string, publicUrl: string, nowMs: number): string {
  const expires = new Date((Math.floor(nowMs / DAY_MS) + SECURITY_DAYS) * DAY_MS);
  return [
    `Contact: mailto:${email}`,
    `Expires: ${expires.toISOString().replace('.000Z', 'Z')}`,
    'Preferred-Languages: en',
    // The RFC allows no other scheme here; a server on this machine has http.
    ...(publicUrl.startsWith('https:') ? [`Canonical: ${publicUrl}/.well-known/security.txt`] : []),
    '',
  ].join('\n');
}

/** Links from the catalog to the API, and from the API to its descriptions. */
export function apiCatalog(publicUrl: string): unknown {
  const link = (path: string, type: string, title: string) => ({ href: publicUrl + path, type, title });
  return {
    linkset: [
      {
        anchor: publicUrl + API_CATALOG_PATH,
        item: [
          { href: `${publicUrl}/`, title: 'Dealfeed over HTTP' },
          { href: publicUrl + MCP_PATH, title: 'Dealfeed over MCP' },
        ],
      },
      {
        anchor: `${publicUrl}/`,
        'service-desc': [link('/openapi.json', 'application/json', 'OpenAPI 3.1')],
        'service-doc': [
          link('/reference', 'text/html', 'Reference'),
          link('/llms.txt', 'text/markdown', 'For language models'),
        ],
        'service-meta': [
          link('/api/meta', 'application/json', 'Coverage, prices and field notes'),
          link('/.well-known/x402', 'application/json', 'Priced endpoints with their payment requirements'),
          link('/.well-known/jwks.json', 'application/jwk-set+json', 'Keys of signed receipts'),
        ],
        status: [link('/health', 'application/json', 'Health')],
      },
      {
        anchor: publicUrl + MCP_PATH,
        'service-desc': [link('/.well-known/agent-card.json', 'application/json', 'Agent card')],
        'service-doc': [link('/llms.txt', 'text/markdown', 'For language models')],
        status: [link('/health', 'application/json', 'Health')],
      },
    ],
  };
}

/** Crawlers may read everything except the paths of single buyers. */
export const robotsText = (publicUrl: string): string =>
  [
    'User-agent: *',
    'Disallow: /api/purchases/',
    'Disallow: /sandbox/',
    '',
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n');

/** @param paths of the pages of the site */
export const sitemap = (publicUrl: string, paths: readonly string[]): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...paths.map((path) => `  <url><loc>${publicUrl}${path}</loc></url>`),
    '</urlset>',
    '',
  ].join('\n');

const JSON_TYPE = 'application/json';
/** Protocol binding of /mcp. An A2A client that does not know it ignores the interface. */
const MCP_BINDING = 'https://modelcontextprotocol.io/specification/2026-07-28/basic/transports';
const CARD_VERSION = '1.0';

const costOf = (route: Route): string => (route.price === null ? '' : ` Costs ${priceText(route)}.`);

/** One skill per call; those of one register only are left out. */
const skillOf = (route: Route) => ({
  id: route.name,
  name: route.name.replaceAll('_', ' '),
  description: route.about + costOf(route),
  tags: [tagOf(route.path), route.price === null ? 'free' : 'paid'],
  examples: [`GET ${templateOf(route)}`],
  inputModes: [JSON_TYPE],
  outputModes: [route.media ?? JSON_TYPE, ...(route.csvColumns ? ['text/csv'] : [])],
});

export const agentCard = (routes: readonly Route[], publicUrl: string): unknown => ({
  name: 'Dealfeed',
  description:
    'Property data from public pages, explained and priced per call: small multifamily deals with underwriting, ' +
    'signals of distress, sheriff and tax sales, off-market leads, owners and business registrations. Each skill is ' +
    'a tool of the MCP server and a GET request; paid ones are paid with x402. There are no A2A messages or tasks.',
  supportedInterfaces: [{ url: publicUrl + MCP_PATH, protocolBinding: MCP_BINDING, protocolVersion: CARD_VERSION }],
  provider: { organization: 'Dealfeed', url: publicUrl },
  version: INTERFACE_VERSION,
  documentationUrl: `${publicUrl}/llms.txt`,
  iconUrl: `${publicUrl}/favicon.svg`,
  capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: [JSON_TYPE],
  defaultOutputModes: [JSON_TYPE],
  skills: routes.filter(({ path }) => path.startsWith('/api/')).map(skillOf),
});
