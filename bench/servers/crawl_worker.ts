/**
 * A worker that knows the many sites. Prints a line when it is there.
 *   node bench/servers/crawl_worker.ts <queue> <data folder> <sites> <sources at once>
 */
import { startWorker } from '../../pipelines/crawl/worker.ts';
import { manySites } from '../many_sites.ts';
import { endWithParent } from './parent.ts';

const [url = '', dataDir = '', sites, atOnce] = process.argv.slice(2);
const worker = await startWorker({
  url,
  dataDir,
  sources: manySites(Number(sites)),
  atOnce: Number(atOnce),
  secrets: {},
  print: () => {},
});
process.stdout.write(`${JSON.stringify({ url: worker.name })}\n`);
endWithParent();
