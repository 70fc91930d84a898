/** The operator's corrections, and what people asked to have left out, in the input tables of a build. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import type { Column, RecordDefinition, RowOf } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { namesIn } from '../../lib/files.ts';
import { Filing } from '../../models/marts/filings.ts';
import type { Layout } from '../layout.ts';
import { listSnapshots } from '../snapshots.ts';
import { join } from 'node:path';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Correction as CorrectionRecord } from '../../sources/rows/operator.ts';
import { sealedSql } from '../../lib/suppressions.ts';
import { Registration } from '../../sources/rows/register.ts';

type Correction = RowOf<typeof CorrectionRecord>;

/** SQL condition of the rows of a table that are not, and do not name, what is left out on request. */
export type SuppressionFilter = (columns: readonly Column[]) => string;

/** Ids and sealed names that are left out on request. */
export async function readSubjects(connection: DuckDBConnection): Promise<readonly string[]> {
  return (await rowsOf(connection, 'FROM staged_suppression')).map(({ subject }) => String(subject));
}

/**
 * The same in order, and the ids of the filings of every snapshot in the
 * folder that name one of them: a server cannot look for a sealed name in millions of rows.
 */
export async function suppressedSubjects(
  connection: DuckDBConnection,
  layout: Layout,
  filter: SuppressionFilter,
): Promise<readonly string[]> {
  const condition = filter(Filing.columns);
  if (condition === 'true') return [];
  // Snapshots share files, whose names have their hash.
  const files = new Map<string, string>();
  for (const run of await listSnapshots(layout))
    for (const name of await namesIn(layout.snapshot(run)))
      if (/^filings-.*\.parquet$/u.test(name)) files.set(name, literal(join(layout.snapshot(run), name)));
  const rows = `read_parquet([${[...files.values()].join(', ')}], union_by_name = true)`;
  const filings = files.size === 0 ? '' : `UNION SELECT id FROM ${rows} WHERE NOT (${condition})`;
  const found = await rowsOf(connection, `SELECT DISTINCT subject FROM staged_suppression ${filings} ORDER BY ALL`);
  return found.map(({ subject }) => String(subject));
}

/** Published columns of the name of a registered agent, which is staged under another name. */
const AGENTS = ['registered_agent_name', 'agent'];

/** @param records staged records: other published columns that may name a person have the name of a staged one */
export async function suppressionFilter(
  connection: DuckDBConnection,
  records: readonly RecordDefinition[],
): Promise<SuppressionFilter> {
  if ((await rowsOf(connection, 'FROM staged_suppression LIMIT 1')).length === 0) return () => 'true';
  const personal = records.flatMap(({ columns }) => columns.filter((column) => column.personal));
  const names = new Set([...AGENTS, ...personal.map(({ name }) => name)]);
  return (columns) =>
    columns
      .filter(({ name, sql }) => name === 'id' || (sql === 'VARCHAR' && names.has(name)))
      .map(({ name }) => (name === 'id' ? 'id' : sealedSql(identifier(name))))
      .map((value) => `${value} NOT IN (SELECT subject FROM staged_suppression)`)
      .join(' AND ') || 'true';
}

/** A typed value as a record has it: an amount as people write it gets its decimals. */
function typedAs({ kind, sql }: RecordDefinition['columns'][number], value: string): unknown {
  if (kind === 'integer') return Number(value);
  if (kind === 'flag') return value === 'true';
  const scale = Number(/^DECIMAL\(\d+,(\d+)\)/.exec(sql)?.[1] ?? 0);
  const [whole = '', decimals = ''] = value.split('.');
  return scale === 0 ? value : `${whole}.${decimals.padEnd(scale, '0')}`;
}

/** Why a correction cannot be used, as far as that follows from its own values; null if it can. */
function problemOf({ record, field, value }: Correction, sources: readonly SourceSpec[]): string | null {
  const row = sources.find(({ name }) => name === record.split('/')[0])?.row;
  if (row === undefined) return `${record} names no source, expected <source>/<key>`;
  if (row.name === Registration.name) return `${record} is of a register, which corrects its own rows`;
  const column = row.columns.find(({ name }) => name === field && !row.key.includes(name));
  if (column === undefined) return `${record}: ${field} is no column that can be corrected`;
  const checked = row.schema.partial().safeParse({ [field]: value === null ? null : typedAs(column, value) });
  const why = checked.error?.issues[0]?.message;
  return why === undefined ? null : `${record}: ${field} is ${value ?? 'blank'}: ${why}`;
}

/** The corrections of each record, by its name, and why the others cannot be used. */
export interface Corrections {
  readonly rows: readonly (Correction & { readonly row: string })[];
  readonly problems: string[];
}

export async function readCorrections(
  connection: DuckDBConnection,
  sources: readonly SourceSpec[],
): Promise<Corrections> {
  const all = (await rowsOf(connection, 'FROM staged_correction ORDER BY record, field')) as unknown as Correction[];
  const judged = all.map((one) => ({ one, problem: problemOf(one, sources) }));
  return {
    rows: judged.flatMap(({ one, problem }) => {
      const row = sources.find(({ name }) => name === one.record.split('/')[0])?.row.name ?? '';
      return problem === null ? [{ ...one, row }] : [];
    }),
    problems: judged.flatMap(({ problem }) => problem ?? []),
  };
}

/**
 * SQL of the staged rows of a record with the right values, from which every figure follows. The table corrected_rows
 * gets the rows that have one, and `problems` the corrections that are of no row.
 * @param from SQL of the rows as read
 */
export async function correctRows(
  connection: DuckDBConnection,
  record: RecordDefinition,
  from: string,
  { rows, problems }: Corrections,
): Promise<string> {
  const own = rows.filter(({ row }) => row === record.name);
  if (own.length === 0) return from;
  const name = `concat_ws('/', source, ${record.key.map(identifier).join(', ')})`;
  const values = own.map((one) => `(${literal(one.record)}, ${literal(`${one.field} (${one.page})`)})`).join(', ');
  await connection.run(
    `INSERT INTO corrected_rows SELECT source, page_sha256, page_row, string_agg(shown, ', ' ORDER BY shown)
    FROM ${from} AS staged JOIN (VALUES ${values}) AS own (record, shown) ON own.record = ${name} GROUP BY ALL`,
  );
  const found = await rowsOf(connection, `SELECT DISTINCT ${name} AS record FROM ${from} AS staged`);
  const known = new Set(found.map((row) => row['record']));
  const lost = own.filter((one) => !known.has(one.record)).map((one) => `${one.record} matches no record`);
  problems.push(...new Set(lost));
  const replaced = [...Map.groupBy(own, ({ field }) => field)].map(([field, of]) => {
    const column = identifier(field);
    const cases = of.map(
      (one) => `WHEN ${literal(one.record)} THEN ${one.value === null ? 'NULL' : literal(one.value)}`,
    );
    const { sql = 'VARCHAR' } = record.columns.find((one) => one.name === field) ?? {};
    const corrected = of.map((one) => literal(one.record)).join(', ');
    const right = `CAST(CASE ${name} ${cases.join(' ')} END AS ${sql})`;
    return `CASE WHEN ${name} IN (${corrected}) THEN ${right} ELSE ${column} END AS ${column}`;
  });
  return `(SELECT * REPLACE (${replaced.join(', ')}) FROM ${from} AS staged)`;
}

/** Make the source of corrections degraded if some of them could not be used. */
export async function reportProblems(connection: DuckDBConnection, { problems }: Corrections): Promise<void> {
  if (problems.length === 0) return;
  await connection.run(
    `UPDATE source_reads SET status = 'degraded', reason = 'no_such_record', detail = ${literal(problems.join('; '))}
    WHERE source = 'corrections' AND status IN ('good', 'not_due')`,
  );
}
