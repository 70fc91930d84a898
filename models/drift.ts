/**
 * How far a table may drift from the previous snapshot. A table that keeps its rows blocks publication if it lost one.
 * For any other table, the rows that count are compared with those of the previous snapshot, if it had at least
 * `leastRows` of them from sources that still exist. A fall below `warnBelowPct` or a rise above `warnAbovePct` is a
 * warning: markets and lists move. A fall below `blockBelowPct` blocks: only a defect removes nine rows in ten at once.
 * Rows that expire with the calendar (leads, upcoming sales) only warn.
 */
import type { Audit } from './contract.ts';

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
