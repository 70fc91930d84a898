/**
 * A model is a pair of files: `<name>.sql`, one SELECT an analyst can paste into a DuckDB prompt, and
 * `<name>.ts`, its contract. The table it makes carries the file's name. What it depends on is read from
 * the SQL itself. After it is built the contract is checked: columns, order and types equal the record's,
 * NOT NULL where a field has no absence rule, the grain is unique, the audits find no rows.
 */
import type { Column, RecordDefinition } from '../lib/record.ts';

/** A query for bad rows: `from` the model where `where` holds. A blocking audit that finds any stops publication. */
export interface Audit {
  readonly name: string;
  /** What holds when no row is found, in one sentence. */
  readonly about: string;
  /** A SELECT that returns the failing rows. */
  readonly sql: string;
  /** Where the rows are those of the model itself: the condition that no row may meet. */
  readonly condition?: string;
  /** Where the rows are those whose key others have too: its columns. */
  readonly unique?: readonly string[];
  readonly blocking: boolean;
}

export interface ModelContract {
  readonly record: RecordDefinition;
  readonly audits: readonly Audit[];
  /**
   * Set on a model whose millions of rows are computed where they are read rather than stored. They are audited in the
   * table that they go into, whose record has the same columns: to audit them here would compute all of them once more.
   */
  readonly view?: true;
  /** Set on a table that a snapshot publishes. `orderBy` is a total order, so the bytes of its file depend on its rows alone. */
  readonly publish?: { readonly orderBy: readonly string[] };
}

export const defineModel = (contract: ModelContract): ModelContract => contract;

/** Rows where `condition` is true must not exist. */
export const never = (model: string, name: string, about: string, condition: string, blocking = true): Audit => ({
  name: `${model}.${name}`,
  about,
  blocking,
  condition,
  sql: `SELECT * FROM ${model} WHERE ${condition}`,
});

/** The audits every model gets from its record: unique grain, no null without an absence rule, closed enums. */
export function auditsOfRecord(model: string, record: RecordDefinition): Audit[] {
  const grain = record.key.map((k) => `"${k}"`).join(', ');
  const required = record.columns.filter((c) => c.absent === undefined);
  const closed = record.columns.filter((c): c is Column & { values: readonly string[] } => c.values !== undefined);
  return [
    {
      name: `${model}.grain_unique`,
      about: record.about,
      blocking: true,
      unique: record.key,
      sql: `SELECT ${grain}, count(*) AS copies FROM ${model} GROUP BY ALL HAVING count(*) > 1`,
    },
    ...(required.length === 0
      ? []
      : [
          never(
            model,
            'no_silent_null',
            'a column without an absence rule is never null',
            required.map((c) => `"${c.name}" IS NULL`).join(' OR '),
          ),
        ]),
    ...closed.map((c) =>
      never(
        model,
        `${c.name}_closed`,
        `${c.name} is one of ${c.values.join(', ')}`,
        `"${c.name}" NOT IN (${c.values.map((v) => `'${v}'`).join(', ')})`,
      ),
    ),
  ];
}

/** All audits of a model: those of its record and its own. */
export const auditsOf = ({ name, contract }: { readonly name: string; readonly contract: ModelContract }): Audit[] => [
  ...(contract.view === true ? [] : auditsOfRecord(name, contract.record)),
  ...contract.audits,
];
