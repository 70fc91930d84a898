/**
 * Command line of the pipeline: `node pipelines/commands/cli.ts run`, `status` or `rebuild`. Exit status of run: 0
 * published; 1 a wrong setting or a failure; 2 nothing published, because a blocking audit failed, another run
 * published first, or the ledger, the queue or the store was unavailable. Exit status of status: EXIT in status.ts.
 */
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/command.ts';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { failureText, isUnpublished } from '../failure.ts';
import { layoutOf } from '../layout.ts';
import { sendAlerts } from '../operate/alerts.ts';
import { statusArguments } from '../operate/settings.ts';
import { rebuildCommand } from './rebuild.ts';
import { makeRun } from './run.ts';
import { status } from './status.ts';

function statusCommand(): Promise<number> {
  const { JSON: json, ALL: all } = readSettings(statusArguments);
  const { DATA_DIR, LEDGER, QUEUE, STORE, SETTLEMENT_COST } = readSettings(pipelineSettings);
  const ledger = { DATA_DIR, LEDGER };
  const options = { json, all, ledger, queue: QUEUE, store: STORE, settlementCost: SETTLEMENT_COST };
  return status(layoutOf(DATA_DIR), options);
}

async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} });
  const [command, ...rest] = positionals;
  if (rest.length > 0)
    throw new SettingError(`argument is ${JSON.stringify(rest[0])}, expected nothing after ${command ?? ''}`);
  if (command === 'run') {
    const exitStatus = await makeRun();
    await sendAlerts(layoutOf(readSettings(pipelineSettings).DATA_DIR), print);
    return exitStatus;
  }
  if (command === 'status') return statusCommand();
  if (command === 'rebuild') return rebuildCommand();
  throw new SettingError(
    `command is ${command === undefined ? 'not set' : JSON.stringify(command)}, expected run, status or rebuild`,
  );
}

await runCommand(main, failureText, (error) => (isUnpublished(error) ? 2 : 1));
