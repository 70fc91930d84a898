/**
 * Filters of a list, each a column, a comparison and a value. The same conditions are run in two ways: for lists and
 * lookups over columns held in memory (api/columns.ts), which takes a hundredth of the time, and as SQL for counts and samples.
 */
import type { Column } from '../lib/record.ts';
import { identifier } from '../lib/sql.ts';
import { TABLES, type ListedTable, type TableName } from './tables.ts';
import { Where } from './where.ts';

export type Sign = '=' | '<>' | '<' | '<=' | '>' | '>=';

/**
 * One condition. A row in which the column is null meets none but `absent`.
 * A value has the JSON form of its column: digits of a number, a day, an instant, true or false.
 */
export type Condition =
  | { readonly column: string; readonly is: Sign; readonly value: string | number | boolean }
  /** The same text, or a part of it, in upper or lower case. */
  | { readonly column: string; readonly is: 'like' | 'containing'; readonly value: string }
  | { readonly column: string; readonly is: 'none of'; readonly values: readonly string[] }
  | { readonly column: string; readonly is: 'absent' };

/** Conditions of which one is enough. */
export type Either = readonly Condition[];

/** The column of a table. @throws where it has none of that name */
export function columnOf(table: TableName, name: string): Column {
  const column = TABLES[table].columns.find((c) => c.name === name);
  if (!column) throw new Error(`${table} has no column ${name}`);
  return column;
}

/** How a value stands in SQL, to be compared exactly with the column. A number keeps all its digits. */
function placeholder({ kind, sql }: Column): string {
  switch (kind) {
    case 'money': case 'percent': case 'ratio': return 'CAST(? AS DECIMAL(18,6))';
    case 'date': case 'instant': return `CAST(? AS ${sql})`;
    case 'text': case 'enum': case 'integer': case 'flag': case 'json': return '?';
  }
}

/** A condition as SQL, with a `?` for each of its values. */
export function sqlOf(table: TableName, condition: Condition): [sql: string, ...values: (string | number | boolean)[]] {
  const column = columnOf(table, condition.column);
  const name = identifier(column.name);
  switch (condition.is) {
    case 'absent': return [`${name} IS NULL`];
    case 'like': return [`lower(${name}) = lower(?)`, condition.value];
    case 'containing': return [`contains(lower(${name}), lower(?))`, condition.value];
    case 'none of': return [`${name} NOT IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`, JSON.stringify(condition.values)];
    default: return [`${name} ${condition.is} ${placeholder(column)}`, condition.value];
  }
}

/** Conditions put together with AND. Each call gives new ones and leaves the old as they were. */
export class Filters {
  readonly table: ListedTable;
  readonly conditions: readonly Either[];

  constructor(table: ListedTable, conditions: readonly Either[] = []) {
    this.table = table;
    this.conditions = conditions;
  }

  /** Any of these. */
  either(...conditions: Either): Filters { return new Filters(this.table, [...this.conditions, conditions]); }

  /** This, where the value is given. */
  and(column: string, is: Sign, value: string | number | boolean | undefined): Filters { return value === undefined ? this : this.either({ column, is, value }); }

  /** The column is this text, in upper or lower case, where it is given. */
  like(column: string, value: string | undefined): Filters { return value === undefined ? this : this.either({ column, is: 'like', value }); }

  /** The column has this part, in upper or lower case, where it is given. */
  containing(column: string, value: string | undefined): Filters { return value === undefined ? this : this.either({ column, is: 'containing', value }); }

  sql(): Where {
    const where = new Where();
    for (const either of this.conditions) {
      const parts = either.map((condition) => sqlOf(this.table, condition));
      where.add(parts.map(([sql]) => sql).join(' OR '), ...parts.flatMap(([, ...values]) => values));
    }
    return where;
  }
}
