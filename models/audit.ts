/** Run the audits of built models: how many rows fail each, and the first of them. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../lib/duck.ts';
import { messageOf } from '../lib/errors.ts';
import { identifier } from '../lib/sql.ts';
import type { Audit } from './contract.ts';
import type { Layer, Model } from './index.ts';

/** Failing rows in a result. */
const ROWS_SHOWN = 20;

export interface AuditResult extends Audit {
  /** Number of failing rows; 0 if the audit passes. */
  readonly failing: number;
  /** The first failing rows, in JSON form. */
  readonly rows: readonly Record<string, unknown>[];
}

export interface ModelResult {
  readonly name: string;
  readonly layer: Layer;
  readonly rows: number;
  readonly audits: readonly AuditResult[];
}

/**
 * Audit every model but views without audits of their own. Failing rows do not throw: the result has them, and the
 * caller decides.
 * @param models built models, in the order of the results
 * @param onModel called before each model is audited
 */
export async function auditModels(
  connection: DuckDBConnection,
  models: readonly Model[],
  onModel?: (name: string) => void,
): Promise<ModelResult[]> {
  const results: ModelResult[] = [];
  // To count the rows of a view, DuckDB would compute all of them again.
  for (const model of models.filter(({ auditedIn, audits }) => auditedIn === undefined || audits.length > 0)) {
    onModel?.(model.name);
    const { audits } = model;
    const { rows, failing } = await countFailing(connection, model.name, audits);
    const audited: AuditResult[] = [];
    for (const audit of audits) audited.push(await runAudit(connection, audit, failing.get(audit)));
    results.push({ name: model.name, layer: model.layer, rows, audits: audited });
  }
  return results;
}

interface Counted {
  readonly rows: number;
  /** Failing rows per audit, for the audits that one pass over the table can count. */
  readonly failing: ReadonlyMap<Audit, number>;
}

/**
 * Count the rows of a model and those that meet each audit's condition, in one pass over the table. For a key the pass
 * only finds out whether any two rows share it; the audit's own SQL finds which.
 */
async function countFailing(connection: DuckDBConnection, model: string, audits: readonly Audit[]): Promise<Counted> {
  const counts = audits.flatMap((audit) => {
    if (audit.condition !== undefined) return [{ audit, sql: `count_if(${audit.condition})` }];
    if (!audit.unique) return [];
    const key = audit.unique.map(identifier).join(', ');
    return [{ audit, sql: `count(*) - count(DISTINCT (${key}))` }];
  });
  const columns = ['count(*) AS n', ...counts.map(({ sql }, index) => `${sql} AS audit_${index}`)].join(', ');
  const [row] = await rowsOf(connection, `SELECT ${columns} FROM ${identifier(model)}`)
    // Each audit then runs by itself, and the error names the one that fails.
    .catch(() => rowsOf(connection, `SELECT count(*) AS n FROM ${identifier(model)}`));
  const failing = new Map<Audit, number>();
  for (const [i, { audit }] of counts.entries()) {
    const count = row?.[`audit_${i}`];
    if (count === undefined) continue;
    if (audit.condition !== undefined || Number(count) === 0) failing.set(audit, Number(count));
  }
  return { rows: Number(row?.['n']), failing };
}

/** @param counted number of failing rows, if known */
async function runAudit(connection: DuckDBConnection, audit: Audit, counted: number | undefined): Promise<AuditResult> {
  try {
    const failing = counted ?? Number((await rowsOf(connection, `SELECT count(*) AS n FROM (${audit.sql})`))[0]?.['n']);
    if (failing === 0) return { ...audit, failing, rows: [] };
    const rows = await rowsOf(connection, `SELECT * FROM (${audit.sql}) ORDER BY ALL LIMIT ${ROWS_SHOWN}`);
    return { ...audit, failing, rows };
  } catch (error) {
    throw new Error(`audit ${audit.name}: ${messageOf(error)}`, { cause: error });
  }
}
