/** A snapshot of the sandbox world, and larger ones made of it, in a data folder of a benchmark's own. */
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pointAt } from '../lib/files.ts';
import { layoutOf, type Layout } from '../pipelines/layout.ts';
import { makeWorld } from '../sandbox/world/world.ts';
import { runDay } from '../test/pipelines/runs.ts';
import type { Size } from './contract.ts';
import { writeEnlarged } from './enlarged.ts';

const DAY = '2026-11-20';

/** The default world; quick: one that is read and built in seconds. */
const WORLD: Readonly<
  Record<
    Size,
    { readonly listings: number; readonly parcels: number; readonly auctions: number; readonly filings: number }
  >
> = {
  full: { listings: 600, parcels: 4000, auctions: 250, filings: 4000 },
  quick: { listings: 120, parcels: 400, auctions: 120, filings: 300 },
};

/** How much larger the large snapshot is. */
export const TIMES: Readonly<Record<Size, number>> = { full: 100, quick: 10 };

export interface Published {
  readonly layout: Layout;
  /** Run id of the snapshot that was built. */
  readonly runId: string;
  /** Publish it again under another run id, so many times as large, without letting `current` name it. @returns its run id */
  enlarge(number: number, times: number): Promise<string>;
  /** Let `current` name a snapshot. */
  switchTo(runId: string): Promise<void>;
  remove(): Promise<void>;
}

/** Build the world's snapshot through the whole pipeline. */
export async function publishWorld(size: Size): Promise<Published> {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-bench-serving-'));
  const layout = layoutOf(join(folder, 'data'));
  await runDay({ layout, world: makeWorld({ seed: 7, ...WORLD[size] }), day: DAY });
  const built = join(layout.root, await readlink(layout.current));
  return {
    layout,
    runId: `${DAY}.01`,
    async enlarge(number, times) {
      const runId = `${DAY}.${String(number).padStart(2, '0')}`;
      await writeEnlarged(layout, built, { runId, times });
      return runId;
    },
    switchTo: (runId) => pointAt(layout.current, join('snapshots', runId)),
    remove: () => rm(folder, { recursive: true }),
  };
}
