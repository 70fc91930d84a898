/**
 * A data folder has one kind of data for its whole life. Made-up rows of the sandbox must never be in a snapshot of the
 * real web, and rows of two sandbox worlds must never be in one folder.
 */
import { z } from 'zod';
import { readJson, writeWhole } from '../lib/files.ts';
import { SettingError } from '../lib/settings.ts';
import type { Layout } from './layout.ts';
import { listSnapshots, readManifest } from './snapshots.ts';

const Kind = z.strictObject({
  data_clock: z.enum(['sandbox', 'live']),
  /** The settings of the sandbox world; absent for the real web, and for older folders. */
  world: z.string().optional(),
});

export type Kind = z.infer<typeof Kind>;

const DESCRIPTIONS = { sandbox: 'made-up data of the sandbox world', live: 'public records of the real web' } as const;

/** The kind of a folder from kind.json or, if that is lost, from its newest snapshot. Null for a new folder. */
async function readDataKind(layout: Layout): Promise<Kind | null> {
  const saved = await readJson(layout.kind);
  if (saved !== undefined) return Kind.parse(saved);
  const newest = (await listSnapshots(layout)).at(-1);
  return newest === undefined ? null : { data_clock: (await readManifest(layout, newest)).data_clock };
}

/**
 * Check the kind of data of a folder, and save it for a new folder.
 * @throws SettingError if the folder has another kind
 */
export async function assertDataKind(layout: Layout, wanted: Kind): Promise<void> {
  const found = await readDataKind(layout);
  const refuse = (has: string, expected: string): never => {
    throw new SettingError(
      `DATA_DIR is ${JSON.stringify(layout.root)}, which has ${has}; expected another folder for ${expected}`,
    );
  };
  if (found !== null && found.data_clock !== wanted.data_clock)
    refuse(DESCRIPTIONS[found.data_clock], DESCRIPTIONS[wanted.data_clock]);
  if (found?.world !== undefined && wanted.world !== undefined && found.world !== wanted.world)
    refuse(`the world of ${found.world}`, `the world of ${wanted.world}`);
  const world = found?.world ?? wanted.world;
  if (found !== null && world === found.world) return;
  const kind: Kind = { data_clock: wanted.data_clock, ...(world === undefined ? {} : { world }) };
  await writeWhole(layout.kind, `${JSON.stringify(Kind.parse(kind))}\n`);
}
