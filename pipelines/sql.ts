/** `make sql`: a prompt on the current snapshot, read-only. With Q='SELECT …' it answers one query and ends. */
import { createInterface } from 'node:readline/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';
import { literal } from '../lib/sql.ts';
import { layoutOf } from './layout.ts';
import { say } from './output.ts';
import { currentSnapshot, readManifest } from './snapshots.ts';
import { table } from './summary.ts';

const MOST_ROWS = 200;

async function answer(connection: DuckDBConnection, sql: string): Promise<void> {
  const rows = await rowsOf(connection, sql);
  const header = Object.keys(rows[0] ?? {});
  const cell = (v: unknown): string => (v === null ? '·' : typeof v === 'object' ? JSON.stringify(v) : String(v)).slice(0, 60);
  if (header.length > 0) for (const line of table(header, rows.slice(0, MOST_ROWS).map((r) => header.map((h) => cell(r[h]))))) say(line);
  say(`${rows.length} row${rows.length === 1 ? '' : 's'}${rows.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : ''}`);
}

const duck = await openDuck();
try {
  const layout = layoutOf(readSettings(pipelineSettings).DATA_DIR);
  const current = await currentSnapshot(layout);
  if (current === null) throw new SettingError(`nothing is published in ${layout.root} yet; start with make run`);
  const manifest = await readManifest(layout, current);
  await duck.connection.run(`ATTACH ${literal(join(layout.snapshot(current), manifest.database.file))} AS snapshot (READ_ONLY)`);
  await duck.connection.run('USE snapshot');
  await duck.connection.run('SET enable_external_access = false');
  await duck.connection.run('SET lock_configuration = true');
  const once = process.env['Q'];
  if (once !== undefined && once !== '') await answer(duck.connection, once);
  else {
    say(`Snapshot ${manifest.run_id}, as of ${manifest.as_of}. ${manifest.notice}`);
    say(`Tables: ${Object.keys(manifest.tables).join(', ')}. DESCRIBE <table>; FROM duckdb_columns() shows the notes. End with Ctrl-D.`);
    const prompt = createInterface({ input: process.stdin, output: process.stdout, prompt: 'dealfeed> ', historySize: 500 });
    // A file fed into the prompt may end before its last answer is out.
    let open = true;
    prompt.on('close', () => { open = false; });
    prompt.prompt();
    for await (const line of prompt) {
      if (line.trim()) await answer(duck.connection, line).catch((error: unknown) => { say(error instanceof Error ? error.message : String(error)); });
      if (open) prompt.prompt();
    }
    say('');
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  duck.close();
}
