/** Settings of the server. What depends on more than one of them is checked here too, before anything starts. */
import { isAddress } from 'viem';
import { z } from 'zod';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';

const url = 'an http or https address without a path';
const publicUrl = z.string().transform((s, context) => {
  const parsed = URL.parse(s);
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && parsed.search === '' && parsed.hash === '' && parsed.username === '') return parsed.origin;
  context.addIssue({ code: 'custom', message: url });
  return z.NEVER;
});

export const serverSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  LEDGER: pipelineSettings.shape.LEDGER,
  PORT: z.coerce.number('a port').int('a port').min(0, 'a port').max(65_535, 'a port').default(4021).describe('Port the server listens on; 0 takes a free one.'),
  HOST: z.string().min(1, 'an address of this machine').default('127.0.0.1').describe('Address it listens on; 0.0.0.0 for all.'),
  PAYMENTS: z.enum(['sandbox', 'facilitator', 'self'], 'sandbox or facilitator').default('sandbox')
    .describe('sandbox: a local chain with test money; facilitator: real money through FACILITATOR_URL.'),
  PUBLIC_BASE_URL: publicUrl.optional().describe('Address buyers reach the server at; payments name it. Required with PAYMENTS=facilitator; default in the sandbox: http://localhost:PORT.'),
  PAY_TO: z.string().refine((s) => isAddress(s), 'an address: 0x and 40 hex digits, its checksum right where it has one').optional()
    .describe('Address that is paid. Required with PAYMENTS=facilitator; default in the sandbox: one made for the run.'),
  FACILITATOR_URL: z.url({ protocol: /^https?$/, error: 'the http or https address of a facilitator' }).optional().describe('Facilitator that verifies and settles. Required with PAYMENTS=facilitator.'),
  FACILITATOR_AUTHORIZATION: z.string().regex(/^[\x20-\x7e]+$/, 'the value of an Authorization header').optional().describe('Authorization header sent to the facilitator.'),
  CURSOR_SECRET: z.string().min(16, 'at least 16 characters').optional().describe('Signs cursors. Set the same on every server behind one address; default: one made for the run.'),
  UNBILLED_PER_MINUTE: z.coerce.number('a whole number').int('a whole number').min(0, 'a whole number, 0 or more').default(300)
    .describe('Answers a minute to one address that were not paid for; above that 429. Paid answers are not counted; 0 is no limit.'),
  PROXY_HOPS: z.coerce.number('a whole number').int('a whole number').min(0, 'a whole number, 0 or more').max(10, 'at most 10').default(0)
    .describe('Proxies in front of the server. Each adds its caller to X-Forwarded-For, which is believed for so many steps and no more.'),
  METRICS_PORT: z.coerce.number('a port').int('a port').min(0, 'a port').max(65_535, 'a port').optional().describe('Port for Prometheus, on HOST: GET /metrics. Not set: none. Keep it from the outside.'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error or silent').default('info').describe('Least important log line to write, as JSON on standard output.'),
  NODE_ENV: z.string().optional().describe('production refuses to start with anything but real money.'),
});

export type ServerSettings = z.infer<typeof serverSettings>;

/** Where money comes from, with everything that mode needs. */
export type PaymentSettings =
  | { readonly mode: 'sandbox'; readonly payTo?: `0x${string}` }
  | { readonly mode: 'facilitator'; readonly payTo: `0x${string}`; readonly publicUrl: string; readonly url: string; readonly authorization?: string };

const isLocal = (origin: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(origin).hostname);

/**
 * Read the server's settings.
 * @throws SettingError, one line that names the setting
 */
export function readServerSettings(env: Readonly<Record<string, string | undefined>> = process.env): { settings: ServerSettings; payments: PaymentSettings } {
  const settings = readSettings(serverSettings, env);
  const refuse = (name: keyof ServerSettings, expected: string): never => {
    throw new SettingError(`${name} is ${JSON.stringify(settings[name] ?? null)}, expected ${expected}`);
  };
  if (settings.PAYMENTS === 'self') return refuse('PAYMENTS', 'sandbox or facilitator: settling with an own key is not there yet');
  if (settings.PAYMENTS === 'sandbox') {
    if (settings.NODE_ENV === 'production') return refuse('PAYMENTS', 'facilitator where NODE_ENV is production: the sandbox takes test money');
    return { settings, payments: { mode: 'sandbox', ...(settings.PAY_TO === undefined ? {} : { payTo: settings.PAY_TO as `0x${string}` }) } };
  }
  if (settings.PAY_TO === undefined) return refuse('PAY_TO', 'the address that is paid, as PAYMENTS is facilitator');
  if (settings.PUBLIC_BASE_URL === undefined) return refuse('PUBLIC_BASE_URL', 'the address buyers reach the server at, as PAYMENTS is facilitator');
  if (settings.PUBLIC_BASE_URL.startsWith('http:') && !isLocal(settings.PUBLIC_BASE_URL)) return refuse('PUBLIC_BASE_URL', 'an https address');
  if (settings.FACILITATOR_URL === undefined) return refuse('FACILITATOR_URL', 'the address of a facilitator that serves eip155:8453, as PAYMENTS is facilitator');
  return {
    settings,
    payments: {
      mode: 'facilitator', payTo: settings.PAY_TO as `0x${string}`, publicUrl: settings.PUBLIC_BASE_URL, url: settings.FACILITATOR_URL,
      ...(settings.FACILITATOR_AUTHORIZATION === undefined ? {} : { authorization: settings.FACILITATOR_AUTHORIZATION }),
    },
  };
}
