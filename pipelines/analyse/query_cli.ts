/** `make query NAME=...`: answer a worked query over a snapshot; without a name list them. */
import { readSettings, SettingError } from '../../lib/settings.ts';
import { say } from '../../lib/output.ts';
import { wrapped } from './explain/lines.ts';
import { openSnapshot } from './opened.ts';
import { queryNamed, workedQueries } from './queries.ts';
import { analystSettings } from './settings.ts';
import { answer, asLines, asTable, readable } from './show.ts';

async function main(): Promise<void> {
  const { DATA_DIR, SNAPSHOT, NAME, FORMAT } = readSettings(analystSettings);
  if (NAME === undefined) {
    const all = workedQueries();
    const widest = Math.max(...all.map((q) => q.name.length));
    const width = process.stdout.isTTY ? process.stdout.columns : Infinity;
    for (const q of all) for (const line of wrapped(`  ${q.name.padEnd(widest)}  ${q.answers}`, width)) say(line);
    say('make query NAME=... answers one; FORMAT=csv or json for programs');
    return;
  }
  const query = queryNamed('NAME', NAME);
  const { duck, manifest } = await openSnapshot(DATA_DIR, SNAPSHOT);
  try {
    const found = await answer(duck.connection, query.sql, Number.MAX_SAFE_INTEGER);
    if (FORMAT !== 'table') {
      for (const line of asLines(found, FORMAT)) say(line);
      return;
    }
    const width = process.stdout.isTTY ? process.stdout.columns : Infinity;
    for (const line of wrapped(`${query.answers} (snapshot ${manifest.run_id})`, width)) say(line);
    for (const line of asTable(found, width)) say(line);
  } finally {
    duck.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof SettingError ? error.message : readable(error)}\n`);
  process.exitCode = 1;
}
