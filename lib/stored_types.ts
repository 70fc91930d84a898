/**
 * Column types of published files. Models and queries have instants as TIMESTAMP in UTC and ids as text; the DuckDB
 * file has `stored`: TIMESTAMP WITH TIME ZONE and UUID. A Parquet file has ids as text, because Arrow readers return
 * the bytes of a UUID.
 */
import type { Column } from './record.ts';
import { identifier, literal } from './sql.ts';

/** Type of a column in a snapshot's DuckDB file. */
export const storedType = ({ stored, sql }: Pick<Column, 'stored' | 'sql'>): string => stored ?? sql;

/** Type of a column in a snapshot's Parquet file. */
export const parquetType = (column: Pick<Column, 'stored' | 'sql'>): string =>
  column.stored === 'UUID' ? column.sql : storedType(column);

/** The column in its type for models and queries. */
export const modelType = ({ sql }: Column): string => sql;

/** Microseconds of an instant in UTC as either type. A CAST would look up the time zone for each row: 0.5 µs. */
const INSTANTS: Readonly<Record<string, string>> = {
  TIMESTAMP: 'make_timestamp',
  'TIMESTAMP WITH TIME ZONE': 'make_timestamptz',
};

/** A column of one type as another. */
function converted(name: string, from: string, to: string): string {
  if (from === to) return name;
  const make = INSTANTS[to];
  return make !== undefined && from in INSTANTS ? `${make}(epoch_us(${name}))` : `CAST(${name} AS ${to})`;
}

type TypeOf = (column: Column) => string;
/** Types that a file has, by column. */
type Types = ReadonlyMap<string, string>;

/** A SELECT list of all columns of a table, with those of another type converted. @param to default: for models */
export function convertedRow(columns: readonly Column[], from: TypeOf | Types, to = modelType): string {
  const typeOf = (column: Column): string =>
    typeof from === 'function' ? from(column) : (from.get(column.name) ?? to(column));
  const changed = columns
    .filter((column) => typeOf(column) !== to(column))
    .map((column) => `${converted(identifier(column.name), typeOf(column), to(column))} AS ${identifier(column.name)}`);
  return changed.length === 0 ? '*' : `* REPLACE (${changed.join(', ')})`;
}

/** A SELECT list of these columns in the order and types of models. A column that a file lacks is null. */
export const columnsOfFile = (columns: readonly Column[], types: Types): string =>
  columns
    .map(({ name, sql }) => {
      const type = types.get(name);
      const value = type === undefined ? `CAST(NULL AS ${sql})` : converted(identifier(name), type, sql);
      return `${value} AS ${identifier(name)}`;
    })
    .join(', ');

/**
 * SQL of the rows of a published table: a row of a later Parquet file replaces the row with the same key in the files
 * before it.
 */
export function rowsOfFiles(paths: readonly string[], key: readonly string[]): string {
  const files = paths.map((path) => `read_parquet(${literal(path)})`);
  const columns = key.map(identifier).join(', ');
  return files.reduce(
    (rows, file) =>
      `(FROM ${rows} AS before ANTI JOIN ${file} AS later USING (${columns}) UNION ALL BY NAME FROM ${file})`,
  );
}
