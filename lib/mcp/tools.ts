/**
 * Tools for agents, one per endpoint, generated from the OpenAPI description of a server; and an MCP server with them,
 * for every revision of the protocol that the SDK serves.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequest,
  type CallToolResult,
  type Tool as ListedTool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ArgumentError, errorResult } from './results.ts';
import { VIEW_HELP, VIEW_PROPERTIES } from './short_answer.ts';

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
  description: z.string().default(''),
  schema: z.object({ type: z.string().default('string'), enum: z.array(z.unknown()).optional() }),
});
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  'x-price-usd': z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(Parameter),
});
const OpenApi = z.object({
  openapi: z.string().startsWith('3.1'),
  info: z.object({ title: z.string(), version: z.string(), description: z.string().default('') }),
  paths: z.record(z.string(), z.object({ get: Operation })),
});
type Parameter = z.infer<typeof Parameter>;

export interface Tool {
  readonly name: string;
  readonly isFree: boolean;
  /** As hosts see it. All tools together stay below 15 kB, because an agent has them in its context all the time. */
  readonly listed: ListedTool;
  /** URL of a call, from its arguments without those of the view. @throws ArgumentError */
  url(given: Readonly<Record<string, unknown>>): URL;
}

/** Longer lists of accepted values, and what a long sentence has after its colon, are left out. */
const MAX_CHARACTERS = 150;

/** The first sentence. Errors name the expected values, and are free. */
function shortened(text: string): string {
  const sentence = text.replace(/(?:\.| Expected: )(?: .*)?$/su, '');
  return sentence.length > MAX_CHARACTERS ? sentence.replace(/: .*$/su, '') : sentence;
}

/** Schema of a parameter. Where the same one occurs again, it has its type alone: `told` has the others. */
function schemaOf({ name, schema: { type, enum: values }, description }: Parameter, told: Set<string>): object {
  const isShort = values !== undefined && JSON.stringify(values).length <= MAX_CHARACTERS;
  const about = {
    ...(isShort ? { enum: values } : {}),
    description: shortened(description.replace(/(?<!^true)[:;] .*$/su, '.')),
  };
  const key = name + JSON.stringify(about);
  const isTold = told.has(key);
  told.add(key);
  return isTold ? { type } : { type, ...about };
}

/** @throws ArgumentError if it is neither text, a number nor a boolean */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ArgumentError(`${name} is ${JSON.stringify(value)}, expected text, a number, or true or false.`);
}

/** A value as one path segment. "." and ".." would change the path. @throws ArgumentError */
function segmentOf(name: string, value: unknown): string {
  const text = textOf(name, value);
  if (/^\.{0,2}$/.test(text)) throw new ArgumentError(`${name} is ${JSON.stringify(text)}, expected an id.`);
  return encodeURIComponent(text);
}

function createTool(path: string, operation: z.infer<typeof Operation>, base: string, told: Set<string>): Tool {
  const { operationId: name, parameters, summary, 'x-price-usd': price } = operation;
  const isFree = Number(price) === 0;
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return {
    name,
    isFree,
    listed: {
      name,
      description: `${shortened(summary)}. ${isFree ? 'Free' : `$${price}`}.`,
      inputSchema: {
        type: 'object',
        properties: {
          ...Object.fromEntries(parameters.map((parameter) => [parameter.name, schemaOf(parameter, told)])),
          ...VIEW_PROPERTIES,
        },
        ...(required.length === 0 ? {} : { required }),
      },
      // A paid tool moves money: hosts must not treat it as read-only, and do not without the hint.
      annotations: isFree ? { readOnlyHint: true } : { destructiveHint: false },
    },
    url(given) {
      const query = new URLSearchParams();
      let filled = path;
      for (const [argument, value] of Object.entries(given)) {
        const parameter = known.get(argument);
        if (!parameter)
          throw new ArgumentError(
            `There is no argument ${argument}. Known: ${[...known.keys()].join(', ') || 'none'}.`,
          );
        if (value === undefined || value === null) continue;
        if (parameter.in === 'path') {
          const segment = segmentOf(argument, value);
          filled = filled.replace(`{${argument}}`, () => segment);
        } else query.set(argument, textOf(argument, value));
      }
      for (const argument of required)
        if (given[argument] === undefined || given[argument] === null)
          throw new ArgumentError(`${argument} is missing.`);
      // Concatenated: with new URL(path, base), a path that begins with // would be another server.
      return new URL(`${base}${filled}${query.size === 0 ? '' : `?${query.toString()}`}`);
    },
  };
}

export interface Interface {
  /** URL of the server, without a trailing slash. */
  readonly base: string;
  readonly title: string;
  readonly version: string;
  readonly about: string;
  readonly tools: readonly Tool[];
}

/**
 * The interface of the server at `base`, which has no trailing slash.
 * @throws Error if the description is invalid, tool names are not unique, or a parameter is named as a view argument
 */
export function parseInterface(description: unknown, base: string): Interface {
  const { info, paths } = OpenApi.parse(description);
  const told = new Set<string>();
  // Left out: routes that require a sign-in, and the feeds of one register, which are filings with its state.
  const operations = Object.entries(paths).filter(
    ([path, { get }]) => path.startsWith('/api/') && get.security.every((scheme) => 'x402' in scheme),
  );
  const tools = operations.map(([path, { get }]) => createTool(path, get, base, told));
  const names = new Set(tools.map((tool) => tool.name));
  if (names.size !== tools.length || tools.some((tool) => !/^[a-z0-9_]{1,64}$/.test(tool.name)))
    throw new Error('the operations of the interface description do not have unique names');
  if (operations.some(([, { get }]) => get.parameters.some(({ name }) => name in VIEW_PROPERTIES)))
    throw new Error(`a parameter is named ${Object.keys(VIEW_PROPERTIES).join(' or ')}`);
  return { base, title: info.title, version: info.version, about: info.description, tools };
}

/** No stream of changes is served: the tools of a server never change while it runs. */
export const NO_SUBSCRIPTIONS = { maxSubscriptions: 0 } as const;

export interface ToolServerOptions {
  readonly api: Pick<Interface, 'title' | 'version' | 'about'>;
  /** For the agent: whose money, and how to pay. */
  readonly help: string;
  readonly tools: readonly ListedTool[];
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
