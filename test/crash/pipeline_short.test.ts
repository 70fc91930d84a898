/**
 * One kill, one full disk and one damaged file, on a day with history. Only the killed run is a process. The proofs
 * beside this file do the same from the command line, at every phase and to every kind of file: pipeline_kills,
 * pipeline_full_disk, pipeline_damage.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sha256OfFile } from '../../lib/files.ts';
import { formatRebuiltReads, rebuildSource } from '../../pipelines/commands/rebuild_source.ts';
import { failureText } from '../../pipelines/failure.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { holdFolder } from '../../pipelines/run/lock.ts';
import { removePartialFiles } from '../../pipelines/run/partial_files.ts';
import type { RunResult } from '../../pipelines/run/run.ts';
import { currentSnapshot } from '../../pipelines/snapshots.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { openArchive } from '../../lib/archive.ts';
import { loadSources } from '../../sources/index.ts';
import { runDay, type OneRun } from '../pipelines/runs.ts';
import { fill } from './full_disk.ts';
import { flipBit, newestStaged, RESTORED, stagedDamage } from './pipeline_damage.ts';
import { filesIn, wrongIn } from './pipeline_folder.ts';
import { killAlone, startPipeline } from '../process/program.ts';
import { webOf } from '../process/web.ts';

const [FIRST, SECOND] = ['2026-11-20', '2026-11-21'] as const;
const SOURCES = ['hud_fmr', 'oh_hamilton_tax'];
/** Enough for what a run of this world writes before it builds models; full before it has written its snapshot. */
const SPARE_BYTES = 20_000_000;

const mountPoint = mkdtempSync(join(tmpdir(), 'dealfeed-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', mountPoint]).status === 0;
const layout = layoutOf(join(mountPoint, 'data'));
const world = makeWorld({ seed: 7, listings: 0, parcels: 400, auctions: 0, filings: 0 });

/** A run in this process: it builds no table, only the parts that each run has. */
async function runHere(day: string, sources: readonly string[], options: Partial<OneRun> = {}): Promise<RunResult> {
  await removePartialFiles(layout);
  const only: OneRun['only'] = ({ name }) => sources.includes(name);
  return runDay({ layout, world, day, only, tables: [], ...options });
}

/** The line with which such a run ends. */
const failureOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => assert.fail('the run published'),
    (error: unknown) => failureText(error, layout.root),
  );

describe('on a day with history', () => {
  before(() => runHere(FIRST, SOURCES));
  after(async () => {
    if (isMounted) spawnSync('umount', ['-l', mountPoint]);
    await rm(mountPoint, { recursive: true });
  });

  test('a run killed while it builds the models leaves whole files only', async (t) => {
    const web = webOf(world);
    t.after(() => web.close());
    const run = await startPipeline(web, layout.root, SECOND, { SOURCES: SOURCES.join(',') });
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
      const onStep: OneRun['onStep'] = ({ name }) => {
        if (name === 'models') fill(filler);
      };
      const line = await failureOf(runHere(SECOND, [], { onStep }));
      for (const file of [ballast, filler]) await rm(file);
      assert.ok(line.startsWith(`The disk of DATA_DIR ${JSON.stringify(layout.root)} is full`), line);
      assert.match(line, /^[^\n]*Published snapshots are unchanged\. Free some space and run again\.$/u, 'no stack');
      assert.equal(await currentSnapshot(layout), `${FIRST}.01`);
      assert.deepEqual(await wrongIn(layout), []);
      assert.deepEqual(
        (await filesIn(layout.root)).filter((f) => /\.building-|build\.duckdb|\.tmp$/u.test(f)),
        [],
      );
    },
  );

  test('a changed staged file stops the run, and rebuild restores it from the archive', async () => {
    // The killed run had staged it.
    const file = await newestStaged(layout, 'oh_hamilton_tax', SECOND);
    const hash = await sha256OfFile(file);
    await flipBit(file);
    const line = await failureOf(runHere(SECOND, []));
    assert.ok(line.includes(file), line);
    assert.match(line, stagedDamage('does not have the hash its record states', SECOND));
    const spec = (await loadSources()).find(({ name }) => name === 'oh_hamilton_tax') ?? assert.fail();
    const archive = await openArchive(layout.root);
    const restored = await rebuildSource({ layout, archive, spec, since: SECOND, isDry: false });
    assert.match(formatRebuiltReads(restored, spec.name, false).join('\n'), RESTORED);
    assert.equal(await sha256OfFile(file), hash);
  });

  test('the next run publishes', async () => {
    await runHere(SECOND, SOURCES);
    assert.match((await currentSnapshot(layout)) ?? '', new RegExp(`^${SECOND}`, 'u'));
    assert.deepEqual(await wrongIn(layout), []);
  });
});

test('a lock file that a kill left empty still locks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-lock-'));
  const locked = layoutOf(folder);
  await writeFile(locked.lock, '');
  const release = await holdFolder(locked);
  await assert.rejects(holdFolder(locked), /is in use by another run \(process \d+\)/u);
  release();
  (await holdFolder(locked))();
  await rm(folder, { recursive: true });
});
