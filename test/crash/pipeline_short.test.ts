/**
 * One kill, a full disk and damaged files, on a day with history. Only the killed run is a process. `make prove` fills
 * the disk at more phases and damages more kinds of files; pipeline_kills kills at every phase.
 */
import assert from 'node:assert/strict';
import { copyFile, open, rename, rm, truncate } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sha256OfFile } from '../../lib/files.ts';
import { formatRebuiltReads, rebuildSource } from '../../pipelines/commands/rebuild_source.ts';
import { failureText } from '../../pipelines/failure.ts';
import { readsUpTo, stagedParquet } from '../../pipelines/ingest/reads.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { removePartialFiles } from '../../pipelines/run/partial_files.ts';
import type { RunResult } from '../../pipelines/run/run.ts';
import { currentSnapshot, readManifest } from '../../pipelines/snapshots.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { openArchive } from '../../lib/archive.ts';
import { loadSources } from '../../sources/index.ts';
import { damageBodies } from '../lib/archive_files.ts';
import { runDay, type OneRun } from '../pipelines/runs.ts';
import { thorough } from '../thorough.ts';
import { fill, mountDisk, unmountDisk } from './full_disk.ts';
import { filesIn, wrongIn } from './pipeline_folder.ts';
import { killAlone, startPipeline } from '../support/program.ts';
import { webOf } from '../support/sandbox_web.ts';

const [FIRST, SECOND] = ['2026-11-20', '2026-11-21'] as const;
const SOURCES = ['hud_fmr', 'oh_hamilton_tax'];
/** Enough for what a run of this world writes before it builds models; full before it has written its snapshot. */
const SPARE_BYTES = 20_000_000;

const disk = mountDisk('64m');
const root = disk ?? mkdtempSync(join(tmpdir(), 'dealfeed-short-'));
const layout = layoutOf(join(root, 'data'));
const world = makeWorld({ seed: 7, listings: 0, parcels: 400, auctions: 0, filings: 0 });

/** A run in this process: it builds no table, only the parts that each run has. */
async function runHere(day: string, sources: readonly string[], options: Partial<OneRun> = {}): Promise<RunResult> {
  await removePartialFiles(layout);
  const only: OneRun['only'] = ({ name }) => sources.includes(name);
  return runDay({ layout, world, day, only, tables: [], ...options });
}

/** The line with which such a run ends; `current` stays. */
async function failureOf(run: Promise<unknown>): Promise<string> {
  const line = await run.then(
    () => assert.fail('the run published'),
    (error: unknown) => failureText(error, layout.root),
  );
  assert.equal(await currentSnapshot(layout), `${FIRST}.01`);
  return line;
}

/** Flip one bit in the middle of a file. */
async function flipBit(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  const at = Math.floor((await handle.stat()).size / 2);
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
  await handle.close();
}
const cut = (path: string): Promise<void> => truncate(path, 100);

/** When the disk fills up: before the run, with its first request, or with a step. */
const MOMENTS = thorough(['models'] as const, ['start', 'request', 'models', 'publish'] as const);

describe('on a day with history', () => {
  before(() => runHere(FIRST, SOURCES));
  after(async () => {
    if (disk === null) await rm(root, { recursive: true });
    else unmountDisk(disk);
  });

  test('a run killed while it builds the models leaves only complete files', async (t) => {
    const web = webOf(world);
    t.after(() => web.close());
    const run = await startPipeline(web, layout.root, SECOND, { SOURCES: SOURCES.join(',') });
    assert.ok(await run.said(/^building models/u), run.lines.join('\n'));
    assert.equal(await killAlone(run), false, 'nothing that it started goes on');
    assert.equal((await run.ended).signal, 'SIGKILL');
    assert.equal(await currentSnapshot(layout), `${FIRST}.01`);
    assert.deepEqual(await wrongIn(layout), []);
  });

  for (const moment of MOMENTS)
    test(
      `a full disk (${moment}) is reported in one line, and leaves no partial file`,
      { skip: disk === null ? 'no file system can be mounted here' : false },
      async () => {
        const [ballast, filler] = [join(root, 'ballast'), join(root, 'filler')];
        await removePartialFiles(layout);
        fill(ballast, moment === 'start' ? 0 : SPARE_BYTES);
        const run = runHere(SECOND, moment === 'request' ? SOURCES : [], {
          onStep: ({ name }) => {
            if (name === moment) fill(filler);
          },
          alter: (_, response) => {
            if (moment === 'request') fill(filler);
            return response;
          },
        });
        const line = await failureOf(run);
        for (const file of [ballast, filler]) await rm(file, { force: true });
        assert.ok(line.startsWith(`The disk of DATA_DIR ${JSON.stringify(layout.root)} is full`), line);
        assert.match(line, /^[^\n]*Published snapshots are unchanged\. Free some space and run again\.$/u, 'no stack');
        assert.deepEqual(await wrongIn(layout), []);
        assert.deepEqual(
          (await filesIn(layout.root)).filter((f) => /\.building-|build\.duckdb|\.tmp$/u.test(f)),
          [],
        );
      },
    );

  test('staged rows that are changed, cut or lost stop the run, and rebuild restores them', async () => {
    // The killed run had staged them.
    const [newest] = await readsUpTo(layout, 'oh_hamilton_tax', SECOND);
    const file = stagedParquet(layout, 'oh_hamilton_tax', newest?.run_id ?? '');
    const hash = await sha256OfFile(file);
    const spec = (await loadSources()).find(({ name }) => name === 'oh_hamilton_tax') ?? assert.fail();
    for (const damage of thorough([flipBit], [flipBit, cut, rm])) {
      await damage(file);
      const line = await failureOf(runHere(SECOND, []));
      assert.ok(line.includes(file), line);
      assert.match(
        line,
        /(?:the hash its record states|is missing); .*make rebuild SOURCE=oh_hamilton_tax SINCE=\S+$/u,
      );
      const archive = await openArchive(layout.root);
      const restored = await rebuildSource({ layout, archive, spec, since: SECOND, isDry: false });
      assert.match(formatRebuiltReads(restored, spec.name, false).join('\n'), /the same bytes; restored/u);
      assert.equal(await sha256OfFile(file), hash);
    }
  });

  if (thorough(false, true)) {
    test('a damaged record of a read is named, and so is a damaged file of the previous snapshot', async () => {
      const [newest] = await readsUpTo(layout, 'oh_hamilton_tax', SECOND);
      const record = stagedParquet(layout, 'oh_hamilton_tax', newest?.run_id ?? '').replace(/parquet$/u, 'json');
      const snapshot = layout.snapshot(`${FIRST}.01`);
      const ofSnapshot = /^Snapshot \S+, whose history this run continues, is damaged: .* or move it away\./u;
      for (const [file, damage, says] of [
        [record, cut, /is not JSON; restore it from a backup, or remove it and read the source again$/u],
        [join(snapshot, 'deals.parquet'), flipBit, ofSnapshot],
        [join(snapshot, 'signals.parquet'), rm, ofSnapshot],
        [join(snapshot, 'manifest.json'), cut, ofSnapshot],
      ] as const) {
        await copyFile(file, join(root, 'backup'));
        await damage(file);
        assert.match(await failureOf(runHere(SECOND, [])), says);
        await rename(join(root, 'backup'), file);
      }
    });
  }

  test('the next run publishes, and fetches damaged pages again', async () => {
    damageBodies(layout.root);
    await runHere(SECOND, SOURCES);
    const runId = (await currentSnapshot(layout)) ?? '';
    assert.match(runId, new RegExp(`^${SECOND}`, 'u'));
    assert.equal((await readManifest(layout, runId)).previous, `${FIRST}.01`);
    const wrong = (await wrongIn(layout)).join('\n');
    const [read] = await readsUpTo(layout, 'oh_hamilton_tax', SECOND);
    assert.ok(read && read.pages.length > 0);
    for (const { sha256 } of read.pages) assert.ok(!wrong.includes(sha256), 'the pages of the new read are whole');
  });
});
