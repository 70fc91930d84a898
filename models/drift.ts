/**
 * How far a table may move from the snapshot before. The rule: a table that keeps its rows blocks publication when it
 * has lost one. Of any other, the rows that count are compared with those of the snapshot before, where that had at
 * least `leastRows` of them and their source is still a source: a fall below `warnBelowPct`, or a rise above
 * `warnAbovePct`, is a warning, since markets and lists do move; a fall below `blockBelowPct` blocks, since nothing but a
 * defect takes nine rows in ten in one step. What falls by the calendar alone (leads, sales to come) only warns.
 */
import type { Audit } from './contract.ts';

export const DRIFT = { leastRows: 50, warnBelowPct: 60, warnAbovePct: 250, blockBelowPct: 10 } as const;

/**
 * Audits of a table whose rows come and go.
 * @param counted condition on the rows that count, over columns of the table
 * @param what what those rows are, for people
 */
export function comesAndGoes(model: string, counted: string, what: string, blocks: boolean): Audit[] {
  const counts = `SELECT * FROM (SELECT count(*) AS now_rows FROM ${model} WHERE ${counted}),
    (SELECT count(*) AS rows_before FROM previous_${model} WHERE ${counted} AND source IN (SELECT source FROM source_reads))
    WHERE rows_before >= ${DRIFT.leastRows}`;
  const audit = (name: string, about: string, condition: string, blocking: boolean): Audit => ({
    name: `${model}.${name}`,
    about,
    blocking,
    sql: `${counts} AND ${condition}`,
  });
  return [
    audit(
      'fell',
      `${what} are no fewer than ${DRIFT.warnBelowPct} % of those before`,
      `100 * now_rows < ${DRIFT.warnBelowPct} * rows_before`,
      false,
    ),
    audit(
      'rose',
      `${what} are no more than ${DRIFT.warnAbovePct} % of those before`,
      `100 * now_rows > ${DRIFT.warnAbovePct} * rows_before`,
      false,
    ),
    ...(blocks
      ? [
          audit(
            'all_but_gone',
            `${what} are no fewer than ${DRIFT.blockBelowPct} % of those before`,
            `100 * now_rows < ${DRIFT.blockBelowPct} * rows_before`,
            true,
          ),
        ]
      : []),
  ];
}

/** The audit of a table that keeps its rows: none of the snapshot before is lost. */
export const keepsRows = (model: string, key: readonly string[], what: string): Audit => ({
  name: `${model}.none_lost`,
  about: `${what} once published stays`,
  blocking: true,
  sql: `SELECT ${key.join(', ')} FROM previous_${model} ANTI JOIN ${model} USING (${key.join(', ')})`,
});
