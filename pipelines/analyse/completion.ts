/** Completion of typed SQL: tables, columns of the tables in the statement, accepted values, functions, keywords. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import { withoutText } from './statements.ts';

export interface Catalog {
  /** Columns by table, in order. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** Accepted values by column. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly functions: readonly string[];
}

const KEYWORDS = `
  SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT OFFSET JOIN LEFT RIGHT FULL INNER CROSS ANTI SEMI ASOF ON USING AS WITH
  UNION ALL EXCEPT INTERSECT DISTINCT CASE WHEN THEN ELSE END AND OR NOT IN IS NULL BETWEEN LIKE ILIKE EXISTS ASC DESC
  NULLS FIRST LAST OVER PARTITION WINDOW QUALIFY FILTER CAST DESCRIBE SUMMARIZE EXPLAIN VALUES PIVOT UNPIVOT EXCLUDE
  REPLACE COLUMNS LATERAL UNNEST SAMPLE TRUE FALSE DATE TIMESTAMP INTERVAL`
  .trim()
  .split(/\s+/u);

const COMMANDS = ['.tables', '.describe', '.queries', '.query', '.x', '.help', '.quit'];

const COLUMNS_SQL = `
  SELECT table_name, column_name, comment FROM duckdb_columns()
  WHERE database_name = 'snapshot' ORDER BY table_name, column_index`;
const FUNCTIONS_SQL = `
  SELECT DISTINCT function_name AS name FROM duckdb_functions()
  WHERE function_type IN ('scalar', 'aggregate', 'macro') AND regexp_full_match(function_name, '[a-z][a-z_0-9]+')
  ORDER BY name`;

/** Read the catalog of a snapshot's database. The comments of its columns list the accepted values. */
export async function readColumnCatalog(connection: DuckDBConnection): Promise<Catalog> {
  const tables = new Map<string, string[]>();
  const values = new Map<string, readonly string[]>();
  for (const row of await rowsOf(connection, COLUMNS_SQL)) {
    const [table, column] = [String(row['table_name']), String(row['column_name'])];
    tables.set(table, [...(tables.get(table) ?? []), column]);
    const listed = /\bOne of: ([^.]+(?:\.\d[^.]*)*)\./u.exec(String(row['comment'] ?? ''))?.[1]?.split(', ');
    if (listed) values.set(column, [...new Set([...(values.get(column) ?? []), ...listed])]);
  }
  const functions = (await rowsOf(connection, FUNCTIONS_SQL)).map((row) => String(row['name']));
  return { tables, values, functions };
}

/** Columns of the tables in a statement, by table name and alias. */
function tablesIn(sql: string, { tables }: Catalog): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const references = withoutText(sql).matchAll(/\b(?:from|join)\s+([a-z_]\w*)(?:\s+(?:as\s+)?([a-z_]\w*))?/giu);
  for (const [, name = '', alias] of references) {
    const columns = tables.get(name.toLowerCase());
    if (!columns) continue;
    found.set(name.toLowerCase(), columns);
    if (alias !== undefined && !KEYWORDS.includes(alias.toUpperCase())) found.set(alias.toLowerCase(), columns);
  }
  return found;
}

const startingWith = (prefix: string, names: readonly string[]): string[] =>
  names.filter((name) => name.toLowerCase().startsWith(prefix.toLowerCase()));

/** The candidates, and the part of the line that a candidate replaces. */
type Completion = [candidates: string[], part: string];

function completeCommand(line: string, catalog: Catalog, queries: readonly string[]): Completion {
  const [, command = '', word] = /^(\.\S*)(?:\s+(\S*))?$/u.exec(line) ?? [];
  if (word === undefined) return [startingWith(command, COMMANDS).map((known) => `${known} `), command];
  return [startingWith(word, command === '.query' ? queries : [...catalog.tables.keys()]), word];
}

/**
 * Complete a line.
 * @param before earlier lines of the statement
 * @param line the line up to the cursor
 * @param queries names of the worked queries
 */
export function complete(catalog: Catalog, before: string, line: string, queries: readonly string[] = []): Completion {
  if (before.trim() === '' && line.startsWith('.')) return completeCommand(line, catalog, queries);
  const openString = /\b([a-z_]\w*)\s*(?:=|<>|!=|\bin\s*\((?:\s*'[^']*'\s*,)*)\s*'([^']*)$/iu.exec(line);
  if (openString) {
    const [, column = '', part = ''] = openString;
    return [startingWith(part, catalog.values.get(column.toLowerCase()) ?? []).map((value) => `${value}'`), part];
  }
  const tables = tablesIn(`${before}\n${line}`, catalog);
  const qualified = /\b([a-z_]\w*)\.(\w*)$/iu.exec(line);
  if (qualified) {
    const [, table = '', part = ''] = qualified;
    return [startingWith(part, tables.get(table.toLowerCase()) ?? catalog.tables.get(table.toLowerCase()) ?? []), part];
  }
  const part = /\w*$/u.exec(line)?.[0] ?? '';
  if (/\b(?:from|join|describe|summarize|table)\s+\w*$/iu.test(line))
    return [startingWith(part, [...catalog.tables.keys()]), part];
  const columns = [...new Set((tables.size > 0 ? [...tables.values()] : [...catalog.tables.values()]).flat())];
  // Keywords in the case of the typed part.
  const keywords = part !== '' && part === part.toUpperCase() ? KEYWORDS : KEYWORDS.map((word) => word.toLowerCase());
  const found = [
    ...startingWith(part, columns),
    ...startingWith(part, [...tables.keys()]),
    ...startingWith(part, keywords),
    ...(part.length > 1 ? startingWith(part, catalog.functions).map((name) => `${name}(`) : []),
  ];
  return [[...new Set(found)], part];
}
