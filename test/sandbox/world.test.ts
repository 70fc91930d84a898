/** What the made-up world promises to those who test against it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { METRO_NAMES } from '../../models/metros.ts';
import { compare, type Row } from '../../sandbox/comparison/compare.ts';
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

describe('the default world', () => {
  test('has the sizes of the settings, on the default day', () => {
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

  test('has listings in twenty metros: those that the models declare', () => {
    const metros = new Set(day.listings.map(({ propertyId }) => day.property(propertyId).metro));
    assert.deepEqual([...metros].sort(), [...METRO_NAMES].sort());
    assert.equal(METRO_NAMES.length, 20);
  });
});

test('the comparison counts a lost, a repeated, an extra and a changed row, each under its column', () => {
  const facts = ['changed', 'lost', 'twice', 'right'].map((key) => ({ key, columns: { amount: '1.00' } }));
  const rowsOf = (key: string): Row[] => [{ amount: key === 'changed' ? '2.00' : '1.00' }];
  const published = new Map(['changed', 'twice', 'right', 'extra'].map((key) => [key, rowsOf(key)]));
  published.set('twice', [...rowsOf('twice'), ...rowsOf('twice')]);
  const optional = { key: 'optional', columns: {}, isOptional: true };
  const { compared, absent, differences } = compare('debts', published, [...facts, optional]);
  assert.deepEqual([compared, absent], [4, 1]);
  assert.deepEqual(
    differences.map(({ key, column, expected, found }) => [key, column, expected, found]),
    [
      ['changed', 'amount', '1.00', '2.00'],
      ['lost', 'rows', 1, 0],
      ['twice', 'rows', 1, 2],
      ['extra', 'rows', 0, 1],
    ],
  );
});
