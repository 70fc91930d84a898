/** A worker whose sources are those of politeness.test.ts, at the site that SITE names. */
import { startWorker } from '../../pipelines/crawl/worker/worker.ts';
import { sourcesAt } from './one_site.ts';

const { QUEUE = '', DATA_DIR = '', SITE = '' } = process.env;
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const worker = await startWorker({
  url: QUEUE,
  dataDir: DATA_DIR,
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
