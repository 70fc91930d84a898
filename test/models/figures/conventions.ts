/** Checks, on DuckDB's syntax tree, that a model computes figures in the one way from which their steps can be read. */
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { mapExpression, nodes, partsOf, substitute } from '../../../models/figures/expression.ts';
import type { Expression } from '../../../models/figures/expression.ts';
import { computedIn, type FigureModel, type Macro, type Select } from '../../../models/figures/figures.ts';

/** Operators and functions of figures besides macros that say what they mean. */
const PLAIN = new Set([
  ...'+ - * = <> < > <= >= and or not in between abs coalesce least greatest'.split(' '),
  'not in',
  'is null',
  'is not null',
  'is distinct from',
  'is not distinct from',
]);
/** Functions whose result is a text, JSON or an error: no figure. */
const OF_TEXT = new Set('|| as_text json_object to_json error'.split(' '));
/** Functions of `inputs`, which reads facts and computes no figure. */
const OF_INPUTS = new Set([...PLAIN, 'days_since', 'age_in_days', 'date_part', 'cbsa_of', 'lead_id_of']);
for (const arithmetic of ['+', '-', '*']) OF_INPUTS.delete(arithmetic);

type Call = Extract<Expression, { kind: 'call' }>;
const callsIn = (expression: Expression): readonly Call[] =>
  partsOf(expression).flatMap((part) => (part.kind === 'call' ? [part] : []));

/** The conditions of an expression, and the parts that give its value. CASE and coalesce choose among those. */
function choicesIn(expression: Expression): { readonly conditions: Expression[]; readonly values: Expression[] } {
  const chosen =
    expression.kind === 'case'
      ? [...expression.branches.map(({ value }) => value), expression.otherwise]
      : expression.kind === 'call' && expression.name === 'coalesce'
        ? expression.args
        : [];
  if (chosen.length === 0) return { conditions: [], values: [expression] };
  const own = expression.kind === 'case' ? expression.branches.map(({ when }) => when) : [];
  const inner = chosen.map(choicesIn);
  return {
    conditions: [...own, ...inner.flatMap(({ conditions }) => conditions)],
    values: inner.flatMap(({ values }) => values),
  };
}

/** The expression with macros that have no meaning of their own in full. */
const expand = (expression: Expression, macros: ReadonlyMap<string, Macro>): Expression =>
  mapExpression(expression, (part) => {
    const macro = part.kind === 'call' ? macros.get(part.name) : undefined;
    if (part.kind !== 'call' || !macro || macro.hasMeaning) return part;
    return expand(
      substitute(macro.body, new Map(macro.params.map((param, at) => [param, part.args[at] ?? part]))),
      macros,
    );
  });

/** Faults of the expression of a figure. Texts and JSON are no figures. */
function faultsOfFigure(written: Expression, macros: ReadonlyMap<string, Macro>): string[] {
  const expression = expand(written, macros);
  const { conditions, values } = choicesIn(expression);
  const isText = values.some(
    (value) =>
      (value.kind === 'value' && value.text.startsWith("'")) || callsIn(value).some(({ name }) => OF_TEXT.has(name)),
  );
  const parts = isText ? conditions.flatMap(partsOf) : partsOf(expression);
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [part] : []));
  const unknown = calls.filter(({ name }) => !PLAIN.has(name) && macros.get(name)?.hasMeaning !== true);
  const statuses = conditions
    .flatMap(partsOf)
    .filter((part) => part.kind === 'column' && /_(?:status|binding|check)$/u.test(part.name));
  const isInner = (part: Expression): boolean =>
    part.kind === 'case' || (part.kind === 'call' && part.name === 'coalesce');
  const ofAmounts = calls.filter(({ name }) => name === 'total').flatMap(({ args }) => args.flatMap(outsideMacros));
  return [
    ...unknown.map(({ name }) => `calls ${name}`),
    ...parts.filter(({ kind }) => kind === 'cast').map(() => 'casts'),
    ...parts.flatMap((part) => (part.kind === 'other' ? [`has a ${part.name}`] : [])),
    ...parts.flatMap((part) =>
      part.kind === 'column' && part.name.includes('.') ? [`names a table: ${part.name}`] : [],
    ),
    ...statuses.map(() => 'tests a status and not its reason'),
    ...(isText ? [] : values.flatMap(partsOf).filter(isInner)).map(() => 'has a CASE within arithmetic'),
    ...ofAmounts.filter((part) => part.kind === 'call' && part.name === '*').map(() => 'has a product as a total'),
  ];

  function outsideMacros(part: Expression): readonly Expression[] {
    const isMacro = part.kind === 'call' && macros.has(part.name);
    return [part, ...(part.kind === 'call' && !isMacro ? part.args.flatMap(outsideMacros) : [])];
  }
}

const tableOf = (node: JsonObject): unknown => (isObject(node['from_table']) ? node['from_table']['table_name'] : null);

/** Faults of a SELECT that should compute figures row by row from the one before it. */
function faultsOfSelect({ name, node }: Select, before: string): string[] {
  const rules: readonly (readonly [string, boolean])[] = [
    [`reads something else than ${before}`, tableOf(node) !== before],
    ['filters rows', isObject(node['where_clause']) || isObject(node['qualify'])],
    ['groups rows', nodes(node['group_expressions']).length > 0 || nodes(node['modifiers']).length > 0],
  ];
  return rules.flatMap(([fault, isFault]) => (isFault ? [`${name} ${fault}`] : []));
}

/** Faults of `inputs`: it joins, and computes nothing. A cast there keeps four decimals or more. */
function faultsOfInputs(select: Select): string[] {
  return computedIn(select).flatMap(([name, expression]) =>
    partsOf(expression).flatMap((part) => {
      const isRounding = part.kind === 'cast' && !/^decimal\(\d+, (?:[4-9]|\d\d)\)$/u.test(part.type);
      if (isRounding || (part.kind === 'call' && !OF_INPUTS.has(part.name))) return [`inputs computes ${name}`];
      return [];
    }),
  );
}

/** What the checks need to know besides the model. */
export interface Known {
  readonly macros: ReadonlyMap<string, Macro>;
  readonly assumptions: ReadonlySet<string>;
  /** Figures of a model that has no `inputs`. */
  readonly steps: readonly string[];
  /** Figures of all models, which nothing else may be called. */
  readonly stepNames: ReadonlySet<string>;
  /** The last SELECT looks up a row of a table by a figure. */
  readonly hasLookup: boolean;
}

/** Faults of a model with figures. */
export function conventionFaults(model: FigureModel, known: Known): string[] {
  const { macros, assumptions, steps, stepNames, hasLookup } = known;
  const { selects, figures } = model;
  const inputs = selects.findIndex(({ name }) => name === 'inputs');
  const computed = selects.flatMap((select) => (select.isRowwise ? computedIn(select) : []));
  const checked = inputs < 0 ? [...figures].filter(([name]) => steps.includes(name)) : computed;
  const names = computed.map(([name]) => name);
  const faults = [
    ...checked.flatMap(([name, expression]) => faultsOfFigure(expression, macros).map((fault) => `${name} ${fault}`)),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is computed twice`),
    ...names.filter((name) => assumptions.has(name)).map((name) => `${name} is an assumption`),
    ...selects.flatMap((select, at) => {
      const isLookup = hasLookup && at === selects.length - 1;
      if (at === inputs) return faultsOfInputs(select);
      return inputs < 0 || at < inputs || isLookup ? [] : faultsOfSelect(select, selects[at - 1]?.name ?? '');
    }),
    ...selects.flatMap(({ name, node }) => {
      const columns = nodes(node['select_list']);
      const renamed = columns.flatMap((raw) => {
        const [table, column = ''] = Array.isArray(raw['column_names']) ? (raw['column_names'] as string[]) : [];
        const alias = String(raw['alias']);
        if (column === '' || ['', column].includes(alias)) return [];
        if (table === 'terms') return [`${name} renames the assumption ${column}`];
        return stepNames.has(alias) && name === 'inputs' ? [`inputs has ${column} as ${alias}`] : [];
      });
      return [
        ...renamed,
        ...(/"(?:DOUBLE|FLOAT)"/u.test(JSON.stringify(columns)) ? [`${name} has a binary float`] : []),
      ];
    }),
  ];
  return faults.map((fault) => `${model.name}: ${fault}`);
}
