/**
 * Query parameters: each is a zod schema of its text, registered with its documentation. Reading is strict: unknown,
 * repeated and invalid parameters are refused by name before a payment is required.
 */
import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import { STATE_BY_NAME } from '../../lib/states.ts';

export interface ParamFacts {
  /** Type in the interface description. */
  readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'uuid';
  readonly about: string;
  /** Accepted values, for people. */
  readonly expected: string;
  /** Accepted values of a closed list. */
  readonly values?: readonly string[];
  /** Accepted names of a list with commas. */
  readonly names?: readonly string[];
  /** Smallest and largest whole number. */
  readonly range?: readonly [min: number, max: number];
  /** Advice about an accepted value that can hardly be meant. */
  readonly hintOf?: (value: string) => Advice | undefined;
}

interface Advice {
  readonly code: 'unknown_state' | 'unknown_kind' | 'fraction_for_percent' | 'past_from_date';
  readonly message: string;
  /** Values near the given one. */
  readonly near?: readonly string[];
}

/** Advice about a parameter of a request, in its 402 and in a 404. */
export interface Hint extends Advice {
  readonly parameter: string;
  readonly value: string;
}

export type Params = Readonly<Record<string, z.ZodType>>;
export type ParamValues<P extends Params> = { [K in keyof P]?: z.output<P[K]> };

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const registry = z.registry<ParamFacts>();

/** Most changed letters of a name that is near. */
const MAX_CHANGES = 3;
export const MAX_NEAR = 5;

/** Letters to add, remove or replace. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Names near a text, the nearest first. @param letters those of the part of a name that is compared */
export function nearestTo(text: string, names: readonly string[], letters: (name: string) => string): string[] {
  const wanted = letters(text);
  return [...new Set(names)]
    .map((name) => ({ name, changes: changesBetween(wanted, letters(name)) }))
    .filter(({ changes }) => changes <= Math.min(MAX_CHANGES, wanted.length >> 1))
    .sort((a, b) => a.changes - b.changes || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ name }) => name);
}

/** A parameter with its facts. */
export function declareParam<S extends z.ZodType>(schema: S, facts: ParamFacts): S {
  registry.add(schema, facts);
  return schema;
}

/** Facts of a parameter. @throws Error if the schema is not from this file */
export function paramFacts(schema: z.ZodType): ParamFacts {
  const facts = registry.get(schema);
  if (!facts) throw new Error('the parameter has no facts: create it with a builder of api/routes/params.ts');
  return facts;
}

/** A builder of parameters of one kind, from their description. */
const paramOf =
  <S extends z.ZodType>(schema: S, facts: Omit<ParamFacts, 'about'>) =>
  (about: string): S =>
    declareParam(schema.clone(), { ...facts, about });

/** Trimmed text without control characters, not empty. */
export const textParam = paramOf(
  z
    .string()
    .trim()
    .regex(/^\P{Cc}{1,200}$/u),
  { kind: 'string', expected: 'text of 1 to 200 characters, none of them a control character' },
);

const STATES = new Set(STATE_BY_NAME.values());

/** A two-letter state, in upper case. */
export const stateParam = paramOf(
  z
    .string()
    .regex(/^[A-Za-z]{2}$/)
    .transform((text) => text.toUpperCase()),
  {
    kind: 'string',
    expected: 'a two-letter state such as OH',
    hintOf: (value) =>
      STATES.has(value)
        ? undefined
        : { code: 'unknown_state', message: `${value} is no state of the United States, so nothing matches.` },
  },
);

/** A kind whose name is compared ignoring case. An unknown one is accepted and matches nothing. */
export const kindParam = (about: string, kinds: readonly string[]) => {
  const text = textParam(about);
  return declareParam(text.clone(), {
    ...paramFacts(text),
    hintOf(value) {
      if (kinds.includes(value.toLowerCase())) return undefined;
      const near = nearestTo(value, kinds, (name) => name.toLowerCase());
      const known = `${value} is none of ${kinds.join(', ')}, so nothing matches.`;
      return { code: 'unknown_kind', message: near[0] ? `${known} Did you mean ${near[0]}?` : known, near };
    },
  });
};

/** A five-digit ZIP. */
export const zipParam = paramOf(z.string().regex(/^\d{5}$/), {
  kind: 'string',
  expected: 'five digits such as 44301',
});

const decimal = z.string().regex(/^-?\d{1,12}(\.\d{1,6})?$/);

/** A decimal number as text, of dollars unless `expected` says otherwise: it never becomes a binary float. */
export const numberParam = (about: string, expected = 'dollars such as 250000') =>
  paramOf(decimal, { kind: 'number', expected })(about);

/** A number of percent. */
export const percentParam = paramOf(decimal, {
  kind: 'number',
  expected: 'a percentage such as 8.5',
  hintOf(value) {
    if (Number(value) <= 0 || Number(value) >= 1) return undefined;
    const meant = Number((Number(value) * 100).toFixed(6));
    const message = `The value is in percent: ${value} means ${value}%. For ${meant}%, send ${meant}.`;
    return { code: 'fraction_for_percent', message };
  },
});

export const integerParam = (about: string, min: number, max: number) =>
  declareParam(
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .pipe(z.int().min(min).max(max)),
    { kind: 'integer', about, expected: `a whole number from ${min} to ${max}`, range: [min, max] },
  );

export const flagParam = paramOf(
  z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false']))
    .transform((text) => text === 'true'),
  { kind: 'boolean', expected: 'true or false', values: ['true', 'false'] },
);

/** A calendar day. */
export const dayParam = paramOf(z.iso.date(), { kind: 'date', expected: 'a day of the calendar as YYYY-MM-DD' });

/** An instant in UTC, to the second, or the start of a day. The value is the instant. */
export const instantParam = paramOf(
  z.union([z.iso.date(), z.iso.datetime()]).transform((given) => `${new Date(given).toISOString().slice(0, 19)}Z`),
  { kind: 'string', expected: 'an instant such as 2026-11-20T12:00:00Z, or a day as YYYY-MM-DD' },
);

/** An ISO week. The route checks whether the year has it. */
export const weekParam = paramOf(
  z
    .string()
    .toUpperCase()
    .regex(/^\d{4}-W\d{2}$/),
  { kind: 'string', expected: 'an ISO week such as 2026-W46' },
);

/** The id of a record, in lower case. */
export const idParam = paramOf(
  z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
    .transform((text) => text.toLowerCase()),
  { kind: 'uuid', expected: 'a UUID such as 6f1c1f0e-3b5a-5c4e-9a55-0f4f0a3f7d21' },
);

/** One of these values, in any letter case. */
export const choiceParam = <const V extends readonly [string, ...string[]]>(values: V, about: string) =>
  declareParam(
    z
      .string()
      .transform((given) => values.find((value) => value.toLowerCase() === given.toLowerCase()) ?? given)
      .pipe(z.enum(values)),
    { kind: 'string', about, expected: `one of ${values.join(', ')}`, values },
  );

/** Some of the names of `choices`, with commas between them. The value has the names and all their members. */
export const namesParam = (choices: ReadonlyMap<string, readonly string[]>, about: string, expected: string) =>
  declareParam(
    z
      .string()
      .transform((text) => [
        ...new Set(
          text
            .toLowerCase()
            .split(',')
            .map((name) => name.trim()),
        ),
      ])
      .superRefine((names, { addIssue }) => {
        const unknown = names.find((name) => !choices.has(name));
        if (unknown !== undefined) addIssue(`${JSON.stringify(unknown.slice(0, 100))} is not one of them`);
      })
      .transform((names) => ({ names, members: new Set(names.flatMap((name) => choices.get(name) ?? [])) })),
    { kind: 'string', about, expected, names: [...choices.keys()] },
  );

/**
 * The value of one parameter.
 * @throws Problem naming it and what is accepted
 */
export function readValue<S extends z.ZodType>(name: string, schema: S, value: string): z.output<S> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const { expected, values, names } = paramFacts(schema);
  const [issue] = checked.error.issues;
  const why = issue?.code === 'custom' ? `; ${issue.message}` : '';
  throw new Problem(
    'invalid_parameter',
    `${name} is ${JSON.stringify(value.slice(0, 100))}, expected ${expected}${why}.`,
    { field: name, value: value.slice(0, 100), accepted: values ?? names ?? [expected] },
  );
}

/** Advice about the values of a request. */
export const hintsOf = (params: Params, values: Readonly<Record<string, unknown>>): Hint[] =>
  Object.entries(params).flatMap(([parameter, schema]) => {
    const value = String(values[parameter] ?? '');
    const advice = value === '' ? undefined : paramFacts(schema).hintOf?.(value);
    return advice ? [{ parameter, value, ...advice }] : [];
  });

/**
 * Refuse a query that is not UTF-8 in percent-encoding: URLSearchParams replaces bytes that it cannot decode.
 * @throws Problem naming the parameter
 */
function checkEncoding(query: string): void {
  for (const pair of query.split('&')) {
    try {
      decodeURIComponent(pair);
    } catch {
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      throw new Problem(
        'invalid_parameter',
        `${name.slice(0, 100)} is not UTF-8 in percent-encoding. Encode a percent sign as %25.`,
        { field: name.slice(0, 100), value: value.slice(0, 100), accepted: ['UTF-8 in percent-encoding'] },
      );
    }
  }
}

/** Names of the lower bounds that have an upper bound. */
const LOWER = /^(min_|from_)/;
const UPPER: Readonly<Record<string, string>> = { min_: 'max_', from_: 'to_' };

/**
 * Refuse a range whose lower bound is above its upper one: it can match nothing.
 * @param note where the lower bound comes from, if the request does not give it
 * @throws Problem naming both bounds
 */
export function checkRange(
  lower: readonly [name: string, value: string | number],
  upper: typeof lower,
  note = '',
): void {
  const [[lowerName, low], [upperName, high]] = [lower, upper];
  if (DAY.test(String(low)) ? low <= high : Number(low) <= Number(high)) return;
  throw new Problem(
    'invalid_parameter',
    `${upperName} is ${high}, below ${lowerName}, which is ${low}${note}. The range is empty.`,
    { field: upperName, value: String(high), bound: lowerName, accepted: [`${low} or more`] },
  );
}

function checkRanges(values: Readonly<Record<string, unknown>>): void {
  for (const [name, low] of Object.entries(values)) {
    const upperName = name.replace(LOWER, (prefix) => UPPER[prefix] ?? prefix);
    const high = values[upperName];
    if (upperName !== name && high !== undefined)
      checkRange([name, low as string | number], [upperName, high as string | number]);
  }
}

/**
 * Read the parameters of a request.
 * @param query the query part of the URL, without the question mark
 * @throws Problem naming the parameter and what is accepted
 */
export function readParams<P extends Params>(params: P, query: string): ParamValues<P> {
  checkEncoding(query);
  const known = Object.keys(params);
  const given = new URLSearchParams(query);
  const values: Record<string, unknown> = {};
  for (const name of new Set(given.keys())) {
    const schema = Object.hasOwn(params, name) ? params[name] : undefined;
    if (!schema) {
      throw new Problem(
        'unknown_parameter',
        known.length === 0
          ? `There is no parameter ${name}; this endpoint takes none.`
          : `There is no parameter ${name}. Known: ${known.join(', ')}.`,
        { field: name, accepted: known },
      );
    }
    const [value = '', ...more] = given.getAll(name);
    if (more.length > 0)
      throw new Problem('repeated_parameter', `${name} is given ${more.length + 1} times; give it once.`, {
        field: name,
      });
    values[name] = readValue(name, schema, value);
  }
  checkRanges(values);
  return values as ParamValues<P>;
}
