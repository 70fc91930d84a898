/** The MCP server of an agent, from its settings: the server to buy from, the wallet and the caps. */
import { join } from 'node:path';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import { parseInterface, type Interface } from '../lib/mcp/tools.ts';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';
import { createMcpServer } from './mcp_server.ts';
import { createBuyer } from './purchase.ts';
import { openSpending } from './spending.ts';
import { buyerAccount, buyerNetworks, sandboxWallet } from './wallet.ts';

/** Dollars as atomic units of USDC. */
const dollars = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, 'dollars such as 0.25')
  .transform((text) => {
    const [whole = '', cents = ''] = text.split('.');
    return BigInt(whole + cents.padEnd(6, '0'));
  });

const clientSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  SERVER_URL: z
    .url({ protocol: /^https?$/, error: 'the http or https URL of a Dealfeed server' })
    .transform((text) => new URL(text).origin)
    .optional(),
  ...buyerNetworks,
  MAX_PER_CALL: dollars.default(250_000n),
  MAX_TOTAL: dollars.default(5_000_000n),
});

async function fetchInterface(base: string): Promise<Interface> {
  const invalid = new SettingError(
    `SERVER_URL is ${JSON.stringify(base)}, expected the URL of a running Dealfeed server`,
  );
  const response = await fetch(`${base}/openapi.json`, {
    redirect: 'error',
    signal: AbortSignal.timeout(15_000),
  }).catch(() => {
    throw invalid;
  });
  if (!response.ok) throw invalid;
  return parseInterface(await response.json(), base);
}

export interface McpSession {
  readonly server: Server;
  /** Close the record of the spending. */
  close(): void;
}

/** @throws SettingError if a setting cannot be used, or the server does not respond */
export async function openMcpSession(env: Readonly<Record<string, string | undefined>>): Promise<McpSession> {
  const settings = readSettings(clientSettings, env);
  const own = await buyerAccount({
    BUYER_KEY: env['BUYER_KEY'] || undefined,
    BUYER_KEY_FILE: env['BUYER_KEY_FILE'] || undefined,
  });
  const base = settings.SERVER_URL ?? (await sandboxWallet(settings.DATA_DIR)).base_url;
  /** The sandbox wallet pays only its own server, and is new each time that server starts. */
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
  const buyer = createBuyer({ account, spending, networks: settings.BUYER_NETWORKS });
  const { payer, max_per_call_usd, max_total_usd } = await buyer.budget();
  const money = own ? '' : ', which holds sandbox test money';
  const wallet =
    payer === null
      ? 'There is no wallet: free tools work, paid ones can only be quoted.'
      : `Calls are paid from ${payer}${money}, at most $${max_per_call_usd} each and $${max_total_usd} in total.`;
  const server = createMcpServer({
    api: await fetchInterface(base),
    buyer,
    responsesDir: join(folder, 'bought'),
    about: `The server is ${base}. ${wallet} Start with meta, which is free; quote returns the price of a call.`,
  });
  return {
    server,
    close() {
      spending.close();
    },
  };
}
