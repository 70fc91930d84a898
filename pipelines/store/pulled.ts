/** What a data folder has of its store, in `store.json`: what was pruned in the folder is not fetched again. */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import type { Store } from '../../lib/store/store.ts';
import type { Layout } from '../layout.ts';

const names = z.array(z.string()).default([]);
const Pulled = z.object({ store: z.string(), runs: names, reparses: names, versions: names });

export interface Pulled {
  /** Run ids. */
  readonly runs: readonly string[];
  /** Hashes of lists of later versions of reads. */
  readonly reparses: readonly string[];
  /** Paths of later versions of reads that the store has. */
  readonly versions: readonly string[];
}

const pulledFile = (layout: Layout): string => join(layout.root, 'store.json');

/** Null if this folder has never been used with the store. */
export async function readPulled(layout: Layout, store: Store): Promise<Pulled | null> {
  const saved = Pulled.safeParse(await readJson(pulledFile(layout)));
  return saved.success && saved.data.store === store.shown ? saved.data : null;
}

/**
 * @throws SettingError if the folder continues a store: the next run with that store would set aside snapshots
 * published here
 */
export async function assertWithoutStore(layout: Layout): Promise<void> {
  const saved = Pulled.safeParse(await readJson(pulledFile(layout)));
  if (saved.success)
    throw new SettingError(
      `STORE is not set, expected ${saved.data.store}: DATA_DIR ${JSON.stringify(layout.root)} continues that store. ` +
        `To leave the store, remove ${pulledFile(layout)}`,
    );
}

/** Remember that this folder has these as well. */
export async function addPulled(layout: Layout, store: Store, more: Pulled): Promise<void> {
  const known = await readPulled(layout, store);
  const both = (kind: keyof Pulled): string[] => [...new Set([...(known?.[kind] ?? []), ...more[kind]])];
  const all = { store: store.shown, runs: both('runs'), reparses: both('reparses'), versions: both('versions') };
  await writeWhole(pulledFile(layout), `${JSON.stringify(all, null, 1)}\n`);
}
