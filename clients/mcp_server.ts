/** The MCP server: every endpoint as a tool that pays for itself, what a call would cost, and what was spent. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { cut, keep, withFields } from './saved_responses.ts';
import type { Answered, Buyer, Refused } from './purchase.ts';
import { ArgumentError, shownFields, type Interface } from './tools.ts';

export interface McpOptions {
  readonly api: Interface;
  readonly buyer: Buyer;
  /** Folder of the answers that were paid for. */
  readonly keepIn: string;
  /** Said to the agent: which server, whose money. */
  readonly about: string;
}

const Collect = z.strictObject({ id: z.union([z.uuid(), z.string().regex(/^0x[0-9a-fA-F]{64}$/)]) });
const Quote = z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });

/** Content as both those who read text and those who read structures take it. */
const result = (content: Record<string, unknown>, isError = false): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(content) }],
  structuredContent: content,
  ...(isError ? { isError } : {}),
});
const refusal = (reason: string, detail: string, more: Record<string, unknown> = {}): CallToolResult =>
  result({ reason, detail, billed: false, ...more }, true);

/** A server of the tools of `api`, whose calls `buyer` pays. It does not listen yet. */
export function mcpServer({ api, buyer, keepIn, about }: McpOptions): Server {
  const tools = new Map(api.tools.map((t) => [t.name, t]));
  const own = [
    {
      name: 'quote',
      title: 'Price of a call',
      description: 'What a call of another tool would cost, and whether the caps allow it. Free; nothing is signed.',
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
        'What this wallet paid for, once more, by the Receipt-Id of the answer or the nonce of the payment. Free.',
      inputSchema: {
        type: 'object' as const,
        required: ['id'],
        additionalProperties: false,
        properties: { id: { type: 'string', description: 'A receipt id, or a nonce: 0x and 64 hex digits.' } },
      },
    },
    {
      name: 'spending',
      title: 'Caps and spending',
      description: "The wallet's address, what it spent through this client, and the caps. Free.",
      inputSchema: { type: 'object' as const, properties: {}, additionalProperties: false },
    },
  ];
  const server = new Server(
    { name: 'dealfeed', title: api.title, version: api.version },
    { capabilities: { tools: {} }, instructions: `${api.about} ${about}` },
  );

  const answer = async (
    tool: string,
    outcome: Answered | Refused,
    fields: readonly string[] | null = null,
  ): Promise<CallToolResult> => {
    if (outcome.kind === 'refused') {
      const { kind: _, document, ...refused } = outcome;
      return result({ ...refused, ...(document === undefined ? {} : { problem: document }) }, true);
    }
    // Kept before it is shown: what was paid for is not lost with a conversation.
    const file = outcome.transaction !== null ? await keep(keepIn, tool, outcome.type, outcome.text) : undefined;
    const { body, shown } = cut(outcome.type, fields === null ? outcome.text : withFields(outcome.text, fields));
    const { spent_usd, left_usd } = await buyer.budget();
    return result({
      paid: {
        amount_usd: outcome.paid_usd,
        transaction: outcome.transaction,
        receipt_id: outcome.receipt_id,
        spent_usd,
        left_usd,
        ...(file === undefined ? {} : { kept_in: file }),
      },
      ...(shown === undefined ? {} : { shown }),
      body,
    });
  };

  const call = async (name: string, given: Record<string, unknown>): Promise<CallToolResult> => {
    if (name === 'spending') return result(await buyer.budget());
    if (name === 'collect') {
      const asked = Collect.safeParse(given);
      return asked.success
        ? answer(name, await buyer.collect(api.base, asked.data.id))
        : refusal('invalid_arguments', 'collect takes id, a receipt id or the nonce of a payment.');
    }
    if (name === 'quote') {
      const asked = Quote.safeParse(given);
      const tool = asked.success ? tools.get(asked.data.tool) : undefined;
      if (!asked.success || !tool)
        return refusal(
          'invalid_arguments',
          `quote takes tool, one of ${[...tools.keys()].join(', ')}, and its arguments.`,
        );
      const quoted = await buyer.quote(tool.url(asked.data.arguments));
      if (quoted.kind === 'refused') return answer(tool.name, quoted);
      const { kind: _, ...price } = quoted;
      return result({ tool: tool.name, ...price });
    }
    const tool = tools.get(name);
    if (!tool) return refusal('unknown_tool', `There is no tool ${name}.`);
    const fields = shownFields(tool, given);
    return answer(tool.name, await buyer.call(tool.url(given)), fields);
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...own.map((tool) => ({ ...tool, annotations: { readOnlyHint: true, openWorldHint: false } })),
      // A paid tool moves money, so no host should take it for one that only reads.
      ...api.tools.map(({ free, name, title, description, inputSchema }) => ({
        name,
        title,
        description,
        inputSchema,
        annotations: { readOnlyHint: free, destructiveHint: false, openWorldHint: true },
      })),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return await call(params.name, params.arguments ?? {});
    } catch (error) {
      if (error instanceof ArgumentError) return refusal('invalid_arguments', error.message);
      throw error;
    }
  });
  return server;
}
