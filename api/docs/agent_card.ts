/** /.well-known/agent-card.json: what an agent can do here, in the format of A2A 1.0. */
import { templateOf, type Route } from '../routes/define.ts';
import { INTERFACE_VERSION } from '../routes/meta/facts.ts';
import { priceText } from '../routes/pricing.ts';
import { MCP_PATH, tagOf } from './openapi.ts';

const JSON_TYPE = 'application/json';
/** Protocol binding of /mcp. An A2A client that does not know it ignores the interface. */
const MCP_BINDING = 'https://modelcontextprotocol.io/specification/2025-11-25/basic/transports';
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
