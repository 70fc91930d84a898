/** A data folder holds one kind of data for ever: made-up rows of the sandbox must never stand in a snapshot of the real web. */
import { z } from 'zod';
import { readJson, writeWhole } from '../lib/files.ts';
import { SettingError } from '../lib/settings.ts';
import type { Layout } from './layout.ts';
import { listSnapshots, readManifest, type Manifest } from './snapshots.ts';

const Kind = z.strictObject({ data_clock: z.enum(['sandbox', 'live']) });

const HOLDS = { sandbox: 'made-up data of the sandbox world', live: 'public records of the real web' } as const;

/** What the folder was begun with; where the note of that is lost, what its newest snapshot says. Null for a new folder. */
async function kindOf(layout: Layout): Promise<Manifest['data_clock'] | null> {
  const noted = await readJson(layout.kind);
  if (noted !== undefined) return Kind.parse(noted).data_clock;
  const newest = (await listSnapshots(layout)).at(-1);
  return newest === undefined ? null : (await readManifest(layout, newest)).data_clock;
}

/** Note the kind of data a new folder will hold. @throws SettingError where the folder already holds the other kind. */
export async function keepApart(layout: Layout, wanted: Manifest['data_clock']): Promise<void> {
  const held = await kindOf(layout);
  if (held === null) return writeWhole(layout.kind, `${JSON.stringify(Kind.parse({ data_clock: wanted }))}\n`);
  if (held !== wanted) throw new SettingError(`DATA_DIR is ${JSON.stringify(layout.root)}, which holds ${HOLDS[held]}; expected a folder of its own for ${HOLDS[wanted]}`);
}
