/**
 * The steps of reports: every declared figure as a formula over named inputs, with its result. The formulas are read
 * from the SQL that computes the figures, and of a CASE only the branch that applied is shown.
 */
import { openDuck } from '../../lib/duck.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { currentAssumptions } from '../assumptions.ts';
import { readModelText, type ModelText } from '../contract.ts';
import { columnsOf, mapExpression, print, substitute, type Expression } from './expression.ts';
import { readFigures, readMacros, type FigureModel, type Macro } from './figures.ts';

/** The figures that are steps, by the model that computes them, in the order of a report. */
const STEPS: Readonly<Record<string, string>> = {
  int_scores: `motivation_price_cut motivation_days motivation_score tax_to_price_pct distress_score
    deal_score_yield deal_score_coverage deal_score_motivation deal_score_distress deal_score`,
  int_confidence: 'confidence_score',
};

/** One way in which a figure gets its value: the first one whose conditions hold. */
interface Way {
  readonly when: readonly Expression[];
  readonly formula: Expression;
}

/** The ways of an expression, in order. Macros are replaced by what they mean. */
function waysOf(expression: Expression, macros: ReadonlyMap<string, Macro>): readonly Way[] {
  const inner = (part: Expression): readonly Way[] => waysOf(part, macros);
  const under = (when: readonly Expression[], part: Expression): readonly Way[] =>
    inner(part).map((way) => ({ ...way, when: [...when, ...way.when] }));
  if (expression.kind === 'cast') return inner(expression.of);
  if (expression.kind === 'case')
    return [
      ...expression.branches.flatMap(({ when, value }) => under([when], value)),
      ...under([], expression.otherwise),
    ];
  if (expression.kind !== 'call') return [{ when: [], formula: expression }];
  const { name, args } = expression;
  if (name === 'coalesce')
    return args.flatMap((arg, at) =>
      under(at === args.length - 1 ? [] : [{ kind: 'call', name: 'is not null', args: [arg] }], arg),
    );
  const macro = macros.get(name);
  const withArgs = (values: readonly Expression[]): Expression =>
    macro
      ? substitute(macro.body, new Map(macro.params.map((param, at) => [param, values[at] ?? expression])))
      : { ...expression, args: values };
  if (macro && !macro.hasMeaning) return inner(withArgs(args));
  let found: readonly { readonly when: readonly Expression[]; readonly values: readonly Expression[] }[] = [
    { when: [], values: [] },
  ];
  for (const arg of args)
    found = found.flatMap(({ when, values }) =>
      inner(arg).map((way) => ({ when: [...when, ...way.when], values: [...values, way.formula] })),
    );
  return found.map(({ when, values }) => ({ when, formula: withArgs(values) }));
}

const READER_NAMES: Readonly<Record<string, string>> = { least: 'min', greatest: 'max' };

/** The formula in the language of reports, whose min and max have two arguments. */
const asRead = (formula: Expression): string =>
  print(
    mapExpression(formula, (part) => {
      const name = part.kind === 'call' ? READER_NAMES[part.name] : undefined;
      if (part.kind !== 'call' || name === undefined) return part;
      return part.args.reduceRight((rest, arg) => ({ kind: 'call', name, args: [arg, rest] }));
    }),
  );

/** Compiles the steps of a model's figures to SQL. */
class Compiler {
  readonly #model: FigureModel;
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #assumptions: ReadonlySet<string>;
  constructor(model: FigureModel, macros: ReadonlyMap<string, Macro>, assumptions: ReadonlySet<string>) {
    this.#model = model;
    this.#macros = macros;
    this.#assumptions = assumptions;
  }

  /** The expression with the figures that the table does not have in place of their names. */
  #inline(expression: Expression): Expression {
    const { figures, columns } = this.#model;
    const values = columnsOf(expression).flatMap((name) => {
      const figure = columns.has(name) ? undefined : figures.get(name);
      return figure ? [[name, this.#inline(figure)] as const] : [];
    });
    return substitute(expression, new Map(values));
  }

  #columnSql(name: string): string {
    return `${this.#model.columns.has(name) ? 'built' : 'inputs'}.${identifier(name)}`;
  }

  #inputSql(name: string): string {
    return this.#assumptions.has(name) ? `assumed.${identifier(name)}` : `cast(${this.#columnSql(name)} as varchar)`;
  }

  /** SQL of a figure's step, which is null where the figure is. */
  step(figure: string): string {
    const expression = this.#model.figures.get(figure);
    if (!expression || !this.#model.columns.has(figure))
      throw new Error(`${this.#model.name} does not compute ${figure}, which is declared as a step`);
    const ways = waysOf(this.#inline(expression), this.#macros).filter(({ formula }) => print(formula) !== 'null');
    const result = `built.${identifier(figure)}`;
    const steps = ways.map(({ when, formula }) => {
      const inputs = columnsOf(formula).flatMap((name) => [literal(name), this.#inputSql(name)]);
      const condition = when.map((each) => print(each, (name) => this.#columnSql(name), 1)).join(' and ') || 'true';
      const facts = [literal(figure), literal(asRead(formula)), `json_object(${inputs.join(', ')})`, result];
      return `when ${condition} then step(${facts.join(', ')})`;
    });
    return `case ${steps.join('\n    ')} end`;
  }

  /** A CTE of the steps of these figures, with the id of the row if the model has several rows. */
  cte(figures: readonly string[]): string {
    const { name, inputsSql, columns } = this.#model;
    const hasId = columns.has('id');
    const steps = figures.map((figure) => this.step(figure));
    const inputs = inputsSql === '' ? '' : hasId ? 'join inputs on inputs.id = built.id' : 'cross join inputs';
    return `${name}_steps as (
  ${inputsSql}
  select ${hasId ? 'built.id, ' : ''}[
    ${steps.join(',\n    ')}
  ] as steps
  from ${name} as built ${inputs} cross join assumed
)`;
  }
}

/** The model of the steps: one row per property. */
export async function stepsModel(
  models: readonly { readonly name: string; readonly sql: string }[],
  macrosOf: (queries: readonly string[]) => string,
): Promise<ModelText & { readonly name: string }> {
  const name = 'int_steps';
  return { name, ...readModelText(name, `-- Key: id\n-- Not null: steps\n${await stepsSql(models, macrosOf)}`) };
}

async function stepsSql(
  models: readonly { readonly name: string; readonly sql: string }[],
  macrosOf: (queries: readonly string[]) => string,
): Promise<string> {
  const duck = await openDuck();
  try {
    const declared = Object.entries(STEPS).flatMap(([name, figures]) => {
      const model = models.find((each) => each.name === name);
      return model ? [{ model, figures: figures.split(/\s+/u) }] : [];
    });
    const read = await readFigures(
      duck.connection,
      declared.map(({ model }) => model),
    );
    const macros = await readMacros(duck.connection, macrosOf(declared.map(({ model }) => model.sql)));
    const assumptions = new Set(currentAssumptions().rows.map(({ key }) => key));
    const ctes = read.map((model, at) => new Compiler(model, macros, assumptions).cte(declared[at]?.figures ?? []));
    const used = [...assumptions].filter((key) => ctes.some((cte) => cte.includes(`assumed.${identifier(key)}`)));
    const assumed = used.map((key) => `max(value) filter (where key = '${key}') as ${identifier(key)}`);
    const names = read.map(({ name }) => `${name}_steps`);
    const joins = read.map(({ columns }, at) =>
      columns.has('id') ? `join ${names[at]} using (id)` : `cross join ${names[at]}`,
    );
    return `with
assumed as (select ${assumed.join(', ')} from declared_assumptions),
${ctes.join(',\n')}
select id, steps_of(${names.map((name) => `${name}.steps`).join(' || ')}) as steps
from int_properties
${joins.join('\n')}`;
  } finally {
    duck.close();
  }
}
