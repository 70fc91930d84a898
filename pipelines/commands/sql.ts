/**
 * `make sql Q='SELECT …'`: answers one query over the current snapshot. Without Q it prints the command that opens the
 * snapshot in the DuckDB shell, and its tables.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../../lib/output.ts';
import { readSettings } from '../../lib/settings.ts';
import { openSnapshot, type OpenSnapshot } from '../analyse/open_snapshot.ts';
import { formatLines, formatTable, runQuery } from '../analyse/query_result.ts';
import { runCli } from '../analyse/run_cli.ts';
import { analystSettings } from '../analyse/settings.ts';
import { screenWidth, wrapLine } from '../format.ts';

const MAX_ROWS = 200;
const TABLES_SQL = `
  SELECT table_name AS "table", estimated_size AS rows, regexp_extract(comment, '^[^.]*\\.') AS meaning
  FROM duckdb_tables() WHERE database_name = 'snapshot'
  UNION ALL
  SELECT view_name, NULL, regexp_extract(comment, '^[^.]*\\.')
  FROM duckdb_views() WHERE database_name = 'snapshot' AND NOT internal
  ORDER BY 1`;

async function answer({ duck }: OpenSnapshot, sql: string, format: 'table' | 'csv' | 'json'): Promise<string[]> {
  // A program needs all rows, a person one screen of them.
  const result = await runQuery(duck.connection, sql, format === 'table' ? MAX_ROWS : Number.MAX_SAFE_INTEGER);
  return format === 'table' ? formatTable(result, screenWidth()) : formatLines(result, format);
}

/** How to open the snapshot, and its tables. */
async function describeSnapshot({ duck, manifest, layout }: OpenSnapshot): Promise<string[]> {
  const folder = layout.snapshot(manifest.run_id);
  const how = existsSync(join(folder, manifest.database.file))
    ? `cd ${folder} && duckdb -readonly ${manifest.database.file}`
    : `make prune removed the DuckDB file of this snapshot. make sql SNAPSHOT=${manifest.run_id} Q='...' still works.`;
  const about = `Snapshot ${manifest.run_id}, as of ${manifest.as_of}. ${manifest.notice}`;
  const tables = await runQuery(duck.connection, TABLES_SQL, MAX_ROWS);
  return [...wrapLine(about, screenWidth()), '', `  ${how}`, '', ...formatTable(tables, screenWidth())];
}

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, Q, FORMAT } = readSettings(analystSettings);
  const snapshot = await openSnapshot(DATA_DIR, SNAPSHOT);
  try {
    for (const line of await (Q === undefined ? describeSnapshot(snapshot) : answer(snapshot, Q, FORMAT))) print(line);
    return 0;
  } finally {
    snapshot.duck.close();
  }
}

await runCli(main);
