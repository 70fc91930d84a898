/** `make sql`: a prompt on the current snapshot, read-only. With Q='SELECT …' it answers one query and ends. */
import { join } from 'node:path';
import { readSettings, SettingError } from '../../lib/settings.ts';
import { openSnapshot } from '../analyse/opened.ts';
import { converse } from '../analyse/prompt.ts';
import { analystSettings } from '../analyse/settings.ts';
import { answer, asLines, asTable, readable } from '../analyse/show.ts';
import { say } from '../../lib/output.ts';

const MOST_ROWS = 200;

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, Q, FORMAT } = readSettings(analystSettings);
  const { duck, manifest } = await openSnapshot(DATA_DIR, SNAPSHOT);
  try {
    if (Q !== undefined) {
      // A program wants all rows, a person a screen of them.
      const found = await answer(duck.connection, Q, FORMAT === 'table' ? MOST_ROWS : Number.MAX_SAFE_INTEGER);
      for (const line of FORMAT === 'table'
        ? asTable(found, process.stdout.isTTY ? process.stdout.columns : Infinity)
        : asLines(found, FORMAT))
        say(line);
      return 0;
    }
    const terminal = process.stdin.isTTY && process.stdout.isTTY;
    if (terminal) {
      say(`Snapshot ${manifest.run_id}, as of ${manifest.as_of}, read-only. ${manifest.notice}`);
      say(`Tables: ${Object.keys(manifest.tables).join(', ')}. .help for help, Tab completes, Ctrl-D ends.`);
    }
    const well = await converse({
      connection: duck.connection,
      input: process.stdin,
      output: process.stdout,
      terminal,
      width: () => (process.stdout.isTTY ? process.stdout.columns : Infinity),
      historyFile: join(DATA_DIR, 'sql_history'),
    });
    // At a terminal a mistake has been seen; in a script it must not pass for success.
    return well || terminal ? 0 : 1;
  } finally {
    duck.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof SettingError ? error.message : readable(error)}\n`);
  process.exitCode = 1;
}
