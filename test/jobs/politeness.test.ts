/** What a site asks of its visitors holds over several workers, too: measured at the site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../lib/store/open.ts';
import { openHostJobs } from '../../pipelines/jobs/send.ts';
import { run } from '../../pipelines/run/run.ts';
import { liveClock } from '../../pipelines/clock.ts';
import { openStoredArchive } from '../../pipelines/store/folder.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startPostgres } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { workerProcess } from '../support/program.ts';
import { startTestServer } from '../support/server.ts';
import { ALL_READ, endAfterReading } from './here.ts';
import { INTERVAL_MS, PAGES, sourcesAt } from './site_worker.ts';

const QUIET_MS = 4000;
/** What a request may be early by at the site where the one before it was late on its way. */
const JITTER_MS = 60;
/** Requests that a busy machine may hold up for longer, so that the next one follows sooner. The mean holds for all. */
const LATE_REQUESTS = 2;

test('three workers read one site one request at a time, at its interval, and obey Retry-After', async (t) => {
  const seen: { readonly path: string; readonly at: number }[] = [];
  let [underWay, most, refused] = [0, 0, 0];
  const refusal = Promise.withResolvers<void>();
  const server = await startTestServer((request, response) => {
    seen.push({ path: request.url ?? '', at: performance.now() });
    most = Math.max(most, (underWay += 1));
    const answer = (): void => {
      underWay -= 1;
      // The third page of the second source is asked for too soon, says the site once.
      if (request.url === '/two/3' && refused === 0) {
        refused = performance.now();
        refusal.resolve();
        response.writeHead(429, { 'retry-after': String(QUIET_MS / 1000) }).end();
      } else if (request.url === '/robots.txt') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${request.url ?? ''}</p>`);
    };
    setTimeout(answer, 30);
  });
  const postgres = await startPostgres();
  t.after(async () => {
    await server.close();
    await postgres.remove();
  });
  const [SITE, QUEUE, STORE] = [server.url, await postgres.database(), memoryFolder('dealfeed-store-')];
  const workers = await Promise.all(
    [1, 2, 3].map(async () =>
      workerProcess({ QUEUE, STORE, DATA_DIR: (await newLayout()).root, SITE }, 'test/jobs/site_worker.ts'),
    ),
  );
  const [layout, store, sources] = [await newLayout(), await openStore(STORE), sourcesAt(SITE)];
  const archive = await openStoredArchive(layout.root, store, () => {});
  const jobs = await openHostJobs({ url: QUEUE, store, secrets: {}, print: () => {}, noWorkerMs: 60_000 });
  // Whoever reads is stopped while the site wants to be left alone, so that it passes from one to another.
  const passedOn = (async (): Promise<void> => {
    await refusal.promise;
    const reading = workers.find(({ lines }) => lines.some((line) => /: reading for run/u.test(line)));
    assert.ok(reading);
    await sleep(100);
    reading.child.kill('SIGTERM');
  })();
  const clock = liveClock();
  const fetcher = createFetcher({ archive, clock });
  try {
    const options = { layout, clock, dataClock: 'live', archive, fetcher, jobs, sources, due: () => true } as const;
    await assert.rejects(run({ ...options, soldLeads: endAfterReading }), ALL_READ);
    await passedOn;
  } finally {
    await jobs.close();
    await Promise.all(workers.map((w) => w.end('SIGKILL')));
    await fetcher.close();
    store.close();
  }
  for (const { name } of sources)
    assert.equal(
      (await archive.records(name, `${clock.asOf}.01`)).filter((r) => r.kind === 'list').length >= PAGES,
      true,
    );
  assert.equal(
    workers.filter(({ lines }) => lines.some((line) => /: (?:reading|taken over)/u.test(line))).length,
    2,
    'one worker, then another, had the site',
  );
  assert.equal(most, 1, 'one request at a time');
  const needed = sources.length * PAGES + 2 + 1;
  assert.ok(
    seen.length >= needed && seen.length <= needed + 1,
    `pages, robots.txt by each worker, and the refused page again: ${seen.length}, expected ${needed}`,
  );
  const apart = seen.slice(1).map(({ at }, i) => at - (seen[i]?.at ?? 0));
  const short = apart.filter((ms) => ms < INTERVAL_MS - JITTER_MS);
  assert.ok(
    short.length <= LATE_REQUESTS,
    `between requests are only ${short.map((ms) => ms.toFixed(0)).join(', ')} ms`,
  );
  const mean = ((seen.at(-1)?.at ?? 0) - (seen[0]?.at ?? 0)) / (seen.length - 1);
  assert.ok(mean >= INTERVAL_MS, `on the average ${mean.toFixed(0)} ms`);
  const inQuiet = seen.filter(({ at }) => at > refused && at < refused + QUIET_MS - JITTER_MS);
  assert.deepEqual(inQuiet, [], 'the whole site is left alone, also by the worker that takes over');
});
