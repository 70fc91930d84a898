/** Tools for agents, one per endpoint, generated from the OpenAPI description of a server. */
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { ArgumentError, segmentOf, textOf } from './arguments.ts';
import { VIEW_PROPERTIES } from './short_answer.ts';

type Json = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI schema that are read here. */
const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
});

const SIMPLE = new Set(['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']);

/** JSON types of a schema; undefined if it states none. */
function typesOf(schema: unknown): string[] | undefined {
  const { $ref, type, anyOf } = Schema.catch({}).parse(schema);
  if ($ref !== undefined) return ['object'];
  if (anyOf) {
    const all = anyOf.map(typesOf);
    return all.every((types) => types !== undefined) ? [...new Set(all.flat())] : undefined;
  }
  const types = type === undefined ? undefined : [type].flat();
  return types?.every((name) => SIMPLE.has(name)) ? types : undefined;
}

const typed = (types: readonly string[] | undefined): Json =>
  types === undefined ? {} : { type: types.length === 1 ? types[0] : types };

/** Schema of a body: its fields with their types. A short answer may leave out any of them. */
function bodySchema(response: Json | undefined, components: Readonly<Record<string, unknown>>): Json {
  const name = /^#\/components\/schemas\/(\w+)$/u.exec(String(response?.['$ref']))?.[1];
  const { properties } = Schema.catch({}).parse(name === undefined ? response : components[name]);
  if (!properties) return { type: 'object' };
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([field, schema]) => [field, typed(typesOf(schema))]),
    ),
  };
}

interface OutputSchema {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly [key: string]: unknown;
}

/**
 * Schema of the structured content of a tool.
 * @param content of the 200 response in OpenAPI, by media type
 * @param components schemas that it refers to
 */
export function outputSchema(
  content: Readonly<Record<string, { readonly schema?: Json | undefined }>>,
  components: Readonly<Record<string, unknown>>,
): OutputSchema {
  const json = content['application/json'];
  return {
    type: 'object',
    properties: { body: json ? bodySchema(json.schema, components) : { type: 'string' } },
  };
}

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
  description: z.string().default(''),
  schema: z.record(z.string(), z.unknown()),
});
const Content = z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()).optional() }));
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  'x-price-usd': z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(Parameter),
  responses: z.object({ 200: z.object({ content: Content.default({}) }).optional() }),
});
const OpenApi = z.object({
  openapi: z.string().startsWith('3.1'),
  info: z.object({ title: z.string(), version: z.string(), description: z.string().default('') }),
  paths: z.record(z.string(), z.object({ get: Operation })),
  components: z.object({ schemas: z.record(z.string(), z.unknown()).default({}) }).default({ schemas: {} }),
});

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isFree: boolean;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Record<string, object>;
    readonly required?: string[];
    readonly additionalProperties: false;
  };
  readonly outputSchema: OutputSchema;
  /** URL of a call, from its arguments without those of the view. @throws ArgumentError */
  url(given: Readonly<Record<string, unknown>>): URL;
}

/** A description without the expected values that the schema has. Each tool repeats them, and agents read them all. */
const aboutOf = ({ schema, description }: z.infer<typeof Parameter>): string =>
  'enum' in schema ||
  'format' in schema ||
  schema['type'] !== 'string' ||
  description.endsWith(' Expected: text of 1 to 200 characters.')
    ? description.replace(/ Expected: .*$/u, '')
    : description;

interface Service {
  /** URL of the server, without a trailing slash. */
  readonly base: string;
  readonly components: Readonly<Record<string, unknown>>;
}

function createTool(path: string, operation: z.infer<typeof Operation>, { base, components }: Service): Tool {
  const { parameters, summary, 'x-price-usd': price } = operation;
  const isFree = Number(price) === 0;
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return {
    name: operation.operationId,
    title: `GET ${path}`,
    isFree,
    description: `${summary} ${isFree ? 'Free.' : `Costs $${price}. No match, no charge.`}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        parameters.map((parameter) => [parameter.name, { ...parameter.schema, description: aboutOf(parameter) }]),
      ),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    outputSchema: outputSchema(operation.responses[200]?.content ?? {}, components),
    url(given) {
      const query = new URLSearchParams();
      let filled = path;
      for (const [name, value] of Object.entries(given)) {
        const parameter = known.get(name);
        if (!parameter)
          throw new ArgumentError(`There is no argument ${name}. Known: ${[...known.keys()].join(', ') || 'none'}.`);
        if (value === undefined || value === null) continue;
        if (parameter.in === 'path') {
          const segment = segmentOf(name, value);
          filled = filled.replace(`{${name}}`, () => segment);
        } else query.set(name, textOf(name, value));
      }
      for (const name of required)
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
 * @throws Error if the description is invalid, tool names are not unique, or a parameter is named as a view argument
 */
export function parseInterface(description: unknown, base: string): Interface {
  const { info, paths, components } = OpenApi.parse(description);
  // Left out: routes that require a sign-in, and the feeds of one register, which are filings with its state.
  const tools = Object.entries(paths)
    .filter(([path, { get }]) => path.startsWith('/api/') && get.security.every((scheme) => 'x402' in scheme))
    .map(([path, { get }]) => createTool(path, get, { base, components: components.schemas }));
  const names = new Set(tools.map((tool) => tool.name));
  if (names.size !== tools.length || tools.some((tool) => !/^[a-z0-9_]{1,64}$/.test(tool.name)))
    throw new Error('the operations of the interface description do not have unique names');
  if (tools.some((tool) => Object.keys(VIEW_PROPERTIES).some((name) => name in tool.inputSchema.properties)))
    throw new Error(`a parameter is named ${Object.keys(VIEW_PROPERTIES).join(' or ')}`);
  return { base, title: info.title, version: info.version, about: info.description, tools };
}

/** A tool as hosts see it, with the arguments of the view in `view`. */
export const listedTool = (tool: Tool, view: Readonly<Record<string, object>>): ListedTool => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: { ...tool.inputSchema, properties: { ...tool.inputSchema.properties, ...view } },
  outputSchema: { ...tool.outputSchema },
  // A paid tool moves money: hosts must not treat it as read-only.
  annotations: { readOnlyHint: tool.isFree, ...(tool.isFree ? {} : { destructiveHint: false }) },
});
