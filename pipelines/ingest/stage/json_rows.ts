/** Loads rows in JSON form into DuckDB tables, through a temporary file. */
import { open, rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { createTable, type Column } from '../../../lib/record.ts';
import { identifier, literal } from '../../../lib/sql.ts';
import { Provenance } from '../../../models/inputs.ts';
import type { SourceSpec } from '../../../sources/contract.ts';

/** Columns of a staged file. */
export const stagedColumns = (spec: SourceSpec): readonly Column[] => [...spec.row.columns, ...Provenance.columns];

/** Ending of a temporary file of rows for DuckDB. */
export const HANDED_OVER = '.ndjson';

/** A table, and the temporary file (ending HANDED_OVER) through which it is loaded. */
export interface LoadTarget {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly file: string;
}

/** Create a typed table from rows in JSON form. Text is cast once, so no decimal becomes a binary float. */
export async function createTableWithRows(
  connection: DuckDBConnection,
  target: LoadTarget,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  await connection.run(createTable(target.table, target.columns));
  await insertRows(connection, target, rows);
}

/** The same into a table that exists; its other columns stay null. */
export async function insertRows(
  connection: DuckDBConnection,
  { table, columns, file }: LoadTarget,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  if (rows.length === 0) return;
  await writeLines(file, rows);
  const asText = columns
    .map((column) => `${identifier(column.name)}: '${column.kind === 'json' ? 'JSON' : 'VARCHAR'}'`)
    .join(', ');
  const casts = columns
    .map((column) => `CAST(${identifier(column.name)} AS ${column.sql}) AS ${identifier(column.name)}`)
    .join(', ');
  try {
    await connection.run(
      `INSERT INTO ${identifier(table)} BY NAME SELECT ${casts}
        FROM read_json(${literal(file)}, format = 'newline_delimited', columns = {${asText}},
          maximum_object_size = 16777216)`,
    );
  } finally {
    await rm(file, { force: true });
  }
}

/** Rows in one write: millions of rows do not fit into one string. */
const ROWS_PER_WRITE = 20_000;

async function writeLines(file: string, rows: readonly Record<string, unknown>[]): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (let at = 0; at < rows.length; at += ROWS_PER_WRITE) {
      await handle.appendFile(
        rows
          .slice(at, at + ROWS_PER_WRITE)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      );
    }
  } finally {
    await handle.close();
  }
}
