/** What a site asks of its visitors holds over several workers, too: measured at the site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openQueueCrawler } from '../../pipelines/crawl/queue_crawler.ts';
import { openArchive } from '../../lib/archive.ts';
import { startPostgres } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { INTERVAL_MS, PAGES, sourcesAt } from './one_site.ts';
import { workerProcess } from '../process/program.ts';
import { startTestServer } from '../web/server.ts';

const DAY = '2026-11-20';
const QUIET_MS = 1000;
/** What a request may be early by at the site where the one before it was late on its way. */
const JITTER_MS = 60;
/** Requests that a busy machine may hold up for longer, so that the next one follows sooner. The mean holds for all. */
const LATE_REQUESTS = 2;

test('three workers read one site one request at a time, at its interval, and obey Retry-After', async (t) => {
  const seen: { readonly path: string; readonly at: number }[] = [];
  let [underWay, most, refused] = [0, 0, 0];
  const server = await startTestServer((request, response) => {
    seen.push({ path: request.url ?? '', at: performance.now() });
    most = Math.max(most, (underWay += 1));
    const answer = (): void => {
      underWay -= 1;
      // The third page of the second source is asked for too soon, says the site once.
      if (request.url === '/two/3' && refused === 0) {
        refused = performance.now();
        response.writeHead(429, { 'retry-after': String(QUIET_MS / 1000) }).end();
      } else if (request.url === '/robots.txt') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${request.url ?? ''}</p>`);
    };
    setTimeout(answer, 30);
  });
  const SITE = server.url;
  const postgres = await startPostgres();
  t.after(async () => {
    await server.close();
    await postgres.remove();
  });

  const layout = await newLayout();
  const QUEUE = await postgres.database();
  const archive = await openArchive(layout.root);
  const sources = sourcesAt(SITE);
  const crawler = await openQueueCrawler({
    url: QUEUE,
    dataDir: layout.root,
    archive,
    sources,
    secrets: {},
    print: () => {},
    noWorkerMs: 60_000,
  });
  const workers = await Promise.all(
    [1, 2, 3].map(() => workerProcess({ QUEUE, DATA_DIR: layout.root, SITE }, 'test/crawl/site_worker.ts')),
  );
  // Whoever reads first is stopped in the middle, so that the site passes from one to another.
  const passedOn = (async (): Promise<void> => {
    while (seen.length < 8) await sleep(5);
    const reading = workers.find(({ lines }) => lines.some((line) => /: reading for run/u.test(line)));
    assert.ok(reading);
    reading.child.kill('SIGTERM');
  })();
  try {
    const pages = await Promise.all(
      sources.map(async (spec) => {
        const read = crawler.read(
          spec,
          { asOf: DAY, runId: `${DAY}.01`, lastGoodOn: null, distrusts: [], resumes: [] },
          () => assert.fail(),
        );
        const texts: string[] = [];
        for await (const page of read.pages()) texts.push((await page.open()).text());
        read.done();
        return texts;
      }),
    );
    assert.deepEqual(
      pages.map((texts) => texts.length),
      sources.map(() => PAGES),
    );
    await passedOn;
  } finally {
    await crawler.close();
    await Promise.all(workers.map((w) => w.end('SIGKILL')));
  }
  assert.ok(
    workers.filter(({ lines }) => lines.some((line) => /: (?:reading|taken over)/u.test(line))).length >= 2,
    'more than one worker read from the site',
  );
  assert.equal(most, 1, 'one request at a time');
  const needed = sources.length * (PAGES + 1) + 1;
  assert.ok(
    seen.length >= needed && seen.length <= needed + 2,
    `pages and robots.txt once, again the refused page and what was under way at a takeover: ${seen.length}`,
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
  assert.deepEqual(inQuiet, [], 'the whole site is left alone, by all workers');
});
