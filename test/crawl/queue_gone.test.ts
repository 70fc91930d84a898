/**
 * A queue that falls silent, one without workers, and a store that is away: what the run and the status say. The proof
 * of the same name stops PostgreSQL.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { FolderStore } from '../../lib/store/folder.ts';
import { openQueueCrawler, type QueueOptions } from '../../pipelines/crawl/queue_crawler.ts';
import { failureText } from '../../pipelines/failure.ts';
import { checkHealth } from '../../pipelines/operate/health.ts';
import { openArchive } from '../../lib/archive.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { sourcesAt } from './one_site.ts';
import { wayTo } from './silent_way.ts';

describe('PostgreSQL', () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.remove());

  /** The error with which a run ends that waits for a source. @param meanwhile called once it waits */
  const endOf = async (
    t: TestContext,
    options: Pick<QueueOptions, 'url' | 'store'>,
    meanwhile: () => void = () => undefined,
  ): Promise<string> => {
    const layout = await newLayout();
    const sources = sourcesAt('http://127.0.0.1:9');
    const crawler = await openQueueCrawler({
      ...options,
      dataDir: layout.root,
      archive: await openArchive(layout.root),
      sources,
      secrets: {},
      print: () => {},
      timeoutMs: 500,
      noWorkerMs: 60_000,
    });
    t.after(() => crawler.close());
    const [spec] = sources;
    assert.ok(spec);
    const request = { asOf: '2026-11-20', runId: '2026-11-20.01', lastGoodOn: null, distrusts: [], resumes: [] };
    const pages = crawler.read(spec, request, () => assert.fail()).pages();
    const first = pages[Symbol.asyncIterator]().next();
    const ended = first.then(
      () => assert.fail(),
      (error: unknown) => failureText(error, layout.root),
    );
    meanwhile();
    return ended;
  };

  test('falls silent while a run waits for its pages: the run ends with one sentence', async (t) => {
    const way = await wayTo(await postgres.database());
    t.after(() => way.close());
    assert.match(
      await endOf(t, { url: way.url }, () => {
        way.silence();
      }),
      /^QUEUE is a PostgreSQL database, which is unavailable: .*\. Nothing was published\. .* run again\.$/u,
    );
  });

  test('is available but not the store, while a run waits for its pages: the run ends with one sentence', async (t) => {
    const root = join((await newLayout()).root, 'store');
    await writeFile(root, 'a file where the folder should be');
    assert.match(
      await endOf(t, { url: await postgres.database(), store: new FolderStore(root) }),
      /^STORE is "[^"]+", which is unavailable: ENOTDIR\. Nothing was published\. .* run again\.$/u,
    );
  });

  test('refuses connections: the status is critical', async () => {
    const url = new URL(await postgres.database());
    url.port = '9';
    const { troubles, level } = await checkHealth(await newLayout(), [], { queue: String(url) });
    assert.equal(level, 'critical');
    assert.equal(troubles.filter(({ kind }) => kind === 'queue_unavailable').length, 1);
  });

  test('has no worker: the status warns', async () => {
    const { troubles, queue } = await checkHealth(await newLayout(), [], { queue: await postgres.database() });
    assert.deepEqual(queue?.workers, []);
    assert.deepEqual(
      troubles.filter(({ kind }) => kind === 'no_worker').map(({ level, message }) => [level, message]),
      [['warning', 'QUEUE is a PostgreSQL database, which has no worker: runs will read nothing']],
    );
  });
});
