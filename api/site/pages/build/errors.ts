/** All errors of a query at once, by field, in the words of the form. The rules are those of the call itself. */
import { Problem } from '../../../http/problem.ts';
import type { Route, RouteRequest } from '../../../routes/define.ts';
import { checkRange, paramFacts, readValue, type Params } from '../../../routes/params.ts';
import { fieldOf, type CheckedQuery } from './form.ts';

/** The problem that an action throws, if any. */
async function problemOf(action: () => unknown): Promise<Problem | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
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
  const params: Record<string, unknown> = {};
  const errors = new Map<string, string>();
  for (const [name, value] of given) {
    const schema = route.params[name];
    if (!schema) continue;
    const { expected } = paramFacts(schema);
    const problem = await problemOf(() => (params[name] = readValue(name, schema, value)));
    if (problem) errors.set(name, `“${value.slice(0, 100)}” is not ${expected}.`);
  }
  // A range whose upper bound is below the lower one is wrong at the upper one.
  for (const [name, low] of Object.entries(params)) {
    const upper = name.replace(/^min_/u, 'max_').replace(/^from_/u, 'to_');
    const high = params[upper];
    if (upper === name || high === undefined) continue;
    const problem = await problemOf(() => {
      checkRange([name, low as string | number], [upper, high as string | number]);
    });
    if (problem) errors.set(upper, `${String(high)} is below ${quoted(name)}, which is ${String(low)}.`);
  }
  const problem = errors.size === 0 && (await problemOf(() => route.check?.({ ...request, params })));
  if (problem) errors.set(String(problem.extras['field'] ?? ''), inWords(problem.message, Object.keys(route.params)));
  return { params, errors };
}
