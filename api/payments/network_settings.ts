/** Settings of the networks and facilitators of payments. docs/settings.md is generated from here. */
import { z } from 'zod';
import { BASE, KNOWN_NETWORKS, networkList, perNetwork, type Network } from '../../lib/network.ts';
import type { FacilitatorSettings } from './facilitator/http_facilitator.ts';

const NAMES = KNOWN_NETWORKS.map(({ name, title }) => `${name} (${title})`).join(', ');
const FACILITATOR_LIST = 'the http or https URLs of facilitators, separated by commas';
/** Separates authorizations: a comma may be part of one. */
const AUTHORIZATION_SEPARATOR = '|';

const OTHERS = KNOWN_NETWORKS.filter((network) => network !== BASE);

/** The same setting for each network but Base: RPC_URL_137 and so on. */
const perOther = <Name extends string, S extends z.ZodType>(name: Name, schema: (network: Network) => S) =>
  Object.fromEntries(OTHERS.map((network) => [perNetwork(name, network), schema(network)])) as Record<
    `${Name}_${number}`,
    S
  >;

const nodeUrl = (expected: string) => z.url({ protocol: /^https?$/, error: expected }).optional();
const rpcUrl = ({ title, chainId }: Network) => nodeUrl(`the URL of a ${title} node (chain id ${chainId})`);
const gas = (min: number, max: number) =>
  z.coerce.number('an amount of gas').int('an amount of gas').min(min, `at least ${min}`).max(max, `at most ${max}`);
const settlementGas = () => gas(21_000, 1_000_000);
const dailyGas = () => gas(21_000, 1_000_000_000_000);

export const networkSettings = {
  NETWORKS: networkList.describe(
    'Networks on which buyers may pay in USDC, in order of preference, separated by commas: ' +
      `${NAMES}. Prices are the same on each, paid to PAY_TO.`,
  ),
  RPC_URL: rpcUrl(BASE).describe(
    'Base node, for settlement outcomes and contract wallets; with PAYMENTS=self also for sending transactions. ' +
      'Required with real money if NETWORKS names Base.',
  ),
  ...perOther('RPC_URL', (network) =>
    rpcUrl(network).describe(`The same for ${network.title}. Required with real money if NETWORKS names it.`),
  ),
  SANDBOX_RPC: nodeUrl('the URL of a running anvil').describe(
    'Sandbox chain to use; it keeps running when the server stops. Default: the chain of another sandbox server on ' +
      'DATA_DIR, else a new one.',
  ),
  ...perOther('SANDBOX_RPC', ({ title }) =>
    nodeUrl('the URL of a running anvil').describe(`The same for ${title}, if NETWORKS names it.`),
  ),
};

export const gasSettings = {
  GAS_PER_SETTLEMENT: settlementGas()
    .default(150_000)
    .describe('PAYMENTS=self: gas limit of one settlement. A payment that needs more is refused.'),
  ...perOther('GAS_PER_SETTLEMENT', ({ title }) =>
    settlementGas().optional().describe(`The same on ${title}. Default: GAS_PER_SETTLEMENT.`),
  ),
  GAS_PER_DAY: dailyGas()
    .default(100_000_000)
    .describe(
      "PAYMENTS=self: gas that this server's key may spend on settlements per UTC day and network. After that, paid " +
        'requests get 503 until the next day.',
    ),
  ...perOther('GAS_PER_DAY', ({ title }) =>
    dailyGas().optional().describe(`The same on ${title}. Default: GAS_PER_DAY.`),
  ),
};

export const facilitatorSettings = {
  FACILITATOR_URL: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(z.url({ protocol: /^https?$/, error: FACILITATOR_LIST })))
    .optional()
    .describe(
      'Facilitator that verifies and settles. Required with PAYMENTS=facilitator. Several are ' +
        'separated by commas, in order of preference: the server asks the next one if one gives no usable reply.',
    ),
  FACILITATOR_AUTHORIZATION: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'the value of an Authorization header')
    .optional()
    .describe(
      'Authorization header sent to the facilitator. With several facilitators: one for each, in their order, ' +
        `separated by ${AUTHORIZATION_SEPARATOR}; nothing between two separators for one that needs none.`,
    ),
};

/** Each facilitator with its authorization; null if their numbers differ. */
export function facilitatorsOf(
  urls: readonly string[],
  authorization: string | undefined,
): readonly FacilitatorSettings[] | null {
  if (authorization === undefined) return urls.map((url) => ({ url }));
  const values = urls.length === 1 ? [authorization] : authorization.split(AUTHORIZATION_SEPARATOR);
  if (values.length !== urls.length) return null;
  return urls.map((url, i) => {
    const value = values[i]?.trim() ?? '';
    return value === '' ? { url } : { url, authorization: value };
  });
}
