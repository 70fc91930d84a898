/** Tools for agents, one per endpoint, generated from the OpenAPI description of a server. */
import { z } from 'zod';

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
  description: z.string().default(''),
  schema: z.record(z.string(), z.unknown()),
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

/** Default limit for agents, which read every record. */
export const DEFAULT_RECORDS = 10;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly free: boolean;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Record<string, object>;
    readonly required: string[];
    readonly additionalProperties: false;
  };
  /** URL of a call. @throws ArgumentError */
  url(given: Readonly<Record<string, unknown>>): URL;
}

/** An argument that cannot be sent. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

const textOf = (name: string, value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ArgumentError(`${name} is ${JSON.stringify(value)}, expected text, a number, or true or false.`);
};

/** A value as one path segment. "." and ".." would change the path. */
const segmentOf = (name: string, value: unknown): string => {
  const text = textOf(name, value);
  if (/^\.{0,2}$/.test(text)) throw new ArgumentError(`${name} is ${JSON.stringify(text)}, expected an id.`);
  return encodeURIComponent(text);
};

function toolOf(path: string, operation: z.infer<typeof Operation>, base: string): Tool {
  const price = operation['x-price-usd'];
  const free = Number(price) === 0;
  const limited = operation.parameters.some((p) => p.name === 'limit');
  const known = new Map(operation.parameters.map((p) => [p.name, p]));
  return {
    name: operation.operationId,
    title: `GET ${path}`,
    free,
    description: `${operation.summary} ${free ? 'Free.' : `Costs $${price} per 200 response. No match, no charge.`}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        operation.parameters.map((p) => [
          p.name,
          {
            ...p.schema,
            description:
              p.name === 'limit'
                ? `${p.description} Default of this tool: ${DEFAULT_RECORDS}. More records cost the same.`
                : p.description,
          },
        ]),
      ),
      required: operation.parameters.filter((p) => p.required).map((p) => p.name),
      additionalProperties: false,
    },
    url(given) {
      const query = new URLSearchParams();
      let filled = path;
      for (const [name, value] of Object.entries({ ...(limited ? { limit: DEFAULT_RECORDS } : {}), ...given })) {
        const parameter = known.get(name);
        if (!parameter)
          throw new ArgumentError(`There is no argument ${name}. Known: ${[...known.keys()].join(', ') || 'none'}.`);
        if (value === undefined || value === null) continue;
        if (parameter.in === 'path') {
          const segment = segmentOf(name, value);
          filled = filled.replace(`{${name}}`, () => segment);
        } else query.set(name, textOf(name, value));
      }
      for (const { name } of operation.parameters.filter((p) => p.required))
        if (given[name] === undefined || given[name] === null) throw new ArgumentError(`${name} is missing.`);
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
 * @throws Error if the description is invalid or tool names are not unique
 */
export function interfaceOf(description: unknown, base: string): Interface {
  const { info, paths } = OpenApi.parse(description);
  // Routes that require a sign-in are excluded: collect is a tool of this client.
  const tools = Object.entries(paths)
    .filter(([, { get }]) => get.security.every((s) => 'x402' in s))
    .map(([path, { get }]) => toolOf(path, get, base));
  const names = new Set(tools.map((t) => t.name));
  if (names.size !== tools.length || tools.some((t) => !/^[a-z0-9_]{1,64}$/.test(t.name)))
    throw new Error('the operations of the interface description do not have unique names');
  return { base, title: info.title, version: info.version, about: info.description, tools };
}
