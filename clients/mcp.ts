/**
 * `make mcp`: an MCP server on standard input and output. An agent calls a Dealfeed server through it and pays within
 * caps. Settings are environment variables; docs/agents.md lists them.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { runCommand } from '../lib/command.ts';
import { NO_SUBSCRIPTIONS } from '../lib/mcp/tools.ts';
import { openMcpSession } from './mcp_server.ts';

await runCommand(async () => {
  const { server, close } = await openMcpSession(process.env);
  serveStdio(server, NO_SUBSCRIPTIONS);
  process.on('exit', close);
});
