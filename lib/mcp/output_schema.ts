/**
 * Output schemas of tools: the fields of an answer with their types. Clients check refusals and payment terms against
 * them too, so nothing is required.
 */
import { z } from 'zod';

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

export interface OutputSchema {
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
