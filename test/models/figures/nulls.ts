/** Finds what `least` and `greatest` may skip in the expressions of figures: both pass over a null without a word. */
import { columnsOf, type Expression } from '../../../models/figures/expression.ts';

/**
 * Columns that have a value wherever another one has, or everywhere (''), because of a join or of how a model reads its
 * rows. No expression shows it; a test of random deals holds it.
 */
export const THERE: Readonly<Record<string, string>> = {
  '': 'days_on_feed motivation_score distress_score annual_constant',
  list_price: 'first_price loan_amount',
  noi_scoring: 'list_price price_per_unit cap_rate_underwritten market_rent_2br noi_underwritten expense_ratio_pct',
  expense_ratio_pct: 'effective_gross_income management',
  tax_taxed_value: 'assessed_market_value',
};

/** Names that are known to have a value. */
type Known = ReadonlySet<string>;
type Case = Extract<Expression, { kind: 'case' }>;

const SKIPPING = new Set(['least', 'greatest', 'min', 'max']);
const COMPARING = new Set(['=', '<>', '<', '>', '<=', '>=', 'in', 'not in', 'between', 'is not null']);
const OF_NULLS = new Set(['is null', 'is not null', 'is distinct from', 'is not distinct from']);
const isNull = (part: Expression): boolean => part.kind === 'value' && part.text === 'null';

/** Columns that have a value if a condition holds, or if it does not: a comparison with a null does neither. */
function implied(condition: Expression, holds: boolean): readonly string[] {
  if (condition.kind !== 'call') return [];
  const { name, args } = condition;
  if (name === 'not') return args.flatMap((arg) => implied(arg, !holds));
  if (name === (holds ? 'and' : 'or')) return args.flatMap((arg) => implied(arg, holds));
  return (holds ? COMPARING.has(name) : name === 'is null') ? args.flatMap(columnsOf) : [];
}

/** Columns that have a value if an expression has one. */
function needed(expression: Expression): Known {
  if (expression.kind === 'column') return new Set([expression.name]);
  if (expression.kind === 'cast') return needed(expression.of);
  if (expression.kind === 'case') {
    let after: readonly string[] = [];
    const ways = [...expression.branches, { when: undefined, value: expression.otherwise }].flatMap(
      ({ when, value }) => {
        const way = new Set([...after, ...(when ? implied(when, true) : []), ...needed(value)]);
        after = [...after, ...(when ? implied(when, false) : [])];
        return isNull(value) ? [] : [way];
      },
    );
    return ways.reduce((all, way) => all.intersection(way));
  }
  const skips = expression.kind !== 'call' || SKIPPING.has(expression.name) || OF_NULLS.has(expression.name);
  return skips || expression.name === 'coalesce'
    ? new Set()
    : new Set(expression.args.flatMap((arg) => [...needed(arg)]));
}

export class Nulls {
  readonly #figures: ReadonlyMap<string, Expression>;
  readonly #there: Known;
  /** Figures whose expressions are being read: one of them may have the name of a column that it replaces. */
  readonly #open = new Set<string>();
  /**
   * @param figures expressions by name, without macros
   * @param there columns that always have a value
   */
  constructor(figures: ReadonlyMap<string, Expression>, there: Known) {
    this.#figures = figures;
    this.#there = this.#withNeeded(there.union(new Set(THERE['']?.split(' '))));
  }

  /** Known names, and those that have a value because these have one. */
  #withNeeded(known: Known): Known {
    const all = new Set(known);
    for (const name of all) {
      const figure = this.#figures.get(name);
      for (const other of [...(figure ? needed(figure) : []), ...(THERE[name]?.split(' ') ?? [])]) all.add(other);
    }
    return all;
  }

  /** Columns that `least` or `greatest` may skip in an expression. */
  skippedIn(expression: Expression, known = this.#there): readonly string[] {
    switch (expression.kind) {
      case 'call': {
        const inner = expression.args.flatMap((arg) => this.skippedIn(arg, known));
        if (!SKIPPING.has(expression.name)) return inner;
        const nulls = expression.args.map((arg) => new Set(this.#nullsOf(arg, known)));
        // With a null in all arguments, the result is null.
        const inAll = nulls.reduce((all, own) => all.intersection(own));
        return [...inner, ...nulls.flatMap((own) => [...own.difference(inAll)])];
      }
      case 'cast':
        return this.skippedIn(expression.of, known);
      case 'case':
        return this.#ways(expression, known).flatMap(([value, within]) => this.skippedIn(value, within));
      default:
        return [];
    }
  }

  /** The values of a CASE that may apply, each with the names that then have a value. */
  #ways({ branches, otherwise }: Case, known: Known): readonly (readonly [Expression, Known])[] {
    let within = known;
    const found: (readonly [Expression, Known])[] = [];
    for (const { when, value } of branches) {
      const [first] = when.kind === 'call' && OF_NULLS.has(when.name) ? when.args : [];
      const isThere = first !== undefined && this.#nullsOf(first, within).length === 0;
      if (isThere && when.kind === 'call' && when.name === 'is null') continue;
      found.push([value, this.#withNeeded(within.union(new Set(implied(when, true))))]);
      if (isThere && when.kind === 'call' && when.name === 'is not null') return found;
      within = this.#withNeeded(within.union(new Set(implied(when, false))));
    }
    return [...found, [otherwise, within]];
  }

  /** Columns that may make an expression null; "null" for the word itself. */
  #nullsOf(expression: Expression, known: Known): readonly string[] {
    switch (expression.kind) {
      case 'value':
        return isNull(expression) ? ['null'] : [];
      case 'column':
        return this.#isThere(expression.name, known) ? [] : [expression.name];
      case 'cast':
        return this.#nullsOf(expression.of, known);
      case 'case':
        return this.#ways(expression, known).flatMap(([value, within]) => this.#nullsOf(value, within));
      case 'call': {
        if (OF_NULLS.has(expression.name)) return [];
        const found = expression.args.map((arg) => this.#nullsOf(arg, known));
        const isCovered = expression.name === 'coalesce' && found.some((nulls) => nulls.length === 0);
        return isCovered ? [] : found.flat();
      }
      case 'other':
        return [expression.name];
    }
  }

  #isThere(name: string, known: Known): boolean {
    const figure = this.#figures.get(name);
    if (known.has(name) || !figure || this.#open.has(name)) return known.has(name);
    this.#open.add(name);
    const isThere = this.#nullsOf(figure, known).length === 0;
    this.#open.delete(name);
    return isThere;
  }
}
