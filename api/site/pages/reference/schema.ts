/** The parts of OpenAPI that the reference reads. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
export interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}
export interface Document {
  readonly info: { readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const refName = ($ref: string): string => $ref.split('/').at(-1) ?? '';

export const choicesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [];

const isNull = ({ type }: Schema): boolean => type === 'null';

/** The schema without null, and whether null is allowed. */
export function withoutNull(schema: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  const choices = choicesOf(schema);
  const others = choices.filter((choice) => !isNull(choice));
  if (others.length === 1 && others[0] && others.length < choices.length) {
    const { description = others[0].description } = schema;
    return { schema: { ...others[0], ...(description === undefined ? {} : { description }) }, isNullable: true };
  }
  if (typeof schema.type === 'object' && schema.type.includes('null')) {
    const [type = 'null'] = schema.type.filter((name) => name !== 'null');
    return { schema: { ...schema, type }, isNullable: true };
  }
  return { schema, isNullable: others.length < choices.length };
}

/** The fields of an object, of the items of a list, or of the values of a map, and how they are reached. */
export function innerFields(schema: Schema): { readonly suffix: string; readonly of: Schema } | undefined {
  const { schema: given } = withoutNull(schema);
  if (given.properties) return { suffix: '.', of: given };
  if (given.items) {
    const inner = innerFields(given.items);
    return inner && { suffix: `[]${inner.suffix}`, of: inner.of };
  }
  if (typeof given.additionalProperties === 'object') {
    const inner = innerFields(given.additionalProperties);
    return inner && { suffix: `.*${inner.suffix}`, of: inner.of };
  }
  return undefined;
}
