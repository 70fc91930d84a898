/** Examples of calls and answers, from sample records and schemas. They depend on no snapshot. */
import { z } from 'zod';
import type { Route } from '../routes/define.ts';
import { paramFacts, type ParamFacts } from '../routes/params.ts';
import { SAMPLE_CALLS, SAMPLE_PARAMS, SAMPLE_RECORDS, SAMPLE_VALUES, type Sample } from './sample_records.ts';

interface Shape {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly minItems?: number;
  readonly additionalProperties?: Shape | boolean;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-20',
  'date-time': '2026-11-20T12:00:00Z',
  uuid: '9b0e1ea1-707b-5e7e-b560-a5057278a13c',
  uri: 'https://county.example/records/1',
};
/** Texts for patterns: figures with two or more decimals, hashes, codes. The first one that matches is used. */
const TEXTS = ['text', '12.50', '12.5000', '41.54128', '12', '39035', 'a'.repeat(64), 'uw-2026.2'];

const textFor = ({ format, pattern }: Shape): string =>
  (format === undefined ? undefined : FORMATS[format]) ??
  TEXTS.find((text) => pattern === undefined || new RegExp(pattern, 'u').test(text)) ??
  'text';

const typesOf = ({ type }: Shape): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []));

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Whether a sample value has this shape; its parts are not checked. */
function fits(shape: Shape, value: unknown): boolean {
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) return choices.some((choice) => fits(choice, value));
  if (shape.const !== undefined) return value === shape.const;
  if (shape.enum) return shape.enum.includes(value);
  const type = typeOf(value);
  const types = typesOf(shape);
  if (types.length > 0 && !types.includes(type) && !(type === 'integer' && types.includes('number'))) return false;
  if (type === 'object') return (shape.required ?? []).every((name) => Object.hasOwn(value as object, name));
  if (typeof value !== 'string') return true;
  if (shape.format === 'date') return /^\d{4}-\d{2}-\d{2}$/u.test(value);
  if (shape.format === 'date-time') return /^\d{4}-\d{2}-\d{2}T/u.test(value);
  return shape.pattern === undefined || new RegExp(shape.pattern, 'u').test(value);
}

/** The sample that shares the most fields with an object, if it is a record. */
function sampleFor(properties: Readonly<Record<string, Shape>>, samples: readonly Sample[]): Sample | undefined {
  if (!Object.hasOwn(properties, 'absent') || !Object.hasOwn(properties, 'id')) return undefined;
  const shared = (sample: Sample): number =>
    Object.keys(sample).filter((name) => Object.hasOwn(properties, name)).length;
  return samples.toSorted((a, b) => shared(b) - shared(a))[0];
}

/** Where a value is: the samples for records in it, and the record that it is part of. */
interface Place {
  readonly samples: readonly Sample[];
  readonly record: Sample;
}

/** A record of a list has the sample's fields, and any other object has all. */
function objectExample({ properties = {}, required = [] }: Shape, { samples, record }: Place): Record<string, unknown> {
  const sample = sampleFor(properties, samples);
  const place = { samples, record: sample ?? record };
  const first = Object.keys(sample ?? {}).filter((name) => Object.hasOwn(properties, name));
  const isPartial = sample !== undefined && required.length === 1;
  const names = isPartial ? first : [...new Set([...first, ...Object.keys(properties)])];
  return Object.fromEntries(
    names.map((name) => {
      const shape = properties[name] ?? {};
      const value = place.record[name] ?? SAMPLE_VALUES[name];
      return [name, value !== undefined && fits(shape, value) ? value : exampleOf(shape, place)];
    }),
  );
}

/** An example of a shape. */
function exampleOf(shape: Shape, place: Place): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  const choices = shape.anyOf ?? shape.oneOf ?? shape.allOf;
  if (choices) return exampleOf(choices[0] ?? {}, place);
  switch (typesOf(shape)[0]) {
    case 'object':
      return objectExample(shape, place);
    case 'array':
      return shape.items ? [exampleOf(shape.items, place)] : [];
    case 'integer':
    case 'number':
      return Math.max(shape.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return textFor(shape);
  }
}

/** Cached by response: writing a schema as JSON is slow, and every server of a process has the same ones. */
const examples = new WeakMap<z.ZodType, unknown>();

const FILE_COLUMNS = ['id', 'document_number', 'business_name', 'filing_date', 'entity_type', 'source_state'];

/** An example of the answer of a route; of a file, its first lines. */
export function answerExample({ path, media, response }: Pick<Route, 'path' | 'media' | 'response'>): unknown {
  const isColorado = path.startsWith('/colorado/');
  const samples = isColorado ? SAMPLE_RECORDS.toReversed() : SAMPLE_RECORDS;
  if (media !== undefined) {
    const record = samples.find((sample) => sample['document_number'] !== undefined) ?? {};
    return `${FILE_COLUMNS.join(',')}\n${FILE_COLUMNS.map((name) => String(record[name])).join(',')}\n`;
  }
  const example = examples.get(response) ?? exampleOf(z.toJSONSchema(response) as Shape, { samples, record: {} });
  examples.set(response, example);
  return example;
}

/** A value of a parameter that is accepted, and matches records of the sandbox if the name is known. */
export function paramExample(name: string, facts: ParamFacts): string | number | boolean {
  const { kind, values, names, range } = facts;
  const sample = SAMPLE_PARAMS[name];
  const isIn = values === undefined || values.includes(String(sample));
  if (sample !== undefined && isIn && (range === undefined || Number(sample) >= range[0])) return sample;
  switch (kind) {
    case 'boolean':
      return true;
    case 'integer':
      return range?.[0] ?? 1;
    case 'number':
      return 1;
    case 'date':
    case 'uuid':
      return FORMATS[kind] ?? '';
    default:
      return values?.[0] ?? names?.[0] ?? 'text';
  }
}

/** The parameters of an example call: those listed, else the first filter and the length of the page. */
export const exampleCall = ({ path, params }: Pick<Route, 'path' | 'params'>): (typeof SAMPLE_CALLS)[string] =>
  SAMPLE_CALLS[path] ??
  Object.fromEntries(
    Object.entries(params)
      .filter(([name], i) => i === 0 || name === 'limit')
      .map(([name, schema]) => [name, paramExample(name, paramFacts(schema))]),
  );

/** URL of the example call of a route. */
export function exampleUrl(route: Pick<Route, 'path' | 'pathParams' | 'params'>, publicUrl: string): string {
  const filled = Object.entries(route.pathParams ?? {}).reduce(
    (path, [name, schema]) => path.replace(`:${name}`, String(paramExample(name, paramFacts(schema)))),
    route.path,
  );
  const query = new URLSearchParams(
    Object.entries(exampleCall(route)).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return `${publicUrl}${filled}${query === '' ? '' : `?${query}`}`;
}
