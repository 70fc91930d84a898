/**
 * kill -9 at random instants of a run, in every phase, on a first day and on days with history. After every kill the
 * folder must be in order; then a run to the end must publish the bytes that an undisturbed run publishes, and leave
 * no other files than that. The suite has one kill while pages are read (test/pipelines/run/resume.test.ts) and one
 * while the models are built (pipeline_short.test.ts). `make prove ONLY=pipeline_kills N=200 SEED=1` kills 200 times. A
 * seed gives the same planned instants; the phase that a kill meets also depends on the machine.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { watch, type FSWatcher } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { currentSnapshot } from '../../pipelines/snapshots.ts';
import { Draw } from '../../sandbox/world/random.ts';
import type { World } from '../../sandbox/world/types.ts';
import { hashesOn, kindsOfFiles, phaseOf, PHASES, wrongIn, type Phase } from './pipeline_folder.ts';
import { killAlone, startPipeline, type Program } from '../process/program.ts';
import { webOf, type Web } from '../process/web.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { casesOf, seedFrom } from '../thorough.ts';

interface KillOptions {
  readonly world: World;
  readonly kills: number;
  readonly seed: number;
  /** Days of one history, in order. */
  readonly days: readonly string[];
  /** Further settings of the runs. */
  readonly env?: Record<string, string>;
}

interface KillReport {
  readonly kills: number;
  /** Kills by the phase that the disk shows. */
  readonly phases: ReadonlyMap<Phase, number>;
  /** Runs to the end, each compared with the undisturbed one. */
  readonly completed: number;
  /** Whatever did not hold; empty when all held. */
  readonly wrong: readonly string[];
}

interface Reference {
  readonly hashes: Record<string, string>;
  readonly files: readonly string[];
  /** How long an undisturbed run takes from its start to each of its words, in milliseconds. */
  readonly marks: Readonly<Record<'reading' | 'building' | 'publishing' | 'end', number>>;
}

const WORDS = { reading: /^reading \d+ sources/u, building: /^building models/u, publishing: /^publishing/u } as const;

/** Run each day undisturbed in a folder of its own. */
async function referenceOf(
  web: Web,
  days: readonly string[],
  env: Record<string, string>,
): Promise<Map<string, Reference>> {
  const layout = layoutOf(await mkdtemp(join(tmpdir(), 'dealfeed-undisturbed-')));
  const found = new Map<string, Reference>();
  for (const day of days) {
    const started = performance.now();
    const run = await startPipeline(web, layout.root, day, env);
    const marks = { reading: 0, building: 0, publishing: 0, end: 0 };
    for (const [word, pattern] of Object.entries(WORDS)) {
      await run.said(pattern);
      marks[word as keyof typeof WORDS] = performance.now() - started;
    }
    const { status } = await run.ended;
    marks.end = performance.now() - started;
    if (status !== 0)
      throw new Error(
        `the undisturbed run of ${day} ended with ${status ?? 'a signal'}: ${run.lines.slice(-5).join(' | ')}`,
      );
    found.set(day, { hashes: await hashesOn(layout, day), files: await kindsOfFiles(layout), marks });
  }
  await rm(layout.root, { recursive: true });
  return found;
}

/** Wait until the `nth` event whose path matches; watching begins at once. */
function nthFile(folder: string, pattern: RegExp, nth: number): { readonly seen: Promise<void>; stop(): void } {
  let watcher: FSWatcher | undefined;
  const seen = new Promise<void>((resolve) => {
    let left = nth;
    watcher = watch(folder, { recursive: true }, (_, path) => {
      if (path !== null && pattern.test(path) && (left -= 1) === 0) resolve();
    });
  });
  return { seen, stop: () => watcher?.close() };
}

/** Instants aimed at, so that short phases are hit as well as long ones; `any` is anywhere in the whole run. */
const AIMS = ['any', 'before', 'fetch', 'staging', 'staging', 'build', 'publish', 'switch'] as const;

/** Sleep up to the instant that the draw picks. Where the run is over by then, it was no kill. */
async function untilInstant(run: Program, layout: Layout, { marks }: Reference, draw: Draw): Promise<void> {
  const within = (ms: number): Promise<void> => sleep(draw.unit() * ms);
  const aim = draw.pick(AIMS);
  const after = async (word: keyof typeof WORDS, ms: number): Promise<void> => {
    await run.said(WORDS[word]);
    await within(ms);
  };
  const atFile = async (pattern: RegExp, nth: number, ms: number): Promise<void> => {
    const file = nthFile(layout.root, pattern, nth);
    await Promise.race([file.seen, run.ended]);
    file.stop();
    await within(ms);
  };
  if (aim === 'any') await within(marks.end);
  else if (aim === 'before') await within(marks.reading);
  else if (aim === 'fetch') await after('reading', marks.building - marks.reading);
  else if (aim === 'staging') await atFile(/^staged\/.*(?:ndjson|tmp|parquet)$/u, draw.int(1, 90), 3);
  else if (aim === 'build') await after('building', marks.publishing - marks.building);
  else if (aim === 'publish') await after('publishing', marks.end - marks.publishing);
  else await atFile(/^snapshots\/\d|^current$|\.link$/u, draw.int(1, 3), 2);
}

/** Kills before a run is let to its end, at most. */
const MOST_IN_A_ROW = 4;

/** Kill runs until `kills` have died, each followed by what must hold. */
async function killRuns({ world, kills, seed, days, env = {} }: KillOptions): Promise<KillReport> {
  const web = webOf(world);
  const phases = new Map<Phase, number>(PHASES.map((phase) => [phase, 0]));
  const wrong: string[] = [];
  let [killed, completed] = [0, 0];
  try {
    const reference = await referenceOf(web, days, env);
    for (let history = 0; killed < kills; history += 1) {
      const layout = layoutOf(await mkdtemp(join(tmpdir(), 'dealfeed-killed-')));
      for (const day of days) {
        const expected = reference.get(day);
        if (!expected) throw new Error(`no undisturbed run of ${day}`);
        const draw = new Draw('kills', seed, history, day);
        const inARow = draw.int(1, Math.min(MOST_IN_A_ROW, kills - killed));
        let row = 0;
        while (row < inARow) {
          const before = await currentSnapshot(layout);
          const known = new Set(await readdir(layout.runs).catch(() => []));
          const run = await startPipeline(web, layout.root, day, env);
          await untilInstant(run, layout, expected, draw);
          const survivors = run.child.exitCode === null && (await killAlone(run));
          const { signal } = await run.ended;
          if (signal !== 'SIGKILL') continue;
          row += 1;
          killed += 1;
          const phase = await phaseOf(layout, known);
          phases.set(phase, (phases.get(phase) ?? 0) + 1);
          const found = await wrongIn(layout);
          if (survivors) found.push('something that the run had started went on running');
          const now = await currentSnapshot(layout);
          if (now !== before && phase !== 'switch' && phase !== 'after')
            found.push(`current moved from ${before ?? 'none'} to ${now ?? 'none'} in phase ${phase}`);
          wrong.push(...found.map((problem) => `history ${history}, ${day}, kill ${killed} in ${phase}: ${problem}`));
        }
        const last = await startPipeline(web, layout.root, day, env);
        const { status } = await last.ended;
        completed += 1;
        const found =
          status === 0
            ? await wrongIn(layout)
            : [`the run to the end ended with ${status ?? 'a signal'}: ${last.lines.slice(-3).join(' | ')}`];
        const hashes = await hashesOn(layout, day);
        for (const [table, hash] of Object.entries(expected.hashes))
          if (hashes[table] !== hash) found.push(`${table} is not what an undisturbed run publishes`);
        const files = await kindsOfFiles(layout);
        found.push(...files.filter((f) => !expected.files.includes(f)).map((f) => `${f} is left over`));
        found.push(...expected.files.filter((f) => !files.includes(f)).map((f) => `${f} is missing`));
        wrong.push(...found.map((problem) => `history ${history}, ${day}, after ${row} kills: ${problem}`));
        if (killed >= kills) break;
      }
      await rm(layout.root, { recursive: true });
    }
    return { kills: killed, phases, completed, wrong };
  } finally {
    await web.close();
  }
}

const KILLS = casesOf(12);

test('a killed run leaves whole files only, and the next run publishes the bytes of an undisturbed one', async (t) => {
  const report = await killRuns({
    world: makeWorld({ seed: 7, listings: 30, parcels: 120, auctions: 30, filings: 60 }),
    kills: KILLS,
    seed: seedFrom(5),
    days: ['2026-11-20', '2026-11-21'],
    env: { SOURCES: 'heartland_multifamily,hud_fmr,oh_hamilton_tax,oh_cuyahoga_sheriff,colorado_sos' },
  });
  assert.deepEqual(report.wrong, []);
  assert.equal(report.kills, KILLS);
  t.diagnostic([...report.phases].map(([phase, count]) => `${phase} ${count}`).join(', '));
  assert.ok(report.completed >= 2);
});
