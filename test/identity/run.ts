/**
 * `make identity`: how well rows are told to be of one property. First the adversarial lists beside this file, then,
 * where DATA_DIR holds a snapshot of the sandbox, that snapshot against what its world knows.
 * Exit status 1 where anything was attached that is not the property, or a pair comes out otherwise than its list says.
 */
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { currentSnapshot, readManifest } from '../../pipelines/snapshots.ts';
import { compareIdentity, formatIdentity, precisionOf } from '../../sandbox/comparison/identity.ts';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';
import {
  accuracyOf,
  addressPairs,
  parcelPairs,
  tryAddresses,
  tryParcels,
  type Judged,
  type Tried,
} from './near_misses.ts';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
let faults = 0;

function show<P extends Judged>(
  title: string,
  tried: readonly Tried<P>[],
  topicOf: (pair: P) => string,
  nameOf: (pair: P) => string,
): void {
  const row = (name: string, of: readonly Tried<P>[]): string => {
    const a = accuracyOf(of);
    return `  ${name.padEnd(16)} pairs ${String(a.pairs).padStart(4)}  same ${String(a.same).padStart(4)}  attached ${String(a.attached).padStart(4)}  candidates ${String(a.candidates).padStart(3)}  precision ${a.precision.toFixed(4)}  recall ${a.recall.toFixed(4)}`;
  };
  say(title);
  for (const [topic, of] of Map.groupBy(tried, ({ pair }) => topicOf(pair))) say(row(topic, of));
  say(row('all', tried));
  for (const { pair, made } of tried) {
    if (made !== pair.found) say(`  OTHERWISE than the list says: ${nameOf(pair)}: ${made}, expected ${pair.found}`);
    else if (pair.truth === 'same' && made !== 'exact') say(`  not attached (${made}): ${nameOf(pair)}: ${pair.why}`);
    if (made !== pair.found || (made === 'exact' && pair.truth === 'different')) faults += 1;
  }
  say('');
}

show(
  'Addresses: a listing and a county record',
  await tryAddresses(await addressPairs()),
  (p) => p.topic,
  (p) => `${p.a} | ${p.b}`,
);
show(
  "Parcel numbers: a county's list and a sheriff",
  await tryParcels(await parcelPairs()),
  (p) => p.county,
  (p) => `${p.a} | ${p.b}`,
);

const { DATA_DIR, SEED, LISTINGS, PARCELS, AUCTIONS, FILINGS } = readSettings(pipelineSettings);
const layout = layoutOf(DATA_DIR);
const current = await currentSnapshot(layout);
const manifest = current === null ? null : await readManifest(layout, current);
if (current === null || manifest?.data_clock !== 'sandbox') {
  say(`${DATA_DIR} holds no snapshot of the sandbox to hold against its world; make run makes one`);
} else {
  const measured = await compareIdentity(
    layout.snapshot(current),
    worldOn(
      makeWorld({ seed: SEED, listings: LISTINGS, parcels: PARCELS, auctions: AUCTIONS, filings: FILINGS }),
      manifest.as_of,
    ),
  );
  say(`Snapshot ${current}, in pairs, against its world`);
  for (const line of formatIdentity(measured)) say(line);
  if (measured.some((m) => precisionOf(m) < 1)) faults += 1;
}
process.exitCode = faults > 0 ? 1 : 0;
