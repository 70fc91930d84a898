/** Settings of the server, and the checks that depend on more than one of them, before anything starts. */
import { isAddress } from 'viem';
import { z } from 'zod';
import { readKeyFile } from '../lib/key_file.ts';
import { DEFAULT_PORT, pipelineSettings, readSettings, SettingError, shownValue } from '../lib/settings.ts';
import type { PaymentSettings } from './payments/modes.ts';
import { facilitatorSettings, facilitatorsOf, gasSettings, networkSettings } from './payments/network_settings.ts';

const ORIGIN = 'an http or https URL without a path';
const origin = z.string().transform((text, context) => {
  const parsed = URL.parse(text);
  if (
    parsed &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.pathname === '/' &&
    parsed.search === '' &&
    parsed.hash === '' &&
    parsed.username === ''
  )
    return parsed.origin;
  context.addIssue({ code: 'custom', message: ORIGIN });
  return z.NEVER;
});

const wholeNumber = () => z.coerce.number('a whole number').int('a whole number');

const port = () => z.coerce.number('a port').int('a port').min(0, 'a port').max(65_535, 'a port');

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
      'Address at which catalogs, buyers and security researchers reach you: contact in /openapi.json, and ' +
        '/.well-known/security.txt, which is 404 without it.',
    ),
  PAY_TO: z
    .string()
    .refine((text) => isAddress(text), 'an address: 0x and 40 hex digits, with a valid checksum if it is in mixed case')
    .optional()
    .describe('Address that receives the payments. Required unless PAYMENTS is sandbox; default then: a new one.'),
  ...networkSettings,
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
  ...facilitatorSettings,
  ...gasSettings,
  CURSOR_SECRET: z
    .string()
    .min(16, 'at least 16 characters')
    .optional()
    .describe(
      'Signs cursors and sign-in challenges. Use the same value on every server behind one URL; default: a new one ' +
        'at each start.',
    ),
  UNBILLED_PER_MINUTE: wholeNumber()
    .min(0, 'a whole number, 0 or more')
    .default(300)
    .describe(
      'Unpaid responses per minute and client address, or wallet that signs and has $1; above that 429. Paid ' +
        'responses are not counted; 0 is no limit.',
    ),
  PROXY_HOPS: wholeNumber()
    .min(0, 'a whole number, 0 or more')
    .max(10, 'at most 10')
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
  NODE_ENV: z.string().optional().describe('production refuses to start with PAYMENTS=sandbox.'),
});

export type ServerSettings = z.infer<typeof serverSettings>;

const isLocal = (address: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname);

/** The key of self mode. No message contains it. */
function settleKey({ SETTLE_KEY, SETTLE_KEY_FILE }: ServerSettings): `0x${string}` {
  const name = SETTLE_KEY_FILE === undefined ? 'SETTLE_KEY' : 'SETTLE_KEY_FILE';
  if (SETTLE_KEY !== undefined && SETTLE_KEY_FILE !== undefined)
    throw new SettingError('SETTLE_KEY and SETTLE_KEY_FILE are both set, expected one of them');
  const key = SETTLE_KEY_FILE === undefined ? SETTLE_KEY?.trim() : readKeyFile(name, SETTLE_KEY_FILE);
  if (key === undefined || !/^0x[0-9a-fA-F]{64}$/.test(key))
    throw new SettingError(
      `${name} is ${key === undefined ? 'null' : 'not shown'}, expected a key of 0x and 64 hex digits, ` +
        'as PAYMENTS is self',
    );
  return key as `0x${string}`;
}

/**
 * Read the server's settings.
 * @throws SettingError, one line that names the setting
 */
export function readServerSettings(env: Readonly<Record<string, string | undefined>> = process.env): {
  settings: ServerSettings;
  payments: PaymentSettings;
} {
  const settings = readSettings(serverSettings, env);
  const {
    PAYMENTS: mode,
    PAY_TO,
    PUBLIC_BASE_URL: publicUrl,
    NETWORK: network,
    FACILITATOR_URL: urls,
    FACILITATOR_AUTHORIZATION: authorization,
  } = settings;
  const refuse = (name: keyof ServerSettings, expected: string): never => {
    throw new SettingError(`${name} is ${shownValue(name, settings[name])}, expected ${expected}`);
  };
  const payTo = PAY_TO as `0x${string}` | undefined;
  if (mode === 'sandbox') {
    if (settings.NODE_ENV === 'production')
      return refuse('PAYMENTS', 'facilitator or self, as NODE_ENV is production: the sandbox uses test money');
    const { SANDBOX_RPC: rpcUrl } = settings;
    return {
      settings,
      payments: {
        mode,
        network,
        ...(rpcUrl === undefined ? {} : { rpcUrl }),
        ...(payTo === undefined ? {} : { payTo }),
      },
    };
  }
  if (payTo === undefined) return refuse('PAY_TO', `the address that receives the payments, as PAYMENTS is ${mode}`);
  if (publicUrl === undefined)
    return refuse('PUBLIC_BASE_URL', `the URL at which buyers reach the server, as PAYMENTS is ${mode}`);
  if (publicUrl.startsWith('http:') && !isLocal(publicUrl)) return refuse('PUBLIC_BASE_URL', 'an https URL');
  const { RPC_URL: rpcUrl } = settings;
  if (rpcUrl === undefined)
    return refuse(
      'RPC_URL',
      `the URL of a ${network.title} node, as PAYMENTS is ${mode}: without one the server cannot find out the ` +
        'outcome of a settlement whose response was lost',
    );
  if (settings.RECEIPT_KEY_FILE === undefined)
    return refuse('RECEIPT_KEY_FILE', `a file of make receipt-key, as PAYMENTS is ${mode}: every sale has a receipt`);
  const common = { network, rpcUrl, payTo, publicUrl } as const;
  if (mode === 'self') {
    const gas = { perSettlement: BigInt(settings.GAS_PER_SETTLEMENT), perDay: BigInt(settings.GAS_PER_DAY) };
    return { settings, payments: { mode, ...common, gas, key: settleKey(settings) } };
  }
  if (urls === undefined)
    return refuse(
      'FACILITATOR_URL',
      `the URL of a facilitator that supports ${network.name}, as PAYMENTS is facilitator`,
    );
  const facilitators = facilitatorsOf(urls, authorization);
  if (facilitators === null)
    return refuse('FACILITATOR_AUTHORIZATION', `${urls.length} authorizations, one for each URL of FACILITATOR_URL`);
  return { settings, payments: { mode, ...common, facilitators } };
}
