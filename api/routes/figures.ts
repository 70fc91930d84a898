/** Counts and ranges over the rows that match some filters. */
import type { Value } from '../serving/columns.ts';
import type { Filters } from '../serving/filters.ts';
import type { Snapshot } from '../serving/open.ts';

/** The smallest and the largest value; null without one. */
type Ends = readonly [smallest: string | null, largest: string | null];

export interface Figures {
  readonly all: readonly number[];
  /** The values of a column and how often each occurs, in their order. */
  counts(column: string): ReadonlyMap<Value, number>;
  ends(column: string): Ends;
}

export async function figuresOf(snapshot: Snapshot, filters: Filters): Promise<Figures> {
  const all = await snapshot.select(filters);
  const counts: Figures['counts'] = (column) => snapshot.column(filters.table, column).counts(all);
  return {
    all,
    counts,
    ends(column) {
      const values = [...counts(column).keys()].map(String);
      return [values[0] ?? null, values.at(-1) ?? null];
    },
  };
}

/** Number of cities, ignoring case; a name in two states is two. */
export async function citiesOf(snapshot: Snapshot, filters: Filters): Promise<number> {
  const column = (name: string) => snapshot.column(filters.table, name);
  const [cities, states] = [column('city'), column('state')];
  const rows = await snapshot.select(filters);
  return new Set(rows.map((row) => `${String(cities.at(row)).toLowerCase()}, ${String(states.at(row))}`)).size;
}
