/** Conditions of a query: filters of a list as data, and the WHERE clause with its parameters. */
import type { DuckDBValue } from '@duckdb/node-api';
import type { Column } from '../../lib/record.ts';
import { identifier } from '../../lib/sql.ts';
import { columnOf, type TableName } from '../../models/serving/tables.ts';

/** A WHERE clause with an optional ORDER BY, and their parameters $1, $2, ... */
export class Where {
  readonly #conditions: string[] = [];
  #order = '';
  readonly values: DuckDBValue[] = [];

  /** SQL with each `?` replaced by the next parameter. */
  #numbered(sql: string, values: readonly DuckDBValue[]): string {
    const first = this.values.length;
    this.values.push(...values);
    let next = first;
    const numbered = sql.replaceAll('?', () => `$${(next += 1)}`);
    if (next !== this.values.length) throw new Error(`${sql} takes ${next - first} values`);
    return numbered;
  }

  /** Add a condition, joined with AND. Each `?` is one of the values. */
  add(condition: string, ...values: readonly DuckDBValue[]): this {
    this.#conditions.push(this.#numbered(condition, values));
    return this;
  }

  /** Set the end of the query: ORDER BY, LIMIT. Each `?` is one of the values. */
  order(sql: string, ...values: readonly DuckDBValue[]): this {
    this.#order = ` ${this.#numbered(sql, values)}`;
    return this;
  }

  /** Add a condition if the value is given. */
  when(condition: string, value: DuckDBValue | undefined): this {
    return value === undefined ? this : this.add(condition, value);
  }

  copy(): Where {
    const other = new Where();
    other.#conditions.push(...this.#conditions);
    other.#order = this.#order;
    other.values.push(...this.values);
    return other;
  }

  /** The conditions for a query that already has parameters; their values are appended to `values`. */
  conditionsAfter(values: DuckDBValue[]): string[] {
    const first = values.length;
    values.push(...this.values);
    return this.#conditions.map((condition) =>
      condition.replaceAll(/\$(\d+)/g, (_, number: string) => `$${first + Number(number)}`),
    );
  }

  toString(): string {
    const conditions = this.#conditions.map((condition) => `(${condition})`).join(' AND ');
    return `${conditions === '' ? '' : ` WHERE ${conditions}`}${this.#order}`;
  }
}

export type Sign = '=' | '<>' | '<' | '<=' | '>' | '>=';

/**
 * One condition. A row whose column is null meets only `absent`.
 * A value has the JSON form of its column: digits of a number, a day, an instant, true or false.
 */
export type Condition =
  | { readonly column: string; readonly is: Sign; readonly value: string | number | boolean }
  | { readonly column: string; readonly is: 'starting with'; readonly value: string }
  /** Equal to the text, or containing it, ignoring case. */
  | { readonly column: string; readonly is: 'like' | 'containing'; readonly value: string }
  | { readonly column: string; readonly is: 'one of' | 'none of'; readonly values: readonly string[] }
  /** The record has none of these keys of a property. */
  | { readonly column: 'id'; readonly is: 'of no property'; readonly values: readonly string[] }
  /** The ZIP is known to be in one of these counties, by FIPS code. A ZIP may be in several counties. */
  | { readonly column: 'zip'; readonly is: 'of a county'; readonly values: readonly string[] }
  | { readonly column: string; readonly is: 'absent' };

/** Conditions joined with OR. */
export type Either = readonly Condition[];

/** The placeholder of a value, cast so that it compares exactly with the column. A number keeps all its digits. */
function placeholder({ kind, sql }: Column): string {
  switch (kind) {
    case 'money':
    case 'percent':
    case 'ratio':
    case 'degrees':
      return 'CAST(? AS DECIMAL(18,6))';
    case 'date':
    case 'instant':
      return `CAST(? AS ${sql})`;
    case 'text':
    case 'enum':
    case 'integer':
    case 'flag':
    case 'json':
      return '?';
  }
}

/** Columns of the id of a row in property_keys, the first that is not null: of a lead, its public record. */
const recordColumns = (table: TableName): readonly string[] =>
  table === 'leads' ? ['signal_id', 'auction_id', 'id'] : ['id'];

/** The id of a row in property_keys. */
export const recordOf = (table: TableName): string => `coalesce(${recordColumns(table).join(', ')})`;

/** A condition as SQL, with a `?` for each of its values. */
function conditionSql(table: TableName, condition: Condition): [sql: string, ...values: (string | number | boolean)[]] {
  const column = columnOf(table, condition.column);
  const name = identifier(column.name);
  switch (condition.is) {
    case 'absent':
      return [`${name} IS NULL`];
    case 'starting with':
      return [`starts_with(${name}, ?)`, condition.value];
    case 'like':
      return [`lower(${name}) = lower(?)`, condition.value];
    case 'containing':
      return [`contains(lower(${name}), lower(?))`, condition.value];
    case 'one of':
    case 'none of':
      return [
        `${name} ${condition.is === 'one of' ? '' : 'NOT '}IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`,
        JSON.stringify(condition.values),
      ];
    case 'of no property':
      return [
        `${recordOf(table)} NOT IN (SELECT record_id FROM property_keys
          WHERE property_key IN (SELECT unnest(from_json(?, '["VARCHAR"]'))))`,
        JSON.stringify(condition.values),
      ];
    case 'of a county':
      return [
        `${name} IN (SELECT rows.zip FROM ${table} AS rows JOIN ref_county_zips ON starts_with(rows.zip, zip_prefix)
          WHERE ref_county_zips.county_fips IN (SELECT unnest(from_json(?, '["VARCHAR"]'))))`,
        JSON.stringify(condition.values),
      ];
    default:
      return [`${name} ${condition.is} ${placeholder(column)}`, condition.value];
  }
}

/** Conditions on one table, joined with AND. Every method returns new filters and leaves these unchanged. */
export class Filters {
  readonly table: TableName;
  readonly conditions: readonly Either[];

  constructor(table: TableName, conditions: readonly Either[] = []) {
    this.table = table;
    this.conditions = conditions;
  }

  /** Any of these conditions. */
  either(...conditions: Either): Filters {
    return new Filters(this.table, [...this.conditions, conditions]);
  }

  /** A comparison, if the value is given. */
  and(column: string, is: Sign, value: string | number | boolean | undefined): Filters {
    return value === undefined ? this : this.either({ column, is, value });
  }

  /** The column equals this text, ignoring case, if it is given. */
  like(column: string, value: string | undefined): Filters {
    return value === undefined ? this : this.either({ column, is: 'like', value });
  }

  /** The column contains this text, ignoring case, if it is given. */
  containing(column: string, value: string | undefined): Filters {
    return value === undefined ? this : this.either({ column, is: 'containing', value });
  }

  /** Whether a condition searches a column for a text, which reads every row. */
  get searchesText(): boolean {
    return this.conditions.some((either) => either.some(({ is }) => is === 'containing'));
  }

  /** Names of the columns that the conditions read. */
  get columns(): readonly string[] {
    return this.conditions.flat().flatMap(({ column, is }) => {
      return is === 'of no property' ? recordColumns(this.table) : [column];
    });
  }

  sql(): Where {
    const where = new Where();
    for (const either of this.conditions) {
      const parts = either.map((condition) => conditionSql(this.table, condition));
      where.add(parts.map(([sql]) => sql).join(' OR '), ...parts.flatMap(([, ...values]) => values));
    }
    return where;
  }
}
