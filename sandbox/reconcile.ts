/**
 * `make reconcile`: compare the current snapshot with the true facts of the sandbox, each source as of its last good
 * read. Exit status 1 on any difference.
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pipelineSettings, readSettings } from '../lib/settings.ts';
import { formatComparisons, isEqual, verdict } from './comparison/compare.ts';
import { reconcile } from './comparison/records.ts';
import { behind } from './comparison/truth.ts';
import { makeWorld } from './world/world.ts';

const { DATA_DIR, SEED, LISTINGS, PARCELS, AUCTIONS, FILINGS } = readSettings(pipelineSettings);
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const world = makeWorld({ seed: SEED, listings: LISTINGS, parcels: PARCELS, auctions: AUCTIONS, filings: FILINGS });
const { truth, comparisons } = await reconcile(await realpath(join(DATA_DIR, 'current')), world);
print(`Snapshot of ${truth.asOf} in ${DATA_DIR}, compared with its world`);
for (const line of behind(truth)) print(`  ${line}`);
if (truth.soldLeads > 0) print(`  ${truth.soldLeads} leads are sold and left out: missing leads are not counted.`);
for (const line of formatComparisons(comparisons)) print(line);
print(verdict(comparisons));
if (!comparisons.every(isEqual)) process.exitCode = 1;
