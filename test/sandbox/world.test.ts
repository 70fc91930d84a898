/** What the made-up world promises to those who test against it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { METRO_NAMES } from '../../models/metros.ts';
import { makeWorld, worldOn, type WorldDay } from '../../sandbox/world/world.ts';

const DEFAULT = '2026-11-20';
const NEXT = '2026-11-21';
const world = makeWorld();
const day = worldOn(world, DEFAULT);

const truth = ({ listings, delinquent, auctions, ohio, colorado }: WorldDay): unknown => [
  listings,
  delinquent,
  auctions,
  ohio,
  colorado,
];
const inOhio = ({ countyFips }: { readonly countyFips: string }): boolean => countyFips.startsWith('39');

describe('the same world', () => {
  test('comes from the same options, after any other days', () => {
    const small = { seed: 7, listings: 40, parcels: 60, auctions: 20, filings: 50 };
    const one = makeWorld(small);
    const other = makeWorld(small);
    for (const late of ['2027-01-31', '2026-12-24', NEXT]) void truth(worldOn(one, late));
    for (const on of ['2026-10-01', DEFAULT, NEXT])
      assert.deepEqual(truth(worldOn(one, on)), truth(worldOn(other, on)));
    assert.deepEqual([...one.properties], [...other.properties]);
  });
});

describe('sizes', () => {
  test('of the default world are those of the settings, on the default day', () => {
    assert.equal(new Set(day.listings.map(({ propertyId }) => propertyId)).size, 600);
    assert.equal(day.delinquent.filter(inOhio).length, 4000);
    assert.equal(day.ohio.filings.length, 4000);
    assert.equal(day.colorado.filter(({ formedOn }) => formedOn >= '2025-11-20').length, 4000);
    const upcoming = day.auctions.filter((item) => inOhio(item) && item.saleDate >= DEFAULT);
    assert.ok(Math.abs(upcoming.length - 250) <= 1, `${upcoming.length} items`);
    assert.ok(new Set(upcoming.map(({ saleDate }) => saleDate)).size >= 8);
    assert.ok(new Set(upcoming.map(({ county }) => county)).size >= 4);
    assert.ok(day.auctions.some(({ saleDate }) => saleDate < DEFAULT));
    assert.deepEqual([...new Set(day.delinquent.map(({ countyFips }) => countyFips))].sort(), [
      '29510',
      '39035',
      '39061',
      '39113',
      '39151',
      '42003',
      '55079',
    ]);
  });

  test('of its listings are twenty metros: those that the models declare', () => {
    const metros = new Set(day.listings.map(({ propertyId }) => day.property(propertyId).metro));
    assert.deepEqual([...metros].sort(), [...METRO_NAMES].sort());
    assert.equal(METRO_NAMES.length, 20);
  });

  for (const size of [0, 1, 10]) {
    test(`may be ${size}`, () => {
      const tiny = worldOn(makeWorld({ listings: size, parcels: size, auctions: size, filings: size }), DEFAULT);
      assert.equal(new Set(tiny.listings.map(({ propertyId }) => propertyId)).size, size);
      assert.equal(tiny.delinquent.filter(inOhio).length, size);
      assert.equal(tiny.ohio.filings.length, size);
      const upcoming = tiny.auctions.filter((item) => inOhio(item) && item.saleDate >= DEFAULT);
      assert.ok(Math.abs(upcoming.length - size) <= 1);
      assert.equal(tiny.distress.length, 0);
    });
  }
});

describe('consistency', () => {
  const properties = [...world.properties.values()];

  test('no two properties share an address or a parcel number, except the parcels of a building', () => {
    const buildings = properties.filter(({ id }) => !/^[CP]L/u.test(id));
    assert.equal(new Set(buildings.map((p) => `${p.street} ${p.zip}`)).size, buildings.length);
    const parcels = properties.filter(({ parcel }) => parcel !== null).map((p) => `${p.countyFips} ${p.parcel}`);
    assert.equal(new Set(parcels).size, parcels.length);
  });
});
