/** What may follow what was typed: tables, the columns of those that are spoken of, accepted values, functions, words of SQL. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import { bare } from './statements.ts';

export interface Catalog {
  /** Columns by table, in order. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** Accepted values by column. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly functions: readonly string[];
}

const WORDS =
  `SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT OFFSET JOIN LEFT RIGHT FULL INNER CROSS ANTI SEMI ASOF ON USING AS WITH UNION ALL
  EXCEPT INTERSECT DISTINCT CASE WHEN THEN ELSE END AND OR NOT IN IS NULL BETWEEN LIKE ILIKE EXISTS ASC DESC NULLS FIRST LAST OVER PARTITION WINDOW
  QUALIFY FILTER CAST DESCRIBE SUMMARIZE EXPLAIN VALUES PIVOT UNPIVOT EXCLUDE REPLACE COLUMNS LATERAL UNNEST SAMPLE TRUE FALSE DATE TIMESTAMP INTERVAL`.split(
    /\s+/u,
  );

const COMMANDS = ['.tables', '.describe', '.queries', '.query', '.x', '.help', '.quit'];

/** Read what a snapshot's database knows of itself. Accepted values are told by the notes of its columns. */
export async function catalogOf(connection: DuckDBConnection): Promise<Catalog> {
  const tables = new Map<string, string[]>();
  const values = new Map<string, readonly string[]>();
  for (const row of await rowsOf(
    connection,
    "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE database_name = 'snapshot' ORDER BY table_name, column_index",
  )) {
    const [table, column] = [String(row['table_name']), String(row['column_name'])];
    tables.set(table, [...(tables.get(table) ?? []), column]);
    const closed = /\bOne of: ([^.]+(?:\.\d[^.]*)*)\./u.exec(String(row['comment'] ?? ''))?.[1]?.split(', ');
    if (closed) values.set(column, [...new Set([...(values.get(column) ?? []), ...closed])]);
  }
  const functions = (
    await rowsOf(
      connection,
      "SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro') AND regexp_full_match(function_name, '[a-z][a-z_0-9]+') ORDER BY name",
    )
  ).map((r) => String(r['name']));
  return { tables, values, functions };
}

/** Tables that a statement names, by the names its columns can be asked by: their own and their aliases. */
function spokenOf(sql: string, { tables }: Catalog): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [, name = '', alias] of bare(sql).matchAll(
    /\b(?:from|join)\s+([a-z_]\w*)(?:\s+(?:as\s+)?([a-z_]\w*))?/giu,
  )) {
    const columns = tables.get(name.toLowerCase());
    if (!columns) continue;
    found.set(name.toLowerCase(), columns);
    if (alias !== undefined && !WORDS.includes(alias.toUpperCase())) found.set(alias.toLowerCase(), columns);
  }
  return found;
}

const startingWith = (prefix: string, names: readonly string[]): string[] =>
  names.filter((n) => n.toLowerCase().startsWith(prefix.toLowerCase()));

/**
 * @param before what was typed on earlier lines of the statement
 * @param line the line up to the cursor
 * @returns the candidates, and the part of the line they would take the place of
 */
export function complete(
  catalog: Catalog,
  before: string,
  line: string,
  queries: readonly string[] = [],
): [candidates: string[], part: string] {
  if (before.trim() === '' && line.startsWith('.')) {
    const [, command = '', word] = /^(\.\S*)(?:\s+(\S*))?$/u.exec(line) ?? [];
    if (word === undefined) return [startingWith(command, COMMANDS).map((c) => `${c} `), command];
    return [startingWith(word, command === '.query' ? queries : [...catalog.tables.keys()]), word];
  }
  const statement = `${before}\n${line}`;
  const inString = /\b([a-z_]\w*)\s*(?:=|<>|!=|\bin\s*\((?:\s*'[^']*'\s*,)*)\s*'([^']*)$/iu.exec(line);
  if (inString) {
    const [, column = '', part = ''] = inString;
    return [startingWith(part, catalog.values.get(column.toLowerCase()) ?? []).map((v) => `${v}'`), part];
  }
  const spoken = spokenOf(statement, catalog);
  const dotted = /\b([a-z_]\w*)\.(\w*)$/iu.exec(line);
  if (dotted) {
    const [, owner = '', part = ''] = dotted;
    return [startingWith(part, spoken.get(owner.toLowerCase()) ?? catalog.tables.get(owner.toLowerCase()) ?? []), part];
  }
  const part = /\w*$/u.exec(line)?.[0] ?? '';
  if (/\b(?:from|join|describe|summarize|table)\s+\w*$/iu.test(line))
    return [startingWith(part, [...catalog.tables.keys()]), part];
  const columns = [...new Set((spoken.size > 0 ? [...spoken.values()] : [...catalog.tables.values()]).flat())];
  // Words in the case in which one began to type.
  const words = part !== '' && part === part.toUpperCase() ? WORDS : WORDS.map((w) => w.toLowerCase());
  const found = [
    ...startingWith(part, columns),
    ...startingWith(part, [...spoken.keys()]),
    ...startingWith(part, words),
    ...(part.length > 1 ? startingWith(part, catalog.functions).map((f) => `${f}(`) : []),
  ];
  return [[...new Set(found)], part];
}
