/** Load the tables that models/inputs.ts promises into a private DuckDB. */
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { createTable, type Column, type RecordDefinition } from '../lib/record.ts';
import { rowsOf } from '../lib/duck.ts';
import { identifier, literal } from '../lib/sql.ts';
import { Provenance, RejectedRow, Run, SoldLead, SourceRead } from '../models/inputs.ts';
import { auditsOf } from '../models/contract.ts';
import type { Model, Reference } from '../models/index.ts';
import type { AssumptionSet } from '../models/assumptions.ts';
import { Assumption } from '../models/assumptions.ts';
import type { SourceSpec } from '../sources/contract.ts';
import { CHANGES_SQL } from './changes.ts';
import type { Layout } from './layout.ts';
import { trustedRows, type ReadRecord } from './reads.ts';
import { HANDED_OVER, loadRows } from './rows.ts';
import type { Manifest } from './snapshots.ts';

/** A source as a build sees it: its declaration, how its latest read went, and the read whose rows stand. */
export interface SourceState {
  readonly spec: SourceSpec;
  readonly row: SourceReadRow;
  readonly standing: ReadRecord | undefined;
  /** This run's read; undefined when the source was not due. */
  readonly latest: ReadRecord | undefined;
}
export type SourceReadRow = ReturnType<typeof SourceRead.schema.parse>;

/** Why nothing was read though nothing is wrong: the operator has not dropped a file, or not stated a permission. */
export const WAITS = { no_file: 'no file', no_permission: 'no permission' } as const;

/** What a source waits for that the operator has to give, or null where it waits for nothing. */
export const waitsFor = (source: Pick<SourceReadRow, 'reason'>): keyof typeof WAITS | null =>
  (source.reason === 'no_file' || source.reason === 'no_permission' ? source.reason : null);

/** Whether a source without any row waits for the operator, rather than being late or broken. */
export const awaitsOperator = (source: Pick<SourceReadRow, 'reason' | 'last_good_at'>): boolean => waitsFor(source) !== null && source.last_good_at === null;

/** Rows from which on Parquet files are read where they lie: to copy millions of rows takes longer than to read them again. */
const READ_IN_PLACE = 500_000;

/** The database of the snapshot before, where it is attached. */
const BEFORE = 'snapshot_before';

export interface BuildInputs {
  readonly layout: Layout;
  /** Folder for hand-over files of this build. */
  readonly workDir: string;
  readonly asOf: string;
  readonly observedAt: string;
  readonly assumptions: AssumptionSet;
  readonly sources: readonly SourceState[];
  /** Every staged record there is. */
  readonly records: readonly RecordDefinition[];
  readonly references: readonly Reference[];
  readonly models: readonly Model[];
  readonly previous: Manifest | null;
  /** Settled when the snapshot before is looked at: nothing is taken from it sooner. Default: it is. */
  readonly verified?: Promise<void>;
  /** Ids of the leads that are sold, from the ledger. */
  readonly soldLeads: readonly string[];
  /** Rows from which on staged and previous rows are read where they lie. Default: half a million. */
  readonly inPlaceFrom?: number;
}

/** Create and fill every input table. */
export async function loadInputs(connection: DuckDBConnection, inputs: BuildInputs): Promise<void> {
  const { layout, sources, previous, inPlaceFrom = READ_IN_PLACE } = inputs;
  const load = (table: string, columns: readonly Column[], rows: readonly Record<string, unknown>[]): Promise<void> =>
    loadRows(connection, join(inputs.workDir, `${table}${HANDED_OVER}`), table, columns, rows);
  await load('run', Run.columns, [{ as_of: inputs.asOf, observed_at: inputs.observedAt, assumption_set_id: inputs.assumptions.id }]);
  await load('declared_assumptions', Assumption.columns, inputs.assumptions.rows);
  await load('source_reads', SourceRead.columns, sources.map((s) => s.row));
  await load('rejected_rows', RejectedRow.columns, sources.flatMap((s) => s.standing?.rejects ?? []));

  await load('sold_leads', SoldLead.columns, inputs.soldLeads.map((id) => ({ id })));

  for (const record of inputs.records) {
    const members = sources.filter((s) => s.spec.row.name === record.name);
    const table = `staged_${record.name}`;
    const columns = [...record.columns, ...Provenance.columns];
    const files: string[] = [];
    for (const { standing } of members) {
      const file = standing && await trustedRows(layout, standing);
      if (file !== undefined) files.push(file);
    }
    const rows = members.reduce((sum, { standing }) => sum + (standing ? standing.counts.rows_out + standing.counts.rows_carried : 0), 0);
    await provide(connection, table, columns, files, rows >= inPlaceFrom);
  }
  for (const reference of inputs.references) {
    await connection.run(createTable(`ref_${reference.name}`, reference.record.columns));
    const types = reference.record.columns.map((c) => `${literal(c.name)}: ${literal(c.sql)}`).join(', ');
    await connection.run(`INSERT INTO ${identifier(`ref_${reference.name}`)} SELECT ${reference.record.columns.map((c) => identifier(c.name)).join(', ')}
      FROM read_csv(${literal(reference.csvPath)}, header = true, comment = '#', nullstr = '', columns = {${types}})`);
  }
  await inputs.verified;
  const selects = inputs.models.map((m) => m.sql);
  const questions = [...inputs.models.flatMap((m) => auditsOf(m).map((a) => a.sql)), ...CHANGES_SQL];
  for (const model of inputs.models) {
    const table = `previous_${model.name}`;
    const names = (sql: string): boolean => new RegExp(`\\b${table}\\b`, 'u').test(sql);
    const isJoined = selects.some(names);
    if (!model.contract.publish || !(isJoined || model.contract.carries || questions.some(names))) continue;
    // What an older snapshot lacks is null here, so a carried table has no NOT NULL of its own.
    const columns = model.contract.record.columns.map((c) => ({ ...c, absent: c.absent ?? 'an older snapshot did not have it' }));
    const published = previous?.tables[model.name];
    const folder = previous && layout.snapshot(previous.run_id);
    // What is only asked for counts of a few columns is not worth a copy of all.
    const inPlace = !isJoined || (published?.rows ?? 0) >= inPlaceFrom;
    if (folder && published && inPlace && model.contract.carries) {
      // It is asked for few columns or few rows at a time, which the database finds quicker than the Parquet file.
      await connection.run(`ATTACH IF NOT EXISTS ${literal(join(folder, previous.database.file))} AS ${BEFORE} (READ_ONLY)`);
      await connection.run(`CREATE VIEW ${identifier(table)} AS ${await selectFrom(connection, columns, `${BEFORE}.main.${identifier(model.name)}`)}`);
    } else await provide(connection, table, columns, folder && published ? [join(folder, published.file)] : [], inPlace);
  }
}

/** Parquet files of one kind under the name of a table: a table that holds their rows, or a view that reads them where they lie. */
async function provide(connection: DuckDBConnection, table: string, columns: readonly Column[], files: readonly string[], inPlace: boolean): Promise<void> {
  const selects: string[] = [];
  for (const file of files) selects.push(await selectFrom(connection, columns, `read_parquet(${literal(file)})`));
  if (inPlace && selects.length > 0) {
    await connection.run(`CREATE VIEW ${identifier(table)} AS ${selects.join(' UNION ALL ')}`);
    return;
  }
  await connection.run(createTable(table, columns));
  for (const select of selects) await connection.run(`INSERT INTO ${identifier(table)} ${select}`);
}

/** The columns of a record from a Parquet file or a table, by name; a column it lacks is null. */
async function selectFrom(connection: DuckDBConnection, columns: readonly Column[], from: string): Promise<string> {
  const present = new Set((await rowsOf(connection, `DESCRIBE SELECT * FROM ${from}`)).map((r) => r['column_name']));
  const casts = columns.map((c) => `CAST(${present.has(c.name) ? identifier(c.name) : 'NULL'} AS ${c.sql}) AS ${identifier(c.name)}`).join(', ');
  return `SELECT ${casts} FROM ${from}`;
}
