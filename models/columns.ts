/** Columns of the models as their SQL gives them: all models, built over tables without rows. */
import { openSmall, rowsOf } from '../lib/duck.ts';
import { createTable } from '../lib/record.ts';
import { loadRowRecords } from '../sources/index.ts';
import { buildModels } from './build.ts';
import { isMart, loadModels } from './index.ts';
import { inputColumns } from './inputs.ts';
import { loadReferences } from './references.ts';

/** A column and its type, as DESCRIBE prints it. */
export interface SqlColumn {
  readonly name: string;
  readonly sql: string;
}

let found: Promise<ReadonlyMap<string, readonly SqlColumn[]>> | undefined;

/** Columns of each model in their order, found once in a process. It takes about a second. */
export const columnsOfModels = (): Promise<ReadonlyMap<string, readonly SqlColumn[]>> => (found ??= findColumns());

async function findColumns(): Promise<ReadonlyMap<string, readonly SqlColumn[]>> {
  const models = await loadModels();
  await using duck = await openSmall();
  const { connection } = duck;
  const inputs = inputColumns(models.filter(isMart), await loadRowRecords());
  const references = loadReferences().map(({ name, columns }) => [`ref_${name}`, columns] as const);
  const tables = [...inputs, ...references].map(([table, columns]) => createTable(table, columns));
  await connection.run(tables.join(';\n'));
  await buildModels(connection, models);
  const rows = await rowsOf(
    connection,
    `SELECT table_name, column_name, data_type FROM duckdb_columns()
    WHERE database_name = current_catalog() ORDER BY table_name, column_index`,
  );
  const byTable = Map.groupBy(rows, (row) => row['table_name']);
  return new Map(
    models.map(({ name }) => [
      name,
      (byTable.get(name) ?? []).map((row) => ({ name: String(row['column_name']), sql: String(row['data_type']) })),
    ]),
  );
}
