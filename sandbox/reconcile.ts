/**
 * `make reconcile`: compare the current snapshot with the true facts of the sandbox on its day, source by source.
 * Facts that a later snapshot knows only from earlier days, such as sales that no page shows any more, are not
 * compared.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipelineSettings, readSettings } from '../lib/settings.ts';
import { Manifest } from '../models/manifest.ts';
import { formatComparisons, isEqual, withSnapshot, type Comparison } from './comparison/compare.ts';
import { compareCounties } from './comparison/counties.ts';
import { compareListings } from './comparison/listings.ts';
import { compareRegisters } from './comparison/registers.ts';
import { makeWorld, worldOn } from './world/world.ts';
import type { WorldDay } from './world/types.ts';

/** Compare the snapshot in `folder` with the world on its day. */
export const reconcile = (folder: string, day: WorldDay): Promise<Comparison[]> =>
  withSnapshot(folder, async (read) => [
    ...(await compareListings(read, day)),
    ...(await compareCounties(read, day)),
    ...(await compareRegisters(read, day)),
  ]);

if (import.meta.main) {
  const { DATA_DIR, SEED, LISTINGS, PARCELS, AUCTIONS, FILINGS } = readSettings(pipelineSettings);
  const world = makeWorld({ seed: SEED, listings: LISTINGS, parcels: PARCELS, auctions: AUCTIONS, filings: FILINGS });
  const current = join(DATA_DIR, 'current');
  const { as_of } = Manifest.parse(JSON.parse(await readFile(join(current, 'manifest.json'), 'utf8')));
  const results = await reconcile(current, worldOn(world, as_of));
  for (const line of formatComparisons(results)) process.stdout.write(`${line}\n`);
  if (!results.every(isEqual)) process.exitCode = 1;
}
