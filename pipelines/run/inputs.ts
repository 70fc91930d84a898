/** Loads the input tables of models/inputs.ts into a build database. */
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { createTable, type Column, type RecordDefinition } from '../../lib/record.ts';
import { typesOf } from '../../lib/duck.ts';
import { columnsOfFile, rowsOfFiles } from '../../lib/stored_types.ts';
import { identifier, literal } from '../../lib/sql.ts';
import {
  earlierColumns,
  CorrectedRow,
  Provenance,
  RejectedRow,
  Run,
  SoldLead,
  SoldProperty,
  SourceRead,
} from '../../models/inputs.ts';
import { isMart, type Model } from '../../models/index.ts';
import { loadReferences, referenceSql } from '../../models/references.ts';
import { Assumption, type AssumptionSet } from '../../models/assumptions.ts';
import { suppressionSearch } from '../../lib/suppressions.ts';
import { setThreads } from './build_database.ts';
import type { Layout } from '../layout.ts';
import { trustedRows } from '../ingest/reads.ts';
import { HANDED_OVER, createTableWithRows } from '../ingest/stage/json_rows.ts';
import type { Manifest } from '../../models/manifest.ts';
import { loadRowRecords } from '../../sources/index.ts';
import { Correction, Suppression } from '../../sources/rows/operator.ts';
import { Registration } from '../../sources/rows/register.ts';
import {
  correctRows,
  readCorrections,
  reportProblems,
  readSubjects,
  suppressionFilter,
  type Corrections,
  type SuppressionFilter,
} from './operator_rows.ts';
import type { SourceState } from '../ingest/source_state.ts';
import type { SoldLeads } from '../sold_leads.ts';

export interface BuildInputs {
  readonly layout: Layout;
  /** Its folder has the hand-over files of this build. */
  readonly runId: string;
  readonly asOf: string;
  readonly observedAt: string;
  readonly assumptions: AssumptionSet;
  readonly sources: readonly SourceState[];
  /** Called before the rows of a record are loaded. */
  readonly onRecord?: (name: string) => void;
  readonly models: readonly Model[];
  readonly previous: Manifest | null;
  /** Snapshot published last: the previous one, or an earlier one of the same day. */
  readonly follows: Manifest | null;
  /** From the ledger. */
  readonly sold: SoldLeads;
}

/** Whether a model or an audit reads a table. */
type IsRead = (table: string) => boolean;

/**
 * Create and fill the input tables that are read.
 * @returns condition of the rows that are not left out on request
 */
export async function loadInputs(connection: DuckDBConnection, inputs: BuildInputs): Promise<SuppressionFilter> {
  const isRead = readsOf(inputs.models);
  const records = await loadRowRecords();
  for (const record of [Suppression, Correction])
    await createView(connection, `staged_${record.name}`, stagedColumns(record), await stagedRows(inputs, record));
  const filter = await suppressionFilter(connection, records);
  await loadFacts(connection, inputs);
  const corrections = await readCorrections(
    connection,
    inputs.sources.map(({ spec }) => spec),
  );
  for (const record of records) {
    inputs.onRecord?.(record.name);
    await loadStaged(connection, inputs, record, { isRead, corrections, filter });
  }
  await reportProblems(connection, corrections);
  const references = loadReferences().filter(({ name }) => isRead(`ref_${name}`));
  for (const sql of references.flatMap(referenceSql)) await connection.run(sql);
  await loadPublished(connection, inputs, 'previous', { isRead, filter });
  await loadPublished(connection, inputs, 'followed', { isRead, filter });
  await setThreads(connection, inputRows(inputs));
  return filter;
}

function readsOf(models: readonly Model[]): IsRead {
  const queries = models.flatMap((model) => [model.sql, ...model.audits.map((audit) => audit.sql)]);
  const names = new Set(queries.flatMap((sql) => sql.match(/\w+/gu) ?? []));
  return (table) => names.has(table);
}

/** Staged rows of all sources, and the rows of the previous snapshot. */
function inputRows({ sources, previous }: BuildInputs): number {
  const staged = sources.map(({ row }) => row.rows_out + row.rows_carried);
  const published = Object.values(previous?.tables ?? {}).map(({ rows }) => rows);
  return [...staged, ...published].reduce((sum, rows) => sum + rows, 0);
}

/** Replaces the text of a refused row that names somebody who is left out on request. */
const LEFT_OUT = '(left out on request)';

/** The small tables about the run itself. */
async function loadFacts(connection: DuckDBConnection, inputs: BuildInputs): Promise<void> {
  const { layout, runId, sources, assumptions, asOf, observedAt, sold } = inputs;
  const load = (table: string, columns: readonly Column[], rows: readonly Record<string, unknown>[]): Promise<void> =>
    createTableWithRows(connection, { table, columns, file: join(layout.run(runId), `${table}${HANDED_OVER}`) }, rows);
  const isLeftOut = suppressionSearch(await readSubjects(connection));
  const rejects = sources
    .flatMap((source) => source.standing?.rejects ?? [])
    .map((row) => (isLeftOut(`${row.raw} ${row.detail}`) ? { ...row, raw: LEFT_OUT, detail: LEFT_OUT } : row));
  const reads = sources.map((source) => source.row);
  const leads = sold.leads.map((id) => ({ id }));
  const properties = sold.properties.map((key) => ({ property_key: key }));
  await load('run', Run.columns, [{ as_of: asOf, observed_at: observedAt, assumption_set_id: assumptions.id }]);
  await load('declared_assumptions', Assumption.columns, assumptions.rows);
  await load('source_reads', SourceRead.columns, reads);
  await load('rejected_rows', RejectedRow.columns, rejects);
  await load('corrected_rows', CorrectedRow.columns, []);
  await load('sold_leads', SoldLead.columns, leads);
  await load('sold_properties', SoldProperty.columns, properties);
}

/**
 * The staged rows of all sources of one record. A damaged file stops the build even if no model reads it. The rows of a
 * register that the previous snapshot was built from are no news: it has them.
 */
async function stagedRows(
  { layout, sources, previous }: BuildInputs,
  record: RecordDefinition,
): Promise<string | null> {
  const files: string[] = [];
  for (const { spec, standing } of sources) {
    if (spec.row.name !== record.name || !standing) continue;
    const before = previous?.sources.find(({ source }) => source === spec.name)?.staged_sha256;
    const isKnown = before === standing.parquet?.sha256 && previous?.tables['filings'] !== undefined;
    if (isKnown && record.name === Registration.name) continue;
    const file = await trustedRows(layout, standing);
    if (file !== undefined) files.push(file);
  }
  return files.length > 0 ? `read_parquet([${files.map(literal).join(', ')}], union_by_name = true)` : null;
}

const stagedColumns = ({ columns }: RecordDefinition): readonly Column[] => [...columns, ...Provenance.columns];

interface StagedOptions {
  readonly isRead: IsRead;
  readonly corrections: Corrections;
  readonly filter: SuppressionFilter;
}

/** Load the staged rows of one record, corrected, and without what is left out on request. */
async function loadStaged(
  connection: DuckDBConnection,
  inputs: BuildInputs,
  record: RecordDefinition,
  { isRead, corrections, filter }: StagedOptions,
): Promise<void> {
  const table = `staged_${record.name}`;
  const rows = await stagedRows(inputs, record);
  if (!isRead(table) || record === Suppression || record === Correction) return;
  const from = rows === null ? null : await correctRows(connection, record, rows, corrections);
  await createView(connection, table, stagedColumns(record), from, filter);
}

/**
 * The tables of an earlier snapshot. Of a table in parts, `followed` has no rows unless the day is repeated: else they
 * are those of `previous`.
 */
async function loadPublished(
  connection: DuckDBConnection,
  { layout, models, previous, follows }: BuildInputs,
  prefix: 'previous' | 'followed',
  { isRead, filter }: Omit<StagedOptions, 'corrections'>,
): Promise<void> {
  const snapshot = prefix === 'previous' ? previous : follows;
  for (const mart of models.filter(isMart)) {
    const table = `${prefix}_${mart.name}`;
    if (!isRead(table)) continue;
    const { record, publish } = mart.contract;
    const isTwice = prefix === 'followed' && publish.parts !== undefined && follows?.run_id === previous?.run_id;
    const files = isTwice ? [] : (snapshot?.tables[mart.name]?.files ?? []);
    const paths = files.map(({ file }) => join(layout.snapshot(snapshot?.run_id ?? ''), file));
    const rows = paths.length > 0 ? rowsOfFiles(paths, record.key) : null;
    await createView(connection, table, earlierColumns(mart), rows, filter);
  }
}

/** Create a view of rows of Parquet files under the name of a table; without files, an empty table. */
async function createView(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
  from: string | null,
  filter: SuppressionFilter = () => 'true',
): Promise<void> {
  if (from === null) {
    await connection.run(createTable(table, columns));
    return;
  }
  const types = await typesOf(connection, `SELECT * FROM ${from}`);
  const rows = `SELECT ${columnsOfFile(columns, types)} FROM ${from}`;
  await connection.run(`CREATE VIEW ${identifier(table)} AS FROM (${rows}) WHERE ${filter(columns)}`);
}
