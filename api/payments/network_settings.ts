/** Settings of the network and the facilitators of payments. docs/settings.md is generated from here. */
import { z } from 'zod';
import { networkName } from '../../lib/network.ts';
import type { FacilitatorSettings } from './facilitator/http_facilitator.ts';

const FACILITATOR_LIST = 'the http or https URLs of facilitators, separated by commas';
/** Separates authorizations: a comma may be part of one. */
const AUTHORIZATION_SEPARATOR = '|';

const nodeUrl = (expected: string) => z.url({ protocol: /^https?$/, error: expected }).optional();
const gas = (min: number, max: number) =>
  z.coerce.number('an amount of gas').int('an amount of gas').min(min, `at least ${min}`).max(max, `at most ${max}`);

export const networkSettings = {
  NETWORK: networkName.describe(
    'Network on which buyers pay in USDC: eip155:8453 (Base), or eip155:84532 (Base Sepolia), which has test money.',
  ),
  RPC_URL: nodeUrl('the URL of a node of NETWORK').describe(
    'Node of NETWORK, for settlement outcomes and contract wallets; with PAYMENTS=self also for sending ' +
      'transactions. Required unless PAYMENTS is sandbox.',
  ),
  SANDBOX_RPC: nodeUrl('the URL of a running anvil').describe(
    'Sandbox chain to use; it keeps running when the server stops. Default: the chain of another sandbox server on ' +
      'DATA_DIR, else a new one.',
  ),
};

export const gasSettings = {
  GAS_PER_SETTLEMENT: gas(21_000, 1_000_000)
    .default(150_000)
    .describe('PAYMENTS=self: gas limit of one settlement. A payment that needs more is refused.'),
  GAS_PER_DAY: gas(21_000, 1_000_000_000_000)
    .default(100_000_000)
    .describe(
      "PAYMENTS=self: gas that this server's key may spend on settlements per UTC day. After that, paid requests get " +
        '503 until the next day.',
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
