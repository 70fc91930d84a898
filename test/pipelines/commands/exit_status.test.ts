/**
 * Exit status of a run: 0 if it published, even with warnings; 2 if a blocking audit failed and nothing changed.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Layout } from '../../../pipelines/layout.ts';
import { holdFolder } from '../../../pipelines/run/lock.ts';
import { startSandbox, type Sandbox } from '../../../sandbox/server.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { cli } from '../../support/program.ts';
import { refusal } from './refusal.ts';
import { newLayout, TINY } from '../runs.ts';
import { afterFirstDay, FIRST_DAY, FIRST_RUN } from '../starting_points.ts';

describe('the command line', () => {
  let layout: Layout;
  /** Of a first run. */
  let empty: Layout;
  let sandbox: Sandbox;
  before(async () => {
    ({ layout } = await afterFirstDay());
    empty = await newLayout();
    sandbox = await startSandbox({ world: makeWorld(TINY), day: FIRST_DAY });
  });
  after(() => sandbox.close());

  // An empty snapshot would say that there are no deals.
  test('a first run that can read nothing publishes nothing, and says what each source waits for', async () => {
    await mkdir(join(empty.drop, 'oh_franklin_taxes'), { recursive: true });
    // A killed run left these.
    await mkdir(join(empty.snapshots, '.building-2026-11-20.01'), { recursive: true });
    await mkdir(empty.run(FIRST_RUN), { recursive: true });
    await writeFile(join(empty.run(FIRST_RUN), 'build.duckdb'), 'half');
    const { status: exitStatus, out } = await cli('run', {
      DATA_DIR: empty.root,
      SANDBOX_URL: 'http://127.0.0.1:9',
      SOURCES: 'hud_fmr',
    });
    assert.equal(exitStatus, 2, out);
    assert.match(out, /sources\.something_was_read/);
    assert.equal(await readlink(empty.current).catch(() => null), null);
    assert.deepEqual([await readdir(empty.snapshots), await readdir(empty.run(FIRST_RUN))], [[], []]);
    assert.equal(out.match(/no run has read/gu)?.length, 1, 'the sources that were not asked have one line');
    assert.match(out, /drop folder: .*oh_butler_tax/);
    assert.match(out, /oh_franklin_taxes in the drop folder/);
    assert.doesNotMatch(out, /ledger/iu, 'nothing is sold yet that a ledger could know of');
    assert.ok(!(await readdir(empty.root)).some((name) => name.startsWith('ledger')), 'and the run makes none');
  });

  test('two runs never work in one folder at the same time: the second ends with one line', async () => {
    const release = await holdFolder(layout);
    const line = await refusal({ DATA_DIR: layout.root, SANDBOX_URL: sandbox.url, SOURCES: 'none' });
    release();
    assert.match(line, new RegExp(`^DATA_DIR ".*\\b${process.pid}\\b.*WAIT_MINUTES`));
  });

  test('another made-up world is never read into the same folder: one line names both', async () => {
    const seed = { SANDBOX_URL: sandbox.url, SOURCES: 'hud_fmr', SEED: '98' };
    assert.match(await refusal({ DATA_DIR: empty.root, ...seed }), /^DATA_DIR is ".*SEED=\d+ .*SEED=98 /);
  });

  test('the real web is never read into a folder of made-up data: nothing is published', async () => {
    const there = await readdir(layout.snapshots);
    const live = { DATA_DIR: layout.root, LIVE: '1', CONTACT: 'me@dealfeed.test', SOURCES: 'none' };
    const madeUp = /^DATA_DIR is ".*", which has made-up data/;
    assert.match(await refusal(live), madeUp);
    await rm(layout.kind);
    assert.match(await refusal(live), madeUp, 'without its note the snapshots say it');
    assert.deepEqual(await readdir(layout.snapshots), there);
  });

  test('a build that exceeds its memory limit names the setting to raise', async () => {
    const { root: DATA_DIR } = await newLayout();
    const line = await refusal({ DATA_DIR, SANDBOX_URL: sandbox.url, SOURCES: 'none', BUILD_MEMORY: '1MB' });
    assert.match(line, /BUILD_MEMORY/u);
  });
});
