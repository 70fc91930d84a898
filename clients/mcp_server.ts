/** The MCP server of an agent, from its settings: a tool per endpoint, and the tools collect and spending. */
import { join } from 'node:path';
import type { CallToolResult, Server, Tool as ListedTool } from '@modelcontextprotocol/server';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { ArgumentError, errorResult, refusalResult, toolResult } from '../lib/mcp/results.ts';
import { readView, shortAnswer, type View, VIEW_PROPERTIES } from '../lib/mcp/short_answer.ts';
import { type Interface, parseInterface, toolServer } from '../lib/mcp/tools.ts';
import { networkName } from '../lib/network.ts';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';
import { messageOf } from '../lib/errors.ts';
import { type Buyer, type CallResponse, createBuyer, type Refused } from './purchase.ts';
import { receiptPath, saveKeys, saveResponse } from './saved.ts';
import { openSpending } from './spending.ts';
import { buyerAccount, sandboxWallet, type Wallet } from './wallet.ts';

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
  BUYER_NETWORK: networkName,
  RPC_URL: z.url({ protocol: /^https?$/, error: 'the URL of a node of BUYER_NETWORK' }).optional(),
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

/** @throws SettingError if a setting cannot be used, or the server does not respond */
export async function openMcpSession(env: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(clientSettings, env);
  const own = await buyerAccount({
    BUYER_KEY: env['BUYER_KEY'] || undefined,
    BUYER_KEY_FILE: env['BUYER_KEY_FILE'] || undefined,
  });
  const base = settings.SERVER_URL ?? (await sandboxWallet(settings.DATA_DIR)).base_url;
  /** The sandbox wallet pays only its own server, and is new each time that server starts. */
  const sandbox = async (): Promise<Wallet | undefined> => {
    const wallet = await sandboxWallet(settings.DATA_DIR).catch(() => undefined);
    return wallet && new URL(wallet.base_url).origin === base
      ? { account: privateKeyToAccount(wallet.private_key as Hex), rpcUrl: wallet.rpc_url }
      : undefined;
  };
  const rpcUrl = settings.RPC_URL ?? null;
  const wallet = async (): Promise<Wallet | undefined> => (own ? { account: own, rpcUrl } : sandbox());
  const folder = join(settings.DATA_DIR, 'client');
  const spending = openSpending(join(folder, 'spending.sqlite'), {
    perCall: settings.MAX_PER_CALL,
    total: settings.MAX_TOTAL,
  });
  const buyer = createBuyer({ wallet, spending, network: settings.BUYER_NETWORK });
  const { payer, max_per_call_usd, max_total_usd } = await buyer.budget();
  const money = own ? '' : ', which holds sandbox test money';
  const payment =
    payer === null
      ? 'There is no wallet: free tools work, and a paid one returns its price.'
      : `Calls are paid from ${payer}${money}, at most $${max_per_call_usd} each and $${max_total_usd} in total.`;
  const api = await fetchInterface(base);
  const call = toolCalls(api, buyer, join(folder, 'bought'));
  const help = `The server is ${base}. ${payment} Start with meta, which is free.`;
  return {
    /** A new server, for one connection. */
    server: (): Server =>
      toolServer({
        api,
        help,
        tools: [...CLIENT_TOOLS, ...api.tools.map(({ listed }) => listed)],
        call: ({ name, arguments: given = {} }) => call(name, given),
        onError(error) {
          process.stderr.write(`${messageOf(error)}\n`);
        },
      }),
    close: () => spending.close(),
  };
}

const Collect = z.strictObject({ id: z.union([z.uuid(), z.string().regex(/^0x[0-9a-fA-F]{64}$/)]) });

const free = { annotations: { readOnlyHint: true, openWorldHint: false } };
/** Tools of the client itself, next to those of the API. */
const CLIENT_TOOLS: readonly ListedTool[] = [
  {
    name: 'collect',
    description: 'More of a response that this wallet paid for. Free.',
    inputSchema: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string', description: 'receipt_id, or nonce of the payment' }, ...VIEW_PROPERTIES },
    },
    ...free,
  },
  {
    name: 'spending',
    description: "The wallet's address, its spending through this client, and the caps. Free.",
    inputSchema: { type: 'object', properties: {} },
    ...free,
  },
];

/** The calls of the tools. Paid responses are saved in `folder`. */
function toolCalls(api: Interface, buyer: Buyer, folder: string) {
  const tools = new Map(api.tools.map((tool) => [tool.name, tool]));

  const resultOf = async (tool: string, view: View, outcome: CallResponse | Refused): Promise<CallToolResult> => {
    if (outcome.kind === 'refused') {
      const { kind: _, ...refused } = outcome;
      return refusalResult(refused);
    }
    const { type, text, transaction, receipt_id, signed_receipt: receipt } = outcome;
    // Saved first: a paid response must not be lost with the conversation.
    const file = transaction === null ? null : await saveResponse(folder, { name: tool, type, text, receipt });
    if (file !== null && receipt !== null) await saveKeys(api.base, file);
    const hint = receipt_id === null ? null : 'collect shows more of it, free, by its receipt_id.';
    const { spent_usd, left_usd } = await buyer.budget();
    return toolResult({
      ...(outcome.isRepeat ? { hint: 'You bought this call in this snapshot: the same answer, free.' } : {}),
      paid: {
        amount_usd: outcome.paid_usd,
        transaction,
        receipt_id,
        spent_usd,
        left_usd,
        ...(file === null ? {} : { kept_in: file }),
        ...(file === null || receipt === null ? {} : { receipt_in: receiptPath(file) }),
      },
      ...shortAnswer({ type, text, isBought: receipt_id !== null, hint }, view),
    });
  };

  const collect = async (view: View, given: Record<string, unknown>): Promise<CallToolResult> => {
    const { data } = Collect.safeParse(given);
    if (!data) return errorResult('invalid_arguments', 'collect takes id, a receipt id or the nonce of a payment.');
    return resultOf('collect', view, await buyer.collect(api.base, data.id));
  };

  /** @throws ArgumentError */
  return async (name: string, given: Record<string, unknown>): Promise<CallToolResult> => {
    if (name === 'spending') return toolResult(await buyer.budget());
    const { view, rest } = readView(given);
    if (name === 'collect') return collect(view, rest);
    const tool = tools.get(name);
    if (!tool) throw new Error(`${name} is not listed`);
    if (view.from > 0 && !tool.isFree)
      throw new ArgumentError('from would buy the answer again. Call collect with the receipt_id instead.');
    return resultOf(tool.name, view, await buyer.call(tool.url(rest)));
  };
}
