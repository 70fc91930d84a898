/**
 * The steps of reports and leads: every declared figure as a formula over named inputs, with its result. The formulas
 * are read from the SQL that computes the figures, and of a CASE only the branch that applied is shown, with the
 * comparison that chose it.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck } from '../../lib/duck.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { currentAssumptions } from '../assumptions.ts';
import { readModelText, type ModelText } from '../contract.ts';
import { columnsOf, mapExpression, partsOf, print, substitute, type Expression } from './expression.ts';
import {
  computedIn,
  originsIn,
  readFigures,
  readMacros,
  type FigureModel,
  type Macro,
  type Origin,
} from './figures.ts';

/** The figures that are steps, by the model that computes them, in the order of a report or a lead. */
export const STEPS: Readonly<Record<string, string>> = {
  int_rents_in_place: `market_rent_mix in_place_ratio_0br in_place_ratio_1br in_place_ratio_2br in_place_ratio_3br
    in_place_ratio_4br rent_in_place utility_share_used contract_rent`,
  int_vacancies: 'metro_weight shrunk_pct loss_of_size_pct vacancy_pct',
  int_property_taxes: 'tax_at_price tax_current tax_floor tax_fixed tax_per_dollar tax_after_reset',
  int_expenses: `gross_potential_rent effective_gross_income insurance management repairs owner_utilities other reserves
    expenses_without_tax operating_expenses noi_after_reset noi_at_current_tax noi_highest noi_untaxed`,
  int_hud_proxies: 'noi_hud_2br cap_rate_hud_2br',
  int_loan_rates: 'loan_rate_pct',
  int_properties: 'price_reduction_pct',
  int_underwriting: `claimed_noi cap_rate_derived noi_underwritten noi price_per_unit expense_ratio_pct
    cap_rate_underwritten cap_gap_pct gross_rent_multiplier net_cash_flow loan_amount monthly_payment
    annual_debt_service seller_loan seller_payment seller_debt_service`,
  int_owner_incomes: `large_share_pct small_low_pct small_middle_pct small_high_pct large_low_pct large_middle_pct
    large_high_pct cap_rate_low cap_rate_middle cap_rate_high noi_of_owners noi_low noi_middle noi_high noi_cautious
    noi_scoring cap_scoring_pct coverage_scoring seller_coverage`,
  int_debt_coverage: `dscr claimed_dscr dscr_underwritten debt_yield_pct break_even_occupancy_pct rent_over_pitia
    loan_sized debt_service_sized cash_flow_after_debt cash_needed cash_on_cash_pct`,
  int_scores: `upfront_repairs yield_on_cost_pct price_to_rent score_share_pct motivation_price_cut motivation_days
    motivation_score tax_to_price_pct distress_score deal_score_yield deal_score_coverage deal_score_motivation
    deal_score_distress deal_score_condition deal_score`,
  int_confidence: 'confidence_score',
  int_paths: 'arv mao',
  int_offers: `limit_target_cap limit_debt_coverage offer_high noi_lost_under_stress limit_under_stress offer_low
    offer_tax offer_noi offer_cap_pct offer_debt_service offer_dscr`,
  int_auction_leads: `known_debt equity_pct part_base part_equity_gap part_urgency part_corroboration part_absentee
    part_freshness part_property_kind part_stacked_distress lead_score`,
  int_tax_leads: `part_base part_amount_to_value part_years_delinquent part_absentee_owner part_corroboration
    part_freshness part_property_kind part_stacked_distress lead_score`,
};
/** Figures of a report's grid. The macro of each, called grid_<name>, has its formula. */
const GRID = ['monthly_payment', 'annual_debt_service', 'noi', 'cap_rate_pct', 'dscr'];
/** Those with one row per lead. */
const LEADS = ['int_auction_leads', 'int_tax_leads'];

/** One way in which a figure gets its value: the first one whose conditions hold. */
interface Way {
  readonly when: readonly Expression[];
  /** Those of its conditions that no earlier way and no null rules out. */
  readonly tested: readonly Expression[];
  readonly formula: Expression;
  /** The branch that it takes of each choice, by the text of the choice. */
  readonly taken: ReadonlyMap<string, number>;
}

const NOTHING: Expression = { kind: 'value', text: 'null' };
const isNothing = (expression: Expression): boolean => print(expression) === 'null';

/**
 * The ways of an expression, in order. Macros are replaced by what they mean.
 * @param isSet whether it is known not to be null: then nothing tests what chooses between a value and null
 */
function waysOf(expression: Expression, macros: ReadonlyMap<string, Macro>, isSet = false): readonly Way[] {
  const inner = (part: Expression): readonly Way[] => waysOf(part, macros, isSet);
  const under = (condition: Expression, isTested: boolean, part: Expression): readonly Way[] =>
    inner(part).map((way) => ({
      ...way,
      when: [condition, ...way.when],
      tested: isTested ? [condition, ...way.tested] : way.tested,
    }));
  const choice = (branches: readonly (readonly Way[])[]): readonly Way[] => {
    const text = print(expression);
    return branches.flatMap((ways, at) =>
      ways.map((way) => ({ ...way, taken: new Map([...way.taken, [text, at] as const]) })),
    );
  };
  if (expression.kind === 'cast') return inner(expression.of);
  if (expression.kind === 'case') {
    const { branches, otherwise } = expression;
    const last = isSet && isNothing(otherwise) ? branches.findLast(({ value }) => !isNothing(value)) : undefined;
    return choice([...branches.map((branch) => under(branch.when, branch !== last, branch.value)), inner(otherwise)]);
  }
  if (expression.kind !== 'call') return [{ when: [], tested: [], formula: expression, taken: new Map() }];
  const { name, args } = expression;
  if (name === 'coalesce')
    return choice(
      args.map((arg, at) =>
        at === args.length - 1 ? inner(arg) : under({ kind: 'call', name: 'is not null', args: [arg] }, true, arg),
      ),
    );
  const macro = macros.get(name);
  const withArgs = (values: readonly Expression[]): Expression =>
    macro
      ? substitute(macro.body, new Map(macro.params.map((param, at) => [param, values[at] ?? expression])))
      : { ...expression, args: values };
  if (macro && !macro.hasMeaning) return inner(withArgs(args));
  let found: readonly (Omit<Way, 'formula'> & { readonly values: readonly Expression[] })[] = [
    { when: [], tested: [], values: [], taken: new Map() },
  ];
  for (const arg of args) {
    const ways = waysOf(arg, macros);
    // A choice that occurs twice takes the same branch in both places.
    found = found.flatMap(({ when, tested, values, taken }) =>
      ways
        .filter((way) => [...way.taken].every(([text, at]) => (taken.get(text) ?? at) === at))
        .map((way) => ({
          when: [...when, ...way.when],
          tested: [...tested, ...way.tested],
          values: [...values, way.formula],
          taken: new Map([...taken, ...way.taken]),
        })),
    );
  }
  return found.map(({ values, ...way }) => ({ ...way, formula: withArgs(values) }));
}

const COMPARISONS = new Set(['<', '>', '<=', '>=']);

const READER_NAMES: Readonly<Record<string, string>> = { least: 'min', min: 'min', greatest: 'max', max: 'max' };

/** The formula in the language of reports, whose min and max have two arguments. */
const asRead = (formula: Expression): string =>
  print(
    mapExpression(formula, (part) => {
      const name = part.kind === 'call' ? READER_NAMES[part.name] : undefined;
      if (part.kind !== 'call' || name === undefined) return part;
      return part.args.reduceRight((rest, arg) => ({ kind: 'call', name, args: [arg, rest] }));
    }),
  );

/** What a name in an expression may mean, other than a column. */
interface Names {
  readonly macros: ReadonlyMap<string, Macro>;
  readonly assumptions: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
}

/** Compiles the steps of a model's figures to SQL. */
class Compiler {
  readonly #model: FigureModel;
  readonly #names: Names;
  /** Whether a step needs a column that the table does not have. */
  #readsInputs = false;
  constructor(model: FigureModel, names: Names) {
    this.#model = model;
    this.#names = names;
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
    if (this.#model.columns.has(name)) return `built.${identifier(name)}`;
    if (this.#names.assumptions.has(name)) return `terms.${identifier(name)}`;
    this.#readsInputs = true;
    return `inputs.${identifier(name)}`;
  }

  #inputSql(name: string): string {
    return this.#names.assumptions.has(name)
      ? `assumed.${identifier(name)}`
      : `cast(${this.#columnSql(name)} as varchar)`;
  }

  /** The comparisons of numbers that all hold if conditions do, each as a formula. Readers see no other condition. */
  #comparisons(conditions: readonly Expression[]): readonly Expression[] {
    return conditions.flatMap((each): readonly Expression[] => {
      if (each.kind !== 'call') return [];
      if (each.name === 'and') return this.#comparisons(each.args);
      const [way, other] = waysOf(each, this.#names.macros);
      const isNumeric = COMPARISONS.has(each.name) && partsOf(each).every((part) => !print(part).startsWith("'"));
      return way && !other && isNumeric ? [way.formula] : [];
    });
  }

  /** Whether a formula only passes on a value that is neither an assumption nor a step. */
  #isHop(formula: Expression): boolean {
    return (
      formula.kind === 'column' && !this.#names.assumptions.has(formula.name) && !this.#names.steps.has(formula.name)
    );
  }

  /** SQL of a figure's step, which is null where the figure is. */
  step(figure: string): string {
    const expression = this.#model.figures.get(figure);
    if (!expression || !this.#model.columns.has(figure))
      throw new Error(`${this.#model.name} does not compute ${figure}, which is declared as a step`);
    const ways = waysOf(this.#inline(expression), this.#names.macros, true).filter(
      ({ formula }) => !isNothing(formula),
    );
    const result = `built.${identifier(figure)}`;
    const steps = ways.map(({ when, tested, formula }) => {
      const chosenBy = this.#comparisons(when);
      const names = new Set([formula, ...chosenBy].flatMap(columnsOf));
      const values = [...names].map((name) => `${literal(name)}: ${this.#inputSql(name)}`);
      const inputs = values.length === 0 ? "'{}'::json" : `{${values.join(', ')}}`;
      const conditions = new Set(tested.map((each) => print(each, (name) => this.#columnSql(name), 1)));
      const condition = [...conditions].join(' and ') || 'true';
      const facts = [literal(figure), literal(asRead(formula)), inputs, result];
      if (chosenBy.length > 0) facts.push(literal([...new Set(chosenBy.map(asRead))].join(' and ')));
      const step = `${chosenBy.length > 0 ? 'chosen_step' : 'step'}(${facts.join(', ')})`;
      return `when ${condition} then ${this.#isHop(formula) ? 'null' : step}`;
    });
    return `case when ${result} is null then null\n    ${steps.join('\n    ')} end`;
  }

  /** A CTE of the steps of these figures, with the id of the row if the model has several rows. */
  cte(figures: readonly string[]): string {
    const { name, inputsSql, columns } = this.#model;
    const hasId = columns.has('id');
    const steps = figures.map((figure) => this.step(figure));
    const inputs = hasId ? 'join inputs on inputs.id = built.id' : 'cross join inputs';
    return `${name}_steps as (
  ${this.#readsInputs ? inputsSql : ''}
  select ${hasId ? 'built.id, ' : ''}nullif(concat_ws(',',
    ${steps.join(',\n    ')}
  ), '') as steps
  from ${name} as built ${this.#readsInputs ? inputs : ''} cross join assumed cross join terms
  ${hasId ? 'where in_slice(built.id)' : ''}
)`;
  }
}

interface Sql {
  readonly name: string;
  readonly sql: string;
}

/** The models of the steps, one row per property and one per lead, and of the formulas of a report's grid. */
export async function stepModels(
  models: readonly Sql[],
  macrosOf: (queries: readonly string[]) => string,
): Promise<readonly (ModelText & { readonly name: string })[]> {
  await using duck = await openDuck();
  const declared = models.filter(({ name }) => name in STEPS);
  const read = await readFigures(duck.connection, declared);
  const calls = [...declared.map(({ sql }) => sql), ...GRID.map((name) => `grid_${name}(`)];
  const macros = await readMacros(duck.connection, macrosOf(calls));
  const steps = new Set(Object.values(STEPS).flatMap((figures) => figures.split(/\s+/u)));
  // The loan rate is a figure and, for a day without a survey, an assumption.
  const assumptions = new Set(currentAssumptions().rows.flatMap(({ key }) => (steps.has(key) ? [] : [key])));
  const tableOf = (name: string): StepTable => {
    const model = read.find((each) => each.name === name);
    if (!model) throw new Error(`${name} is no model, although its figures are declared as steps`);
    const figures = STEPS[name]?.split(/\s+/u) ?? [];
    const cte = new Compiler(model, { macros, assumptions, steps }).cte(figures);
    return { name: `${name}_steps`, cte, hasId: model.columns.has('id') };
  };
  const properties = Object.keys(STEPS).filter((name) => !LEADS.includes(name));
  // Tens of kilobytes a row: written once, in the published table.
  const view = (name: string, table: string, sql: string): ModelText & { readonly name: string } => ({
    name,
    ...readModelText(name, `-- View: audited in ${table}\n${sql}`),
  });
  const formulas = GRID.flatMap((name) => {
    const [way] = waysOf(macros.get(`grid_${name}`)?.body ?? NOTHING, macros);
    return [literal(name), literal(asRead(way?.formula ?? NOTHING))];
  });
  const gridSql = `-- Key: formulas\nselect json_object(${formulas.join(', ')}) as formulas`;
  return [
    view('int_steps', 'reports', withTables(assumptions, properties.map(tableOf), stepsOfProperties)),
    view('int_lead_steps', 'lead_steps', withTables(assumptions, LEADS.map(tableOf), stepsOfLeads)),
    { name: 'int_grid_formulas', ...readModelText('int_grid_formulas', gridSql) },
  ];
}

/** Steps of one model. */
interface StepTable {
  readonly name: string;
  readonly cte: string;
  /** False if the model has one row, which all properties share. */
  readonly hasId: boolean;
}

/** A SELECT of step tables, with the assumptions that they use as declared. */
function withTables(
  assumptions: ReadonlySet<string>,
  tables: readonly StepTable[],
  select: (tables: readonly StepTable[]) => string,
): string {
  const used = [...assumptions].filter((key) => tables.some(({ cte }) => cte.includes(`assumed.${identifier(key)}`)));
  const assumed = used.map((key) => `declared[${literal(key)}] as ${identifier(key)}`);
  return `with
assumed as (
  select ${assumed.join(', ')} from (select map(list(key), list(value)) as declared from declared_assumptions)
),
${tables.map(({ cte }) => cte).join(',\n')}
${select(tables)}`;
}

const stepsOfProperties = (tables: readonly StepTable[]): string =>
  `select id, steps_of(concat_ws(',', ${tables.map(({ name }) => `${name}.steps`).join(', ')})) as steps
from int_properties
${tables.map(({ name, hasId }) => (hasId ? `join ${name} using (id)` : `cross join ${name}`)).join('\n')}`;

const stepsOfLeads = (tables: readonly StepTable[]): string =>
  tables.map(({ name }) => `select id, steps_of(steps) as steps from ${name}`).join('\nunion all\n');

/** The formula of a figure without branches, by its name in any SELECT of a model, and the names in it. */
export async function formulaIn(
  connection: DuckDBConnection,
  model: Sql,
  figure: string,
  macrosOf: (queries: readonly string[]) => string,
): Promise<{ readonly formula: string; readonly names: readonly string[] }> {
  const [read] = await readFigures(connection, [model]);
  const [, expression] = read?.selects.flatMap(computedIn).find(([name]) => name === figure) ?? [];
  if (!expression) throw new Error(`${model.name} does not compute ${figure}`);
  const [way, other] = waysOf(expression, await readMacros(connection, macrosOf([model.sql])));
  if (!way || other) throw new Error(`${figure} of ${model.name} has several formulas`);
  return { formula: asRead(way.formula), names: columnsOf(way.formula) };
}

/** Where an input of a figure's step comes from: columns of the tables that the models of figures join. */
export async function stepOrigins(
  connection: DuckDBConnection,
  models: readonly Sql[],
  columns: Parameters<typeof originsIn>[1],
  isSource: (origin: Origin) => boolean,
): Promise<(figure: string, input: string) => readonly Origin[]> {
  const read = await readFigures(
    connection,
    models.filter(({ name }) => name in STEPS),
  );
  const find = originsIn(read, columns, isSource);
  return (figure, input) => read.filter(({ figures }) => figures.has(figure)).flatMap(({ name }) => find(name, input));
}
