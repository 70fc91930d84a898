/**
 * `make reconcile`: compare the current snapshot with the true facts of the sandbox, each source as of its last good
 * read. Exit status 1 on any difference.
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { print } from '../lib/output.ts';
import { pipelineSettings, readSettings } from '../lib/settings.ts';
import { differingLines, formatComparisons } from './comparison/compare.ts';
import { reconcile } from './comparison/records.ts';
import { makeWorld } from './world/world.ts';

const { DATA_DIR, SEED, LISTINGS, PARCELS, AUCTIONS, FILINGS } = readSettings(pipelineSettings);
const world = makeWorld({ seed: SEED, listings: LISTINGS, parcels: PARCELS, auctions: AUCTIONS, filings: FILINGS });
const { truth, comparisons } = await reconcile(await realpath(join(DATA_DIR, 'current')), world);
print(`Snapshot of ${truth.asOf} in ${DATA_DIR}, compared with its world`);
for (const line of truth.behind) print(`  ${line}`);
if (truth.soldLeads > 0) print(`  ${truth.soldLeads} leads are sold and left out: missing leads are not counted.`);
for (const line of formatComparisons(comparisons)) print(line);
const lines = differingLines(comparisons);
const rows = comparisons.reduce((sum, { compared }) => sum + compared, 0);
print(
  lines.length === 0
    ? `Equal: all ${rows} true rows are published, and no others.`
    : `Different: ${lines.join('; ')}. Keys are of the world (properties L…, T…, A…) or of the pages.`,
);
if (lines.length > 0) process.exitCode = 1;
