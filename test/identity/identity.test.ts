/**
 * Which rows are of one property. What is attached must be that property, without exception; what is missed is known,
 * and each miss has a reason. `make identity` prints the figures.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  compareIdentity,
  formatIdentity,
  precisionOf,
  recallOf,
  type PairCounts,
} from '../../sandbox/comparison/identity.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { newLayout, runDay } from '../pipelines/runs.ts';
import {
  accuracyOf,
  addressPairs,
  parcelPairs,
  tryAddresses,
  tryParcels,
  type AddressPair,
  type ParcelPair,
  type Tried,
} from './near_misses.ts';

describe('the adversarial lists', () => {
  let addresses: Tried<AddressPair>[] = [];
  let parcels: Tried<ParcelPair>[] = [];
  before(async () => {
    addresses = await tryAddresses(await addressPairs());
    parcels = await tryParcels(await parcelPairs());
  });

  it('hold many pairs of each kind, and a reason for each', () => {
    assert.ok(addresses.length >= 180 && parcels.length >= 45);
    for (const { pair } of [...addresses, ...parcels]) {
      assert.ok(
        pair.why.length > 3 &&
          ['same', 'different'].includes(pair.truth) &&
          ['exact', 'candidate', 'none'].includes(pair.found),
        JSON.stringify(pair),
      );
      assert.ok(
        pair.found !== 'exact' || pair.truth === 'same',
        `the list itself wants a wrong match: ${JSON.stringify(pair)}`,
      );
    }
  });
  it('come out as they say', () => {
    assert.deepEqual(
      [...addresses, ...parcels]
        .filter(({ pair, made }) => pair.found !== made)
        .map(({ pair, made }) => `${pair.a} | ${pair.b}: ${made}, expected ${pair.found}`),
      [],
    );
  });
  it('have no distress attached to another property: precision is 1', () => {
    assert.equal(accuracyOf(addresses).precision, 1);
    assert.equal(accuracyOf(parcels).precision, 1);
  });
  it('have most of it attached to its own: recall is 0.88 of addresses and 0.90 of parcel numbers at least', () => {
    assert.ok(accuracyOf(addresses).recall >= 0.88, JSON.stringify(accuracyOf(addresses)));
    assert.ok(accuracyOf(parcels).recall >= 0.9, JSON.stringify(accuracyOf(parcels)));
  });
  it('never make one deal of two properties', () => {
    assert.deepEqual(
      addresses
        .filter(({ pair, oneDeal }) => oneDeal === true && pair.truth === 'different')
        .map(({ pair }) => `${pair.a} | ${pair.b}`),
      [],
    );
    assert.ok(addresses.filter(({ pair, oneDeal }) => oneDeal === true && pair.truth === 'same').length > 60);
  });
});

describe('a snapshot against what its world knows', () => {
  let measured: readonly PairCounts[] = [];
  before(async () => {
    // Without the site whose list is made by a script, which takes a browser to read.
    const [layout, world] = [
      await newLayout(),
      makeWorld({ seed: 11, listings: 400, parcels: 600, auctions: 200, filings: 5 }),
    ];
    const { runId, truth } = await runDay({
      layout,
      world,
      day: '2026-11-20',
      only: ({ family }) => ['listings', 'tax', 'parcels', 'sheriff'].includes(family),
    });
    measured = await compareIdentity(layout.snapshot(runId), truth);
  });
  it('puts nothing together that is not one property', () => {
    assert.deepEqual(measured.map(precisionOf), [1, 1, 1], formatIdentity(measured).join('\n'));
  });
  it('finds every listing and parcel number of one property, and three of four records of a property for sale', () => {
    const [listings, distress, parcels] = measured;
    assert.ok(listings && distress && parcels);
    assert.ok(listings.same > 100 && distress.same > 20 && parcels.same > 10, formatIdentity(measured).join('\n'));
    assert.equal(recallOf(listings), 1);
    assert.equal(recallOf(parcels), 1);
    assert.ok(recallOf(distress) >= 0.75, formatIdentity(measured).join('\n'));
  });
  it('misses only what no page tells', () => {
    assert.deepEqual(
      measured.flatMap((m) => m.missed).filter((m) => !/: no page prints its (?:ZIP|street)$/u.test(m)),
      [],
    );
  });
});
