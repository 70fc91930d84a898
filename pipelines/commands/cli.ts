/**
 * Command line of the pipeline: `node pipelines/commands/cli.ts run`, `status` or `reparse`. Exit status of run: 0
 * published; 1 a wrong setting or a failure; 2 nothing published, because a blocking audit failed, another run
 * published first, or the ledger, the queue or the store was unavailable. Exit status of status: EXIT in status.ts.
 */
import { parseArgs } from 'node:util';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, reparseSettings, SettingError } from '../../lib/settings.ts';
import { loadSources } from '../../sources/index.ts';
import { LAST_DAY } from '../clock.ts';
import { QueueUnavailable } from '../crawl/database.ts';
import { failureText, isUnpublished } from '../failure.ts';
import { layoutOf } from '../layout.ts';
import { sendAlerts } from '../operate/alerts/send.ts';
import { operatorSettings } from '../operate/settings.ts';
import { holdFolder } from '../run/lock.ts';
import { openRunStore } from '../store/run_store.ts';
import { openStoredArchive } from '../store/stored_archive.ts';
import { reparse } from './reparse.ts';
import { formatReparse } from './reparse_format.ts';
import { runCommand } from './run.ts';
import { status } from './status.ts';

/** On a terminal that is too small, fresh sources are grouped by family. */
async function statusCommand(): Promise<number> {
  const { DATA_DIR, JSON: json, ALL, PAYMENTS, BACKUP_DAYS } = readSettings(operatorSettings);
  const { LEDGER, QUEUE, STORE } = readSettings(pipelineSettings);
  const { isTTY, rows, columns } = process.stdout;
  return status(layoutOf(DATA_DIR), print, {
    json,
    ledger: { DATA_DIR, LEDGER },
    payments: PAYMENTS,
    queue: QUEUE,
    store: STORE,
    backupDays: BACKUP_DAYS,
    hasColor: isTTY && process.stdout.hasColors(),
    ...(isTTY ? { columns } : {}),
    ...(isTTY && !ALL ? { lines: rows } : {}),
  });
}

/** Exit status 1 if a read could not be rebuilt. */
async function reparseCommand(): Promise<number> {
  const settings = readSettings(pipelineSettings);
  const { SOURCE, SINCE, APPLY } = readSettings(reparseSettings);
  const all = await loadSources();
  const spec = all.find((source) => source.name === SOURCE);
  if (!spec)
    throw new SettingError(
      `SOURCE is ${JSON.stringify(SOURCE)}, expected one of ${all.map((source) => source.name).join(', ')}`,
    );
  const layout = layoutOf(settings.DATA_DIR);
  // Writing needs the lock of the folder, and so does fetching rows from the store.
  const release = APPLY || settings.STORE !== undefined ? await holdFolder(layout) : undefined;
  const store = await openRunStore(settings, layout, print);
  try {
    await store?.pull(LAST_DAY);
    const archive = await openStoredArchive(settings.DATA_DIR, store?.store, print);
    const since = SINCE === undefined ? {} : { since: SINCE };
    const results = await reparse({ layout, archive, spec, apply: APPLY, fetchRows: store?.fetchRows, ...since });
    for (const line of formatReparse(results, spec.name, APPLY)) print(line);
    if (APPLY) await store?.addReads();
    return results.every((result) => result.problem === null) ? 0 : 1;
  } finally {
    store?.close();
    release?.();
  }
}

async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} });
  const [command, ...rest] = positionals;
  if (rest.length > 0)
    throw new SettingError(`argument is ${JSON.stringify(rest[0])}, expected nothing after ${command ?? ''}`);
  if (command === 'run') {
    const exitStatus = await runCommand();
    await sendAlerts(layoutOf(readSettings(pipelineSettings).DATA_DIR), print);
    return exitStatus;
  }
  if (command === 'status') return statusCommand();
  if (command === 'reparse') return reparseCommand();
  throw new SettingError(`command is ${JSON.stringify(command ?? null)}, expected run, status or reparse`);
}

try {
  process.exitCode = await main();
} catch (error) {
  // From the environment, because the settings may be the error.
  process.stderr.write(`${failureText(error, process.env['DATA_DIR'] || 'data')}\n`);
  process.exitCode = isUnpublished(error) ? 2 : 1;
  // Connections to a silent server stay open and would keep the process alive.
  if (error instanceof QueueUnavailable) process.exit();
}
