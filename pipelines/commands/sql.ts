/** `make sql`: a read-only prompt on the current snapshot. With Q='SELECT …' it runs one query and ends. */
import { join } from 'node:path';
import { print } from '../../lib/output.ts';
import { readSettings } from '../../lib/settings.ts';
import { wrapLine } from '../wrap.ts';
import { openSnapshot, type OpenSnapshot } from '../analyse/open_snapshot.ts';
import { runPrompt } from '../analyse/prompt.ts';
import { CSV_HINT, formatLines, formatTable, runQuery } from '../analyse/query_result.ts';
import { runCli, screenWidth } from '../analyse/run_cli.ts';
import { analystSettings } from '../analyse/settings.ts';

const MAX_ROWS = 200;

async function runOneQuery({ duck }: OpenSnapshot, sql: string, format: 'table' | 'csv' | 'json'): Promise<void> {
  // A program needs all rows, a person one screen of them.
  const result = await runQuery(duck.connection, sql, format === 'table' ? MAX_ROWS : Number.MAX_SAFE_INTEGER);
  const lines = format === 'table' ? formatTable(result, screenWidth(), CSV_HINT) : formatLines(result, format);
  for (const line of lines) print(line);
}

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, Q, FORMAT } = readSettings(analystSettings);
  const snapshot = await openSnapshot(DATA_DIR, SNAPSHOT);
  const { duck, manifest } = snapshot;
  try {
    if (Q !== undefined) {
      await runOneQuery(snapshot, Q, FORMAT);
      return 0;
    }
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
    if (isTerminal) {
      const about = `Snapshot ${manifest.run_id}, as of ${manifest.as_of}, read-only. ${manifest.notice}`;
      const tables = `Tables: ${Object.keys(manifest.tables).join(', ')}. .help for help, Tab completes, Ctrl-D ends.`;
      for (const line of [about, tables].flatMap((text) => wrapLine(text, screenWidth()))) print(line);
    }
    const hasSucceeded = await runPrompt({
      connection: duck.connection,
      input: process.stdin,
      output: process.stdout,
      isTerminal,
      width: screenWidth,
      historyFile: join(DATA_DIR, 'sql_history'),
    });
    // A script must notice an error; a person at a terminal has seen it.
    return hasSucceeded || isTerminal ? 0 : 1;
  } finally {
    duck.close();
  }
}

await runCli(main);
