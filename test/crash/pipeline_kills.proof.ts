/**
 * kill -9 at random instants of a run, in every phase, on a first day and on a day with history. After every kill the
 * folder must be in order; then a run to the end must publish the bytes that an undisturbed run publishes, and leave
 * no other files. `make prove ONLY=pipeline_kills N=200 SEED=1` kills 200 times. A seed gives the same planned
 * instants; the phase that a kill meets also depends on the machine.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { currentSnapshot } from '../../pipelines/snapshots.ts';
import { Draw } from '../../sandbox/world/random.ts';
import { hashesOn, kindsOfFiles, phaseOf, wrongIn, type Phase } from './pipeline_folder.ts';
import { killAlone, startPipeline, type Program } from '../support/program.ts';
import { webOf } from '../support/sandbox_web.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { casesOf, seedFrom } from '../thorough.ts';

const KILLS = casesOf(12);
const SEED = seedFrom(5);
/** Kills before a run is let to its end, at most. */
const MOST_IN_A_ROW = 4;
const DAYS = ['2026-11-20', '2026-11-21'] as const;
const ENV = { SOURCES: 'heartland_multifamily,hud_fmr,oh_hamilton_tax,oh_cuyahoga_sheriff,colorado_sos' };
const WORDS = { reading: /^reading \d+ sources/u, building: /^building models/u, publishing: /^publishing/u } as const;
/** Instants aimed at, so that short phases are hit as well as long ones; `any` is anywhere in the whole run. */
const AIMS = ['any', 'before', 'fetch', 'staging', 'staging', 'build', 'publish', 'switch'] as const;

interface Reference {
  readonly hashes: Record<string, string>;
  readonly files: readonly string[];
  /** How long an undisturbed run takes from its start to each of its words, in milliseconds. */
  readonly marks: Readonly<Record<keyof typeof WORDS | 'end', number>>;
}

/** Sleep up to the instant that the draw picks. Where the run is over by then, it was no kill. */
async function untilInstant(run: Program, layout: Layout, { marks }: Reference, draw: Draw): Promise<void> {
  const within = (ms: number): Promise<void> => sleep(draw.unit() * ms);
  const after = async (word: keyof typeof WORDS, untilMs: number): Promise<void> => {
    await run.said(WORDS[word]);
    await within(untilMs - marks[word]);
  };
  /** The `nth` change of a file whose path matches. */
  const atFile = async (pattern: RegExp, nth: number): Promise<void> => {
    const { promise: seen, resolve } = Promise.withResolvers<void>();
    let left = nth;
    const watcher = watch(layout.root, { recursive: true }, (_, path) => {
      if (path !== null && pattern.test(path) && (left -= 1) === 0) resolve();
    });
    await Promise.race([seen, run.ended]);
    watcher.close();
    await within(3);
  };
  switch (draw.pick(AIMS)) {
    case 'any':
      return within(marks.end);
    case 'before':
      return within(marks.reading);
    case 'fetch':
      return after('reading', marks.building);
    case 'staging':
      return atFile(/^staged\/.*(?:ndjson|tmp|parquet)$/u, draw.int(1, 90));
    case 'build':
      return after('building', marks.publishing);
    case 'publish':
      return after('publishing', marks.end);
    case 'switch':
      return atFile(/^snapshots\/\d|^current$|\.link$/u, draw.int(1, 3));
  }
}

test('a killed run leaves only complete files, and the next run publishes what it would have published', async (t) => {
  const web = webOf(makeWorld({ seed: 7, listings: 30, parcels: 120, auctions: 30, filings: 60 }));
  t.after(() => web.close());
  const start = (layout: Layout, day: string): Promise<Program> => startPipeline(web, layout.root, day, ENV);
  const newFolder = async (): Promise<Layout> => layoutOf(await mkdtemp(join(tmpdir(), 'dealfeed-killed-')));

  const undisturbed = await newFolder();
  const references = new Map<string, Reference>();
  for (const day of DAYS) {
    const startedMs = performance.now();
    const run = await start(undisturbed, day);
    const marks = { reading: 0, building: 0, publishing: 0, end: 0 };
    for (const word of ['reading', 'building', 'publishing'] as const) {
      await run.said(WORDS[word]);
      marks[word] = performance.now() - startedMs;
    }
    assert.equal((await run.ended).status, 0, run.lines.join('\n'));
    marks.end = performance.now() - startedMs;
    const [hashes, files] = [await hashesOn(undisturbed, day), await kindsOfFiles(undisturbed)];
    references.set(day, { hashes, files, marks });
  }
  await rm(undisturbed.root, { recursive: true });

  const phases: Partial<Record<Phase, number>> = {};
  let killed = 0;
  /** Kill a run. @returns whether it was killed before its end */
  const kill = async (layout: Layout, day: string, reference: Reference, draw: Draw): Promise<boolean> => {
    const before = await currentSnapshot(layout);
    const known = new Set(await readdir(layout.runs).catch(() => []));
    const run = await start(layout, day);
    await untilInstant(run, layout, reference, draw);
    const hasSurvivors = run.child.exitCode === null && (await killAlone(run));
    if ((await run.ended).signal !== 'SIGKILL') return false;
    const phase = await phaseOf(layout, known);
    const what = `kill ${killed + 1} on ${day} in phase ${phase}`;
    phases[phase] = (phases[phase] ?? 0) + 1;
    assert.deepEqual(await wrongIn(layout), [], what);
    assert.equal(hasSurvivors, false, `${what}: nothing that it started goes on`);
    if (phase !== 'switch' && phase !== 'after') assert.equal(await currentSnapshot(layout), before, what);
    return true;
  };
  for (let history = 0; killed < KILLS; history += 1) {
    const layout = await newFolder();
    for (const day of DAYS) {
      const reference = references.get(day) ?? assert.fail();
      const draw = new Draw('kills', SEED, history, day);
      for (let left = draw.int(1, MOST_IN_A_ROW); left > 0 && killed < KILLS;) {
        if (!(await kill(layout, day, reference, draw))) continue;
        left -= 1;
        killed += 1;
      }
      const last = await start(layout, day);
      assert.equal((await last.ended).status, 0, last.lines.join('\n'));
      assert.deepEqual(await wrongIn(layout), []);
      const { hashes, files } = reference;
      assert.deepEqual({ hashes: await hashesOn(layout, day), files: await kindsOfFiles(layout) }, { hashes, files });
    }
    await rm(layout.root, { recursive: true });
  }
  t.diagnostic(JSON.stringify(phases));
});
