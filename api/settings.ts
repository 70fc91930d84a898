/** Settings of the server, and the checks that depend on more than one of them, before anything starts. */
import { isAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { readKeyFile } from '../lib/key_file.ts';
import { BASE, networkName } from '../lib/network.ts';
import { isPlaceholder } from '../lib/placeholders.ts';
import { DEFAULT_PORT, pipelineSettings, readSettings, SettingError, shownValue } from '../lib/settings.ts';
import type { FacilitatorSettings } from './payments/facilitator.ts';
import type { PaymentSettings } from './payments/modes.ts';

const ORIGIN = 'an http or https URL without a path';
const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
};
const origin = z
  .string()
  .refine(isOrigin, ORIGIN)
  .transform((text) => new URL(text).origin);

const whole = (expected: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number(expected).int(expected).min(min, expected).max(max, expected);
const port = () => whole('a port', 0, 65_535);

const FACILITATOR_LIST = 'the http or https URLs of facilitators, separated by commas';
/** Separates authorizations: a comma may be part of one. */
const AUTHORIZATION_SEPARATOR = '|';

const nodeUrl = (expected: string) => z.url({ protocol: /^https?$/, error: expected }).optional();
export const serverSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  LEDGER: pipelineSettings.shape.LEDGER,
  STORE: pipelineSettings.shape.STORE,
  PORT: port().default(DEFAULT_PORT).describe('Port the server listens on; 0 picks a free one.'),
  HOST: z
    .string()
    .min(1, 'an address of this machine')
    .default('127.0.0.1')
    .describe('Address the server listens on; 0.0.0.0 for all.'),
  PAYMENTS: z
    .enum(['sandbox', 'facilitator', 'self'], 'sandbox, facilitator or self')
    .default('sandbox')
    .describe(
      'sandbox: a local chain with test money; facilitator: NETWORK, settled by FACILITATOR_URL; self: NETWORK, ' +
        'settled by this server, whose own key pays the gas.',
    ),
  PUBLIC_BASE_URL: origin
    .optional()
    .describe(
      'URL at which buyers reach the server; payments contain it. Required unless PAYMENTS is sandbox; default then: ' +
        'http://localhost:PORT.',
    ),
  CONTACT_EMAIL: z
    .email('an email address')
    .optional()
    .describe(
      'Address at which catalogs, buyers and security researchers reach you. Without it, ' +
        '/.well-known/security.txt is 404.',
    ),
  REPORT_URL: z
    .string()
    .regex(
      /^(?:https?:\/\/|mailto:)[^\s<>"]+$/u,
      'an http, https or mailto URL, with {id} where the id of a record goes',
    )
    .optional()
    .describe(
      'Where people report an error: a URL with {id} for the record or page, such as ' +
        'mailto:errors@example.org?subject={id}. Default: mail to CONTACT_EMAIL.',
    ),
  PAY_TO: z
    .string()
    .refine((text) => isAddress(text), 'an address: 0x and 40 hex digits, with a valid checksum if it is in mixed case')
    .optional()
    .describe('Address that receives the payments. Required unless PAYMENTS is sandbox; default then: a new one.'),
  NETWORK: networkName.describe(
    'Network of the payments: eip155:8453 (Base), or eip155:84532 (Base Sepolia), which has test money.',
  ),
  RPC_URL: nodeUrl('the URL of a node of NETWORK').describe(
    'Node of NETWORK, for settlement outcomes and contract wallets; with PAYMENTS=self also for sending ' +
      'transactions. Required unless PAYMENTS is sandbox.',
  ),
  SETTLE_KEY_FILE: z
    .string()
    .min(1, 'a file')
    .optional()
    .describe(
      'File with the key that pays the gas: 0x and 64 hex digits, readable by its owner only (chmod 600). It or ' +
        'SETTLE_KEY is required with PAYMENTS=self. Each server needs its own key.',
    ),
  SETTLE_KEY: z.string().optional().describe('The key itself, if a file is not possible.'),
  RECEIPT_KEY_FILE: z
    .string()
    .min(1, 'a file')
    .optional()
    .describe(
      'File with the keys that sign receipts, created by make receipt-key and readable by its owner only. Required ' +
        'unless PAYMENTS is sandbox; default then: a new one in DATA_DIR. Servers behind one URL use the same keys.',
    ),
  FACILITATOR_URL: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(z.url({ protocol: /^https?$/, error: FACILITATOR_LIST })))
    .optional()
    .describe(
      'Facilitator that settles. Required with PAYMENTS=facilitator. Several are ' +
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
  GAS_PER_SETTLEMENT: whole('an amount of gas from 21000 to 1000000', 21_000, 1_000_000)
    .default(150_000)
    .describe('PAYMENTS=self: gas limit of one settlement. A payment that needs more is refused.'),
  GAS_PER_DAY: whole('an amount of gas from 21000 to 1000000000000', 21_000, 1_000_000_000_000)
    .default(100_000_000)
    .describe("PAYMENTS=self: gas that this server's key may spend per UTC day. After that, paid requests get 503."),
  CURSOR_SECRET: z
    .string()
    .min(16, 'at least 16 characters')
    .optional()
    .describe(
      'Signs cursors and sign-in challenges. Use the same value on every server behind one URL; default: a new one ' +
        'at each start.',
    ),
  UNBILLED_PER_MINUTE: whole('a whole number, 0 or more', 0)
    .default(300)
    .describe(
      'Unpaid responses per minute and client address, or wallet that signs and has $1; above that 429. Paid ' +
        'responses are not counted; 0 is no limit.',
    ),
  PROXY_HOPS: whole('a whole number from 0 to 10', 0, 10)
    .default(0)
    .describe(
      'Proxies in front of the server. Each adds its client to X-Forwarded-For; the server trusts that many entries.',
    ),
  METRICS_PORT: port()
    .optional()
    .describe('Port for Prometheus, on HOST: GET /metrics. Not set: no metrics. Do not expose it to the internet.'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error or silent')
    .default('info')
    .describe('Least important log line to write, as JSON on standard output.'),
  NODE_ENV: z.string().optional().describe('production refuses to start with PAYMENTS=sandbox, whose chain is local.'),
});

export type ServerSettings = z.infer<typeof serverSettings>;

/** Each facilitator with its authorization; null if their numbers differ. */
function facilitatorsOf(
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

const isLocal = (address: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname);

/** The settings that no operator has from an example, in the order in which they are checked. */
const OWN = [
  'PUBLIC_BASE_URL',
  'CONTACT_EMAIL',
  'PAY_TO',
  'RPC_URL',
  'FACILITATOR_URL',
  'STORE',
  'AWS_ENDPOINT_URL',
  'LEDGER',
] as const;

const refuse = (name: string, value: unknown, expected: string): never => {
  throw new SettingError(`${name} is ${shownValue(name, value)}, expected ${expected}`);
};

const OF_AN_EXAMPLE = 'your own value, as NETWORK is Base: this one is from an example';

/** The key of self mode. No message contains it. */
function settleKey({ SETTLE_KEY, SETTLE_KEY_FILE, NETWORK }: ServerSettings): `0x${string}` {
  const name = SETTLE_KEY_FILE === undefined ? 'SETTLE_KEY' : 'SETTLE_KEY_FILE';
  if (SETTLE_KEY !== undefined && SETTLE_KEY_FILE !== undefined)
    throw new SettingError('SETTLE_KEY and SETTLE_KEY_FILE are both set, expected one of them');
  const key = SETTLE_KEY_FILE === undefined ? SETTLE_KEY?.trim() : readKeyFile(name, SETTLE_KEY_FILE);
  if (key === undefined || !/^0x(?!0+$)[0-9a-fA-F]{64}$/.test(key))
    return refuse(name, key === undefined ? undefined : 'hidden', 'a key of 0x and 64 hex digits, as PAYMENTS is self');
  if (NETWORK === BASE && isPlaceholder(privateKeyToAccount(key as `0x${string}`).address))
    refuse(name, 'hidden', OF_AN_EXAMPLE);
  return key as `0x${string}`;
}

/**
 * Read the server's settings. Real money needs a complete set of the operator's own values.
 * @throws SettingError, one line that names the setting
 */
export function readServerSettings(env: Readonly<Record<string, string | undefined>> = process.env): {
  settings: ServerSettings;
  payments: PaymentSettings;
} {
  const settings = readSettings(serverSettings, env);
  const { PAYMENTS: mode, NETWORK: network, FACILITATOR_AUTHORIZATION: authorization } = settings;
  const needed = <N extends keyof ServerSettings>(name: N, what: string): NonNullable<ServerSettings[N]> =>
    settings[name] ?? refuse(name, undefined, `${what}, as PAYMENTS is ${mode}`);
  if (mode === 'sandbox') {
    if (settings.NODE_ENV === 'production')
      refuse('PAYMENTS', mode, 'facilitator or self, as NODE_ENV is production: the sandbox uses test money');
    const { PAY_TO } = settings;
    const payTo = PAY_TO === undefined ? {} : { payTo: PAY_TO as `0x${string}` };
    return { settings, payments: { mode, network, ...payTo } };
  }
  const common = {
    network,
    payTo: needed('PAY_TO', 'the address that receives the payments') as `0x${string}`,
    rpcUrl: needed('RPC_URL', `the URL of a ${network.title} node, which has the outcome of every settlement`),
  };
  needed('RECEIPT_KEY_FILE', 'a file of make receipt-key for the receipt of every sale');
  const publicUrl = needed('PUBLIC_BASE_URL', 'the URL at which buyers reach the server');
  if (publicUrl.startsWith('http:') && !isLocal(publicUrl)) refuse('PUBLIC_BASE_URL', publicUrl, 'an https URL');
  const example = network === BASE ? OWN.find((name) => isPlaceholder(env[name] ?? '')) : undefined;
  if (example) refuse(example, env[example], OF_AN_EXAMPLE);
  if (mode === 'self') {
    const gas = { perSettlement: BigInt(settings.GAS_PER_SETTLEMENT), perDay: BigInt(settings.GAS_PER_DAY) };
    return { settings, payments: { mode, ...common, gas, key: settleKey(settings) } };
  }
  const urls = needed('FACILITATOR_URL', `the URL of a facilitator that supports ${network.name}`);
  const facilitators =
    facilitatorsOf(urls, authorization) ??
    refuse(
      'FACILITATOR_AUTHORIZATION',
      authorization,
      `${urls.length} authorizations, one for each URL of FACILITATOR_URL`,
    );
  return { settings, payments: { mode, ...common, facilitators } };
}
