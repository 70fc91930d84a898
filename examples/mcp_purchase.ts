/**
 * An agent's first purchase over MCP: list the tools, quote, buy, check the spending, and be refused above the cap.
 * `node examples/mcp_purchase.ts` runs it against the sandbox server of DATA_DIR ("make serve") and writes every
 * message into docs/mcp-purchase.md.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

export interface Message {
  readonly from: 'client' | 'server';
  readonly message: JSONRPCMessage;
}

/** Every message of the conversation, in order. `env` is the environment of the MCP server. */
export async function purchaseOverMcp(env: Readonly<Record<string, string>>): Promise<Message[]> {
  const messages: Message[] = [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('../clients/mcp.ts', import.meta.url))],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const client = new Client({ name: 'an-agent', version: '1.0.0' });
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    messages.push({ from: 'client', message });
    return send(message);
  };
  const connecting = client.connect(transport);
  const receive = transport.onmessage?.bind(transport);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK has no addEventListener
  transport.onmessage = (message) => {
    messages.push({ from: 'server', message });
    receive?.(message);
  };
  await connecting;
  const cards = { state: 'OH', limit: 8 };
  try {
    await client.listTools();
    await client.callTool({ name: 'quote', arguments: { tool: 'deal_cards', arguments: cards } });
    const bought = await client.callTool({ name: 'deal_cards', arguments: cards });
    const { paid } = bought.structuredContent as { paid: { receipt_id: string } };
    await client.callTool({ name: 'collect', arguments: { id: paid.receipt_id, from: 5 } });
    await client.callTool({ name: 'deal_cards', arguments: { city: 'Atlantis' } });
    const index = await client.callTool({ name: 'deal_ids' });
    const { body } = index.structuredContent as { body: { records: { id: string }[] } };
    await client.callTool({ name: 'deal_report', arguments: { id: body.records[0]?.id } });
    await client.callTool({ name: 'spending' });
  } finally {
    await client.close();
  }
  return messages;
}

const REMARKS: Readonly<Record<string, string>> = {
  initialize: 'The client introduces itself; the server reports the wallet it pays from and the caps.',
  'tools/list': "Every endpoint is a tool, generated from the server's OpenAPI description.",
  quote: 'The price of a call. Nothing is signed.',
  deal_cards: 'Buy: the MCP server requests, gets 402, checks the price against the caps, signs, and requests again.',
  collect: 'Read on in the bought answer, which shows five records at a time. Nothing is paid again.',
  'deal_cards Atlantis': 'No match, no charge: a result, not an error.',
  deal_ids: 'The free index has ids for the next call.',
  deal_report: 'A report costs more than the cap per call: refused, nothing is signed.',
  spending: 'The total spending.',
};

/** Tools that the page shows with their schemas. */
const SHOWN_TOOLS: readonly unknown[] = ['quote', 'deal_cards'];

/** Shortened for the page: long lists, schemas of tools, and text that repeats the structured content. */
function shortened(value: unknown, key = ''): unknown {
  if (key === 'tools' && Array.isArray(value))
    return (value as { name: string; description?: string }[]).map((tool) =>
      SHOWN_TOOLS.includes(tool.name) ? tool : { name: tool.name, description: tool.description },
    );
  if (Array.isArray(value)) {
    const items = key === 'records' ? value.slice(0, 2) : value;
    return [
      ...items.map((item) => shortened(item)),
      ...(items.length < value.length ? [`... ${value.length - items.length} more`] : []),
    ];
  }
  if (typeof value !== 'object' || value === null) return value;
  const repeated = 'structuredContent' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      repeated && name === 'content'
        ? [{ type: 'text', text: '... structuredContent as text' }]
        : shortened(inner, name),
    ]),
  );
}

/** The conversation as a Markdown page, with the data folder as `data`. */
export function page(messages: readonly Message[], dataDir: string): string {
  const parts = messages.map(({ from, message }) => {
    const { method, params } = message as {
      method?: string;
      params?: { name?: string; arguments?: { city?: string } };
    };
    const remark =
      method === undefined
        ? undefined
        : REMARKS[method === 'tools/call' ? [params?.name, params?.arguments?.city].filter(Boolean).join(' ') : method];
    return [
      ...(remark === undefined ? [] : [`## ${remark}`, '']),
      `${from}:`,
      '',
      '```json',
      JSON.stringify(shortened(message), null, 2).replaceAll(resolve(dataDir), 'data'),
      '```',
    ].join('\n');
  });
  return [
    '# A purchase by an agent, over MCP',
    [
      'For authors of agents: see every message of a purchase. Written by `node examples/mcp_purchase.ts` against a',
      'sandbox server; a test compares it with the current one. Lists of records and schemas of tools are shortened.',
    ].join('\n'),
    ...parts,
  ]
    .join('\n\n')
    .concat('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = fileURLToPath(new URL('../docs/mcp-purchase.md', import.meta.url));
  const dataDir = process.env['DATA_DIR'] ?? 'data';
  await writeFile(path, page(await purchaseOverMcp({ DATA_DIR: dataDir }), dataDir));
  process.stdout.write(`wrote ${path}\n`);
}
