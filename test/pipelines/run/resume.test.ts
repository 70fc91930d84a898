/** A run killed while it reads: the next run requests only what is not archived, and publishes the same bytes. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { startSandbox, type Alter } from '../../../sandbox/server.ts';
import { openArchive } from '../../../lib/archive.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { hashesOf, newLayout, runDay, TINY } from '../runs.ts';
import { BARE } from '../../environment.ts';

const DAY = '2026-11-20';
const SITE = 'heartland_multifamily';
const isDetail = (path: string): boolean => path.startsWith('/listing/');

test('killed while it reads the listings', async () => {
  const world = makeWorld(TINY);
  /** Records what is asked of the listing site, and answers as the site does. */
  const recording =
    (asked: string[]): Alter =>
    (request) => {
      if (request.host.includes('heartland')) asked.push(request.path);
      return undefined;
    };
  const only = (s: { readonly name: string }): boolean => s.name === SITE;

  const built = { tables: ['listing_history'] };
  const whole: string[] = [];
  const undisturbed = await runDay({
    layout: await newLayout(),
    world,
    day: DAY,
    only,
    ...built,
    alter: recording(whole),
  });
  const details = whole.filter(isDetail);
  assert.ok(details.length > 30 && new Set(details).size === details.length);

  const layout = await newLayout();
  let child: ChildProcess | undefined;
  let asked = 0;
  const sandbox = await startSandbox({
    world,
    day: DAY,
    alter: (request) => {
      if (request.host.includes('heartland') && isDetail(request.path)) asked += 1;
      // Slow enough that the archive has been written, which it is every second.
      if (asked > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
      if (asked === Math.floor(details.length / 2)) child?.kill('SIGKILL');
      return undefined;
    },
  });
  child = spawn(process.execPath, ['pipelines/commands/cli.ts', 'run'], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    stdio: 'ignore',
    env: { ...BARE, DATA_DIR: layout.root, DAY, SOURCES: SITE, SANDBOX_URL: sandbox.url },
  });
  const signal = await new Promise((resolve, reject) => {
    child?.on('error', reject).on('exit', (_, by) => {
      resolve(by);
    });
  });
  await sandbox.close();
  assert.equal(signal, 'SIGKILL', 'the run did not end by itself');

  const archive = await openArchive(layout.root);
  const [killed] = await archive.runs(SITE);
  const held = new Set(
    (await archive.records(SITE, killed ?? ''))
      .filter((r) => r.error === null && r.kind !== 'robots')
      .map((r) => new URL(r.url).pathname + new URL(r.url).search),
  );
  const heldDetails = details.filter((path) => held.has(path));
  assert.ok(
    heldDetails.length > 5 && heldDetails.length < details.length,
    `${heldDetails.length} of ${details.length} pages were archived`,
  );

  const again: string[] = [];
  const resumed = await runDay({ layout, world, day: DAY, only, ...built, alter: recording(again) });
  assert.deepEqual(
    again.filter(isDetail),
    details.filter((path) => !held.has(path)),
    'only what the archive lacks is asked for, in the same order',
  );
  assert.ok(
    again.length < whole.length - heldDetails.length + 1,
    'the pages of the list are not asked for again either',
  );
  assert.ok(Object.keys(hashesOf(undisturbed)).length > 5);
  assert.deepEqual(hashesOf(resumed), hashesOf(undisturbed));
});
