/** POST /mcp: the tools over streamable HTTP. Each request is complete: no session, no stream, one JSON answer. */
import type { RequestListener } from 'node:http';
import type { Router } from '@koa/router';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  WebStandardStreamableHTTPServerTransport as HttpTransport,
  type WebStandardStreamableHTTPServerTransportOptions as TransportOptions,
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Context, Middleware } from 'koa';
import { isObject } from '../../lib/json.ts';
import { ArgumentError } from '../../lib/mcp/arguments.ts';
import { errorResult } from '../../lib/mcp/results.ts';
import { VIEW_PROPERTIES } from '../../lib/mcp/short_answer.ts';
import { parseInterface, listedTool, type Interface } from '../../lib/mcp/tools.ts';
import { MCP_PATH } from '../docs/openapi.ts';
import { Problem } from '../http/problem.ts';
import { stateOf } from '../http/request_state.ts';
import { requestInProcess } from './inner_requests.ts';
import { argumentResult, callTool, readCall } from './tool_calls.ts';
import { isIP } from 'node:net';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Host name of a Host header, or null if it is invalid. */
const nameOf = (host: string): string | null =>
  /^[^\s/?#@\\]+$/.test(host) ? (URL.parse(`http://${host}`)?.hostname ?? null) : null;

/** Whether DNS could have been pointed here: a name with a dot. Addresses and local names are not looked up. */
const isPublicName = (name: string): boolean => name.includes('.') && isIP(name) === 0;

/**
 * Why a request with these headers is refused, or null. A public server has neither cookies nor accounts, so pages of
 * any site may call it.
 */
export function originProblem(publicUrl: string, host: string, origin: string): string | null {
  const own = new URL(publicUrl).hostname;
  if (!LOOPBACK.test(own)) return null;
  const name = nameOf(host);
  if (name === null || (name !== own && isPublicName(name))) return 'The Host header does not name this server.';
  if (origin !== '' && !LOOPBACK.test(URL.parse(origin)?.hostname ?? ''))
    return 'Only pages of this machine may call this server.';
  return null;
}

/** JSON-RPC code of the SDK for a refusal before the message is read. */
const REFUSED = -32_000;
/** A call with a payment takes about 4 kB. */
const MAX_BODY_BYTES = 65_536;

interface McpOptions {
  /** The OpenAPI description. */
  readonly description: () => unknown;
  readonly publicUrl: string;
  readonly collectUrl: (receiptId: string) => string;
  /** Shown if payments are in test money. */
  readonly notice: string | undefined;
  readonly application: () => RequestListener;
  /** Rate limit of unpaid responses, if there is one. */
  readonly limit: Middleware | undefined;
}

const HOW_TO =
  'The first result of a priced tool is its terms (x402 version 2). Call it again with the payment in ' +
  '_meta["x402/payment"]; the settlement is in _meta["x402/payment-response"]. Answers are short: show, from and ' +
  'part choose what is shown, at the same price. With a payment identifier (x402 extension), the same call with the ' +
  'same payment returns more of the answer, free. Start with meta, which is free.';

/** An error response below JSON-RPC: there is no request id to answer. */
function refuse(ctx: Context, status: number, code: number, message: string): void {
  ctx.status = status;
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
}

/** The body of a request, or null if it is too long. @throws Error if the client goes away */
async function readBody(ctx: Context): Promise<string | null> {
  if ((ctx.request.length ?? 0) > MAX_BODY_BYTES) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of ctx.req) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The message of a request, or null after it was refused. */
async function readMessage(ctx: Context): Promise<object | null> {
  const body = await readBody(ctx).catch(() => '');
  if (body === null) {
    // The rest of the body is not read.
    ctx.set('Connection', 'close');
    refuse(ctx, 413, ErrorCode.InvalidRequest, `A message has at most ${MAX_BODY_BYTES} bytes.`);
    return null;
  }
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    refuse(ctx, 400, ErrorCode.ParseError, 'The body is not JSON.');
    return null;
  }
  if (isObject(message)) return message;
  refuse(ctx, 400, ErrorCode.InvalidRequest, 'Send one message at a time: batches are not accepted.');
  return null;
}

/** Whether a message is a valid tool call. Its request is counted by the rate limit. */
function makesRequest(api: Interface, message: object): boolean {
  const parsed = CallToolRequestSchema.safeParse(message);
  if (!parsed.success) return false;
  try {
    readCall(api, parsed.data.params);
    return true;
  } catch {
    return false;
  }
}

const methodNotAllowed = (): Problem =>
  new Problem(
    'method_not_allowed',
    'This is an MCP server: POST its messages here. There is no stream to GET and no session to DELETE.',
    {},
    { Allow: 'POST' },
  );

/** An MCP server for one request. */
function serverFor(ctx: Context, api: Interface, options: McpOptions): Server {
  const { collectUrl, notice, publicUrl } = options;
  const server = new Server(
    { name: 'dealfeed', title: api.title, version: api.version },
    { capabilities: { tools: {} }, instructions: [api.about, HOW_TO, notice].filter(Boolean).join(' ') },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: api.tools.map((tool) => listedTool(tool, VIEW_PROPERTIES)),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return await callTool(
        {
          collectUrl,
          request: (inner) =>
            requestInProcess(options.application(), {
              ...inner,
              ip: ctx.ip,
              host: new URL(publicUrl).host,
              carrier: ctx.res,
            }),
        },
        readCall(api, params),
      );
    } catch (error) {
      if (error instanceof ArgumentError) return argumentResult(error);
      // The SDK would send its text.
      stateOf(ctx).error = error;
      return errorResult('internal_error', 'Something went wrong on our side.', { billed: null });
    }
  });
  return server;
}

/** Without a session id generator, the transport is stateless. */
const STATELESS: TransportOptions = { enableJsonResponse: true };

/** Let the SDK answer one message. */
async function respond(ctx: Context, server: Server, message: object): Promise<void> {
  const transport = new HttpTransport(STATELESS);
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(
      // The transport reads only these headers.
      new Request(`http://localhost${MCP_PATH}`, {
        method: 'POST',
        headers: Object.fromEntries(
          ['Accept', 'Content-Type', 'Mcp-Protocol-Version']
            .map((name) => [name, ctx.get(name)])
            .filter(([, value]) => value),
        ) as Record<string, string>,
      }),
      { parsedBody: message },
    );
    const type = response.headers.get('content-type');
    const text = await response.text();
    // A notification is accepted without a body.
    ctx.body = text === '' ? null : text;
    ctx.status = response.status;
    if (type !== null && text !== '') ctx.type = type;
  } finally {
    await server.close();
  }
}

export function mountMcp(router: Router, options: McpOptions): void {
  let known: Interface | undefined;
  const api = (): Interface => (known ??= parseInterface(options.description(), options.publicUrl));
  router.all(MCP_PATH, async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    const problem = originProblem(options.publicUrl, ctx.get('Host'), ctx.get('Origin'));
    const message = problem === null && ctx.method === 'POST' ? await readMessage(ctx) : null;
    const answer = async (): Promise<void> => {
      if (problem !== null) refuse(ctx, 403, REFUSED, problem);
      else if (ctx.method !== 'POST') throw methodNotAllowed();
      else if (message !== null) await respond(ctx, serverFor(ctx, api(), options), message);
    };
    // A tool call is counted by its own request.
    if (!options.limit || (message !== null && makesRequest(api(), message))) await answer();
    else await options.limit(ctx, answer);
  });
}
