/**
 * `make mcp`: an MCP server on standard input and output. An agent calls a Dealfeed server through it and pays within
 * caps. Settings are environment variables; docs/agents.md lists them.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { SettingError } from '../lib/settings.ts';
import { NO_SUBSCRIPTIONS } from '../lib/mcp/server.ts';
import { openMcpSession } from './mcp_server.ts';

try {
  const { server, close } = await openMcpSession(process.env);
  serveStdio(server, NO_SUBSCRIPTIONS);
  process.on('exit', close);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
