/**
 * A disk that is full at each phase of a run: one line that names it, exit status 1, published snapshots unchanged.
 * With free space the next run publishes the bytes of an undisturbed one. It mounts a file system of limited size,
 * which only root may do. The suite has one phase (pipeline_short.test.ts).
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { layoutOf } from '../../pipelines/layout.ts';
import { currentSnapshot } from '../../pipelines/snapshots.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { fill } from './full_disk.ts';
import { filesIn, hashesOn, kindsOfFiles, wrongIn } from './pipeline_folder.ts';
import { startPipeline } from '../process/program.ts';
import { webOf } from '../process/web.ts';

const SIZE_MB = 64;
/** Enough for a run of this world, little enough to be filled before it has written its snapshot. */
const SPARE_BYTES = 20_000_000;
const ENV = { SOURCES: 'heartland_multifamily,hud_fmr,oh_hamilton_tax,oh_cuyahoga_sheriff,colorado_sos' };
const [FIRST, SECOND] = ['2026-11-20', '2026-11-21'] as const;

const mountPoint = mkdtempSync(join(tmpdir(), 'dealfeed-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', mountPoint]).status === 0;

describe('a full disk', { skip: mounted ? false : 'no file system can be mounted here' }, () => {
  const web = webOf(makeWorld({ seed: 7, listings: 30, parcels: 120, auctions: 30, filings: 60 }));
  const [ballast, filler] = [join(mountPoint, 'ballast'), join(mountPoint, 'filler')];
  const layout = layoutOf(join(mountPoint, 'data'));
  const undisturbed = layoutOf(mkdtempSync(join(tmpdir(), 'dealfeed-undisturbed-')));

  /** Run while the disk fills up as soon as a line is said; from the start where none is given. */
  async function runOnFull(day: string, when?: RegExp): Promise<{ status: number | null; lines: readonly string[] }> {
    fill(ballast, when ? SPARE_BYTES : 0);
    const run = await startPipeline(web, layout.root, day, ENV);
    if (when && (await run.said(when))) fill(filler);
    const { status } = await run.ended;
    for (const file of [ballast, filler]) rmSync(file, { force: true });
    return { status, lines: run.lines };
  }

  before(async () => {
    for (const day of [FIRST, SECOND]) {
      const run = await startPipeline(web, undisturbed.root, day, ENV);
      assert.equal((await run.ended).status, 0, run.lines.join('\n'));
    }
  });
  after(async () => {
    await web.close();
    spawnSync('umount', ['-l', mountPoint]);
    rmSync(mountPoint, { recursive: true });
    rmSync(undisturbed.root, { recursive: true });
  });

  const PHASES: readonly (readonly [what: string, day: string, when: RegExp | undefined])[] = [
    ['before the first file', FIRST, undefined],
    ['while pages are fetched', FIRST, /^reading \d+ sources/u],
    ['while the second source is staged', FIRST, /^ {2}[a-z]+ +\d+ of \d+ sources? /u],
    ['while the models are built', FIRST, /^building models/u],
    ['while the snapshot is written', FIRST, /^publishing/u],
    ['while pages are fetched on a day with history', SECOND, /^reading \d+ sources/u],
    ['while the snapshot is written on a day with history', SECOND, /^publishing/u],
  ];
  for (const [what, day, when] of PHASES) {
    test(what, async () => {
      if (day === SECOND && (await currentSnapshot(layout)) === null)
        assert.equal((await (await startPipeline(web, layout.root, FIRST, ENV)).ended).status, 0);
      const serving = await currentSnapshot(layout);
      const { status, lines } = await runOnFull(day, when);
      const last = lines.at(-1) ?? '';
      assert.equal(status, 1, lines.join('\n'));
      assert.ok(last.startsWith(`The disk of DATA_DIR ${JSON.stringify(layout.root)} is full`), lines.join('\n'));
      assert.match(last, /Published snapshots are unchanged\. Free some space and run again\.$/u);
      assert.equal(lines.filter((line) => /^\s+at /u.test(line)).length, 0, 'no stack is shown');
      assert.equal(await currentSnapshot(layout), serving);
      assert.deepEqual(await wrongIn(layout), []);
      assert.deepEqual(
        (await filesIn(layout.root).catch(() => [])).filter((f) => /\.building-|build\.duckdb|\.tmp$/u.test(f)),
        [],
        'half-written files give their room back at once',
      );
    });
  }

  test('with space again each day gives its undisturbed bytes, and nothing is left over', async () => {
    for (const day of [FIRST, SECOND]) {
      const run = await startPipeline(web, layout.root, day, ENV);
      assert.equal((await run.ended).status, 0, run.lines.join('\n'));
      const hashes = await hashesOn(undisturbed, day);
      assert.ok(Object.keys(hashes).length > 8);
      assert.deepEqual(await hashesOn(layout, day), hashes);
    }
    assert.deepEqual(await wrongIn(layout), []);
    assert.deepEqual(await kindsOfFiles(layout), await kindsOfFiles(undisturbed));
  });
});
