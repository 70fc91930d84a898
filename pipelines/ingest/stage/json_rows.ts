/** Loads rows in JSON form into DuckDB tables, through a temporary file. */
import { writeFile } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { removedAtEnd } from '../../../lib/files.ts';
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
  const batch = new RowBatch(connection, target);
  for (const row of rows) batch.add(row);
  await batch.insert();
}

/** Bytes of one write to the temporary file. */
const CHUNK_BYTES = 1_000_000;

/**
 * Rows on their way into a table. They wait as bytes: as objects, the garbage collector would copy each of them several
 * times.
 */
export class RowBatch {
  readonly #connection: DuckDBConnection;
  readonly #target: LoadTarget;
  readonly #full: Buffer[] = [];
  #chunk = Buffer.alloc(0);
  #used = 0;
  /** Rows since the last insert. */
  rows = 0;

  constructor(connection: DuckDBConnection, target: LoadTarget) {
    this.#connection = connection;
    this.#target = target;
  }

  add(row: Record<string, unknown>): void {
    const line = `${JSON.stringify(row)}\n`;
    // At most three bytes for each UTF-16 unit.
    const most = line.length * 3;
    if (this.#chunk.length - this.#used < most) {
      this.#full.push(this.#chunk.subarray(0, this.#used));
      this.#chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, most));
      this.#used = 0;
    }
    this.#used += this.#chunk.write(line, this.#used);
    this.rows += 1;
  }

  /** Insert the rows, and start anew. */
  async insert(): Promise<void> {
    if (this.rows === 0) return;
    const { table, columns, file } = this.#target;
    const asText = columns
      .map((column) => `${identifier(column.name)}: '${column.kind === 'json' ? 'JSON' : 'VARCHAR'}'`)
      .join(', ');
    const casts = columns
      .map((column) => `CAST(${identifier(column.name)} AS ${column.sql}) AS ${identifier(column.name)}`)
      .join(', ');
    await using _removed = removedAtEnd(file);
    await writeFile(file, [...this.#full, this.#chunk.subarray(0, this.#used)]);
    await this.#connection.run(
      `INSERT INTO ${identifier(table)} BY NAME SELECT ${casts}
      FROM read_json(${literal(file)}, format = 'newline_delimited', columns = {${asText}},
        maximum_object_size = 16777216)`,
    );
    this.#full.length = 0;
    this.#used = 0;
    this.rows = 0;
  }
}
