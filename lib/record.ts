/**
 * One definition per record: a zod object whose fields register their storage facts (SQL type, unit, absence rule).
 * TypeScript types, DuckDB columns and their comments, OpenAPI, `/api/meta` notes and the data dictionary come from it.
 */
import { z } from 'zod';
import type { JsonObject } from './json.ts';
import { INTEGERS, within, type Range } from './range.ts';
import { identifier, literal } from './sql.ts';

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** The words of some texts, each word a literal type: accepted values of a field. */
export const words = <const S extends string>(...texts: readonly S[]) =>
  texts.join(' ').split(' ') as unknown as readonly [Words<S>, ...Words<S>[]];

/**
 * Kinds of fields. JSON form of a value, as zod checks it, parsers return it and the API sends it:
 *   money, percent, ratio, degrees  decimal string, never a binary float
 *   integer                         number
 *   date                            YYYY-MM-DD
 *   instant                         YYYY-MM-DDTHH:MM:SSZ, UTC
 *   json                            a JSON object or array, checked by its own schema
 * An absent value is null, and only fields built with an `absent` rule may be null.
 */
export type FieldKind =
  'text' | 'enum' | 'date' | 'instant' | 'money' | 'percent' | 'ratio' | 'degrees' | 'integer' | 'flag' | 'json';

/** Facts about a field for storage and documentation. */
export interface FieldFacts {
  readonly kind: FieldKind;
  /** DuckDB column type in models and queries, as DESCRIBE prints it. */
  readonly sql: string;
  /** Column type in the DuckDB file of a snapshot, if it differs (lib/stored_types.ts). */
  readonly stored?: string;
  /** Meaning of the value, in one plain sentence. */
  readonly about: string;
  /** Unit of the value, if it has one. */
  readonly unit?: string;
  /** Why the value may be null, or the status field with the reason. Without it the column is NOT NULL. */
  readonly absent?: string;
  /** The same for programs, if the field is declared with causes. */
  readonly causes?: readonly Cause[];
  /** Accepted values of an enum, in order. */
  readonly values?: readonly string[];
  /** Accepted values of a number, if fewer than its column holds. */
  readonly range?: Range;
  /** Why values inside a JSON field are null: the first rule that fits the path. */
  readonly inside?: readonly InsideRule[];
  /** The value may name a person. */
  readonly personal?: boolean;
  /** Set if another value alone is no change of the record. */
  readonly follows?: Follows;
}

/**
 * Whence a value comes that is no news of its record. day: from the date, or from the date and the record, such as an
 * age; reads: from the latest read of the source, or from other rows.
 */
export type Follows = 'day' | 'reads';

/** Why values inside a JSON field are null. */
export interface InsideRule {
  /** For the path after the name of the field, such as ".bill" or "[0].amount". */
  readonly path: Pick<RegExp, 'source' | 'test'>;
  /** The first one, unless `choose` names another from the objects around the null, innermost first. */
  readonly codes: readonly string[];
  readonly choose?: (around: readonly JsonObject[]) => unknown;
}

export interface FieldOptions {
  readonly absent?: string | Absence;
  readonly unit?: string;
  readonly personal?: true;
  readonly inside?: readonly InsideRule[];
  readonly follows?: Follows;
  readonly stored?: string;
  /** Decimals of a percent or a ratio. Default 2. */
  readonly decimals?: number;
  readonly range?: Range;
}

/** `.nullable()` in zod returns a schema without metadata, so facts are registered last. */
const registry = z.registry<FieldFacts>();

type Nullable<S extends z.ZodType, O> = O extends { readonly absent: string | Absence } ? z.ZodNullable<S> : S;

type FixedFacts = Pick<FieldFacts, 'kind' | 'sql' | 'about' | 'values'>;

function field<S extends z.ZodType, O extends FieldOptions>(
  schema: S,
  { kind, sql, about, values }: FixedFacts,
  options: FieldOptions & O = {} as O,
): Nullable<S, O> {
  const { absent, decimals: _, ...more }: FieldOptions = options;
  const accepted = within(schema, more.range);
  const described = (absent === undefined ? accepted : accepted.nullable()).meta({ description: about });
  registry.add(described, {
    kind,
    sql,
    about,
    ...more,
    ...(typeof absent === 'object' ? { absent: absent.about, causes: absent.causes } : {}),
    ...(typeof absent === 'string' ? { absent } : {}),
    ...(values === undefined ? {} : { values }),
  });
  return described as Nullable<S, O>;
}

/** Schema of a decimal string with this many decimals. */
const decimalString = (decimals = 2): z.ZodString =>
  z.string().regex(new RegExp(`^-?\\d{1,12}\\.\\d{${decimals}}$`), {
    error: `expected a decimal string with ${decimals === 2 ? 'two' : decimals} decimals`,
    abort: true,
  });

/** Column type of such a string. */
const decimalSql = (decimals = 2): string => `DECIMAL(${12 + decimals},${decimals})`;

/** Free text, trimmed and never empty. */
export const text = <const O extends FieldOptions>(about: string, options?: O) =>
  field(z.string().min(1), { kind: 'text', sql: 'VARCHAR', about }, options);

/** An id that this service gave a row. */
export const uuid = <const O extends FieldOptions>(about: string, options?: O) =>
  text(about, { stored: 'UUID', ...options } as O);

/** One of a closed list of values. */
export const oneOf = <const V extends readonly [string, ...string[]], const O extends FieldOptions>(
  values: V,
  about: string,
  options?: O,
) => field(z.enum(values), { kind: 'enum', sql: 'VARCHAR', about, values }, options);

/** A calendar day, YYYY-MM-DD. */
export const date = <const O extends FieldOptions>(about: string, options?: O) =>
  field(z.iso.date(), { kind: 'date', sql: 'DATE', about }, options);

const ZONED = 'TIMESTAMP WITH TIME ZONE';

/** An instant in UTC to the second. */
export const instant = <const O extends FieldOptions>(about: string, options?: O) =>
  field(z.iso.datetime(), { kind: 'instant', sql: 'TIMESTAMP', about }, {
    unit: 'UTC',
    stored: ZONED,
    ...options,
  } as O);

/** US dollars with two decimals, as a decimal string. */
export const money = <const O extends FieldOptions>(about: string, options?: O) =>
  field(decimalString(), { kind: 'money', sql: decimalSql(), about }, {
    unit: 'USD',
    ...options,
  } as O);

/** A rate in percent as a decimal string, with two decimals by default: "7.30" means 7.30 %. */
export const percent = <const O extends FieldOptions>(about: string, options?: O) =>
  field(decimalString(options?.decimals), { kind: 'percent', sql: decimalSql(options?.decimals), about }, {
    unit: 'percent',
    ...options,
  } as O);

/** A plain ratio as a decimal string, with two decimals by default. */
export const ratio = <const O extends FieldOptions>(about: string, options?: O) =>
  field(decimalString(options?.decimals), { kind: 'ratio', sql: decimalSql(options?.decimals), about }, options);

/** A latitude or longitude in degrees (WGS 84 or NAD 83), as a decimal string with five decimals: about one meter. */
export const degrees = <const O extends FieldOptions>(about: string, options?: O) =>
  field(decimalString(5), { kind: 'degrees', sql: 'DECIMAL(8,5)', about }, { unit: 'degrees', ...options } as O);

/** A count, a year or a score. */
export const integer = <const O extends FieldOptions>(about: string, options?: O) =>
  field(z.int({ abort: true }), { kind: 'integer', sql: 'INTEGER', about }, { range: INTEGERS, ...options } as O);

export const flag = <const O extends FieldOptions>(about: string, options?: O) =>
  field(z.boolean(), { kind: 'flag', sql: 'BOOLEAN', about }, options);

/** A JSON object or array of shape `schema`. */
export const json = <S extends z.ZodType, const O extends FieldOptions>(schema: S, about: string, options?: O) =>
  field(schema, { kind: 'json', sql: 'JSON', about }, options);

export type Fields = Readonly<Record<string, z.ZodType>>;

export interface Column extends FieldFacts {
  readonly name: string;
}

/**
 * Why a field is null, as a code: a fixed one, or the value of another field, each perhaps under a condition in SQL. Of
 * several, the first that applies.
 */
export type Cause =
  | string
  | { readonly of: string; readonly if?: string }
  | { readonly code: string; readonly if?: string; readonly about?: string };

/** Causes of a null, and the same in words. */
export interface Absence {
  readonly causes: readonly Cause[];
  readonly about: string;
}

/** A cause with its words, under a condition in SQL or of whatever no other cause explains. */
export const cause = <const C extends string>(code: C, about: string, condition?: string) => ({
  code,
  about,
  ...(condition === undefined ? {} : { if: condition }),
});

function causeText(given: Cause): string {
  if (typeof given === 'string') return given;
  return 'of' in given ? `${given.of} says why` : `${given.about ?? given.if ?? ''} (${given.code})`;
}

/** Why a field is null: the first of these causes that applies. */
export const because = (...causes: readonly Cause[]): Absence => ({
  causes,
  about: causes.map(causeText).join('; '),
});

/** SQL condition under which a cause applies; null if it applies to whatever no other cause explains. */
export function conditionOf(given: Cause): string | null {
  if (typeof given === 'string') return null;
  return given.if ?? ('of' in given ? `${identifier(given.of)} IS NOT NULL` : null);
}

type NullableField<F extends Fields> = { [K in keyof F]: null extends z.infer<F[K]> ? K : never }[keyof F];

/** The causes of each field that may be null. */
export type Causes<F extends Fields> = { readonly [K in NullableField<F> & string]: readonly Cause[] };

/** The causes that fields are declared with. @throws Error if a field may be null without one */
export const causesOf = <F extends Fields>(fields: F): Causes<F> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, schema]) => {
      const { absent, causes } = factsOf(schema);
      if (absent !== undefined && !causes) throw new Error(`${name} may be null without a cause`);
      return causes ? [[name, causes]] : [];
    }),
  ) as Causes<F>;

export interface RecordDefinition<F extends Fields = Fields> {
  readonly name: string;
  /** Meaning of one row, in one sentence. */
  readonly about: string;
  /** Columns that identify a row. Plain strings, so that any record is assignable to RecordDefinition. */
  readonly key: readonly string[];
  readonly schema: z.ZodObject<F>;
  /** The columns in order, with their facts. */
  readonly columns: readonly Column[];
  /** Set if the API sends the record: why each field is null, if it is. */
  readonly causes?: Readonly<Record<string, readonly Cause[]>>;
}

/** Field of a record in the API: the reason of each field that is null. No column of a table. */
export const ABSENT = 'absent';
/** Field with the names of the fields that the record's source no longer fills, and the reason of those. */
export const MISSING_FIELDS = 'missing_fields';
export const MISSING_AT_SOURCE = 'missing_at_source';
/** Reason if no cause applies. */
export const NOT_RECORDED = 'not_recorded';
export const ABSENT_ABOUT =
  'Reason of every null of the record, by the name of the field, or by the path of a value inside one, such as ' +
  'property_tax.bill.';

/** Schema of `absent` for some columns of a record, or for all. */
function absentSchema(
  columns: readonly Column[],
  causes: Readonly<Record<string, readonly Cause[]>>,
  names: readonly string[] = columns.map(({ name }) => name),
): z.ZodType<Readonly<Record<string, string>>> {
  const valuesOf = (given: Cause): readonly string[] => {
    if (typeof given === 'string') return [given];
    return 'of' in given ? (columns.find((column) => column.name === given.of)?.values ?? []) : [given.code];
  };
  const fields = names.filter((name) => Object.hasOwn(causes, name));
  const ofSource = columns.some(({ name }) => name === MISSING_FIELDS) ? [MISSING_AT_SOURCE] : [];
  const nested = columns.filter(({ name, inside }) => inside && names.includes(name));
  const codes = new Set([
    NOT_RECORDED,
    ...ofSource,
    ...fields.flatMap((name) => causes[name] ?? []).flatMap(valuesOf),
    ...nested.flatMap(({ inside = [] }) => inside.flatMap((rule) => rule.codes)),
  ]);
  const paths = `^(?:${[...fields.map((name) => `${name}$`), ...nested.map(({ name }) => `${name}[.[]`)].join('|')})`;
  const isPath = new RegExp(paths, 'u');
  return z
    .record(z.string(), z.string())
    .refine((absent) => Object.entries(absent).every(([path, code]) => isPath.test(path) && codes.has(code)))
    .meta({
      description: ABSENT_ABOUT,
      propertyNames: { pattern: paths },
      additionalProperties: { type: 'string', enum: [...codes].sort() },
    });
}

/** Schema of a record with some of its fields, named in a text, and the reasons of their nulls. */
export function partOf<F extends Fields, const S extends string>(record: RecordDefinition<F>, names: S) {
  const fields = names.split(' ');
  const { schema, columns, causes = {} } = record;
  const mask = Object.fromEntries(fields.map((name) => [name, true]));
  return schema
    .pick(mask as Parameters<typeof schema.pick>[0])
    .extend({ [ABSENT]: absentSchema(columns, causes, fields) }) as unknown as z.ZodObject<
    Pick<F, Words<S> & keyof F> & { readonly [ABSENT]: ReturnType<typeof absentSchema> }
  >;
}

export type RowOf<D> = D extends { readonly schema: infer S extends z.ZodType } ? z.infer<S> : never;

/** A row from which values that may be absent can be left out. */
export type GivenRow<R> = { readonly [K in keyof R as null extends R[K] ? never : K]: R[K] } & {
  readonly [K in keyof R as null extends R[K] ? K : never]?: R[K];
};

/** The row of a record with null for each value that was left out. */
export function completeRow<D extends RecordDefinition>(
  { columns }: D,
  given: GivenRow<RowOf<D>>,
): Readonly<Record<string, unknown>> {
  const blanks = Object.fromEntries(
    columns.filter((column) => column.absent !== undefined).map((column) => [column.name, null]),
  );
  return { ...blanks, ...given };
}

/** Facts of one field. @throws if it was not created by a builder of this module */
function factsOf(schema: z.ZodType): FieldFacts {
  const facts = registry.get(schema);
  if (!facts) throw new Error('the field has no facts: create it with a builder of lib/record.ts');
  return facts;
}

/** Define a record. Its schema rejects unknown keys. Rows of a record with causes may have the field `absent`. */
export function defineRecord<F extends Fields>(
  name: string,
  about: string,
  key: readonly (keyof F & string)[],
  fields: F,
  ...[causes]: readonly Causes<F>[]
): RecordDefinition<F> {
  const columns = Object.entries(fields).map(([column, schema]) => ({ name: column, ...factsOf(schema) }));
  const served = causes === undefined ? fields : { ...fields, [ABSENT]: absentSchema(columns, causes).optional() };
  return {
    name,
    about,
    key,
    schema: z.strictObject(served) as unknown as z.ZodObject<F>,
    columns,
    ...(causes === undefined ? {} : { causes }),
  };
}

/**
 * `CREATE TABLE` for a record, with NOT NULL for each field without an absence rule.
 * @param constraints of the table, such as its keys
 */
export function createTable(
  table: string,
  columns: readonly Pick<Column, 'name' | 'sql' | 'absent'>[],
  constraints: readonly string[] = [],
): string {
  const lines = columns.map(
    (column) => `${identifier(column.name)} ${column.sql}${column.absent === undefined ? ' NOT NULL' : ''}`,
  );
  return `CREATE TABLE ${identifier(table)} (\n  ${[...lines, ...constraints].join(',\n  ')}\n)`;
}

/** `COMMENT ON` statements, so that `duckdb_columns()` shows the descriptions. */
export function commentOn(
  table: string,
  about: string,
  columns: readonly Column[],
  kind: 'TABLE' | 'VIEW' = 'TABLE',
): string[] {
  return [
    `COMMENT ON ${kind} ${identifier(table)} IS ${literal(about)}`,
    ...columns.map(
      (column) => `COMMENT ON COLUMN ${identifier(table)}.${identifier(column.name)} IS ${literal(noteOf(column))}`,
    ),
  ];
}

/** Description of a field for people: meaning, unit, accepted values, absence rule. */
export function noteOf(facts: FieldFacts): string {
  return [
    facts.about,
    facts.unit === undefined ? '' : `Unit: ${facts.unit}.`,
    facts.values === undefined ? '' : `One of: ${facts.values.join(', ')}.`,
    facts.absent === undefined ? '' : `Null when: ${facts.absent}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
