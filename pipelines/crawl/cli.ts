/** `make worker`: reads what runs with the same QUEUE and DATA_DIR put into the queue, until it is told to stop. */
import { once } from 'node:events';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { loadSources, secretsOf } from '../../sources/index.ts';
import { failureOf } from '../failure.ts';
import { say } from '../../lib/output.ts';
import { QueueUnavailable } from './database.ts';
import { workerSettings } from './settings.ts';
import { startWorker } from './worker.ts';

async function main(): Promise<void> {
  const { QUEUE, DATA_DIR, CHROMIUM_PATH } = readSettings(pipelineSettings);
  const { AT_ONCE } = readSettings(workerSettings);
  if (QUEUE === undefined)
    throw new SettingError(
      'QUEUE is null, expected postgres://user:password@host/database: that of the runs to work for',
    );
  const sources = await loadSources();
  const worker = await startWorker({
    url: QUEUE,
    dataDir: DATA_DIR,
    sources,
    atOnce: AT_ONCE,
    secrets: secretsOf(sources),
    chromiumPath: CHROMIUM_PATH,
    say,
  });
  say(
    `worker ${worker.name} reads up to ${AT_ONCE} sources at a time; Ctrl-C stops it and gives back what it has not finished`,
  );
  const unfit = await Promise.race([worker.unfit, once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await worker.close();
  if (unfit instanceof SettingError) throw unfit;
  say(`worker ${worker.name} has stopped`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(
    `${error instanceof QueueUnavailable ? error.message : failureOf(error, process.env['DATA_DIR'] || 'data')}\n`,
  );
  process.exitCode = 1;
}
