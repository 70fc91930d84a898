/**
 * One kill, one full disk and one damaged file, on a day with history. The proofs beside this file do the same at
 * every phase and to every kind of file: pipeline_kills, pipeline_full_disk, pipeline_damage.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sha256OfFile } from '../../lib/files.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { holdFolder } from '../../pipelines/run/lock.ts';
import { currentSnapshot } from '../../pipelines/snapshots.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { fill } from './full_disk.ts';
import { flipBit, newestStaged, RESTORED, runCommand, runToEnd, stagedDamage } from './pipeline_damage.ts';
import { filesIn, wrongIn } from './pipeline_folder.ts';
import { killAlone, startPipeline, webOf } from './pipeline_process.ts';

const [FIRST, SECOND] = ['2026-11-20', '2026-11-21'] as const;
const SOURCES = 'hud_fmr,oh_hamilton_tax';
/** Enough for a run of this world; full before a run has written its snapshot. */
const SPARE_BYTES = 20_000_000;

const mountPoint = mkdtempSync(join(tmpdir(), 'dealfeed-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', mountPoint]).status === 0;
const layout = layoutOf(join(mountPoint, 'data'));
const web = webOf(makeWorld({ seed: 7, listings: 0, parcels: 400, auctions: 0, filings: 0 }));

describe('on a day with history', () => {
  before(async () => {
    const { status, out } = await runToEnd(web, layout, FIRST, SOURCES);
    assert.equal(status, 0, out);
  });
  after(async () => {
    await web.close();
    if (isMounted) spawnSync('umount', ['-l', mountPoint]);
    await rm(mountPoint, { recursive: true });
  });

  test('a run killed while it builds the models leaves whole files only', async () => {
    const run = await startPipeline(web, layout.root, SECOND, { SOURCES });
    assert.ok(await run.said(/^building models/u), run.lines.join('\n'));
    assert.equal(await killAlone(run), false, 'nothing that it started goes on');
    assert.equal((await run.ended).signal, 'SIGKILL');
    assert.equal(await currentSnapshot(layout), `${FIRST}.01`);
    assert.deepEqual(await wrongIn(layout), []);
  });

  test(
    'a disk that fills up while models are built: one line that names it, and nothing half-written',
    { skip: isMounted ? false : 'no file system can be mounted here' },
    async () => {
      const [ballast, filler] = [join(mountPoint, 'ballast'), join(mountPoint, 'filler')];
      fill(ballast, SPARE_BYTES);
      const run = await startPipeline(web, layout.root, SECOND, { SOURCES: 'none' });
      assert.ok(await run.said(/^building models/u), run.lines.join('\n'));
      fill(filler);
      const { status } = await run.ended;
      for (const file of [ballast, filler]) await rm(file);
      const last = run.lines.at(-1) ?? '';
      assert.equal(status, 1, run.lines.join('\n'));
      assert.ok(last.startsWith(`The disk of DATA_DIR ${JSON.stringify(layout.root)} is full`), last);
      assert.match(last, /Published snapshots are unchanged\. Free some space and run again\.$/u);
      assert.equal(run.lines.filter((line) => /^\s+at /u.test(line)).length, 0, 'no stack is shown');
      assert.equal(await currentSnapshot(layout), `${FIRST}.01`);
      assert.deepEqual(await wrongIn(layout), []);
      assert.deepEqual(
        (await filesIn(layout.root)).filter((f) => /\.building-|build\.duckdb|\.tmp$/u.test(f)),
        [],
      );
    },
  );

  test('a changed staged file stops the run, and reparse restores it from the archive', async () => {
    // The killed run had staged it.
    const file = await newestStaged(layout, 'oh_hamilton_tax', SECOND);
    const hash = await sha256OfFile(file);
    await flipBit(file);
    const refused = await runToEnd(web, layout, SECOND, 'none');
    assert.equal(refused.status, 1, refused.out);
    assert.ok(refused.lastLine.includes(file), refused.lastLine);
    assert.match(refused.lastLine, stagedDamage('does not have the hash its record states', SECOND));
    const restored = runCommand(layout, 'reparse', { SOURCE: 'oh_hamilton_tax', SINCE: SECOND, APPLY: '1' });
    assert.match(restored.out, RESTORED);
    assert.equal(await sha256OfFile(file), hash);
  });

  test('the next run publishes', async () => {
    const { status, out } = await runToEnd(web, layout, SECOND, SOURCES);
    assert.equal(status, 0, out);
    assert.match((await currentSnapshot(layout)) ?? '', new RegExp(`^${SECOND}`, 'u'));
    assert.deepEqual(await wrongIn(layout), []);
  });
});

test('a lock file that a kill left empty locks like any other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-lock-'));
  const locked = layoutOf(folder);
  await writeFile(locked.lock, '');
  const release = await holdFolder(locked);
  await assert.rejects(holdFolder(locked), /is in use by another run \(process \d+\)/u);
  release();
  (await holdFolder(locked))();
  await rm(folder, { recursive: true });
});
