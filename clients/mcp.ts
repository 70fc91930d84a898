/**
 * `make mcp`: an MCP server on standard input and output, through which an agent asks a Dealfeed server and pays for
 * what it asks, within caps. Settings are environment variables; docs/agents.md lists them.
 */
import { join } from 'node:path';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';
import { mcpServer } from './mcp_server.ts';
import { buyerOf } from './purchase.ts';
import { openSpending } from './spending.ts';
import { interfaceOf, type Interface } from './tools.ts';
import { ownAccount, sandboxWallet } from './wallet.ts';

const dollars = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, 'dollars such as 0.25')
  .transform((s) => {
    const [whole = '', cents = ''] = s.split('.');
    return BigInt(whole + cents.padEnd(6, '0'));
  });

const clientSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  SERVER_URL: z
    .url({ protocol: /^https?$/, error: 'the http or https address of a Dealfeed server' })
    .transform((s) => new URL(s).origin)
    .optional(),
  MAX_PER_CALL: dollars.default(250_000n),
  MAX_TOTAL: dollars.default(5_000_000n),
});

async function interfaceAt(base: string): Promise<Interface> {
  const wrong = new SettingError(
    `SERVER_URL is ${JSON.stringify(base)}, expected the address of a Dealfeed server that runs`,
  );
  const response = await fetch(`${base}/openapi.json`, {
    redirect: 'error',
    signal: AbortSignal.timeout(15_000),
  }).catch(() => {
    throw wrong;
  });
  if (!response.ok) throw wrong;
  return interfaceOf(await response.json(), base);
}

async function start(): Promise<void> {
  const settings = readSettings(clientSettings);
  const own = await ownAccount({
    BUYER_KEY: process.env['BUYER_KEY'] || undefined,
    BUYER_KEY_FILE: process.env['BUYER_KEY_FILE'] || undefined,
  });
  const base = settings.SERVER_URL ?? (await sandboxWallet(settings.DATA_DIR)).base_url;
  /** The wallet of the sandbox pays its own server alone, and is another one each time that server starts. */
  const sandbox = async (): Promise<PrivateKeyAccount | undefined> => {
    const wallet = await sandboxWallet(settings.DATA_DIR).catch(() => undefined);
    return wallet && new URL(wallet.base_url).origin === base
      ? privateKeyToAccount(wallet.private_key as Hex)
      : undefined;
  };
  const account = async (): Promise<PrivateKeyAccount | undefined> => own ?? (await sandbox());
  const folder = join(settings.DATA_DIR, 'client');
  const spending = openSpending(join(folder, 'spending.sqlite'), {
    perCall: settings.MAX_PER_CALL,
    total: settings.MAX_TOTAL,
  });
  const buyer = buyerOf({ account, spending });
  const { payer, max_per_call_usd, max_total_usd } = await buyer.budget();
  const server = mcpServer({
    api: await interfaceAt(base),
    buyer,
    keepIn: join(folder, 'bought'),
    about: `The server is ${base}. ${payer === null ? 'There is no wallet: free tools answer, paid ones only quote.' : `Calls are paid from ${payer}${own ? '' : ', which holds test money of the sandbox'}, at most $${max_per_call_usd} each and $${max_total_usd} in all.`} Begin with meta, which is free; quote says what a call costs.`,
  });
  await server.connect(new StdioServerTransport());
  process.on('exit', () => {
    spending.close();
  });
}

try {
  await start();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
