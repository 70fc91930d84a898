/**
 * Tables of very many rows that keep what they once had (Carries in contract.ts): the rows that are not as they were, and
 * what of an audit has to be seen again when all others held the day before.
 *
 * For such a model two tables tell what is other than in the snapshot before, and live as long as the build's database:
 * `changed_<model>` holds the rows that are new or other, `replaced_<model>` those in whose place they stand.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../lib/duck.ts';
import { identifier } from '../lib/sql.ts';
import type { Audit, Carries, ModelContract } from './contract.ts';

export const changedTable = (model: string): string => `changed_${model}`;
export const replacedTable = (model: string): string => `replaced_${model}`;
const previousTable = (model: string): string => `previous_${model}`;

/** Columns whose values are looked up for every row. */
export const lookedUpColumns = ({ lookedUp }: Carries): readonly string[] => Object.keys(lookedUp?.columns ?? {});

const sameRow = (a: string, b: string, columns: readonly string[]): string => columns.map((c) => `${a}.${identifier(c)} = ${b}.${identifier(c)}`).join(' AND ');

/** Columns with the values found for them, and the condition by which they are found. */
function lookup({ from, on, columns }: NonNullable<Carries['lookedUp']>, rows: string): { readonly found: readonly (readonly [column: string, value: string])[]; readonly table: string; readonly condition: string } {
  return {
    found: Object.entries(columns).map(([column, there]) => [identifier(column), `found.${identifier(there)}`]),
    table: `${identifier(from)} AS found`,
    condition: Object.entries(on).map(([column, there]) => `${rows}.${identifier(column)} = found.${identifier(there)}`).join(' AND '),
  };
}

/** A model that carries the rows of a snapshot before; one without rows carries nothing. */
export async function carriesRows(connection: DuckDBConnection, name: string, { carries }: ModelContract): Promise<boolean> {
  return carries !== undefined && (await rowsOf(connection, `SELECT 1 FROM ${identifier(previousTable(name))} LIMIT 1`)).length > 0;
}

/** On a day without a snapshot before every row is new. */
export async function nothingCarried(connection: DuckDBConnection, name: string): Promise<void> {
  await connection.run(`CREATE VIEW ${changedTable(name)} AS FROM ${identifier(name)}; CREATE VIEW ${replacedTable(name)} AS FROM ${identifier(previousTable(name))}`);
}

/** Compute the rows that are not as they were. @returns a SELECT of the whole table */
export async function carriedSelect(connection: DuckDBConnection, name: string, select: string, carries: Carries): Promise<string> {
  const [changed, previous, key] = [changedTable(name), identifier(previousTable(name)), carries.key.map(identifier).join(', ')];
  await connection.run(`CREATE TABLE ${changed} AS ${select}`);
  await connection.run(`CREATE TABLE ${replacedTable(name)} AS FROM ${identifier(carries.before)} SEMI JOIN ${changed} USING (${key})`);
  const { found, table, condition } = carries.lookedUp ? lookup(carries.lookedUp, 'stands') : { found: [], table: '', condition: '' };
  const kept = `(FROM ${previous} ANTI JOIN ${changed} USING (${key})) AS stands`;
  return `FROM ${changed} UNION ALL BY NAME ${found.length === 0 ? `FROM ${kept}`
    : `SELECT stands.* REPLACE (${found.map(([column, value]) => `${value} AS ${column}`).join(', ')}) FROM ${kept} LEFT JOIN ${table} ON ${condition}`}`;
}

/** Bring a table that lies as it was in the snapshot before up to date. */
export async function bringUpToDate(connection: DuckDBConnection, name: string, select: string, carries: Carries, table: string): Promise<void> {
  const run = async (statement: string): Promise<void> => { await connection.run(statement); };
  const [changed, replaced, key] = [changedTable(name), replacedTable(name), carries.key.map(identifier).join(', ')];
  await run(`CREATE TABLE ${changed} AS ${select}`);
  await run(`CREATE TABLE ${replaced} AS FROM ${identifier(carries.before)} SEMI JOIN ${changed} USING (${key})`);
  await run(`DELETE FROM ${table} AS stands USING ${changed} WHERE ${sameRow('stands', changed, carries.key)}`);
  await run(`INSERT INTO ${table} BY NAME FROM ${changed}`);
  if (!carries.lookedUp) return;
  // One column is written; the others of the row stay where they lie.
  const { found, table: from, condition } = lookup(carries.lookedUp, 'stands');
  for (const [column, value] of found) await run(`UPDATE ${table} AS stands SET ${column} = ${value} FROM ${from} WHERE ${condition} AND stands.${column} IS DISTINCT FROM ${value}`);
}

/**
 * How many rows fail an audit that held for every row of the snapshot before, found without looking at those again. Only
 * what can be told that way is in the result: conditions on a row alone, that no two rows share a key, and that none is
 * lost; of the latter two only that they hold.
 */
export async function failingOfChanged(connection: DuckDBConnection, name: string, carries: Carries, audits: readonly Audit[]): Promise<ReadonlyMap<Audit, number>> {
  const [changed, replaced] = [changedTable(name), replacedTable(name)];
  const failing = new Map<Audit, number>();
  const one = async (sql: string): Promise<readonly number[]> => Object.values((await rowsOf(connection, sql))[0] ?? {}).map(Number);
  const ofRow = audits.filter(({ condition }) => condition !== undefined && !/\bselect\b/iu.test(condition) && !lookedUpColumns(carries).some((c) => condition.includes(c)));
  if (ofRow.length > 0) {
    const counts = await one(`SELECT ${ofRow.map(({ condition }, i) => `count_if(${condition}) AS audit_${i}`).join(', ')} FROM ${changed}`);
    for (const [i, audit] of ofRow.entries()) failing.set(audit, counts[i] ?? 0);
  }
  for (const audit of audits) {
    if (audit.unique) {
      const key = audit.unique.map(identifier).join(', ');
      const [shared] = await one(`SELECT count(*) - count(DISTINCT (${key})) FROM ${identifier(name)} SEMI JOIN ${changed} USING (${key})`);
      if (shared === 0) failing.set(audit, 0);
    }
    if (audit.keeps) {
      // Rows are lost where what took their place has another key, or where more went than were replaced.
      const [lost, balance] = await one(`SELECT (SELECT count(*) FROM ${replaced} ANTI JOIN ${changed} USING (${audit.keeps.map(identifier).join(', ')})),
        (SELECT count(*) FROM ${identifier(previousTable(name))}) - (SELECT count(*) FROM ${replaced}) + (SELECT count(*) FROM ${changed}) - (SELECT count(*) FROM ${identifier(name)})`);
      if (lost === 0 && balance === 0) failing.set(audit, 0);
    }
  }
  return failing;
}
