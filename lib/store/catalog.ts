/**
 * The catalog, which the store's pointer holds: every run whose files are in the store, and the current snapshot.
 * Everything that it names was stored first, so a run is published as a whole or not at all.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isShared } from '../files.ts';
import { Suppressed } from '../suppressions.ts';
import { StoreDamage, type NamedFile, type Store } from './store.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const CatalogRun = z.strictObject({
  run_id: z.string(),
  /** Hash of the object with the records of its requests and reads (pipelines/store/folder.ts). */
  reads: hash,
  /** Hash of its snapshot's manifest; null if it published none. */
  manifest: hash.nullable(),
});
export type CatalogRun = z.infer<typeof CatalogRun>;

export const Catalog = z.strictObject({
  format: z.literal('dealfeed store 3'),
  /** Grows with each write, so a reader can refuse an older catalog. */
  version: z.int().min(1),
  /** Differs between any two writes. */
  writer: z.string(),
  /** kind.json of the data folders: a store has one kind of data. */
  kind: z.unknown(),
  /** Run id of the current snapshot; null before the first one. */
  current: z.string().nullable(),
  /** Ids and sealed names that servers leave out on request (lib/suppressions.ts). */
  suppressed: Suppressed,
  /** In order of their publication. */
  runs: z.array(CatalogRun),
});
export type Catalog = z.infer<typeof Catalog>;

/** A catalog as it was read, with the tag for replacing it. */
export interface ReadCatalog {
  readonly catalog: Catalog;
  readonly tag: string;
}

/** @returns null before the first publication @throws StoreDamage if the pointer is no catalog */
export async function readCatalog(store: Store): Promise<ReadCatalog | null> {
  const pointer = await store.pointer();
  if (pointer === null) return null;
  try {
    return { catalog: Catalog.parse(JSON.parse(pointer.text)), tag: pointer.tag };
  } catch {
    const remedy = 'Restore an earlier version of the object.';
    throw new StoreDamage(`STORE ${store.shown}: current is not a catalog of this version. ${remedy}`);
  }
}

/** Write the next catalog. @returns false if another writer has replaced the one that was read */
export function switchCatalog(
  store: Store,
  before: ReadCatalog | null,
  next: Omit<Catalog, 'format' | 'version' | 'writer'>,
): Promise<boolean> {
  const version = (before?.catalog.version ?? 0) + 1;
  const catalog: Catalog = { format: 'dealfeed store 3', version, writer: randomUUID(), ...next };
  return store.switchPointer(`${JSON.stringify(Catalog.parse(catalog), null, 1)}\n`, before?.tag ?? null);
}

/** Name of a file of a snapshot. */
export const snapshotFileName = (runId: string, file: string): string =>
  isShared(file) ? `parts/${file}` : `snapshots/${runId}/${file}`;

/** The manifest of a run's snapshot; undefined if it published none. */
export const manifestOf = ({ run_id, manifest }: CatalogRun): NamedFile | undefined =>
  manifest === null ? undefined : { name: snapshotFileName(run_id, 'manifest.json'), sha256: manifest };

/** The run of the current snapshot. @throws StoreDamage if the catalog does not list it with a manifest */
export function currentRun(store: Store, { current, runs }: Catalog): CatalogRun | null {
  if (current === null) return null;
  const run = runs.find((one) => one.run_id === current && one.manifest !== null);
  if (run) return run;
  throw new StoreDamage(`STORE ${store.shown}: the catalog has no snapshot ${current}, which it names as current.`);
}
