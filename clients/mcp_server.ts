/** The MCP server: a tool per endpoint, and the tools quote, collect and spending. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { ArgumentError } from '../lib/mcp/arguments.ts';
import { errorResult, refusalResult, toolResult } from '../lib/mcp/results.ts';
import { readView, shortAnswer, withHint, VIEW_PROPERTIES, type View } from '../lib/mcp/short_answer.ts';
import { listedTool, type Interface } from '../lib/mcp/tools.ts';
import type { CallResponse, Refused } from './outcome.ts';
import type { Buyer } from './purchase.ts';
import { receiptPath, saveKeys } from './saved_receipts.ts';
import { saveResponse } from './saved_responses.ts';

export interface McpOptions {
  readonly api: Interface;
  readonly buyer: Buyer;
  /** Folder in which paid responses are saved. */
  readonly responsesDir: string;
  /** For the agent: which server, and whose money. */
  readonly about: string;
}

const Collect = z.strictObject({ id: z.union([z.uuid(), z.string().regex(/^0x[0-9a-fA-F]{64}$/)]) });
const Quote = z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });

/** A server with the tools of `api`, paid by `buyer`. It does not listen yet. */
export function createMcpServer({ api, buyer, responsesDir, about }: McpOptions): Server {
  const tools = new Map(api.tools.map((tool) => [tool.name, tool]));
  const ownTools = [
    {
      name: 'quote',
      title: 'Price of a call',
      description: 'The price of a call of another tool, and whether the caps allow it. Free; nothing is signed.',
      inputSchema: {
        type: 'object' as const,
        required: ['tool'],
        additionalProperties: false,
        properties: {
          tool: { type: 'string', enum: [...tools.keys()], description: 'The tool.' },
          arguments: { type: 'object', description: 'Its arguments.' },
        },
      },
    },
    {
      name: 'collect',
      title: 'Collect again',
      description:
        'Collect a response that this wallet paid for, by its receipt id or the nonce of the payment, to read more ' +
        'of it. Free.',
      inputSchema: {
        type: 'object' as const,
        required: ['id'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', description: 'A receipt id, or a nonce: 0x and 64 hex digits.' },
          ...VIEW_PROPERTIES,
        },
      },
    },
    {
      name: 'spending',
      title: 'Caps and spending',
      description: "The wallet's address, its spending through this client, and the caps. Free.",
      inputSchema: { type: 'object' as const, properties: {}, additionalProperties: false },
    },
  ];
  const server = new Server(
    { name: 'dealfeed', title: api.title, version: api.version },
    { capabilities: { tools: {} }, instructions: `${api.about} ${about}` },
  );

  const toCallResult = async (tool: string, view: View, outcome: CallResponse | Refused): Promise<CallToolResult> => {
    if (outcome.kind === 'refused') {
      const { kind: _, ...refused } = outcome;
      return refusalResult(refused);
    }
    const { type, text, transaction, receipt_id } = outcome;
    // Saved first: a paid response must not be lost with the conversation.
    const saved = { name: tool, type, text, receipt: outcome.signed_receipt };
    const file = transaction === null ? undefined : await saveResponse(responsesDir, saved);
    if (file !== undefined && outcome.signed_receipt !== null) await saveKeys(api.base, file);
    const short = shortAnswer({ type, text, isBought: receipt_id !== null }, view);
    const { spent_usd, left_usd } = await buyer.budget();
    return toolResult({
      paid: {
        amount_usd: outcome.paid_usd,
        transaction,
        receipt_id,
        spent_usd,
        left_usd,
        ...(file === undefined ? {} : { kept_in: file }),
        ...(file === undefined || outcome.signed_receipt === null ? {} : { receipt_in: receiptPath(file) }),
      },
      ...withHint(short, receipt_id === null ? null : 'collect shows more of it, free, by its receipt_id.'),
    });
  };

  const call = async (name: string, given: Record<string, unknown>): Promise<CallToolResult> => {
    if (name === 'spending') return toolResult(await buyer.budget());
    const { view, rest } = readView(given);
    if (name === 'collect') {
      const parsed = Collect.safeParse(rest);
      return parsed.success
        ? toCallResult(name, view, await buyer.collect(api.base, parsed.data.id))
        : errorResult('invalid_arguments', 'collect takes id, a receipt id or the nonce of a payment.');
    }
    if (name === 'quote') {
      const parsed = Quote.safeParse(given);
      const tool = parsed.success ? tools.get(parsed.data.tool) : undefined;
      if (!parsed.success || !tool)
        return errorResult(
          'invalid_arguments',
          `quote takes tool, one of ${[...tools.keys()].join(', ')}, and its arguments.`,
        );
      const quoted = await buyer.quote(tool.url(readView(parsed.data.arguments).rest));
      if (quoted.kind === 'refused') return toCallResult(tool.name, view, quoted);
      const { kind: _, ...price } = quoted;
      return toolResult({ tool: tool.name, ...price });
    }
    const tool = tools.get(name);
    if (!tool) throw new ArgumentError(`There is no tool ${name}.`, 'unknown_tool');
    if (view.from > 0 && !tool.isFree)
      throw new ArgumentError('from would buy the answer again. Call collect with the receipt_id instead.');
    return toCallResult(tool.name, view, await buyer.call(tool.url(rest)));
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...ownTools.map((tool) => ({ ...tool, annotations: { readOnlyHint: true, openWorldHint: false } })),
      ...api.tools.map((tool) => {
        const { from, ...once } = VIEW_PROPERTIES;
        return listedTool(tool, tool.isFree ? { ...once, from } : once);
      }),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return await call(params.name, params.arguments ?? {});
    } catch (error) {
      if (error instanceof ArgumentError) return errorResult(error.reason, error.message);
      throw error;
    }
  });
  return server;
}
