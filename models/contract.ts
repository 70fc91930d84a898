/**
 * A model is one SELECT in `<name>.sql`, which an analyst can paste into a DuckDB prompt. Its table has the name of the
 * file, its dependencies and types come from the SQL, its head names the key, and its audits follow the SELECT. A mart
 * is published, so it also has a contract in `<name>.ts`: a build takes the columns of the record in their order, and
 * checks their types and that a field without an absence rule is never null.
 */
import { conditionOf, type Column, type RecordDefinition } from '../lib/record.ts';
import { identifier } from '../lib/sql.ts';

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
  /** Tables whose id a column of this one names, by the column. */
  readonly references?: Readonly<Record<string, string>>;
  /**
   * Set on a table of millions of rows, which is published in parts: its model gives only the rows that today adds or
   * replaces.
   */
  readonly parts?: {
    /** Model of the rows that today's replace, as they were. */
    readonly before: string;
    /** The table as people read it, with columns of other tables: its record, and SQL over its own rows. */
    readonly shown?: { readonly record: RecordDefinition; sql(rows: string): string };
  };
  /** Set on a table of wide rows, built in slices by id: published as Parquet only, which the database reads. */
  readonly inFilesOnly?: true;
  /** Why a release (`make release`) leaves the table out. */
  readonly notReleased?: string;
}

/** Contract of a mart. */
export interface MartContract {
  readonly record: RecordDefinition;
  readonly audits: readonly Audit[];
  readonly publish: Publication;
}

/** @param contract without audits, if the mart has none of its own */
export const defineMart = (
  contract: Omit<MartContract, 'audits'> & Partial<Pick<MartContract, 'audits'>>,
): MartContract => ({ audits: [], ...contract });

/** An audit that no row meets `condition`. */
export const never = (model: string, name: string, about: string, condition: string): Audit => ({
  name: `${model}.${name}`,
  about,
  blocking: true,
  condition,
  sql: `SELECT * FROM ${model} WHERE ${condition}`,
});

/** An audit of a key: no two rows share it. */
const uniqueKey = (model: string, about: string, key: readonly string[]): Audit => ({
  name: `${model}.grain_unique`,
  about,
  blocking: true,
  unique: key,
  sql: `SELECT ${key.map(identifier).join(', ')}, count(*) AS copies FROM ${model} GROUP BY ALL HAVING count(*) > 1`,
});

/** An audit of columns that are never null, if there are any. */
const neverNull = (model: string, about: string, columns: readonly string[]): Audit[] =>
  columns.length === 0
    ? []
    : [never(model, 'no_silent_null', about, columns.map((column) => `${identifier(column)} IS NULL`).join(' OR '))];

/**
 * Audits that a field is null exactly if one of its causes applies: one for the fields that share their causes. A cause
 * without a condition explains any null that is left.
 */
function absencesAsSaid(model: string, { columns }: RecordDefinition): Audit[] {
  return [...Map.groupBy(columns, ({ causes }) => causes)].flatMap(([causes = [], fields]) => {
    const conditions = causes.map(conditionOf);
    const known = conditions.filter((condition) => condition !== null);
    if (known.length === 0) return [];
    const isSaid = `coalesce(${known.map((condition) => `(${condition})`).join(' OR ')}, false)`;
    const isComplete = known.length === conditions.length;
    const names = fields.map(({ name }) => name);
    return never(
      model,
      `${names[0] ?? ''}_absent_as_said`,
      `${names.join(', ')}: null ${isComplete ? 'exactly' : 'at least'} if a reason applies`,
      names
        .map((name) => `${isComplete ? `("${name}" IS NULL) <> ${isSaid}` : `"${name}" IS NOT NULL AND ${isSaid}`}`)
        .map((condition) => `(${condition})`)
        .join(' OR '),
    );
  });
}

/**
 * The audits of every mart, from its record: unique key, no null without an absence rule, a null exactly if its reason
 * applies, closed enums.
 */
export function auditsOfRecord(model: string, record: RecordDefinition): Audit[] {
  const required = record.columns.filter((column) => column.absent === undefined).map(({ name }) => name);
  const closed = record.columns.filter(
    (column): column is Column & { values: readonly string[] } => column.values !== undefined,
  );
  return [
    uniqueKey(model, record.about, record.key),
    ...neverNull(model, 'a column without an absence rule is never null', required),
    ...absencesAsSaid(model, record),
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

/** Audits that the columns which name rows of other tables name rows that exist. */
export const auditsOfReferences = (model: string, { references = {} }: Publication): Audit[] =>
  Object.entries(references).map(([column, target]) => ({
    name: `${model}.${column}_in_${target}`,
    about: `${column} is the id of a row of ${target}`,
    blocking: true,
    // A null is in no list, not even in an empty one.
    sql: `SELECT ${column} FROM ${model} WHERE ${column} IS NOT NULL AND ${column} NOT IN (SELECT id FROM ${target})`,
  }));

/** What the SQL file of a model says. */
export interface ModelText {
  /** The SELECT. */
  readonly sql: string;
  readonly audits: readonly Audit[];
  /** Set on a view, which has too many rows for a table of their own: the table in which they are audited. */
  readonly auditedIn?: string;
}

const namesOn = (line: string, sql: string): string[] =>
  [...sql.matchAll(new RegExp(`^-- ${line}: (.+)$`, 'gmu'))].flatMap(([, names = '']) => names.split(', '));

/**
 * Head of an audit behind the SELECT. `-- never name: statement` is followed by a condition that no row may meet;
 * `-- audit` by a SELECT of failing rows, which block publication; `-- warning` by one whose rows do not.
 */
const AUDIT = /^-- (never|audit|warning) (\w+): (.+)$/mu;

/**
 * Read a model's SQL file. Its head may have the lines `-- Key: a, b?` (no two rows share it, and a column is null only
 * if it has a question mark), `-- Not null: c, d`, and `-- View: audited in <the table that reads it>`.
 */
export function readModelText(model: string, text: string): ModelText {
  const [sql = '', ...parts] = text.split(AUDIT);
  const audits: Audit[] = [];
  for (let i = 0; i < parts.length; i += 4) {
    const [kind, name = '', about = '', query = ''] = parts.slice(i, i + 4);
    const rule = query.trim().replace(/;$/u, '');
    const audit = { name: `${model}.${name}`, about, blocking: kind === 'audit', sql: rule };
    audits.push(kind === 'never' ? never(model, name, about, rule) : audit);
  }
  const auditedIn = /^-- View: audited in (\w+)$/mu.exec(sql)?.[1];
  const key = namesOn('Key', sql);
  const required = [...key.filter((column) => !column.endsWith('?')), ...namesOn('Not null', sql)];
  const ofRows =
    auditedIn !== undefined || key.length === 0
      ? []
      : [
          uniqueKey(
            model,
            'no two rows have the same key',
            key.map((column) => column.replace(/\?$/u, '')),
          ),
          ...neverNull(model, 'the named columns are never null', required),
        ];
  return { sql, audits: [...ofRows, ...audits], ...(auditedIn === undefined ? {} : { auditedIn }) };
}

/**
 * How far a table may drift from the previous snapshot. A table that keeps its rows blocks publication if it lost one.
 * For any other table, the rows that count are compared with those of the previous snapshot, if it had at least
 * `leastRows` of them from sources that still exist. A fall below `warnBelowPct` or a rise above `warnAbovePct` is a
 * warning: markets and lists move. A fall below `blockBelowPct` blocks: only a defect removes nine rows in ten at once.
 * Rows that expire with the calendar (leads, upcoming sales) only warn.
 */
export const DRIFT = { leastRows: 50, warnBelowPct: 60, warnAbovePct: 250, blockBelowPct: 10 } as const;

/**
 * Audits of a table whose rows come and go.
 * @param counted condition on the rows that count
 * @param what noun for those rows, for messages
 */
export function comesAndGoes(model: string, counted: string, what: string, blocks: boolean): Audit[] {
  const counts = `SELECT * FROM (SELECT count(*) AS now_rows FROM ${model} WHERE ${counted}),
    (SELECT count(*) AS rows_before FROM previous_${model}
      WHERE ${counted} AND source IN (SELECT source FROM source_reads))
    WHERE rows_before >= ${DRIFT.leastRows}`;
  const audit = (name: string, limit: 'least' | 'most', pct: number, blocking: boolean): Audit => ({
    name: `${model}.${name}`,
    about: `${what} are at ${limit} ${pct} % of those in the previous snapshot`,
    blocking,
    sql: `${counts} AND 100 * now_rows ${limit === 'least' ? '<' : '>'} ${pct} * rows_before`,
  });
  return [
    audit('fell', 'least', DRIFT.warnBelowPct, false),
    audit('rose', 'most', DRIFT.warnAbovePct, false),
    ...(blocks ? [audit('all_but_gone', 'least', DRIFT.blockBelowPct, true)] : []),
  ];
}

/** The audit of a table that keeps its rows: it has every row of the previous snapshot. */
export const keepsRows = (model: string, key: readonly string[], what: string): Audit => ({
  name: `${model}.none_lost`,
  about: `every published ${what} stays`,
  blocking: true,
  sql: `SELECT ${key.join(', ')} FROM previous_${model} ANTI JOIN ${model} USING (${key.join(', ')})`,
});
