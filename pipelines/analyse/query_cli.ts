/** `make query NAME=...`: answer a worked query on a snapshot. Without NAME, list the queries. */
import { print } from '../../lib/output.ts';
import { readSettings, SettingError } from '../../lib/settings.ts';
import { printLines, screenWidth } from '../format.ts';
import { openSnapshot } from './open_snapshot.ts';
import { formatLines, formatTable, runQuery } from './query_result.ts';
import { workedQueries, type WorkedQuery } from './queries.ts';
import { runCli } from './run_cli.ts';
import { analystSettings } from './settings.ts';

function listQueries(queries: readonly WorkedQuery[]): void {
  const widest = Math.max(...queries.map(({ name }) => name.length));
  const howTo = 'make query NAME=... runs one; FORMAT=csv or FORMAT=json is for programs';
  printLines([...queries.map(({ name, answers }) => `  ${name.padEnd(widest)}  ${answers}`), howTo]);
}

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, NAME, FORMAT } = readSettings(analystSettings);
  const all = workedQueries();
  if (NAME === undefined) {
    listQueries(all);
    return 0;
  }
  const query = all.find(({ name }) => name === NAME);
  if (!query)
    throw new SettingError(
      `NAME is ${JSON.stringify(NAME)}, expected one of ${all.map(({ name }) => name).join(', ')}`,
    );
  const { duck, manifest } = await openSnapshot(DATA_DIR, SNAPSHOT);
  try {
    const result = await runQuery(duck.connection, query.sql, Number.MAX_SAFE_INTEGER);
    const lines = FORMAT === 'table' ? formatTable(result, screenWidth()) : formatLines(result, FORMAT);
    if (FORMAT === 'table') printLines([`${query.answers} (snapshot ${manifest.run_id})`]);
    for (const line of lines) print(line);
    return 0;
  } finally {
    duck.close();
  }
}

await runCli(main);
