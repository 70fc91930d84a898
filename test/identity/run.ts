/**
 * `make identity`: precision and recall of which rows are one property, over the adversarial lists in this folder and
 * over the current snapshot of the sandbox, if DATA_DIR has one. Exit status 1 if a record is attached to another
 * property, or a pair does not match as listed.
 */
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { currentSnapshot, readManifest } from '../../pipelines/snapshots.ts';
import { compareIdentity, formatIdentity, precisionOf } from '../../sandbox/comparison/identity.ts';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';
import {
  accuracyOf,
  addressPairs,
  matchAddresses,
  matchParcels,
  parcelPairs,
  type LabeledPair,
  type Result,
} from './near_misses.ts';

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function accuracyRow(name: string, results: readonly Result<LabeledPair>[]): string {
  const a = accuracyOf(results);
  const count = (number: number): string => String(number).padStart(4);
  return (
    `  ${name.padEnd(16)} pairs ${count(a.pairs)}  same ${count(a.same)}  attached ${count(a.attached)}  ` +
    `candidates ${count(a.candidates)}  precision ${a.precision.toFixed(4)}  recall ${a.recall.toFixed(4)}`
  );
}

/** Print the results by topic. @returns the number of faults */
function printResults<P extends LabeledPair & { readonly a: string; readonly b: string }>(
  title: string,
  results: readonly Result<P>[],
  topicOf: (pair: P) => string,
): number {
  let faults = 0;
  print(title);
  for (const [topic, members] of Map.groupBy(results, ({ pair }) => topicOf(pair))) print(accuracyRow(topic, members));
  print(accuracyRow('all', results));
  for (const { pair, match } of results) {
    const name = `${pair.a} | ${pair.b}`;
    if (match !== pair.found) print(`  NOT AS LISTED: ${name}: ${match}, expected ${pair.found}`);
    else if (pair.truth === 'same' && match !== 'exact') print(`  not attached (${match}): ${name}: ${pair.why}`);
    if (match !== pair.found || (match === 'exact' && pair.truth === 'different')) faults += 1;
  }
  print('');
  return faults;
}

/** Print the figures of the current snapshot. @returns the number of faults */
async function printSnapshot(): Promise<number> {
  const { DATA_DIR, SEED, LISTINGS, PARCELS, AUCTIONS, FILINGS } = readSettings(pipelineSettings);
  const layout = layoutOf(DATA_DIR);
  const current = await currentSnapshot(layout);
  const manifest = current === null ? null : await readManifest(layout, current);
  if (current === null || manifest?.data_clock !== 'sandbox') {
    print(`${DATA_DIR} has no snapshot of the sandbox. To make one: make run`);
    return 0;
  }
  const world = makeWorld({ seed: SEED, listings: LISTINGS, parcels: PARCELS, auctions: AUCTIONS, filings: FILINGS });
  const counts = await compareIdentity(layout.snapshot(current), worldOn(world, manifest.as_of));
  print(`Snapshot ${current}, in pairs, compared with its world`);
  for (const line of formatIdentity(counts)) print(line);
  return counts.filter((c) => precisionOf(c) < 1).length;
}

const faults = [
  printResults(
    'Addresses: a listing and a county record',
    await matchAddresses(await addressPairs()),
    (pair) => pair.topic,
  ),
  printResults(
    "Parcel numbers: a county's list and a sheriff",
    await matchParcels(await parcelPairs()),
    (pair) => pair.county,
  ),
  await printSnapshot(),
];
process.exitCode = faults.some((count) => count > 0) ? 1 : 0;
