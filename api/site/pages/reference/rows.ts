/** Fields of records, answers and objects in them as rows of a table, from their columns and schemas. */
import type { Column } from '../../../../lib/record.ts';
import { RECORDS } from './records.ts';
import { innerFields, refName, withoutNull, type Schema } from './schema.ts';

/** The type of a value: words, and what they link to. */
export interface TypeWords {
  readonly text: string;
  /** Accepted values of a closed list. */
  readonly values?: readonly unknown[];
  /** A record that the value is, or has in its items. */
  readonly record?: string;
}

export interface FieldRow {
  /** Name, with the names of the objects that it is in: "lines[].figure". */
  readonly path: string;
  readonly type: TypeWords;
  readonly unit?: string | undefined;
  readonly about: string;
  readonly isNullable: boolean;
  /** When the value is null. */
  readonly absent?: string | undefined;
  /** Fields of a record that the value has, if it shares most of its fields with one. */
  readonly shared?: { readonly record: string; readonly names: readonly string[] };
}

type Schemas = Readonly<Record<string, Schema>>;

const KINDS: Readonly<Record<Column['kind'], string>> = {
  text: 'text',
  enum: 'text',
  date: 'date',
  instant: 'instant',
  money: 'decimal string',
  percent: 'decimal string',
  ratio: 'decimal string',
  degrees: 'decimal string',
  integer: 'integer',
  flag: 'boolean',
  json: 'object',
};
const FORMATS: Readonly<Record<string, string>> = { date: 'date', 'date-time': 'instant', uuid: 'UUID', uri: 'URL' };
/** Objects in objects are shown down to this depth; OpenAPI has the rest. */
const MAX_DEPTH = 4;
/** An object that shares this many fields with a record is shown as fields of it. */
const [MIN_SHARED, SHARED_PART] = [5, 0.6];

/** Name of the record of a component, "deal" for deal_in_list. */
const recordOf = ($ref: string): string | undefined => {
  const name = refName($ref).replace(/_in_list$/u, '');
  return RECORDS.find((record) => record.name === name)?.name;
};

/** The type in words, without null. */
function typeWords(given: Schema): TypeWords {
  const { schema } = withoutNull(given);
  const { $ref, const: fixed, items, additionalProperties: map, format, enum: values } = schema;
  if ($ref !== undefined) {
    const record = recordOf($ref);
    return { text: record ?? refName($ref).replaceAll('_', ' '), ...(record === undefined ? {} : { record }) };
  }
  if (fixed !== undefined) return { text: JSON.stringify(fixed) };
  if (values) return { text: 'text', values };
  if (schema.type === 'array') {
    const { text, ...rest } = items ? typeWords(items) : { text: 'values' };
    return { text: `list of ${text}`, ...rest };
  }
  if (schema.properties) return { text: 'object' };
  if (typeof map === 'object' && Object.keys(map).length > 0) {
    const { text, ...rest } = typeWords(map);
    return { text: `map of ${text}`, ...rest };
  }
  if (format !== undefined) return { text: FORMATS[format] ?? format };
  // Money, percent and ratios are the texts with a pattern of digits.
  if (schema.pattern?.includes(String.raw`\d`) === true) return { text: KINDS.money };
  return { text: schema.type === 'string' ? 'text' : typeof schema.type === 'string' ? schema.type : 'any value' };
}

/** The record that shares most fields with an object, and the names of these fields. */
function sharedWith(properties: Schemas, schemas: Schemas): FieldRow['shared'] {
  const names = Object.keys(properties);
  for (const { name: record } of RECORDS) {
    const own = schemas[record]?.properties ?? {};
    const same = names.filter((name) => JSON.stringify(own[name]) === JSON.stringify(properties[name]));
    if (same.length >= MIN_SHARED && same.length >= names.length * SHARED_PART) return { record, names: same };
  }
  return undefined;
}

/** A field of an object and the fields of the objects in it. */
function rowsFor(path: string, schema: Schema, schemas: Schemas, depth: number): readonly FieldRow[] {
  const { isNullable } = withoutNull(schema);
  const inner = depth < MAX_DEPTH ? innerFields(schema) : undefined;
  const shared = inner && sharedWith(inner.of.properties ?? {}, schemas);
  const row: FieldRow = {
    path,
    type: typeWords(schema),
    about: schema.description ?? withoutNull(schema).schema.description ?? '',
    isNullable,
    ...(shared ? { shared } : {}),
  };
  const others = Object.entries(inner?.of.properties ?? {}).filter(
    ([name]) => !shared || !(shared.names.includes(name) || name === 'absent'),
  );
  // An object in an object without a text of its own is named by its fields.
  const isNamed = depth === 0 || row.about !== '' || row.type.text !== 'object' || row.isNullable;
  return [
    ...(isNamed ? [row] : []),
    ...others.flatMap(([name, of]) => rowsFor(`${path}${inner?.suffix ?? '.'}${name}`, of, schemas, depth + 1)),
  ];
}

/** Anchor of a row: the path of its first field. */
export const anchorOf = ({ path }: Pick<FieldRow, 'path'>): string => path.split(',')[0] ?? path;

/** The path without its last name. */
export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('.') + 1, 0));

/** Neighboring fields of one object with the same type and no description are one row: "low, high". */
function merged(rows: readonly FieldRow[]): readonly FieldRow[] {
  const isPlain = ({ about, type, shared }: FieldRow): boolean =>
    about === '' && !type.values && type.record === undefined && !shared;
  return rows.reduce<FieldRow[]>((done, row) => {
    const last = done.at(-1);
    const parent = parentOf(row.path);
    const isSame =
      last &&
      isPlain(row) &&
      isPlain(last) &&
      parent !== '' &&
      parent === parentOf(last.path) &&
      row.type.text === last.type.text &&
      row.isNullable === last.isNullable;
    if (!isSame) return [...done, row];
    return [...done.slice(0, -1), { ...last, path: `${last.path}, ${row.path.slice(parent.length)}` }];
  }, []);
}

/** The fields of an object. */
export const rowsOf = (object: Schema, schemas: Schemas): readonly FieldRow[] =>
  merged(Object.entries(object.properties ?? {}).flatMap(([name, of]) => rowsFor(name, of, schemas, 0)));

/** A column of a record and the fields of the objects in it. */
export function columnRows(column: Column, record: string, schemas: Schemas): readonly FieldRow[] {
  const schema = schemas[record]?.properties?.[column.name] ?? {};
  const [first, ...inner] = rowsFor(column.name, schema, schemas, 1);
  const row: FieldRow = {
    ...(first ?? { path: column.name, isNullable: false }),
    type:
      column.kind === 'json'
        ? typeWords(schema)
        : { text: KINDS[column.kind], ...(column.values ? { values: column.values } : {}) },
    unit: column.unit,
    about: column.about,
    absent: column.absent,
  };
  return merged([row, ...inner]);
}
