/** Command lines of `make sql`, `make query` and `make explain`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openArchive } from '../../lib/archive.ts';
import { runCommand } from '../../lib/command.ts';
import { messageOf } from '../../lib/errors.ts';
import { print } from '../../lib/output.ts';
import { readSettings, SettingError } from '../../lib/settings.ts';
import { loadSources } from '../../sources/index.ts';
import { printLines, screenWidth, wrapLine } from '../format.ts';
import { layoutOf } from '../layout.ts';
import { holdForReading } from '../run/lock.ts';
import { explain, fieldOrigin } from './explain/explain.ts';
import { formatExplanation } from './explain/format.ts';
import { openSnapshot, type OpenSnapshot } from './open_snapshot.ts';
import { formatLines, formatTable, runQuery, workedQueries } from './query.ts';
import { analystSettings } from './settings.ts';

const MAX_ROWS = 200;
const TABLES_SQL = `
  SELECT table_name AS "table", estimated_size AS rows, regexp_extract(comment, '^[^.]*\\.') AS meaning
  FROM duckdb_tables() WHERE database_name = 'snapshot'
  UNION ALL
  SELECT view_name, NULL, regexp_extract(comment, '^[^.]*\\.')
  FROM duckdb_views() WHERE database_name = 'snapshot' AND NOT internal
  ORDER BY 1`;

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

/**
 * Answer a query, or describe the snapshot.
 * @param about what is said above a table
 */
async function sqlCommand(sql: string | undefined, about?: string): Promise<number> {
  const { DATA_DIR, SNAPSHOT, FORMAT } = readSettings(analystSettings);
  const snapshot = await openSnapshot(DATA_DIR, SNAPSHOT);
  await using duck = snapshot.duck;
  if (sql === undefined) for (const line of await describeSnapshot(snapshot)) print(line);
  else {
    const isTable = FORMAT === 'table';
    // A program needs all rows, a person one screen of them, or all of a worked query.
    const most = isTable && about === undefined ? MAX_ROWS : Number.MAX_SAFE_INTEGER;
    const result = await runQuery(duck.connection, sql, most);
    if (isTable && about !== undefined) printLines([`${about} (snapshot ${snapshot.manifest.run_id})`]);
    for (const line of isTable ? formatTable(result, screenWidth()) : formatLines(result, FORMAT)) print(line);
  }
  return 0;
}

/** Answer a worked query; without NAME, list them. */
async function queryCommand(): Promise<number> {
  const { NAME } = readSettings(analystSettings);
  const all = workedQueries();
  const names = all.map(({ name }) => name);
  if (NAME === undefined) {
    const widest = Math.max(...names.map(({ length }) => length));
    const howTo = 'make query NAME=... runs one; FORMAT=csv or FORMAT=json is for programs';
    printLines([...all.map(({ name, answers }) => `  ${name.padEnd(widest)}  ${answers}`), howTo]);
    return 0;
  }
  const query = all.find(({ name }) => name === NAME);
  if (!query) throw new SettingError(`NAME is ${JSON.stringify(NAME)}, expected one of ${names.join(', ')}`);
  return sqlCommand(query.sql, query.answers);
}

/** Trace the figures of a row to their sources, or write an archived page. */
async function explainCommand(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, ID, TABLE, FIELD } = readSettings(analystSettings);
  if (ID === undefined)
    throw new SettingError(
      'ID is not set, expected the id of a deal, lead, signal, auction or filing, or the hash of a page; see make sql',
    );
  const archive = await openArchive(DATA_DIR);
  if (/^[0-9a-f]{64}$/u.test(ID)) {
    process.stdout.write(await archive.read(ID));
    return 0;
  }
  using _reading = holdForReading(layoutOf(DATA_DIR));
  const snapshot = await openSnapshot(DATA_DIR, SNAPSHOT);
  await using duck = snapshot.duck;
  const explanation = await explain({ snapshot, archive, sources: await loadSources() }, ID, TABLE);
  const origin = FIELD === undefined ? '' : await fieldOrigin(duck.connection, explanation, FIELD);
  printLines(formatExplanation(explanation, FIELD, origin));
  // A script must notice archived bytes that do not verify.
  return explanation.pages.every((page) => page.hash === 'verified') ? 0 : 1;
}

/** DuckDB's words for access that a snapshot does not allow. */
const FORBIDDEN = new RegExp(
  [
    'read-only',
    'Cannot execute statement of type',
    'External file access',
    'has been locked',
    'file system operations are disabled',
  ].join('|'),
  'iu',
);

/** DuckDB's message about an error, without its internal prefix; the position in the statement stays. */
function queryErrorText(error: unknown): string {
  const message = messageOf(error);
  if (FORBIDDEN.test(message)) return `Not allowed: the snapshot is read-only. ${message.split('\n')[0] ?? ''}`;
  return message.replace(/^Failed to \w+ statements: /u, '').trim();
}

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  sql: () => sqlCommand(readSettings(analystSettings).Q),
  query: queryCommand,
  explain: explainCommand,
};

const command = COMMANDS[process.argv[2] ?? ''] ?? (() => Promise.reject(new SettingError('expected a command')));
await runCommand(command, queryErrorText);
