/** Load the tables that models/inputs.ts promises into a private DuckDB. */
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { createTable, type Column, type RecordDefinition } from '../../lib/record.ts';
import { rowsOf } from '../../lib/duck.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { Provenance, RejectedRow, Run, SoldLead, SourceRead } from '../../models/inputs.ts';
import { auditsOf } from '../../models/contract.ts';
import type { Model, Reference } from '../../models/index.ts';
import type { AssumptionSet } from '../../models/assumptions.ts';
import { Assumption } from '../../models/assumptions.ts';
import { CHANGES_SQL } from './changes.ts';
import type { Layout } from '../layout.ts';
import { trustedRows } from '../ingest/reads.ts';
import { HANDED_OVER, loadRows } from '../ingest/rows.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { SourceState } from '../ingest/source_state.ts';

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
  /** Ids of the leads that are sold, from the ledger. */
  readonly soldLeads: readonly string[];
}

/** Create and fill every input table. */
export async function loadInputs(connection: DuckDBConnection, inputs: BuildInputs): Promise<void> {
  const { layout, sources, previous } = inputs;
  const load = (table: string, columns: readonly Column[], rows: readonly Record<string, unknown>[]): Promise<void> =>
    loadRows(connection, join(inputs.workDir, `${table}${HANDED_OVER}`), table, columns, rows);
  await load('run', Run.columns, [
    { as_of: inputs.asOf, observed_at: inputs.observedAt, assumption_set_id: inputs.assumptions.id },
  ]);
  await load('declared_assumptions', Assumption.columns, inputs.assumptions.rows);
  await load(
    'source_reads',
    SourceRead.columns,
    sources.map((s) => s.row),
  );
  await load(
    'rejected_rows',
    RejectedRow.columns,
    sources.flatMap((s) => s.standing?.rejects ?? []),
  );

  await load(
    'sold_leads',
    SoldLead.columns,
    inputs.soldLeads.map((id) => ({ id })),
  );

  for (const record of inputs.records) {
    const members = sources.filter((s) => s.spec.row.name === record.name);
    const table = `staged_${record.name}`;
    const columns = [...record.columns, ...Provenance.columns];
    const files: string[] = [];
    for (const { standing } of members) {
      const file = standing && (await trustedRows(layout, standing));
      if (file !== undefined) files.push(file);
    }
    await provide(connection, table, columns, files);
  }
  for (const reference of inputs.references) {
    await connection.run(createTable(`ref_${reference.name}`, reference.record.columns));
    const types = reference.record.columns.map((c) => `${literal(c.name)}: ${literal(c.sql)}`).join(', ');
    await connection.run(`INSERT INTO ${identifier(`ref_${reference.name}`)} SELECT ${reference.record.columns.map((c) => identifier(c.name)).join(', ')}
      FROM read_csv(${literal(reference.csvPath)}, header = true, comment = '#', nullstr = '', columns = {${types}})`);
  }
  const asked = [...inputs.models.flatMap((m) => [m.sql, ...auditsOf(m).map((a) => a.sql)]), ...CHANGES_SQL];
  for (const model of inputs.models) {
    const table = `previous_${model.name}`;
    if (!model.contract.publish || !asked.some((sql) => new RegExp(`\\b${table}\\b`, 'u').test(sql))) continue;
    // A column that an older snapshot lacks is null here.
    const columns = model.contract.record.columns.map((c) => ({
      ...c,
      absent: c.absent ?? 'an older snapshot did not have it',
    }));
    const published = previous?.tables[model.name];
    const files = previous && published ? [join(layout.snapshot(previous.run_id), published.file)] : [];
    await provide(connection, table, columns, files);
  }
}

/**
 * Provide Parquet files of one kind under the name of a table: a view that reads them; without files, an empty table.
 */
async function provide(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) {
    await connection.run(createTable(table, columns));
    return;
  }
  const from = `read_parquet([${files.map(literal).join(', ')}], union_by_name = true)`;
  const present = new Set((await rowsOf(connection, `DESCRIBE SELECT * FROM ${from}`)).map((r) => r['column_name']));
  // A file from before a column existed has no value for it.
  const casts = columns
    .map(({ name, sql }) => `CAST(${present.has(name) ? identifier(name) : 'NULL'} AS ${sql}) AS ${identifier(name)}`)
    .join(', ');
  await connection.run(`CREATE VIEW ${identifier(table)} AS SELECT ${casts} FROM ${from}`);
}
