/**
 * Agents for the tests of the MCP server: the SDK's client, and a sandbox server. The MCP server of an agent is in the
 * process of the test, or a process of its own on standard input and output.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client, InMemoryTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { dataFolder, rowsOfTable } from '../api/support/snapshot_fixtures.ts';
import { openMcpSession } from '../../clients/mcp_server.ts';
import { BARE } from '../environment.ts';

export const MCP_PROGRAM = fileURLToPath(new URL('../../clients/mcp.ts', import.meta.url));

interface ToolResult {
  readonly isError: boolean;
  readonly content: Record<string, unknown>;
}
export interface Agent {
  readonly client: Client;
  /** Everything that the MCP server wrote to standard error. */
  readonly stderr: () => string;
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
}

type Env = Readonly<Record<string, string>>;

interface OpenAgent extends Agent {
  close(): Promise<void>;
}

/** @param mode revision of the protocol: 2026-07-28 if the server has it, or one of 2025 */
async function agentOn(
  transport: Transport,
  mode: 'auto' | 'legacy',
  stderr: () => string,
  close: () => void,
): Promise<OpenAgent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    client,
    stderr,
    async call(name, args = {}) {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
      assert.equal((content as { text: string }[])[0]?.text, JSON.stringify(structuredContent));
      return { isError: isError === true, content: structuredContent as Record<string, unknown> };
    },
    async close() {
      await client.close();
      close();
    },
  };
}

/** An agent with a client of 2026-07-28, whose MCP server is in this process. */
async function openAgent(env: Env): Promise<OpenAgent> {
  const { server, close } = await openMcpSession(env);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  serveStdio(server, { transport: theirs });
  return agentOn(ours, 'auto', () => '', close);
}

/** An agent with a client of 2025, whose MCP server is a process of its own. */
async function startAgent(env: Env): Promise<OpenAgent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MCP_PROGRAM],
    env: { ...BARE, ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  return agentOn(
    transport,
    'legacy',
    () => stderr,
    () => undefined,
  );
}

export interface AgentShop {
  readonly server: Serving;
  /** Key of the sandbox wallet. */
  readonly key: string;
  /** Use an agent with these settings. The default settings have one agent. */
  withAgent(env: Env, use: (agent: Agent) => Promise<void>): Promise<void>;
  /** The same with the MCP server in a process of its own. */
  withAgentProcess(env: Env, use: (agent: Agent) => Promise<void>): Promise<void>;
  /** Atomic units that an action paid to the server. */
  amountPaid(action: () => Promise<void>): Promise<bigint>;
  close(): Promise<void>;
}

/** Forty deals with reports, signals and filings, served by a sandbox server on a local chain. */
export async function openAgentShop(): Promise<AgentShop> {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', {
    deals: rowsOfTable('deals', 40, (i) => ({ deal_score: i, state: i > 30 ? 'MI' : 'OH' })),
    reports: rowsOfTable('reports', 40),
    signals: rowsOfTable('signals', 2),
    leads: rowsOfTable('leads', 3),
    filings: rowsOfTable('filings', 4, () => ({ first_seen: '2026-11-12T12:00:00Z' })),
  });
  const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
  const server = await serve({ settings, payments, checkResponses: true });
  let shared: OpenAgent | undefined;
  const useAndClose = async (agent: OpenAgent, use: (agent: Agent) => Promise<void>): Promise<void> => {
    try {
      await use(agent);
    } finally {
      await agent.close();
    }
  };
  const received = async (): Promise<bigint> =>
    (await server.payments.sandbox?.chain.balanceOf(server.payments.payTo)) ?? 0n;
  return {
    server,
    key: server.payments.sandbox?.buyer.privateKey ?? '',
    async withAgent(env, use) {
      if (Object.keys(env).length === 0) {
        await use((shared ??= await openAgent({ DATA_DIR: folder.path })));
        return;
      }
      await useAndClose(await openAgent({ DATA_DIR: folder.path, ...env }), use);
    },
    withAgentProcess: async (env, use) => useAndClose(await startAgent({ DATA_DIR: folder.path, ...env }), use),
    async amountPaid(action) {
      const start = await received();
      await action();
      return (await received()) - start;
    },
    async close() {
      await shared?.close();
      await server.close();
      await folder.remove();
    },
  };
}
