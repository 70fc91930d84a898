/** POST /mcp: the tools over streamable HTTP. Each request is complete: no session, and one answer. */
import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
  ProtocolErrorCode,
  readRequestBody,
  type CallToolRequest,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import type { Context, Middleware } from 'koa';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { NO_SUBSCRIPTIONS, parseInterface, toolServer, type Interface } from '../../lib/mcp/tools.ts';
import { MCP_PATH } from '../docs/openapi.ts';
import { Problem } from '../http/problem.ts';
import { stateOf } from '../http/request_state.ts';
import { prepareCall } from './tool_calls.ts';

/** A call with a payment takes about 4 kB. */
const MAX_BODY_BYTES = 65_536;

interface McpOptions {
  /** The OpenAPI description. */
  readonly description: () => unknown;
  readonly publicUrl: string;
  readonly collectUrl: (receiptId: string) => string;
  /** Shown if payments are in test money. */
  readonly notice?: string | undefined;
  readonly application: () => RequestListener;
  /** Rate limit of unpaid responses, if there is one. */
  readonly limit: Middleware | undefined;
}

const HOW_TO =
  'The first result of a priced tool is its terms (x402 version 2). Call it again with the payment in ' +
  '_meta["x402/payment"]; the settlement is in _meta["x402/payment-response"]. With a payment identifier (x402 ' +
  'extension), the same call with the same payment returns more of the answer, free. Start with meta, which is free.';

/**
 * The refusal of a request to a local server by another host name or from a page of another site. A public server has
 * neither cookies nor accounts, so pages of any site may call it.
 */
export function refusalOf(request: Request, publicUrl: string): Response | undefined {
  const local = localhostAllowedHostnames();
  if (!local.includes(new URL(publicUrl).hostname)) return undefined;
  return hostHeaderValidationResponse(request, local) ?? originValidationResponse(request, local);
}

const methodNotAllowed = (): Problem =>
  new Problem(
    'method_not_allowed',
    'This is an MCP server: POST its messages here. There is no stream to GET and no session to DELETE.',
    {},
    { Allow: 'POST' },
  );

const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

/** The message of a request, or the refusal of its body. */
async function readMessage(request: Request): Promise<JsonObject | Response> {
  const body = await readRequestBody(request, MAX_BODY_BYTES).catch(() => ({ tooLarge: false, text: '' }) as const);
  if (body.tooLarge)
    return refusal(413, ProtocolErrorCode.InvalidRequest, `A message has at most ${MAX_BODY_BYTES} bytes.`);
  try {
    const message: unknown = JSON.parse(body.text);
    return isObject(message)
      ? message
      : refusal(400, ProtocolErrorCode.InvalidRequest, 'Send one message at a time: batches are not accepted.');
  } catch {
    return refusal(400, ProtocolErrorCode.ParseError, 'The body is not JSON.');
  }
}

/** The request of `ctx` as the SDK reads it. */
const webRequest = ({ req }: Context): Request =>
  new Request(`http://localhost${MCP_PATH}`, {
    method: 'POST',
    headers: Object.entries(req.headers).map(([name, value]): [string, string] => [name, String(value)]),
    body: Readable.toWeb(req),
    duplex: 'half',
  });

/** Put a response of the SDK into `ctx`. */
async function send(ctx: Context, response: Response): Promise<void> {
  const text = await response.text();
  // A notification is accepted without a body.
  ctx.body = text === '' ? null : text;
  ctx.status = response.status;
  if (text !== '') ctx.type = response.headers.get('content-type') ?? 'application/json';
  // The rest of a body that is too long is not read.
  if (response.status === 413) ctx.set('Connection', 'close');
}

/** Answers the messages to MCP_PATH. */
export function mcpHandler(options: McpOptions): Middleware {
  const { collectUrl, limit, notice = '', publicUrl } = options;
  let known: Interface | undefined;
  const api = (): Interface => (known ??= parseInterface(options.description(), publicUrl));
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    /** Whether a call of a tool made its request, which the limit counts. */
    let isCounted = false;
    const call = async (params: CallToolRequest['params']): Promise<CallToolResult> => {
      const request = prepareCall(api(), params);
      isCounted = true;
      const { host } = new URL(publicUrl);
      return request({ application: options.application(), ip: ctx.ip, host, carrier: ctx.res, collectUrl });
    };
    const handler = createMcpHandler(
      () =>
        toolServer({
          api: api(),
          help: `${HOW_TO} ${notice}`,
          tools: api().tools.map(({ listed }) => listed),
          call,
          onError(error) {
            stateOf(ctx).error = error;
          },
        }),
      NO_SUBSCRIPTIONS,
    );
    const count = async (answer: () => Promise<void>): Promise<void> => (limit ? limit(ctx, answer) : answer());
    if (ctx.method !== 'POST') {
      await count(async () => {
        throw methodNotAllowed();
      });
      return;
    }
    const request = webRequest(ctx);
    const read = refusalOf(request, publicUrl) ?? (await readMessage(request));
    const answer = async (): Promise<void> =>
      send(ctx, read instanceof Response ? read : await handler.fetch(request, { parsedBody: read }));
    if (read instanceof Response || read['method'] !== 'tools/call') {
      await count(answer);
      return;
    }
    await answer();
    // A call that made no request counts itself.
    if (!isCounted) await count(async () => undefined);
  };
}
