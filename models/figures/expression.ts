/** Expressions of SQL, read from DuckDB's syntax tree and printed again: as SQL, or as a formula for readers. */
import { isObject, type JsonObject } from '../../lib/json.ts';

export type Expression =
  /** A literal, as SQL prints it. */
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'column'; readonly name: string }
  /** A function, a macro or an operator. */
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'cast'; readonly of: Expression; readonly type: string }
  | { readonly kind: 'case'; readonly branches: readonly Branch[]; readonly otherwise: Expression }
  /** Anything that no figure consists of: a subquery, a window, a lambda. */
  | { readonly kind: 'other'; readonly name: string };

export interface Branch {
  readonly when: Expression;
  readonly value: Expression;
}

const OPERATORS: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: '=',
  COMPARE_NOTEQUAL: '<>',
  COMPARE_LESSTHAN: '<',
  COMPARE_GREATERTHAN: '>',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHANOREQUALTO: '>=',
  COMPARE_DISTINCT_FROM: 'is distinct from',
  COMPARE_NOT_DISTINCT_FROM: 'is not distinct from',
  COMPARE_IN: 'in',
  COMPARE_NOT_IN: 'not in',
  CONJUNCTION_AND: 'and',
  CONJUNCTION_OR: 'or',
  OPERATOR_NOT: 'not',
  OPERATOR_IS_NULL: 'is null',
  OPERATOR_IS_NOT_NULL: 'is not null',
  OPERATOR_COALESCE: 'coalesce',
};

/** Nodes below a node of the tree. */
export const nodes = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const node = (value: unknown): JsonObject => (isObject(value) ? value : {});

function literalOf({ type, is_null: isNull, value }: JsonObject): string {
  if (isNull === true) return 'null';
  const { id, type_info: info } = node(type);
  if (id === 'VARCHAR') return `'${String(value).replaceAll("'", "''")}'`;
  if (id !== 'DECIMAL') return String(value);
  const scale = Number(node(info)['scale']);
  const digits = String(value).padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Read an expression from its node of the tree. */
export function readExpression(raw: JsonObject): Expression {
  const call = (name: unknown, args: readonly unknown[]): Expression => ({
    kind: 'call',
    name: String(name).toLowerCase(),
    args: args.map((arg) => readExpression(node(arg))),
  });
  const type = String(raw['type']);
  switch (raw['class']) {
    case 'CONSTANT':
      return { kind: 'value', text: literalOf(node(raw['value'])) };
    case 'COLUMN_REF':
      return { kind: 'column', name: (raw['column_names'] as string[]).join('.').toLowerCase() };
    case 'FUNCTION':
      return call(raw['function_name'], nodes(raw['children']));
    case 'COMPARISON':
      return call(OPERATORS[type] ?? type, [raw['left'], raw['right']]);
    case 'BETWEEN':
      return call('between', [raw['input'], raw['lower'], raw['upper']]);
    case 'CONJUNCTION':
    case 'OPERATOR':
      return call(OPERATORS[type] ?? type, nodes(raw['children']));
    case 'CAST': {
      const of = readExpression(node(raw['child']));
      const { id, type_info: info } = node(raw['cast_type']);
      // The tree has true and false as texts.
      if (id === 'BOOLEAN' && of.kind === 'value') return { kind: 'value', text: of.text === "'t'" ? 'true' : 'false' };
      const { width, scale } = node(info);
      return { kind: 'cast', of, type: id === 'DECIMAL' ? `decimal(${String(width)}, ${String(scale)})` : String(id) };
    }
    case 'CASE': {
      const branches = nodes(raw['case_checks']).map((check) => ({
        when: readExpression(node(check['when_expr'])),
        value: readExpression(node(check['then_expr'])),
      }));
      return { kind: 'case', branches, otherwise: readExpression(node(raw['else_expr'])) };
    }
    default:
      return { kind: 'other', name: String(raw['class']) };
  }
}

/** The expression with each part replaced, from the innermost. */
export function mapExpression(expression: Expression, change: (part: Expression) => Expression): Expression {
  const inner = (part: Expression): Expression => mapExpression(part, change);
  switch (expression.kind) {
    case 'call':
      return change({ ...expression, args: expression.args.map(inner) });
    case 'cast':
      return change({ ...expression, of: inner(expression.of) });
    case 'case': {
      const branches = expression.branches.map(({ when, value }) => ({ when: inner(when), value: inner(value) }));
      return change({ ...expression, branches, otherwise: inner(expression.otherwise) });
    }
    default:
      return change(expression);
  }
}

/** The expression and all expressions in it. */
export function partsOf(expression: Expression): readonly Expression[] {
  const parts: Expression[] = [];
  mapExpression(expression, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
}

/** Names of the columns in an expression, each once, in their order. */
export const columnsOf = (expression: Expression): readonly string[] => [
  ...new Set(partsOf(expression).flatMap((part) => (part.kind === 'column' ? [part.name] : []))),
];

/** The expression with other expressions in place of names. */
export const substitute = (expression: Expression, values: ReadonlyMap<string, Expression>): Expression =>
  mapExpression(expression, (part) => (part.kind === 'column' ? (values.get(part.name) ?? part) : part));

/** Operators, from the weakest. */
const STRENGTHS = [
  ['or'],
  ['and'],
  ['not'],
  ['=', '<>', '<', '>', '<=', '>=', 'in', 'not in', 'between'],
  ['+', '-', '||'],
  ['*', '/'],
];
const strengthOf = (name: string): number => STRENGTHS.findIndex((names) => names.includes(name));

/**
 * Print an expression, with as few parentheses as it needs.
 * @param nameOf text for a column
 * @param outer strength of the operator around it
 */
export function print(expression: Expression, nameOf: (name: string) => string = (name) => name, outer = -1): string {
  const inner = (part: Expression, strength = -1): string => print(part, nameOf, strength);
  switch (expression.kind) {
    case 'value':
      return expression.text;
    case 'column':
      return nameOf(expression.name);
    case 'cast':
      return `cast(${inner(expression.of)} as ${expression.type})`;
    case 'case': {
      const branches = expression.branches.map(({ when, value }) => `when ${inner(when)} then ${inner(value)}`);
      return `case ${branches.join(' ')} else ${inner(expression.otherwise)} end`;
    }
    case 'call':
      return printCall(expression, inner, outer);
    case 'other':
      throw new Error(`a figure has a part that no formula can show: ${expression.name}`);
  }
}

function printCall(
  { name, args }: Extract<Expression, { kind: 'call' }>,
  inner: (part: Expression, strength?: number) => string,
  outer: number,
): string {
  const [first, ...others] = args;
  const own = strengthOf(name);
  const wrap = (text: string): string => (own <= outer ? `(${text})` : text);
  if (first && name.startsWith('is '))
    return others[0] ? `(${inner(first)} ${name} ${inner(others[0])})` : `${inner(first, 4)} ${name}`;
  if (!first || own < 0) return `${name}(${args.map((arg) => inner(arg)).join(', ')})`;
  if (name.endsWith('in')) return wrap(`${inner(first, own)} ${name} (${others.map((arg) => inner(arg)).join(', ')})`);
  if (name === 'between')
    return wrap(`${inner(first, own)} between ${others.map((arg) => inner(arg, own)).join(' and ')}`);
  if (others.length === 0) return wrap(`${name}${name === 'not' ? ' ' : ''}${inner(first, own)}`);
  // a - (b - c) keeps its parentheses; a + (b - c) needs none.
  const isFree = (at: number): boolean => at === 0 || ['and', 'or', '+', '*'].includes(name);
  return wrap(args.map((arg, at) => inner(arg, isFree(at) ? own - 1 : own)).join(` ${name} `));
}
