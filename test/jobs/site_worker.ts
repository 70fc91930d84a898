/** A worker whose sources are those of politeness.test.ts, at the site that SITE names. */
import { openStore } from '../../lib/store/open.ts';
import { startWorker } from '../../pipelines/jobs/worker.ts';
import { sourcesAt } from './one_site.ts';

const { QUEUE = '', STORE = '', DATA_DIR = '', SITE = '' } = process.env;
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const worker = await startWorker({
  url: QUEUE,
  dataDir: DATA_DIR,
  store: await openStore(STORE),
  sources: sourcesAt(SITE),
  atOnce: 4,
  secrets: {},
  print,
  limits: { backoffMs: 1, maxBackoffMs: 5 },
});
print(`worker ${worker.name}`);
process.once('SIGTERM', () => {
  void worker.close();
});
