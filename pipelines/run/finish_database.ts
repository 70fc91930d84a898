/**
 * The last steps on the file of the published tables, for analysts: keys, the description of every column, and views.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import { commentOn, createTable, noteOf, type Column } from '../../lib/record.ts';
import { storedType } from '../../lib/stored_types.ts';
import { identifier, literal } from '../../lib/sql.ts';
import type { Mart } from '../../models/index.ts';
import { VIEWS, type View } from '../../models/views.ts';
import { PUBLISHED } from './build_database.ts';

const list = (names: readonly string[]): string => names.map(identifier).join(', ');

/** Tables in an order in which each comes after those that it references. */
function afterReferenced(models: readonly Mart[]): readonly Mart[] {
  const targets = ({ contract }: Mart): readonly string[] => Object.values(contract.publish.references ?? {});
  const depth = (model: Mart): number =>
    Math.max(0, ...models.filter(({ name }) => targets(model).includes(name)).map((target) => 1 + depth(target)));
  return models.toSorted((a, b) => depth(a) - depth(b));
}

const isLarge = ({ contract }: Mart): boolean => contract.publish.isLarge === true;

/** Statement that creates a table with the keys of its contract. */
function createKeyed({ name, contract: { record, publish } }: Mart, keyOf: ReadonlyMap<string, string>): string {
  const foreign = Object.entries(publish.references ?? {}).map(
    ([column, target]) =>
      `FOREIGN KEY (${identifier(column)}) REFERENCES ${identifier(target)} (${identifier(keyOf.get(target) ?? 'id')})`,
  );
  const columns = record.columns.map((column) => ({ ...column, sql: storedType(column) }));
  return createTable(name, columns, [`PRIMARY KEY (${list(record.key)})`, ...foreign]);
}

/**
 * Write a table again with its keys. DuckDB adds no foreign key to a table that exists. A table of less than a row
 * group is not yet in the file, so its first copy leaves no gap there.
 */
async function addKeys(connection: DuckDBConnection, model: Mart, keyOf: ReadonlyMap<string, string>): Promise<void> {
  const [name, unkeyed] = [identifier(model.name), identifier(`${model.name}_unkeyed`)];
  const copy = [
    `ALTER TABLE ${name} RENAME TO ${unkeyed}`,
    createKeyed(model, keyOf),
    `INSERT INTO ${name} FROM ${unkeyed}`,
    `DROP TABLE ${unkeyed}`,
  ];
  await connection.run(copy.join(';\n'));
}

/** Statements that state which columns are never null. The audits have checked it for every row. */
const neverNull = ({ name, contract }: Mart): string[] =>
  contract.record.columns
    .filter((column: Column) => column.absent === undefined)
    .map((column) => `ALTER TABLE ${identifier(name)} ALTER COLUMN ${identifier(column.name)} SET NOT NULL`);

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

/** Tables that get keys, in an order in which each comes after those that it references. */
export const withKeys = (published: readonly Mart[]): readonly Mart[] =>
  afterReferenced(published.filter((model) => !isLarge(model)));

/** Called before the keys of each table, and before the rest. */
interface Steps {
  readonly onKeys: (table: string) => void;
  readonly onFile: () => void;
}

/** Add keys, views and comments (the notice among them) to the file of the published tables, and detach it. */
export async function finishDatabase(
  connection: DuckDBConnection,
  published: readonly Mart[],
  notice: string,
  { onKeys, onFile }: Steps,
): Promise<void> {
  const catalog = String((await rowsOf(connection, 'SELECT current_catalog() AS name'))[0]?.['name']);
  const keyOf = new Map(published.map(({ name, contract }) => [name, contract.record.key[0] ?? '']));
  await connection.run(`USE ${PUBLISHED}`);
  try {
    for (const model of withKeys(published)) {
      onKeys(model.name);
      await addKeys(connection, model, keyOf);
    }
    onFile();
    const comments = published.flatMap(({ name, contract: { record } }) =>
      commentOn(name, `${record.about} ${notice}`, record.columns),
    );
    const notNull = published.filter(isLarge).flatMap(neverNull);
    await connection.run(['BEGIN', ...notNull, ...comments, 'COMMIT'].join(';\n'));
    for (const view of VIEWS) await addView(connection, view, { published, notice });
    await connection.run(`CHECKPOINT ${PUBLISHED}`);
  } finally {
    await connection.run(`USE ${identifier(catalog)}`);
    await connection.run(`DETACH ${PUBLISHED}`);
  }
}
