/**
 * Data folders with one and two published days, from which tests go on. `make test` makes each once, with the code
 * under test, in the folder that SHARED_RUNS names. Without SHARED_RUNS, as in `make t`, a test file makes its own.
 */
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { takeLock } from '../../pipelines/run/lock.ts';
import { readManifest } from '../../pipelines/snapshots.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { World, WorldDay } from '../../sandbox/world/types.ts';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';
import { copyOf, newLayout, runDay, TINY } from './runs.ts';

export const FIRST_DAY = '2026-11-20';
export const SECOND_DAY = '2026-11-23';
export const FIRST_RUN = `${FIRST_DAY}.01`;
export const SECOND_RUN = `${SECOND_DAY}.01`;

const LOCK_RETRY_MS = 100;

export interface StartingPoint {
  /** A copy of its own, which the test may change. */
  readonly layout: Layout;
  readonly world: World;
}

const world = makeWorld(TINY);

/** Every source and every table of the tiny world on the first day, the site that needs a browser included. */
async function makeFirstDay(layout: Layout): Promise<void> {
  await runDay({ layout, world, day: FIRST_DAY, browser: true });
}

/** The second day upon the first. */
async function makeSecondDay(layout: Layout): Promise<void> {
  cpSync((await firstDay()).root, layout.root, { recursive: true, verbatimSymlinks: true });
  await runDay({ layout, world, day: SECOND_DAY });
}

async function waitForLock(path: string): Promise<() => void> {
  for (;;) {
    const lock = await takeLock(path);
    if ('release' in lock) return lock.release;
    await sleep(LOCK_RETRY_MS);
  }
}

/** The folder of this name, made by the first test file that needs it. */
function sharedFolder(name: string, make: (layout: Layout) => Promise<void>): () => Promise<Layout> {
  let made: Promise<Layout> | undefined;
  const makeOrFind = async (): Promise<Layout> => {
    const folder = process.env['SHARED_RUNS'];
    if (folder === undefined) {
      const layout = await newLayout();
      await make(layout);
      return layout;
    }
    const layout = layoutOf(join(folder, name));
    const isMade = `${layout.root}.made`;
    const release = await waitForLock(`${layout.root}.lock`);
    try {
      if (existsSync(isMade)) return layout;
      // A process that was killed may have left a part.
      rmSync(layout.root, { recursive: true, force: true });
      await make(layout);
      writeFileSync(isMade, '');
      return layout;
    } finally {
      release();
    }
  };
  return () => (made ??= makeOrFind());
}

const firstDay = sharedFolder('first_day', makeFirstDay);
const secondDay = sharedFolder('second_day', makeSecondDay);

/** A folder in which FIRST_RUN is published. */
export const afterFirstDay = async (): Promise<StartingPoint> => ({ layout: await copyOf(await firstDay()), world });

/** A folder in which FIRST_RUN and SECOND_RUN are published. */
export const afterSecondDay = async (): Promise<StartingPoint> => ({ layout: await copyOf(await secondDay()), world });

/** What a run of a starting point published, and the truth of its day. */
export async function publishedRun(
  { layout }: StartingPoint,
  runId: string,
): Promise<{ readonly runId: string; readonly manifest: Manifest; readonly truth: WorldDay }> {
  const manifest = await readManifest(layout, runId);
  return { runId, manifest, truth: worldOn(world, manifest.as_of) };
}
