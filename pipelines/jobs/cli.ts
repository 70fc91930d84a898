/** `make worker`: reads hosts from the queue of the runs with the same QUEUE and STORE, until it is stopped. */
import { once } from 'node:events';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { openStore } from '../../lib/store/open.ts';
import { loadSources, secretsOf } from '../../sources/index.ts';
import { failureText } from '../failure.ts';
import { HOSTS_AT_ONCE } from '../run/read_sources.ts';
import { QueueUnavailable } from './queue.ts';
import { startWorker } from './worker.ts';

async function main(): Promise<void> {
  const { QUEUE, DATA_DIR, STORE, CHROMIUM_PATH } = readSettings(pipelineSettings);
  if (QUEUE === undefined || STORE === undefined)
    throw new SettingError(
      `${QUEUE === undefined ? 'QUEUE' : 'STORE'} is not set, expected that of the runs; see docs/scaling.md#workers`,
    );
  const sources = await loadSources();
  const worker = await startWorker({
    url: QUEUE,
    dataDir: DATA_DIR,
    store: await openStore(STORE, undefined, print),
    sources,
    atOnce: HOSTS_AT_ONCE,
    secrets: secretsOf(sources),
    chromiumPath: CHROMIUM_PATH,
    print,
  });
  print(
    `worker ${worker.name} reads up to ${HOSTS_AT_ONCE} hosts at a time; Ctrl-C stops it and returns ` +
      'unfinished hosts to the queue',
  );
  const reason = await Promise.race([worker.unfit, once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await worker.close();
  if (reason instanceof SettingError) throw reason;
  print(`worker ${worker.name} has stopped`);
}

try {
  await main();
} catch (error) {
  const text =
    error instanceof QueueUnavailable ? error.message : failureText(error, process.env['DATA_DIR'] || 'data');
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
