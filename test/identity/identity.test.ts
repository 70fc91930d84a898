/**
 * Which rows are one property. Every attached record must be of that property, without exception; every missed one must
 * have a known reason.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { compareIdentity, precisionOf, recallOf, type PairCounts } from '../../sandbox/comparison/identity.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { afterFirstDay, FIRST_RUN } from '../pipelines/starting_points.ts';
import {
  accuracyOf,
  addressPairs,
  matchAddresses,
  matchParcels,
  parcelPairs,
  type AddressPair,
  type ParcelPair,
  type Result,
} from './near_misses.ts';
import { pairListings } from './worlds.ts';

describe('the adversarial lists', () => {
  let addresses: Result<AddressPair>[] = [];
  let parcels: Result<ParcelPair>[] = [];
  before(async () => {
    addresses = await matchAddresses(await addressPairs());
    parcels = await matchParcels(await parcelPairs());
  });

  it('have at least 300 address pairs and 45 parcel pairs, each with a reason', () => {
    assert.ok(addresses.length >= 300 && parcels.length >= 45);
    for (const { pair } of [...addresses, ...parcels]) {
      const isValid =
        pair.why.length > 3 &&
        ['same', 'different'].includes(pair.truth) &&
        ['exact', 'candidate', 'none'].includes(pair.found);
      assert.ok(isValid, JSON.stringify(pair));
      assert.ok(
        pair.found !== 'exact' || pair.truth === 'same',
        `the list expects a wrong match: ${JSON.stringify(pair)}`,
      );
    }
  });
  it('match as listed', () => {
    assert.deepEqual(
      [...addresses, ...parcels]
        .filter(({ pair, match }) => pair.found !== match)
        .map(({ pair, match }) => `${pair.a} | ${pair.b}: ${match}, expected ${pair.found}`),
      [],
    );
  });
  it('attach no distress to another property: precision is 1', () => {
    assert.equal(accuracyOf(addresses).precision, 1);
    assert.equal(accuracyOf(parcels).precision, 1);
  });
  it('attach most of it: recall is at least 0.88 for addresses and 0.90 for parcel numbers', () => {
    assert.ok(accuracyOf(addresses).recall >= 0.88, JSON.stringify(accuracyOf(addresses)));
    assert.ok(accuracyOf(parcels).recall >= 0.9, JSON.stringify(accuracyOf(parcels)));
  });
  it('never make one deal of two properties', () => {
    const oneDeal = addresses.filter(({ isOneDeal }) => isOneDeal === true);
    assert.deepEqual(
      oneDeal.filter(({ pair }) => pair.truth === 'different').map(({ pair }) => `${pair.a} | ${pair.b}`),
      [],
    );
    assert.ok(oneDeal.length > 120);
  });
  it('make one deal of two listings where a county record would be attached, except at a corner', () => {
    // A listing of two addresses has the identity of the first.
    const split = addresses.filter(
      ({ pair, match, isOneDeal }) => match === 'exact' && isOneDeal === false && pair.topic !== 'corner',
    );
    assert.deepEqual(
      split.map(({ pair }) => `${pair.a} | ${pair.b}`),
      [],
    );
  });
  it('name a listing on the lead of a debt exactly where the debt scores on the deal', () => {
    // A lead names one listing, and a record of two addresses is of two.
    const leads = addresses.filter(({ pair, isOnLead }) => isOnLead !== null && pair.topic !== 'corner');
    assert.deepEqual(
      leads
        .filter(({ match, isOnLead }) => isOnLead !== (match === 'exact'))
        .map(({ pair, match }) => `${pair.a} | ${pair.b}: ${match} on the deal`),
      [],
    );
    assert.ok(leads.length > 250);
  });
});

describe('the listings of a large world', () => {
  // twenty_worlds.proof.ts reads twenty from pages, with debts, sales and leads.
  it('are one deal exactly if they show one property', async () => {
    const counts = await pairListings(makeWorld({ seed: 12, listings: 1500, parcels: 0, auctions: 0, filings: 0 }));
    assert.ok(counts.same > 600, `${counts.same} pairs`);
    assert.deepEqual([precisionOf(counts), recallOf(counts)], [1, 1], inspect(counts));
  });
});

describe('a snapshot compared with its world', () => {
  // twenty_worlds.proof.ts compares twenty worlds of 3,000 properties.
  let counts: readonly PairCounts[] = [];
  before(async () => {
    const first = await afterFirstDay();
    counts = await compareIdentity(first.layout.snapshot(FIRST_RUN), first.world);
  });
  it('joins no rows of different properties', () => {
    assert.deepEqual(counts.map(precisionOf), [1, 1, 1, 1], inspect(counts, { depth: 3 }));
  });
  it('joins all listings and parcel numbers of one property, and three of four records of a property for sale', () => {
    const [listings, distress, sales, debts] = counts;
    assert.ok(listings && distress && sales && debts);
    const isEnough = listings.same > 25 && distress.same > 20 && sales.same > 12 && debts.same > 5;
    assert.ok(isEnough, inspect(counts, { depth: 3 }));
    assert.equal(recallOf(listings), 1);
    assert.equal(recallOf(sales), 1);
    assert.ok(recallOf(distress) >= 0.75, inspect(counts, { depth: 3 }));
  });
  it('misses only records for which no page prints a street, ZIP or unit', () => {
    const missed = counts.flatMap((c) => c.missed);
    assert.deepEqual(
      missed.filter((m) => !/: no page prints its (?:ZIP|street|unit)$/u.test(m)),
      [],
    );
  });
});
