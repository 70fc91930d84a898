/**
 * The order in which models are built, from their SQL: DuckDB's syntax tree names the tables that a SELECT reads, less
 * the CTEs in scope.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../lib/duck.ts';
import { isObject, type JsonObject } from '../lib/json.ts';

export class GraphError extends Error {
  override readonly name = 'GraphError';
}

/** Table functions that read no file. Models read tables only. */
const PURE_TABLE_FUNCTIONS = ['unnest', 'generate_series', 'range', 'json_each'];

/** Input tables that macros read, by macro name: a SELECT that calls the macro reads the table. */
const MACRO_TABLES: ReadonlyMap<unknown, string> = new Map([['assumption', 'declared_assumptions']]);

type Node = JsonObject;

interface CteEntry {
  readonly key: string;
  readonly value: { readonly query: { readonly node: Node } };
}

/** CTEs of a node of the tree, in order. */
function ctesOf(node: Node): readonly CteEntry[] {
  const map = isObject(node['cte_map']) ? node['cte_map']['map'] : undefined;
  return Array.isArray(map) ? (map as CteEntry[]) : [];
}

/** Tables read by a part of the tree. `scope` holds the CTEs it can see. */
function collect(part: unknown, scope: ReadonlySet<string>, found: Set<string>): void {
  if (Array.isArray(part)) {
    for (const item of part) collect(item, scope, found);
    return;
  }
  if (!isObject(part)) return;
  if (part['type'] === 'BASE_TABLE') {
    const name = String(part['table_name']);
    if (part['schema_name'] !== '' || part['catalog_name'] !== '')
      throw new GraphError(
        `it reads ${[part['catalog_name'], part['schema_name'], name].filter(Boolean).join('.')}, ` +
          'but models read tables of their own schema only',
      );
    if (!scope.has(name.toLowerCase())) found.add(name);
  }
  if (part['type'] === 'TABLE_FUNCTION' && isObject(part['function'])) {
    const name = String(part['function']['function_name']);
    if (!PURE_TABLE_FUNCTIONS.includes(name)) throw new GraphError(`it calls ${name}(), but models read tables only`);
  }
  const read = MACRO_TABLES.get(part['function_name']);
  if (read !== undefined) found.add(read);
  const inner = new Set(scope);
  for (const { key, value } of ctesOf(part)) {
    const { node } = value.query;
    // Only a recursive CTE sees itself; in any other, its name means the table.
    collect(node, node['type'] === 'RECURSIVE_CTE_NODE' ? new Set([...inner, key.toLowerCase()]) : inner, found);
    inner.add(key.toLowerCase());
  }
  for (const [key, value] of Object.entries(part)) if (key !== 'cte_map') collect(value, inner, found);
}

/** Results by SQL: a process that builds several days, as `make rebuild` does, parses each model once. */
const known = new Map<string, readonly string[]>();

/**
 * Names of the tables that a SELECT reads, sorted.
 * @throws GraphError if it is not one SELECT, or reads anything but tables
 */
export async function tablesRead(connection: DuckDBConnection, sql: string): Promise<readonly string[]> {
  const [tables] = await tablesOfEach(connection, [sql]);
  if (tables instanceof GraphError) throw tables;
  return tables ?? [];
}

/**
 * The same of several SELECTs, in their order, with the error of each that has one. One statement parses them all: for
 * the models it takes a third of the time of one statement each.
 */
export async function tablesOfEach(
  connection: DuckDBConnection,
  queries: readonly string[],
): Promise<(readonly string[] | GraphError)[]> {
  const unknown = [...new Set(queries.filter((sql) => !known.has(sql)))];
  const errors = new Map<string, GraphError>();
  for (const [i, tree] of (await parseTrees(connection, unknown)).entries()) {
    const sql = unknown[i] ?? '';
    try {
      known.set(sql, tablesIn(tree));
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      errors.set(sql, error);
    }
  }
  return queries.map((sql) => errors.get(sql) ?? known.get(sql) ?? []);
}

/** Syntax trees of queries, in their order. A tree may be of an error. */
export async function parseTrees(connection: DuckDBConnection, queries: readonly string[]): Promise<string[]> {
  if (queries.length === 0) return [];
  const rows = await rowsOf(
    connection,
    `SELECT json_serialize_sql(query) AS tree
    FROM (SELECT unnest(from_json(CAST($1 AS JSON), '["VARCHAR"]')) AS query)`,
    [JSON.stringify(queries)],
  );
  return rows.map((row) => String(row['tree']));
}

/** Names of the tables in a syntax tree, sorted. @throws GraphError as tablesRead */
function tablesIn(text: string): readonly string[] {
  const tree = JSON.parse(text) as {
    error: boolean;
    error_message?: string;
    statements?: { node: Node }[];
  };
  if (tree.error) throw new GraphError(`its SQL does not parse: ${tree.error_message ?? 'unknown error'}`);
  const [statement, second] = tree.statements ?? [];
  if (!statement || second)
    throw new GraphError(`it has ${tree.statements?.length ?? 0} statements, expected one SELECT`);
  const found = new Set<string>();
  collect(statement.node, new Set(), found);
  return [...found].sort();
}

/**
 * Sort models so that each comes after those it reads; models without dependencies on each other are sorted by name.
 * @param reads names of the tables that each model reads
 * @param inputs tables that exist before the first model runs
 * @throws GraphError naming the model and the unknown table, or the models of a cycle
 */
export function sortByDependency(reads: ReadonlyMap<string, readonly string[]>, inputs: ReadonlySet<string>): string[] {
  for (const [model, tables] of reads) {
    for (const table of tables) {
      if (!reads.has(table) && !inputs.has(table))
        throw new GraphError(`model ${model} reads ${table}, which is neither a model nor an input table`);
    }
  }
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (model: string, path: readonly string[]): void => {
    if (state.get(model) === 'done') return;
    if (state.get(model) === 'open')
      throw new GraphError(
        `models read each other in a cycle: ${[...path.slice(path.indexOf(model)), model].join(' -> ')}`,
      );
    state.set(model, 'open');
    for (const table of [...(reads.get(model) ?? [])].sort()) if (reads.has(table)) visit(table, [...path, model]);
    state.set(model, 'done');
    order.push(model);
  };
  for (const model of [...reads.keys()].sort()) visit(model, []);
  return order;
}
