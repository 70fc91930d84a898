/** Build the models in a database whose input tables exist, and check each against the columns of its contract. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../lib/duck.ts';
import { messageOf } from '../lib/errors.ts';
import { identifier, literal } from '../lib/sql.ts';
import { createFunctions } from './functions.ts';
import { GraphError, sortByDependency, tablesOfEach } from './graph.ts';
import { computedIn, readFigures } from './figures/figures.ts';
import { inputMacrosSql, isMart, selectMacros, type Mart, type Model } from './index.ts';

/** A model does not match its contract. */
class ContractError extends Error {
  override readonly name = 'ContractError';
}

export interface BuildOptions {
  /**
   * Another connection to the same database: two models that do not read each other are then built at a time, unless a
   * query has several threads, which use the cores as well with the memory of one model.
   */
  readonly second?: DuckDBConnection;
  /** Called before each model is built. */
  readonly onModel?: (name: string) => void;
}

/** The tables that each model reads, by the model's name. */
type Reads = ReadonlyMap<string, readonly string[]>;

/**
 * Create the functions and macros that the models call, then build every model in the order of its dependencies.
 * auditModels checks the rows; publishing sorts those of marts.
 * @returns the models, each after those that it reads
 * @throws GraphError for an unknown table or a cycle; ContractError for a wrong type or a column that a mart's
 *   record lacks; Error naming the model if its SQL fails, as without a column of its contract
 */
export async function buildModels(
  connection: DuckDBConnection,
  models: readonly Model[],
  { second, onModel = () => {} }: BuildOptions = {},
): Promise<Model[]> {
  const byName = new Map(models.map((model) => [model.name, model]));
  const inputs = await inputTables(connection, byName);
  // One commit: each macro alone would be one write to the disk.
  const queries = models.flatMap((model) => [model.sql, ...model.audits.map(({ sql }) => sql)]);
  createFunctions(connection);
  await connection.run(`BEGIN;\n${selectMacros(queries)};\nCOMMIT`);
  if (inputs.has('declared_assumptions')) await connection.run(inputMacrosSql());
  const reads = await findReads(connection, models);
  await checkComputed(connection, models.filter(isMart));
  const order = sortByDependency(reads, inputs).flatMap((name) => byName.get(name) ?? []);
  const waiting = [...order];
  const unbuilt = new Set(byName.keys());
  const failures: Error[] = [];
  let next = Promise.withResolvers<void>();
  const [threads] = await rowsOf(connection, "SELECT current_setting('threads') = 1 AS one");
  const connections = [connection, ...(second !== undefined && threads?.['one'] === true ? [second] : [])];
  const build = async (own: DuckDBConnection): Promise<void> => {
    while (waiting.length > 0 && failures.length === 0) {
      const at = waiting.findIndex(({ name }) => reads.get(name)?.every((table) => !unbuilt.has(table)));
      const [model] = at === -1 ? [] : waiting.splice(at, 1);
      if (model === undefined) {
        await next.promise;
        continue;
      }
      onModel(model.name);
      try {
        await create(own, model, connections.length === 1);
        unbuilt.delete(model.name);
      } catch (error) {
        failures.push(new Error(`model ${model.name}: ${messageOf(error)}`, { cause: error }));
      }
      next.resolve();
      next = Promise.withResolvers();
    }
  };
  await Promise.all(connections.map(build));
  // One may have failed because a model that it reads lacks a column.
  await checkContracts(
    connection,
    order.filter(({ name }) => !unbuilt.has(name)),
  );
  if (failures[0] !== undefined) throw failures[0];
  return order;
}

/** Find the tables that each model reads. @throws GraphError if its SQL is not one SELECT of tables */
async function findReads(connection: DuckDBConnection, models: readonly Model[]): Promise<Reads> {
  const tables = await tablesOfEach(
    connection,
    models.map(({ sql }) => sql),
  );
  return new Map(
    models.map(({ name }, index) => {
      const read = tables[index] ?? [];
      if (read instanceof GraphError) throw new GraphError(`model ${name}: ${read.message}`);
      return [name, read];
    }),
  );
}

/** Tables and views that exist before the first model. @throws GraphError if a model has the name of one */
async function inputTables(
  connection: DuckDBConnection,
  models: ReadonlyMap<string, Model>,
): Promise<ReadonlySet<string>> {
  const existing = await rowsOf(
    connection,
    `
    SELECT table_name FROM duckdb_tables()
    WHERE database_name = current_catalog() AND schema_name = current_schema()
    UNION ALL
    SELECT view_name FROM duckdb_views()
    WHERE NOT internal AND database_name = current_catalog() AND schema_name = current_schema()`,
  );
  const inputs = new Set(existing.map((row) => String(row['table_name'])));
  const clash = [...models.keys()].find((name) => inputs.has(name));
  if (clash !== undefined) throw new GraphError(`model ${clash} has the name of an input table`);
  return inputs;
}

/** Whether a query is run in slices by id, because its rows are too wide to be joined or sorted at once. */
export const isSliced = (sql: string): boolean => /\bin_slice\(/u.test(sql);

/** Properties in a slice, of about 30 kB each. Leads and owners have ids of the same form. */
const SLICE_ROWS = 3_000;
/** Texts after the last id, and before the first one. */
const [AFTER_ALL, BEFORE_ALL] = ['~', ''];

/**
 * Create a table by one statement, or by one for each slice: then its rows are sorted by id.
 * @param isAlone whether no other model is built meanwhile
 */
async function createTable(
  connection: DuckDBConnection,
  { table, select, isAlone }: { readonly table: string; readonly select: string; readonly isAlone: boolean },
): Promise<void> {
  if (!isSliced(select)) {
    await connection.run(`CREATE TABLE ${table} AS ${select}`);
    return;
  }
  const numbered = 'SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM int_properties';
  const later = `SELECT id FROM (${numbered}) WHERE n > 0 AND n % ${SLICE_ROWS} = 0 ORDER BY id`;
  const starts = [BEFORE_ALL, ...(await rowsOf(connection, later)).map(({ id }) => String(id))];
  // Each slice reads the tables from the file, rather than from what was spilled. A model beside this one forbids it.
  if (starts.length > 1 && isAlone) await connection.run('CHECKPOINT');
  for (const [i, start] of starts.entries()) {
    const end = starts[i + 1] ?? AFTER_ALL;
    await connection.run(`SET VARIABLE slice_start = ${literal(start)}; SET VARIABLE slice_end = ${literal(end)}`);
    const into = i === 0 ? `CREATE TABLE ${table} AS` : `INSERT INTO ${table}`;
    await connection.run(`${into} ${select} ORDER BY id`);
  }
  await connection.run('RESET VARIABLE slice_start; RESET VARIABLE slice_end');
}

/** Create a model's table or view. An audit checks NOT NULL rather than a constraint, because it lists the bad rows. */
async function create(connection: DuckDBConnection, model: Model, isAlone: boolean): Promise<void> {
  const own = identifier(model.name);
  const select = model.sql.trim().replace(/;$/u, '');
  if (model.auditedIn !== undefined) {
    await connection.run(`CREATE VIEW ${own} AS ${select}`);
    return;
  }
  // The contract says which columns are published, and in which order.
  const columns = model.contract?.record.columns.map(({ name }) => identifier(name)) ?? ['*'];
  await createTable(connection, { table: own, select: `SELECT ${columns.join(', ')} FROM (\n${select}\n)`, isAlone });
}

/** @throws ContractError naming a column that a mart computes for nobody. The tables that it joins may have others. */
async function checkComputed(connection: DuckDBConnection, marts: readonly Mart[]): Promise<void> {
  for (const [i, { selects }] of (await readFigures(connection, marts)).entries()) {
    const { name, contract } = marts[i] ?? {};
    const published = new Set(contract?.record.columns.map((column) => column.name));
    const extra = selects
      .slice(-1)
      .flatMap(computedIn)
      .find(([column]) => !published.has(column));
    if (extra)
      throw new ContractError(
        `model ${name}: it computes the column ${extra[0]}, which its record lacks: declare it there, or remove it`,
      );
  }
}

/**
 * Compare the types of the built marts with their contracts. No other model may have a binary float either.
 * @throws ContractError naming the first difference
 */
async function checkContracts(connection: DuckDBConnection, built: readonly Model[]): Promise<void> {
  const rows = await rowsOf(
    connection,
    `
    SELECT table_name, column_name, data_type FROM duckdb_columns()
    WHERE database_name = current_catalog() AND schema_name = current_schema() ORDER BY table_name, column_index`,
  );
  const found = Map.groupBy(rows, (row) => row['table_name']);
  for (const model of built) {
    const expected = new Map(isMart(model) ? model.contract.record.columns.map(({ name, sql }) => [name, sql]) : []);
    for (const row of found.get(model.name) ?? []) {
      const [column, type] = [String(row['column_name']), String(row['data_type'])];
      const wanted = expected.get(column) ?? type;
      if (type === wanted && !FLOAT.test(type)) continue;
      const facts = type === wanted ? type : `${type}, expected ${wanted}`;
      throw new ContractError(`model ${model.name}: column ${column} is ${facts}${FLOAT.test(type) ? DIVIDE : ''}`);
    }
  }
}

const FLOAT = /\b(?:DOUBLE|FLOAT)\b/u;

/** Advice for a column that a division has turned into a binary float. */
const DIVIDE = '. SQL divides to DOUBLE: use quotient() or another macro of models/macros/arithmetic.sql';
