/**
 * A queue that falls silent, one without workers, and a store that is away: what the run and the status say. The proof
 * of the same name stops PostgreSQL.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { openStore } from '../../lib/store/open.ts';
import { openHostJobs } from '../../pipelines/jobs/send.ts';
import type { RunOptions } from '../../pipelines/run/run.ts';
import { failureText } from '../../pipelines/failure.ts';
import { checkHealth } from '../../pipelines/operate/health.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { runHere } from './here.ts';
import { wayTo } from './silent_way.ts';

describe('PostgreSQL', () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.remove());

  /** The error with which a run ends that waits for a host. @param meanwhile called once it waits */
  const endOf = async (
    t: TestContext,
    { url, STORE = memoryFolder('dealfeed-store-') }: { readonly url: string; readonly STORE?: string },
    meanwhile: () => Promise<void> = async () => {},
  ): Promise<string> => {
    const [layout, store] = [await newLayout(), await openStore(STORE, 0)];
    const jobs = await openHostJobs({ url, store, secrets: {}, print: () => {}, timeoutMs: 500, noWorkerMs: 60_000 });
    t.after(() => jobs.close());
    const due: RunOptions['due'] = ({ name }) => name === 'hud_fmr';
    const ended = runHere(layout, { due, jobs, sandboxUrl: 'http://127.0.0.1:9' }).then(
      () => assert.fail('it did not wait'),
      (error: unknown) => failureText(error, layout.root),
    );
    await meanwhile();
    return ended;
  };

  test('falls silent while a run waits for its pages: the run ends with one sentence', async (t) => {
    const way = await wayTo(await postgres.database());
    t.after(() => way.close());
    assert.match(
      await endOf(t, { url: way.url }, async () => way.silence()),
      /^QUEUE is a PostgreSQL database, which is unavailable: .*\. Nothing was published\. .* run again\.$/u,
    );
  });

  test('is available but not the store, while a run waits for its pages: the run ends with one sentence', async (t) => {
    const root = join((await newLayout()).root, 'store');
    await writeFile(root, 'a file where the folder should be');
    assert.match(
      await endOf(t, { url: await postgres.database(), STORE: root }),
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
