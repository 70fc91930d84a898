/** `make query NAME=...`: answer a worked query on a snapshot. Without NAME, list the queries. */
import { print } from '../../lib/output.ts';
import { readSettings } from '../../lib/settings.ts';
import { printLines, screenWidth } from '../format.ts';
import { openSnapshot } from './open_snapshot.ts';
import { queryNamed, workedQueries } from './queries.ts';
import { formatLines, formatTable, runQuery } from './query_result.ts';
import { runCli } from './run_cli.ts';
import { analystSettings } from './settings.ts';

const HOW_TO_ASK = 'make query NAME=... runs one; FORMAT=csv or FORMAT=json is for programs';

function listQueries(): void {
  const all = workedQueries();
  const widest = Math.max(...all.map((query) => query.name.length));
  printLines([...all.map((query) => `  ${query.name.padEnd(widest)}  ${query.answers}`), HOW_TO_ASK]);
}

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, NAME, FORMAT } = readSettings(analystSettings);
  if (NAME === undefined) {
    listQueries();
    return 0;
  }
  const query = queryNamed('NAME', NAME);
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
