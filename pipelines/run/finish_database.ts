/**
 * The last steps on the file of the published tables, for analysts: views, and the description of every column. It
 * declares no keys: the audits prove them, and DuckDB would write every table again.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import { commentOn, noteOf, type Column, type RecordDefinition } from '../../lib/record.ts';
import { convertedRow, parquetType, rowsOfFiles, storedType } from '../../lib/stored_types.ts';
import { identifier, literal } from '../../lib/sql.ts';
import type { Mart } from '../../models/index.ts';
import type { Manifest } from '../../models/manifest.ts';
import { VIEWS, type View } from '../../models/views.ts';
import { PUBLISHED } from './build_database.ts';

interface Described {
  readonly published: readonly Mart[];
  readonly notice: string;
}

/** Create a view with the meaning of its columns, if the tables that it reads are published. */
async function addView(
  connection: DuckDBConnection,
  { name, about, reads, columns, sql }: View,
  { published, notice }: Described,
): Promise<void> {
  const tables = reads.flatMap((table) => published.filter((model) => model.name === table));
  if (tables.length < reads.length) return;
  await connection.run(`CREATE VIEW ${identifier(name)} AS ${sql}`);
  const known = tables.flatMap(({ contract }) => contract.record.columns);
  const described = await rowsOf(connection, `DESCRIBE ${identifier(name)}`);
  const comments = described.map(({ column_name: column }) => {
    const read = known.find((each) => each.name === column);
    const meaning = columns[String(column)] ?? (read === undefined ? '' : noteOf(read));
    return `COMMENT ON COLUMN ${identifier(name)}.${identifier(String(column))} IS ${literal(meaning)}`;
  });
  const comment = `COMMENT ON VIEW ${identifier(name)} IS ${literal(`${about} ${notice}`)}`;
  await connection.run(['BEGIN', comment, ...comments, 'COMMIT'].join(';\n'));
}

/** The files of a snapshot. */
export interface Written extends Pick<Described, 'notice'> {
  readonly folder: string;
  readonly tables: Manifest['tables'];
}

/** A table as people read it: that of a table in parts may have columns of other tables. */
export const shownRecord = ({ contract: { record, publish } }: Mart): RecordDefinition =>
  publish.parts?.shown?.record ?? record;

/** Whether the database reads a table from its Parquet files: one in parts, or one of wide rows. */
export const isRead = ({ contract: { publish } }: Mart): boolean =>
  publish.parts !== undefined || publish.inFilesOnly === true;

/**
 * The tables that are read from their files, under their names, as views. A view names its files without the folder: it
 * is read from the snapshot's folder, or with file_search_path, so that the folder may move.
 */
export async function showFiles(
  connection: DuckDBConnection,
  published: readonly Mart[],
  tables: Manifest['tables'],
  typeOf: (column: Column) => string,
): Promise<void> {
  const isJoined = ({ contract }: Mart): number => (contract.publish.parts?.shown ? 1 : 0);
  for (const mart of published.filter(isRead).toSorted((a, b) => isJoined(a) - isJoined(b))) {
    const { record, publish } = mart.contract;
    const files = tables[mart.name]?.files.map(({ file }) => file) ?? [];
    const rows = `(SELECT ${convertedRow(record.columns, parquetType, typeOf)} FROM ${rowsOfFiles(files, record.key)})`;
    const sql = publish.parts?.shown?.sql(rows) ?? `FROM ${rows}`;
    await connection.run(`CREATE VIEW ${identifier(mart.name)} AS ${sql}`);
  }
}

/** Add views and comments (the notice among them) to the file of the published tables, and detach it. */
export async function finishDatabase(
  connection: DuckDBConnection,
  published: readonly Mart[],
  { notice, folder, tables }: Written,
): Promise<void> {
  const catalog = String((await rowsOf(connection, 'SELECT current_catalog() AS name'))[0]?.['name']);
  await connection.run(`USE ${PUBLISHED}; SET file_search_path = ${literal(folder)}`);
  try {
    await showFiles(connection, published, tables, storedType);
    const comments = published.flatMap((mart) => {
      const { about, columns } = shownRecord(mart);
      return commentOn(mart.name, `${about} ${notice}`, columns, isRead(mart) ? 'VIEW' : 'TABLE');
    });
    await connection.run(['BEGIN', ...comments, 'COMMIT'].join(';\n'));
    for (const view of VIEWS) await addView(connection, view, { published, notice });
    await connection.run(`CHECKPOINT ${PUBLISHED}`);
  } finally {
    await connection.run(`USE ${identifier(catalog)}; RESET file_search_path`);
    await connection.run(`DETACH ${PUBLISHED}`);
  }
}
