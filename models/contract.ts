/**
 * A model is a pair of files: `<name>.sql`, one SELECT an analyst can paste into a DuckDB prompt, and `<name>.ts`, its
 * contract. Its table has the name of the files, and its dependencies are read from the SQL. A build checks the
 * contract: columns, order and types equal the record's, a field without an absence rule is never null, the key is
 * unique, and the audits find no rows.
 */
import type { Column, RecordDefinition } from '../lib/record.ts';

/** A query for bad rows. A blocking audit that finds any stops publication. */
export interface Audit {
  readonly name: string;
  /** The statement that holds if no row is found, in one sentence. */
  readonly about: string;
  /** A SELECT that returns the failing rows. */
  readonly sql: string;
  /** Set if the audit is of single rows of the model: the condition that none may meet. */
  readonly condition?: string;
  /** Set if the audit is of a key: its columns, which no two rows may share. */
  readonly unique?: readonly string[];
  readonly blocking: boolean;
}

/** How a published table is written. */
export interface Publication {
  /** A total order, so that the file's bytes depend on the rows alone. */
  readonly orderBy: readonly string[];
  /** Tables whose key a column of this one names, by the column. */
  readonly references?: Readonly<Record<string, string>>;
  /** The table has millions of rows: the index of a key would double the database file, so it has none. */
  readonly isLarge?: true;
  /** Why a release (`make release`) leaves the table out. */
  readonly notReleased?: string;
}

export interface ModelContract {
  readonly record: RecordDefinition;
  readonly audits: readonly Audit[];
  /**
   * Set on a model of millions of rows that is a view rather than a table. Its rows are audited in the table that reads
   * it, whose record has the same columns: an audit of the view would compute all rows again.
   */
  readonly view?: true;
  /** Set on a published table. */
  readonly publish?: Publication;
}

/** @param contract without audits, if the model has none of its own */
export const defineModel = (
  contract: Omit<ModelContract, 'audits'> & Partial<Pick<ModelContract, 'audits'>>,
): ModelContract => ({ audits: [], ...contract });

/** An audit that no row meets `condition`. */
export const never = (model: string, name: string, about: string, condition: string): Audit => ({
  name: `${model}.${name}`,
  about,
  blocking: true,
  condition,
  sql: `SELECT * FROM ${model} WHERE ${condition}`,
});

/** The same as a warning, which does not stop publication. */
export const warnIf = (model: string, name: string, about: string, condition: string): Audit => ({
  ...never(model, name, about, condition),
  blocking: false,
});

/** The audits of every model, from its record: unique key, no null without an absence rule, closed enums. */
export function auditsOfRecord(model: string, record: RecordDefinition): Audit[] {
  const key = record.key.map((column) => `"${column}"`).join(', ');
  const required = record.columns.filter((column) => column.absent === undefined);
  const closed = record.columns.filter(
    (column): column is Column & { values: readonly string[] } => column.values !== undefined,
  );
  return [
    {
      name: `${model}.grain_unique`,
      about: record.about,
      blocking: true,
      unique: record.key,
      sql: `SELECT ${key}, count(*) AS copies FROM ${model} GROUP BY ALL HAVING count(*) > 1`,
    },
    ...(required.length === 0
      ? []
      : [
          never(
            model,
            'no_silent_null',
            'a column without an absence rule is never null',
            required.map((column) => `"${column.name}" IS NULL`).join(' OR '),
          ),
        ]),
    ...closed.map((column) =>
      never(
        model,
        `${column.name}_closed`,
        `${column.name} is one of ${column.values.join(', ')}`,
        `"${column.name}" NOT IN (${column.values.map((value) => `'${value}'`).join(', ')})`,
      ),
    ),
  ];
}

/** All audits of a model: those of its record and its own. */
export const auditsOf = ({ name, contract }: { readonly name: string; readonly contract: ModelContract }): Audit[] => [
  ...(contract.view === true ? [] : auditsOfRecord(name, contract.record)),
  ...contract.audits,
];
