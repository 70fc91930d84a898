/**
 * `make worker`: reads sources from the queue of runs with the same QUEUE and DATA_DIR, or STORE, until it is stopped.
 */
import { once } from 'node:events';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { openStore, STORE_WAIT_MS } from '../../lib/store/open.ts';
import { STORE_CACHE_MB } from '../../lib/store/settings.ts';
import { loadSources, secretsOf } from '../../sources/index.ts';
import { failureText } from '../failure.ts';
import { QueueUnavailable } from './database.ts';
import { AT_ONCE } from './crawler.ts';
import { startWorker } from './worker/worker.ts';

async function main(): Promise<void> {
  const { QUEUE, DATA_DIR, STORE, CHROMIUM_PATH } = readSettings(pipelineSettings);
  if (QUEUE === undefined)
    throw new SettingError('QUEUE is null, expected postgres://user:password@host/database: the QUEUE of the runs');
  const sources = await loadSources();
  const worker = await startWorker({
    url: QUEUE,
    dataDir: DATA_DIR,
    store:
      STORE === undefined
        ? undefined
        : { store: await openStore(STORE, STORE_WAIT_MS, print), cacheMb: STORE_CACHE_MB },
    sources,
    atOnce: AT_ONCE,
    secrets: secretsOf(sources),
    chromiumPath: CHROMIUM_PATH,
    print,
  });
  print(
    `worker ${worker.name} reads up to ${AT_ONCE} sources at a time; Ctrl-C stops it and returns unfinished sources ` +
      'to the queue',
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
