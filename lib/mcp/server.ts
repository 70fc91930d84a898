/** An MCP server with tools alone, for every revision of the protocol that the SDK serves. */
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequest,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { ArgumentError } from './arguments.ts';
import { errorResult } from './results.ts';
import { VIEW_HELP } from './short_answer.ts';
import type { Interface } from './tools.ts';

/** No stream of changes is served: the tools of a server never change while it runs. */
export const NO_SUBSCRIPTIONS = { maxSubscriptions: 0 } as const;

export interface ToolServerOptions {
  readonly api: Pick<Interface, 'title' | 'version' | 'about'>;
  /** For the agent: whose money, and how to pay. */
  readonly help: string;
  readonly tools: readonly Tool[];
  /** Call one of `tools`. @throws ArgumentError for arguments that it does not take */
  call(params: CallToolRequest['params']): Promise<CallToolResult>;
  /** Called with an error of ours, whose text no client sees. */
  onError(error: unknown): void;
}

/** A server for one connection or one request; it is not connected yet. */
export function toolServer({ api, help, tools, call, onError }: ToolServerOptions): Server {
  const server = new Server(
    { name: 'dealfeed', title: api.title, version: api.version },
    { capabilities: { tools: {} }, instructions: [api.about, help, VIEW_HELP].join(' ') },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { name } = params;
    if (!tools.some((tool) => tool.name === name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${JSON.stringify(name.slice(0, 64))}`);
    try {
      return await call(params);
    } catch (error) {
      if (error instanceof ArgumentError) return errorResult('invalid_arguments', error.message);
      onError(error);
      return errorResult('internal_error', 'Something went wrong on our side.', { billed: null });
    }
  });
  return server;
}
