/** Compares two staged files of one source: added, removed and changed rows. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import type { RecordDefinition } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { Provenance } from '../../models/inputs.ts';

export interface Change {
  /** Natural key of the row, its parts joined by spaces. */
  readonly key: string;
  readonly field: string;
  readonly old: string | null;
  readonly new: string | null;
}

export interface Differences {
  /** Natural keys, in order. */
  readonly added: readonly string[];
  readonly gone: readonly string[];
  readonly changed: readonly Change[];
  /** Rows that differ only in page, position or time of reading. */
  readonly moved: number;
}

/** Compare by natural key, field by field. A column that a file lacks is null. */
export async function compareStaged(record: RecordDefinition, oldFile: string, newFile: string): Promise<Differences> {
  const duck = await openDuck(':memory:', { threads: 1 });
  try {
    const { connection } = duck;
    const fields = [...record.columns.map((column) => column.name), 'source_url'];
    const places = Provenance.columns.map((column) => column.name).filter((name) => !fields.includes(name));
    await load(connection, 'old', oldFile, [...fields, ...places]);
    await load(connection, 'new', newFile, [...fields, ...places]);
    return await findDifferences(connection, record.key, fields, places);
  } finally {
    duck.close();
  }
}

/** Compare the tables `old` and `new`. */
async function findDifferences(
  connection: DuckDBConnection,
  key: readonly string[],
  fields: readonly string[],
  places: readonly string[],
): Promise<Differences> {
  const on = key.map((column) => `o.${identifier(column)} IS NOT DISTINCT FROM n.${identifier(column)}`).join(' AND ');
  const keyOf = (table: string): string =>
    `concat_ws(' ', ${key.map((column) => `${table}.${identifier(column)}`).join(', ')})`;
  const differs = (names: readonly string[]): string =>
    names.map((name) => `o.${identifier(name)} IS DISTINCT FROM n.${identifier(name)}`).join(' OR ');
  const keysOf = async (sql: string): Promise<string[]> =>
    (await rowsOf(connection, sql)).map((row) => String(row['key']));
  const changesOfFields = fields.map(
    (field, position) => `
      SELECT
        ${keyOf('o')} AS key, ${literal(field)} AS field,
        o.${identifier(field)} AS old, n.${identifier(field)} AS new, ${position} AS position
      FROM old o JOIN new n ON ${on} WHERE ${differs([field])}`,
  );
  const changed = await rowsOf(
    connection,
    `SELECT * FROM (${changesOfFields.join(' UNION ALL ')}) ORDER BY key, position`,
  );
  const [moved] = await rowsOf(
    connection,
    `SELECT count(*) AS n FROM old o JOIN new n ON ${on} WHERE (${differs(places)}) AND NOT (${differs(fields)})`,
  );
  return {
    added: await keysOf(`SELECT ${keyOf('n')} AS key FROM new n ANTI JOIN old o ON ${on} ORDER BY key`),
    gone: await keysOf(`SELECT ${keyOf('o')} AS key FROM old o ANTI JOIN new n ON ${on} ORDER BY key`),
    changed: changed.map((row) => ({
      key: String(row['key']),
      field: String(row['field']),
      old: row['old'] as string | null,
      new: row['new'] as string | null,
    })),
    moved: Number(moved?.['n']),
  };
}

/** Load a staged file into a table, every value as text. */
async function load(
  connection: DuckDBConnection,
  table: string,
  file: string,
  names: readonly string[],
): Promise<void> {
  const source = `read_parquet(${literal(file)})`;
  const described = await rowsOf(connection, `DESCRIBE SELECT * FROM ${source}`);
  const present = new Set(described.map((row) => row['column_name']));
  const columns = names.map(
    (name) => `CAST(${present.has(name) ? identifier(name) : 'NULL'} AS VARCHAR) AS ${identifier(name)}`,
  );
  await connection.run(`CREATE TABLE ${identifier(table)} AS SELECT ${columns.join(', ')} FROM ${source}`);
}
