/** All errors of a query at once, by field, in the words of the form. The rules are those of the call itself. */
import { Problem } from '../../../http/problem.ts';
import type { Route, RouteRequest } from '../../../routes/define.ts';
import { checkRange, paramFacts, readValue, type Params } from '../../../routes/params.ts';
import { fieldOf, type CheckedQuery } from './form.ts';

const UPPER: readonly (readonly [lower: string, upper: string])[] = [
  ['min_', 'max_'],
  ['from_', 'to_'],
];

/** What a number of this unit looks like. */
const EXAMPLES: Readonly<Record<string, string>> = {
  $: 'dollars such as 250000',
  '%': 'a percentage such as 8.5',
  points: 'points such as 1.5',
  '×': 'a ratio such as 1.25',
};

function readAll(route: Route, given: ReadonlyMap<string, string>): CheckedQuery {
  const params: Record<string, unknown> = {};
  const errors = new Map<string, string>();
  for (const [name, value] of given) {
    const schema = route.params[name];
    if (!schema) continue;
    try {
      params[name] = readValue(name, schema, value);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { limitOf, expected, kind } = paramFacts(schema);
      const example = kind === 'number' ? EXAMPLES[fieldOf(name).unit ?? ''] : undefined;
      errors.set(name, `“${value.slice(0, 100)}” is not ${limitOf?.(value) ?? example ?? expected}.`);
    }
  }
  return { params, errors };
}

/** Errors of ranges whose upper bound is below the lower one, at the upper bound. */
function rangeErrors(params: CheckedQuery['params']): [string, string][] {
  return Object.entries(params).flatMap(([name, low]): [string, string][] => {
    const [lower, upper] = UPPER.find(([prefix]) => name.startsWith(prefix)) ?? [];
    if (lower === undefined || upper === undefined) return [];
    const upperName = upper + name.slice(lower.length);
    const high = params[upperName];
    if (high === undefined) return [];
    try {
      checkRange([name, low as string | number], [upperName, high as string | number]);
      return [];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return [[upperName, `${String(high)} is below “${fieldOf(name).label}”, which is ${String(low)}.`]];
    }
  });
}

const quoted = (name: string): string => `“${fieldOf(name).label}”`;

/** The message of a call with its parameters as the form names them. A name may be a word, too: "county", "name". */
function inWords(message: string, names: readonly string[]): string {
  const known = new Set(names);
  const isName = (word: string): boolean => known.has(word) && (word.includes('_') || word === 'apn');
  return message
    .replace(/^Give (\w+(?: or \w+)*)\.$/u, (_, list: string) => `Give ${list.split(' or ').map(quoted).join(' or ')}.`)
    .replace(/^\w+/u, (word) => (known.has(word) ? quoted(word) : word))
    .replace(/(?<=: )\w+(?:, \w+)*(?=\.$)/u, (list) => list.split(', ').map(quoted).join(', '))
    .replaceAll(/(?<!“)\b\w+\b/gu, (word) => (isName(word) ? quoted(word) : word));
}

/**
 * @param given values by parameter, without empty ones
 * @param request of the snapshot
 */
export async function checkQuery(
  route: Route,
  given: ReadonlyMap<string, string>,
  request: RouteRequest<Params>,
): Promise<CheckedQuery> {
  const { params, errors: single } = readAll(route, given);
  const errors = new Map([...single, ...rangeErrors(params)]);
  try {
    if (errors.size === 0) await route.check?.({ ...request, params });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const field = error.extras['field'];
    errors.set(typeof field === 'string' ? field : '', inWords(error.message, Object.keys(route.params)));
  }
  return { params, errors };
}
