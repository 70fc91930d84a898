/** Settings of the server. What depends on more than one of them is checked here too, before anything starts. */
import { isAddress } from 'viem';
import { z } from 'zod';
import { readKeyFile } from '../lib/key_file.ts';
import { pipelineSettings, readSettings, SettingError, shownValue } from '../lib/settings.ts';
import type { PaymentSettings } from './payments/modes.ts';

const ORIGIN = 'an http or https address without a path';
const origin = z.string().transform((s, context) => {
  const parsed = URL.parse(s);
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

const node = (what: string) => z.url({ protocol: /^https?$/, error: what }).optional();

const gas = (least: number, most: number, byDefault: number) =>
  z.coerce
    .number('an amount of gas')
    .int('an amount of gas')
    .min(least, `at least ${least}`)
    .max(most, `at most ${most}`)
    .default(byDefault);

export const serverSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  LEDGER: pipelineSettings.shape.LEDGER,
  PORT: z.coerce
    .number('a port')
    .int('a port')
    .min(0, 'a port')
    .max(65_535, 'a port')
    .default(4021)
    .describe('Port the server listens on; 0 takes a free one.'),
  HOST: z
    .string()
    .min(1, 'an address of this machine')
    .default('127.0.0.1')
    .describe('Address it listens on; 0.0.0.0 for all.'),
  PAYMENTS: z
    .enum(['sandbox', 'facilitator', 'self'], 'sandbox, facilitator or self')
    .default('sandbox')
    .describe(
      'sandbox: a local chain with test money; facilitator: real money through FACILITATOR_URL; self: real money, settled by this server with a key of its own that pays the gas.',
    ),
  PUBLIC_BASE_URL: origin
    .optional()
    .describe(
      'Address buyers reach the server at; payments name it. Required with real money; default in the sandbox: http://localhost:PORT.',
    ),
  PAY_TO: z
    .string()
    .refine((s) => isAddress(s), 'an address: 0x and 40 hex digits, its checksum right where it has one')
    .optional()
    .describe('Address that is paid. Required with real money; default in the sandbox: one made for the run.'),
  RPC_URL: node('the address of a node of Base (chain id 8453)').describe(
    'Node of Base. It is asked what became of settlements, and about contract wallets; with PAYMENTS=self it takes the transactions too. Required with real money.',
  ),
  SETTLE_KEY_FILE: z
    .string()
    .min(1, 'a file')
    .optional()
    .describe(
      'File with the key that pays the gas: 0x and 64 hex digits. Only its owner may read it (chmod 600). It or SETTLE_KEY is required with PAYMENTS=self. Of several servers each needs a key of its own.',
    ),
  SETTLE_KEY: z.string().optional().describe('The key itself, where a file cannot be had.'),
  SANDBOX_RPC: node('the address of a running anvil').describe(
    'Chain of the sandbox to join, which then outlives the server. Default: that of another sandbox server on DATA_DIR, else one of its own.',
  ),
  FACILITATOR_URL: z
    .url({ protocol: /^https?$/, error: 'the http or https address of a facilitator' })
    .optional()
    .describe('Facilitator that verifies and settles. Required with PAYMENTS=facilitator.'),
  FACILITATOR_AUTHORIZATION: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'the value of an Authorization header')
    .optional()
    .describe('Authorization header sent to the facilitator.'),
  CONTRACT_WALLETS: z
    .enum(['0', '1'], 'either 0 or 1')
    .transform((v) => v === '1')
    .default(true)
    .describe(
      '0 refuses payments of contract wallets (EIP-1271, and accounts with an EIP-7702 delegation) everywhere. They never buy exclusive leads, and PAYMENTS=self never takes them.',
    ),
  GAS_PER_SETTLEMENT: gas(21_000, 1_000_000, 150_000).describe(
    'PAYMENTS=self: gas limit of one settlement. A payment that needs more is refused.',
  ),
  GAS_PER_DAY: gas(21_000, 1_000_000_000_000, 100_000_000).describe(
    "PAYMENTS=self: gas this server's key may spend on settlements in a UTC day. After that paid calls are 503 until the next day.",
  ),
  COLLECT_DAYS: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(1, 'at least 1')
    .max(3650, 'at most 3650')
    .default(30)
    .describe('Days for which a buyer can collect again what was paid for.'),
  CURSOR_SECRET: z
    .string()
    .min(16, 'at least 16 characters')
    .optional()
    .describe(
      'Signs cursors and sign-in challenges. Set the same on every server behind one address; default: one made for the run.',
    ),
  UNBILLED_PER_MINUTE: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(0, 'a whole number, 0 or more')
    .default(300)
    .describe(
      'Answers a minute to one address that were not paid for; above that 429. Paid answers are not counted; 0 is no limit.',
    ),
  PROXY_HOPS: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(0, 'a whole number, 0 or more')
    .max(10, 'at most 10')
    .default(0)
    .describe(
      'Proxies in front of the server. Each adds its caller to X-Forwarded-For, which is believed for so many steps and no more.',
    ),
  METRICS_PORT: z.coerce
    .number('a port')
    .int('a port')
    .min(0, 'a port')
    .max(65_535, 'a port')
    .optional()
    .describe('Port for Prometheus, on HOST: GET /metrics. Not set: none. Keep it from the outside.'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error or silent')
    .default('info')
    .describe('Least important log line to write, as JSON on standard output.'),
  NODE_ENV: z.string().optional().describe('production refuses to start with anything but real money.'),
});

export type ServerSettings = z.infer<typeof serverSettings>;

const isLocal = (address: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname);

/** The key of self mode. Never part of a message. */
function keyOf({ SETTLE_KEY, SETTLE_KEY_FILE }: ServerSettings): `0x${string}` {
  const name = SETTLE_KEY_FILE === undefined ? 'SETTLE_KEY' : 'SETTLE_KEY_FILE';
  if (SETTLE_KEY !== undefined && SETTLE_KEY_FILE !== undefined)
    throw new SettingError('SETTLE_KEY is set beside SETTLE_KEY_FILE, expected one of them');
  const key = SETTLE_KEY_FILE === undefined ? SETTLE_KEY?.trim() : readKeyFile(name, SETTLE_KEY_FILE);
  if (key === undefined || !/^0x[0-9a-fA-F]{64}$/.test(key))
    throw new SettingError(
      `${name} is ${key === undefined ? 'null' : 'not shown'}, expected a key of 0x and 64 hex digits, as PAYMENTS is self`,
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
    RPC_URL: rpcUrl,
    FACILITATOR_URL: url,
    FACILITATOR_AUTHORIZATION: authorization,
  } = settings;
  const refuse = (name: keyof ServerSettings, expected: string): never => {
    throw new SettingError(`${name} is ${shownValue(name, settings[name])}, expected ${expected}`);
  };
  const payTo = PAY_TO as `0x${string}` | undefined;
  if (mode === 'sandbox') {
    if (settings.NODE_ENV === 'production')
      return refuse('PAYMENTS', 'facilitator or self where NODE_ENV is production: the sandbox takes test money');
    return {
      settings,
      payments: {
        mode,
        ...(payTo === undefined ? {} : { payTo }),
        ...(settings.SANDBOX_RPC === undefined ? {} : { rpcUrl: settings.SANDBOX_RPC }),
      },
    };
  }
  if (payTo === undefined) return refuse('PAY_TO', `the address that is paid, as PAYMENTS is ${mode}`);
  if (publicUrl === undefined)
    return refuse('PUBLIC_BASE_URL', `the address buyers reach the server at, as PAYMENTS is ${mode}`);
  if (publicUrl.startsWith('http:') && !isLocal(publicUrl)) return refuse('PUBLIC_BASE_URL', 'an https address');
  if (rpcUrl === undefined)
    return refuse(
      'RPC_URL',
      `the address of a node of Base, as PAYMENTS is ${mode}: without one nobody can tell what became of a settlement whose answer was lost`,
    );
  if (mode === 'self') {
    const gasLimits = { perSettlement: BigInt(settings.GAS_PER_SETTLEMENT), perDay: BigInt(settings.GAS_PER_DAY) };
    return { settings, payments: { mode, payTo, publicUrl, rpcUrl, key: keyOf(settings), gas: gasLimits } };
  }
  if (url === undefined)
    return refuse(
      'FACILITATOR_URL',
      'the address of a facilitator that serves eip155:8453, as PAYMENTS is facilitator',
    );
  return {
    settings,
    payments: { mode, payTo, publicUrl, rpcUrl, url, ...(authorization === undefined ? {} : { authorization }) },
  };
}
