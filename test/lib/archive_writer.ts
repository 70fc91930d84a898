/**
 * A process that archives pages until it is killed: `node archive_writer.ts <data folder> <source> <pages>`. It prints
 * the number of a page once its write is on the disk, and last the longest time in which it did nothing else, in ms.
 */
import { openArchive } from '../../lib/archive.ts';
import { recordOf } from './archive_files.ts';

const [dataDir = '', source = '', count = '0'] = process.argv.slice(2);
const archive = await openArchive(dataDir);
let longest = 0;
let last = performance.now();
const timer = setInterval(() => {
  longest = Math.max(longest, performance.now() - last);
  last = performance.now();
}, 1);
for (let number = 1; number <= Number(count); number += 1) {
  const body = Buffer.from(`page ${number} of ${source} `.repeat(200));
  const sha256 = await archive.put(body);
  await archive.append(recordOf({ source, sha256, url: `https://${source}.example/${number}` }));
  if (number % 5 !== 0) continue;
  await archive.flush();
  process.stdout.write(`${number}\n`);
  await new Promise((resolve) => setImmediate(resolve));
}
clearInterval(timer);
await archive.endRead({ source, runId: recordOf({}).runId });
await archive.close();
process.stdout.write(`longest ${Math.round(longest)}\n`);
