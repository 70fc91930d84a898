/** JSON Schemas of records and responses, for OpenAPI. */
import { z } from 'zod';
import { ProblemDocument } from '../http/problem.ts';
import type { RecordDefinition } from '../../lib/record.ts';
import { ALL, FIELD_GROUPS, fieldChoices, type FieldGroups } from '../routes/list/field_groups.ts';
import { partialOf } from '../routes/list/route.ts';
import { TABLES } from '../../models/serving/tables.ts';

export type JsonObject = Record<string, unknown>;

export const componentPath = (id: string): string => `#/components/schemas/${id}`;

type Schemas = Readonly<Record<string, JsonObject>>;

/** Schemas of the last document, cached: writing them is slow, and every server of a process has the same responses. */
let last: { readonly names: ReadonlyMap<z.ZodType, string>; readonly schemas: Schemas } | undefined;

const isSame = (a: ReadonlyMap<z.ZodType, string>, b: ReadonlyMap<z.ZodType, string>): boolean =>
  a.size === b.size && [...a].every(([body, name]) => b.get(body) === name);

/** JSON Schemas of every record and response, by name. Each record is defined once and referenced. */
export function schemasOf(names: ReadonlyMap<z.ZodType, string>): Schemas {
  if (!last || !isSame(last.names, names)) last = { names, schemas: writeSchemas(names) };
  return last.schemas;
}

function writeSchemas(names: ReadonlyMap<z.ZodType, string>): Schemas {
  const named = z.registry<{ id: string }>();
  const about = new Map<unknown, string>();
  const byDefault = new Map<unknown, readonly string[]>();
  for (const [table, { groups, ...group }] of Object.entries(FIELD_GROUPS) as [
    keyof typeof FIELD_GROUPS,
    FieldGroups,
  ][]) {
    const record: RecordDefinition = TABLES[table];
    const partial = partialOf(record.schema);
    named.add(record.schema, { id: record.name });
    about.set(record.schema, record.about);
    named.add(partial, { id: `${record.name}_in_list` });
    about.set(
      partial,
      `${record.about} id is always there, and absent unless a change has the id alone; without the parameter ` +
        'fields, so are all of x-default-fields.',
    );
    const choices = fieldChoices(Object.keys(record.schema.shape), groups);
    byDefault.set(
      partial,
      (group.byDefault ?? [ALL]).flatMap((name) => choices.get(name) ?? []),
    );
  }
  named.add(ProblemDocument, { id: 'problem' });
  for (const [body, id] of names) named.add(body, { id });
  const { schemas } = z.toJSONSchema(named, {
    uri: componentPath,
    override({ zodSchema, jsonSchema }) {
      const description = about.get(zodSchema) ?? z.globalRegistry.get(zodSchema)?.description;
      if (description !== undefined) jsonSchema.description = description;
      const fields = byDefault.get(zodSchema);
      if (fields)
        jsonSchema['x-default-fields'] = Object.keys(jsonSchema.properties ?? {}).filter((name) =>
          fields.includes(name),
        );
      // Redundant: zod adds a 200-character pattern to a format, and JavaScript's bounds to every integer.
      if (jsonSchema.format === 'date' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  // In OpenAPI a schema is referenced by its location.
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$id' && key !== '$schema')),
    ]),
  );
}
