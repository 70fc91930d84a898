/**
 * The reasons why a figure of a deal is null follow from its SQL: a null comes from the inputs of its expression, or
 * from the condition of its CASE. They are derived from DuckDB's syntax tree, through all models, and compared with the
 * declared ones.
 */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { PRICE } from '../../../models/absence/deals.ts';
import type { Cause, Column } from '../../../lib/record.ts';
import { substitute, type Expression } from '../../../models/figures/expression.ts';
import { computedIn, readFigures, readMacros, type Macro } from '../../../models/figures/figures.ts';
import { tablesOfEach } from '../../../models/graph.ts';
import { dictionarySections } from '../../../models/dictionary.ts';
import { loadMarts, loadModels, macrosSql } from '../../../models/index.ts';
import { Deal } from '../../../models/marts/deals.ts';
import { linesSql } from '../../../models/serving/text.ts';
import { sharedColumns } from '../../pipelines/some_tables.ts';
import { buildTables, listingRow } from '../build_models.ts';

/** Fields whose reasons no tree shows, by the word of why. */
const DECLARED: Readonly<Record<string, string>> = {
  'a site states it': 'cap_rate annual_taxes year_built house_low house_high',
  'a roll states it': 'last_sale_price last_sale_basis assessed_market_value',
  'it is found with the row that is joined':
    'rent_fiscal_year loan_rate_age_days loan_rate_is_made_up county_basis metro',
  'a claim, or the underwriting without one': 'noi noi_source cap_rate_derived',
  'a reason, which is null if nothing is wrong': 'underwrite_reason dscr_reason rent_outdated_reason',
  'a status sums up its conditions':
    'cap_gap_pct noi_low noi_middle noi_high noi_range_n ' +
    'offer_low offer_high offer_range_basis offer_binding ask_at_or_below_target_value',
  'a condition that is no null': 'rent_over_pitia',
  'a taxed value is published with its assessment': 'tax_after_reset',
};

/** Inputs at which a derivation ends. */
const INPUTS = new Set(['list_price', 'units', 'market_rent_2br']);
/** Statuses that say why a figure is null. */
const STATUSES = new Set(['underwrite_reason', 'dscr_reason']);
/** Columns that have a value exactly if the number of units is known. */
const JOINED: Readonly<Record<string, ReadonlySet<string>>> = {
  int_buildings: new Set(
    `typical_ratio insurance_size_factor management_share repairs_per_unit utilities_per_unit other_per_unit
      reserves_per_unit share_0 share_1 share_3 share_4`.split(/\s+/u),
  ),
  int_owner_incomes: new Set(
    ['small', 'large'].flatMap((block) =>
      ['cap', 'low', 'middle', 'high'].flatMap((rate) => [`${block}_${rate}_from`, `${block}_${rate}_to`]),
    ),
  ),
  int_unit_mixes: new Set(['mix_0br', 'mix_1br', 'mix_2br', 'mix_3br', 'mix_4br', 'mix_sum']),
};
/** Functions that skip nulls: null only if all arguments are. */
const SKIPPING = new Set(['coalesce', 'least', 'greatest']);
const BOOLEAN = new Set([
  'is null',
  'is not null',
  '=',
  '<>',
  '<',
  '>',
  '<=',
  '>=',
  'in',
  'not in',
  'and',
  'or',
  'not',
]);

const some = (status: string): string => `some ${status}`;
const OTHER = 'a condition';

class Nulls {
  readonly #definitions: ReadonlyMap<string, ReadonlyMap<string, readonly Expression[]>>;
  readonly #reads: ReadonlyMap<string, readonly string[]>;
  readonly #columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #required: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #macros: ReadonlyMap<string, Macro>;
  constructor(facts: {
    readonly definitions: ReadonlyMap<string, ReadonlyMap<string, readonly Expression[]>>;
    readonly reads: ReadonlyMap<string, readonly string[]>;
    readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
    readonly required: ReadonlyMap<string, ReadonlySet<string>>;
    readonly macros: ReadonlyMap<string, Macro>;
  }) {
    this.#definitions = facts.definitions;
    this.#reads = facts.reads;
    this.#columns = facts.columns;
    this.#required = facts.required;
    this.#macros = facts.macros;
  }

  /** Reasons why a column of a model may be null, in order. */
  ofColumn(model: string, qualified: string, within: readonly string[] = []): readonly string[] {
    const name = qualified.split('.').at(-1) ?? qualified;
    if (INPUTS.has(name) || STATUSES.has(name)) return [name];
    const place = `${model}.${name}`;
    if (this.#required.get(model)?.has(name)) return [];
    if (JOINED[model]?.has(name)) return ['units'];
    const definition = this.#definitions.get(model)?.get(name)?.at(-1);
    if (definition && !within.includes(place)) return this.of(model, definition, [...within, place]);
    const readers = (this.#reads.get(model) ?? []).filter((read) => this.#columns.get(read)?.has(name));
    const [read] = readers.filter((each) => each !== 'terms');
    if (read === undefined) return readers.length > 0 ? [] : [`${place} is read`];
    return this.ofColumn(read, name, within);
  }

  /** Reasons why an expression may be null. */
  of(model: string, expression: Expression, within: readonly string[]): readonly string[] {
    const inner = (part: Expression): readonly string[] => this.of(model, part, within);
    const all = (parts: readonly Expression[]): readonly string[] => [...new Set(parts.flatMap(inner))];
    switch (expression.kind) {
      case 'value':
        return expression.text === 'null' ? [OTHER] : [];
      case 'column':
        return this.ofColumn(model, expression.name, within);
      case 'cast':
        return inner(expression.of);
      case 'other':
        return [expression.name];
      case 'case':
        return this.#ofCase(model, expression, within);
      case 'call': {
        const { name, args } = expression;
        if (BOOLEAN.has(name)) return [];
        if (SKIPPING.has(name)) {
          const parts = args.map(inner);
          return parts.some((part) => part.length === 0) ? [] : (parts.at(-1) ?? []);
        }
        const macro = this.#macros.get(name);
        return macro ? inner(bodyOf(macro, args)) : all(args);
      }
    }
  }

  #ofCase(
    model: string,
    { branches, otherwise }: Extract<Expression, { kind: 'case' }>,
    within: readonly string[],
  ): readonly string[] {
    const isNull = (part: Expression): boolean => part.kind === 'value' && part.text === 'null';
    const [first] = branches;
    // Null unless the only condition holds.
    if (branches.length === 1 && first && isNull(otherwise)) return this.#unless(model, first.when, within);
    // Of two conditions one of which holds: null if what they compare is.
    const [compared, opposite] = branches.map(({ when }) => (when.kind === 'call' ? when : undefined));
    if (isNull(otherwise) && branches.length === 2 && compared?.name === '>' && opposite?.name === '<=')
      return [
        ...new Set(
          [...compared.args, ...branches.map(({ value }) => value)].flatMap((part) => this.of(model, part, within)),
        ),
      ];
    const found = new Set<string>();
    // After a branch for a null, the later ones are not null for its reasons.
    const excluded = new Set<string>();
    const add = (reasons: readonly string[]): void => {
      for (const reason of reasons) if (!excluded.has(reason)) found.add(reason);
    };
    for (const { when, value } of branches) {
      add(isNull(value) ? this.#if(model, when, within) : this.of(model, value, within));
      if (when.kind === 'call' && when.name === 'is null' && when.args[0])
        for (const reason of this.of(model, when.args[0], within)) excluded.add(reason);
    }
    add(isNull(otherwise) ? [OTHER] : this.of(model, otherwise, within));
    return [...found];
  }

  /** Reasons for a condition that does not hold. */
  #unless(model: string, condition: Expression, within: readonly string[]): readonly string[] {
    const inner = (part: Expression): readonly string[] => this.#unless(model, part, within);
    if (condition.kind === 'column') {
      const definition = this.#definitions.get(model)?.get(condition.name)?.at(-1);
      return definition ? inner(definition) : [OTHER];
    }
    if (condition.kind !== 'call') return [OTHER];
    const { name, args } = condition;
    const [first] = args;
    if (name === 'and') return [...new Set(args.flatMap(inner))];
    if (name === 'is not null' && first) return this.of(model, first, within);
    if (name === 'is null' && first?.kind === 'column') return [first.name];
    if (name === 'not' && first) return this.#if(model, first, within);
    return [OTHER, ...args.flatMap((arg) => this.of(model, arg, within))];
  }

  /** Reasons for a condition that holds. */
  #if(model: string, condition: Expression, within: readonly string[]): readonly string[] {
    if (condition.kind === 'column') {
      const definition = this.#definitions.get(model)?.get(condition.name)?.at(-1);
      return definition ? this.#if(model, definition, within) : [OTHER];
    }
    if (condition.kind !== 'call') return [OTHER];
    const { name, args } = condition;
    const [first] = args;
    if (name === 'or') return [...new Set(args.flatMap((arg) => this.#if(model, arg, within)))];
    if (name === 'is null' && first) return this.of(model, first, within);
    if (name === 'is not null' && first?.kind === 'column') return [first.name];
    if (name === 'not' && first) return this.#unless(model, first, within);
    if (this.#macros.has(name) && first?.kind === 'column' && STATUSES.has(first.name)) return [some(first.name)];
    return [OTHER];
  }
}

const bodyOf = ({ params, body }: Macro, args: readonly Expression[]): Expression =>
  substitute(
    body,
    new Map(params.flatMap((param, at) => (args[at] ? [[param.toLowerCase(), args[at]] as const] : []))),
  );

/** A declared cause in the words of a derivation. */
function wordOf(cause: Cause): string {
  if (typeof cause === 'string') return cause;
  if ('of' in cause) return cause.if === undefined || !STATUSES.has(cause.of) ? cause.of : some(cause.of);
  const column = /^(\w+) IS NULL$/u.exec(cause.if ?? '')?.[1];
  return cause.code === 'dscr_not_applicable' ? some('dscr_reason') : (column ?? cause.code);
}

/** A status that is set if an input is null covers that input. */
const COVERED: Readonly<Record<string, readonly string[]>> = {
  underwrite_reason: ['list_price', 'units', 'market_rent_2br'],
};
const withoutCovered = (reasons: readonly string[]): readonly string[] => {
  const covered = new Set(reasons.flatMap((reason) => COVERED[reason] ?? []));
  return reasons.filter((reason) => !covered.has(reason));
};

let nulls: Nulls;
let close: () => Promise<void>;
before(async () => {
  const small = await openSmall();
  close = () => small.close();
  const models = await loadModels();
  const figures = await readFigures(small.connection, models);
  const reads = await tablesOfEach(
    small.connection,
    models.map(({ sql }) => sql),
  );
  const columns = await sharedColumns();
  const scalarMacros = macrosSql()
    .split(/^(?=CREATE OR REPLACE MACRO )/mu)
    .filter((macro) => !macro.includes(' AS TABLE'))
    .join('');
  nulls = new Nulls({
    definitions: new Map(
      figures.map(({ name, selects }) => {
        const found = selects.flatMap((select) => computedIn(select));
        return [
          name,
          new Map(
            [...Map.groupBy(found, ([column]) => column)].map(([column, of]) => [
              column,
              of.map(([, expression]) => expression),
            ]),
          ),
        ];
      }),
    ),
    reads: new Map(models.map(({ name }, at) => [name, reads[at] instanceof Error ? [] : (reads[at] ?? [])])),
    columns: new Map([...columns].map(([name, of]) => [name, new Set(of.map((column) => column.name))])),
    required: new Map(
      models.map(({ name, audits }) => {
        const condition = audits.find((audit) => audit.name === `${name}.no_silent_null`)?.condition ?? '';
        return [name, new Set([...condition.matchAll(/"(\w+)" IS NULL/gu)].map(([, column = '']) => column))];
      }),
    ),
    macros: await readMacros(small.connection, scalarMacros),
  });
});
after(() => close());

const FIGURES = new Set<Column['kind']>(['money', 'percent', 'ratio', 'integer', 'flag', 'enum']);

it('the reasons of every field of a deal that is computed follow from its SQL, except the declared ones', () => {
  const figures = Deal.columns.filter(({ kind, causes }) => causes !== undefined && FIGURES.has(kind));
  const others = figures.flatMap(({ name, causes = [] }) => {
    const derived = new Set(withoutCovered(nulls.ofColumn('deals', name)));
    return derived.symmetricDifference(new Set(causes.map(wordOf))).size === 0 ? [] : [name];
  });
  assert.deepEqual(others.toSorted(), Object.values(DECLARED).join(' ').split(' ').toSorted());
  assert.ok(figures.length - others.length > 40, `${figures.length} fields, ${others.length} declared`);
});

it('a deal without a price and with one unit says price_missing, in the field and in the dictionary', async () => {
  const built = await buildTables({ staged_listing: [listingRow('L', { list_price: null, units: 1 })] }, ['deals']);
  try {
    const [row] = await rowsOf(built.connection, `SELECT ${linesSql(Deal)} AS lines FROM deals`);
    const lines = String(row?.['lines']).split('\n');
    const absent = Object.fromEntries(Deal.columns.map(({ name }, i) => [name, lines[i]?.replace(/^!/u, '')]));
    const byPrice = Deal.columns.filter(({ causes }) => causes?.length === 1 && causes[0] === PRICE);
    assert.ok(byPrice.length > 5);
    for (const { name, absent: words } of byPrice) {
      assert.equal(absent[name], 'price_missing', name);
      assert.equal(words, `${PRICE.about} (price_missing)`, name);
    }
    assert.deepEqual([absent['price_per_unit'], absent['dscr']], ['price_missing', 'single_unit']);
    const dictionary = dictionarySections(await loadMarts(), ({ sql }) => sql).join('\n');
    assert.match(dictionary, /^- Null of [^:]*`loan_amount`[^:]*: `price_missing`\.$/mu);
  } finally {
    built.close();
  }
});
