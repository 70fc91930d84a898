/**
 * A data folder holds one kind of data for ever: made-up rows of the sandbox must never stand in a snapshot of the
 * real web, nor the rows of two made-up worlds beside each other, as if one had turned into the other overnight.
 */
import { z } from 'zod';
import { readJson, writeWhole } from '../lib/files.ts';
import { SettingError } from '../lib/settings.ts';
import type { Layout } from './layout.ts';
import { listSnapshots, readManifest } from './snapshots.ts';

const Kind = z.strictObject({
  data_clock: z.enum(['sandbox', 'live']),
  /** What the made-up world was made from; absent for the real web, and where the folder was begun without saying it. */
  world: z.string().optional(),
});

export type Kind = z.infer<typeof Kind>;

const HOLDS = { sandbox: 'made-up data of the sandbox world', live: 'public records of the real web' } as const;

/** What the folder was begun with; where the note of that is lost, what its newest snapshot says. Null for a new folder. */
async function kindOf(layout: Layout): Promise<Kind | null> {
  const noted = await readJson(layout.kind);
  if (noted !== undefined) return Kind.parse(noted);
  const newest = (await listSnapshots(layout)).at(-1);
  return newest === undefined ? null : { data_clock: (await readManifest(layout, newest)).data_clock };
}

/** Note the kind of data a new folder will hold. @throws SettingError where the folder already holds another kind or world. */
export async function keepApart(layout: Layout, wanted: Kind): Promise<void> {
  const held = await kindOf(layout);
  const refuse = (holds: string, expected: string): never => {
    throw new SettingError(
      `DATA_DIR is ${JSON.stringify(layout.root)}, which holds ${holds}; expected a folder of its own for ${expected}`,
    );
  };
  if (held !== null && held.data_clock !== wanted.data_clock) refuse(HOLDS[held.data_clock], HOLDS[wanted.data_clock]);
  if (held?.world !== undefined && wanted.world !== undefined && held.world !== wanted.world) {
    refuse(`the world of ${held.world}`, `the world of ${wanted.world}`);
  }
  const world = held?.world ?? wanted.world;
  if (held === null || world !== held.world) {
    await writeWhole(
      layout.kind,
      `${JSON.stringify(Kind.parse({ data_clock: wanted.data_clock, ...(world === undefined ? {} : { world }) }))}\n`,
    );
  }
}
