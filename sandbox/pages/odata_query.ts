/** Queries of an OData service: the filters, fields and pages that the sandbox's MLS understands. */
import type { SandboxRequest } from '../http.ts';

/** A record of the service; absent fields are blank. */
export type Property = Readonly<Record<string, string | number | boolean | null>>;

/** A query that the service refuses with status 400. */
export class BadQuery extends Error {
  override readonly name = 'BadQuery';
}

type Test = (row: Property) => boolean;

const COMPARISON = /^(\w+) (eq|gt|ge) ('(?:[^']|'')*'|true|false|\d{4}-\S+)$/u;
const LIST = /^(\w+) in \(('[^']*'(?:,'[^']*')*)\)$/u;

const unquoted = (text: string): string => text.slice(1, -1).replaceAll("''", "'");
const instant = (value: unknown): number => Date.parse(String(value));

/** One comparison, or several with "or" in parentheses. */
function compileCondition(clause: string, searchable: (field: string) => boolean): Test {
  const field = (name = ''): string => {
    if (searchable(name)) return name;
    throw new BadQuery(`${name} cannot be searched`);
  };
  if (/^\(.*\)$/u.test(clause)) {
    const tests = clause
      .slice(1, -1)
      .split(' or ')
      .map((part) => compileCondition(part, searchable));
    return (row) => tests.some((test) => test(row));
  }
  const list = LIST.exec(clause);
  if (list) {
    const name = field(list[1]);
    const words = (list[2] ?? '').split(',').map(unquoted);
    return (row) => words.includes(String(row[name]));
  }
  const comparison = COMPARISON.exec(clause);
  if (!comparison) throw new BadQuery(`The filter is not understood: ${clause}`);
  const name = field(comparison[1]);
  const [, , compare, value = ''] = comparison;
  if (value.startsWith("'")) return (row) => row[name] === unquoted(value);
  if (value === 'true' || value === 'false') return (row) => String(row[name]) === value;
  const from = instant(value);
  return (row) => instant(row[name]) > from || (compare === 'ge' && instant(row[name]) === from);
}

/** Rows that a filter selects. @throws BadQuery */
export function filtered(
  rows: readonly Property[],
  filter: string,
  searchable: (field: string) => boolean,
): readonly Property[] {
  const tests = filter.split(/ and (?![^(]*\))/u).map((clause) => compileCondition(clause, searchable));
  return rows.filter((row) => tests.every((test) => test(row)));
}

/** The fields of $select, or null for all. @throws BadQuery for a field that the service does not have */
export function selected(request: SandboxRequest, has: (field: string) => boolean): readonly string[] | null {
  const fields = request.query.get('$select')?.split(',') ?? null;
  const unknown = fields?.find((field) => !has(field));
  if (unknown !== undefined) throw new BadQuery(`Could not find a property named '${unknown}' on type 'Property'`);
  return fields;
}

/** A page of rows, and the address of the next one. @throws BadQuery if $top is above `maxTop` */
export function pageOfRows(
  request: SandboxRequest,
  rows: readonly Property[],
  { maxTop, mostSent }: { readonly maxTop: number; readonly mostSent: number },
): { readonly shown: readonly Property[]; readonly next: string | null } {
  const asked = Number(request.query.get('$top') ?? mostSent);
  if (!(asked > 0 && asked <= maxTop)) throw new BadQuery(`$top is ${asked}, at most ${maxTop}`);
  const skip = Number(request.query.get('$skip') ?? 0);
  const top = Math.min(mostSent, asked);
  const next = new URL(`https://${request.publicHost}${request.path}`);
  for (const [name, value] of request.query) next.searchParams.set(name, value);
  next.searchParams.set('$skip', String(skip + top));
  return { shown: rows.slice(skip, skip + top), next: skip + top < rows.length ? next.href : null };
}
