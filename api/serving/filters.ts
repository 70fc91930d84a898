/** The filters of a list as data. */
import type { TableName } from '../../models/serving/tables.ts';

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
  | { readonly column: string; readonly is: 'of no property'; readonly values: readonly string[] }
  /** The point of the record, whose latitude is this column, is in the circle. */
  | { readonly column: string; readonly is: 'within'; readonly circle: Circle }
  | { readonly column: string; readonly is: 'absent' };

/** Degrees (WGS 84), and a radius. */
export interface Circle {
  readonly latitude: number;
  readonly longitude: number;
  readonly miles: number;
}

const [EARTH_MILES, RADIAN] = [3958.76, Math.PI / 180];

/** Whether a point is in a circle on a sphere, which is right to 0.5 % of the distance. */
export function isWithin({ latitude, longitude, miles }: Circle, north: number, east: number): boolean {
  const [up, across] = [(north - latitude) * RADIAN, (east - longitude) * RADIAN];
  // Most points are too far north or south already. NaN, the point of a record without one, is not near.
  if (!(Math.abs(up) * EARTH_MILES <= miles)) return false;
  const part = Math.cos(north * RADIAN) * Math.cos(latitude * RADIAN) * Math.sin(across / 2) ** 2;
  return 2 * EARTH_MILES * Math.asin(Math.sqrt(Math.sin(up / 2) ** 2 + part)) <= miles;
}

/** Conditions joined with OR. */
export type Either = readonly Condition[];

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

  /** The same conditions on another table, where some columns have other names. */
  on(table: TableName, names: Readonly<Record<string, string>>): Filters {
    const renamed = this.conditions.map((either) =>
      either.map((condition) => ({ ...condition, column: names[condition.column] ?? condition.column })),
    );
    return new Filters(table, renamed);
  }
}

/** Order of a list: a column, nulls last, then by id. */
export interface Rank {
  readonly column: string;
  readonly direction: 'DESC' | 'ASC';
  /** Rows with one of these values in this column come after all others. */
  readonly behind?: { readonly column: string; readonly values: readonly string[] };
}

/** Rows of a table, in their order. */
export interface RankedRows {
  readonly filters: Filters;
  readonly rank: Rank;
}

/** The last row of a page. */
export interface Position {
  /** Value of the ranking column as text, or null. */
  readonly value: string | null;
  readonly id: string;
  /** Whether the row is in the second part of a list that is ranked in two parts; otherwise false. */
  readonly isBehind: boolean;
}

export interface PageRows {
  /** Matching rows of the list, ignoring the cursor. */
  readonly total: number;
  /** Rows of the page. */
  readonly rows: readonly number[];
}
