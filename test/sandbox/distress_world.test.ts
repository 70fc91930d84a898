/** What the made-up world promises of distress records, sales and debts outside Ohio's lists, and of rolls. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS } from '../../lib/time.ts';
import { publishers } from '../../sandbox/world/distress.ts';
import type { DistressOnDay } from '../../sandbox/world/types.ts';
import { saleSites } from '../../sandbox/world/sales_elsewhere.ts';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';

const DEFAULT = '2026-11-20';
const LATER = '2027-01-25';
const world = makeWorld({ seed: 3, listings: 300, parcels: 1200, auctions: 120, filings: 0 });
const day = worldOn(world, DEFAULT);
const later = worldOn(world, LATER);
const shareOf = <T>(list: readonly T[], holds: (one: T) => boolean): number => list.filter(holds).length / list.length;
const elsewhere = day.auctions.filter(({ countyFips }) => !countyFips.startsWith('39'));
const keyOf = ({ countyFips, kind, number }: DistressOnDay): string => `${countyFips} ${kind} ${number}`;

describe('records of distress', () => {
  test('each publisher has its records, of its county and city', () => {
    for (const { fips, city, kind, size } of publishers) {
      const records = day.distress.filter((record) => record.countyFips === fips && record.kind === kind);
      assert.ok(records.length >= (30 * size) / 100 - 4, `${fips} ${kind}: ${records.length}`);
      for (const { propertyId } of records) {
        const property = day.property(propertyId);
        assert.equal(property.countyFips, fips);
        if (city !== null) assert.equal(property.city, city);
      }
    }
  });

  test('a third concerns properties for sale if there are so many, a fifth those with debts or sales', () => {
    const listed = new Set(day.listings.map(({ propertyId }) => propertyId));
    const inMetros = day.distress.filter(({ countyFips }) => !['42003', '17031', '12101'].includes(countyFips));
    const share = shareOf(inMetros, ({ propertyId }) => listed.has(propertyId));
    assert.ok(share > 0.08 && share < 0.35, `${share}`);
    const kinds = Map.groupBy(
      [
        ...day.distress.map(({ propertyId, kind }) => ({ propertyId, kind: String(kind) })),
        ...day.delinquent.map(({ propertyId }) => ({ propertyId, kind: 'tax' })),
        ...day.auctions.map(({ propertyId }) => ({ propertyId, kind: 'sale' })),
      ],
      ({ propertyId }) => propertyId,
    );
    const stacked = shareOf(
      day.distress,
      ({ propertyId }) => new Set(kinds.get(propertyId)?.map(({ kind }) => kind)).size > 1,
    );
    assert.ok(stacked > 0.15, `${stacked}`);
  });

  test('records have the flaws of recorded ones: closed, repeated, without address or parcel, of corrupt years', () => {
    const flaws = new Set(day.distress.map(({ flaw }) => flaw));
    assert.deepEqual([...flaws].sort(), ['corrupt_year', 'no_address', 'no_parcel', null, 'repeated', 'zip_plus_4']);
    assert.ok(day.distress.some(({ isOpen }) => !isOpen));
    assert.ok(day.distress.some(({ rows }) => rows > 1));
    // A list without closed records has none.
    const kept = new Set(
      publishers.filter(({ keepsClosed }) => keepsClosed).map(({ fips, kind }) => `${fips} ${kind}`),
    );
    assert.ok(day.distress.every(({ isOpen, countyFips, kind }) => isOpen || kept.has(`${countyFips} ${kind}`)));
  });

  test('in two months some open, some close and some leave; what stays keeps number, day and property', () => {
    const before = new Map(day.distress.map((record) => [keyOf(record), record]));
    const after = new Map(later.distress.map((record) => [keyOf(record), record]));
    assert.ok([...after.keys()].some((key) => !before.has(key)) && [...before.keys()].some((key) => !after.has(key)));
    const closed = [...before].filter(([key, { isOpen }]) => isOpen && after.get(key)?.isOpen === false);
    assert.ok(closed.length > 5, `${closed.length} closed`);
    for (const [key, record] of after) {
      const { filedOn, propertyId } = before.get(key) ?? record;
      assert.deepEqual([record.filedOn, record.propertyId], [filedOn, propertyId]);
      assert.ok(record.filedOn <= record.lastActivityOn && record.lastActivityOn <= LATER, key);
    }
  });

  test('a fine shrinks with its payments, and nothing is owed of a closed one', () => {
    const fines = later.distress.filter(({ kind }) => kind === 'blight_judgment');
    assert.ok(fines.some(({ isOpen }) => !isOpen));
    assert.ok(fines.every(({ isOpen, amount }) => isOpen === Number(amount) > 0));
  });
});

describe('debts outside Ohio', () => {
  const debts = day.delinquent.filter(({ countyFips }) => !countyFips.startsWith('39'));

  test('are the sum of unpaid years', () => {
    assert.deepEqual([...new Set(debts.map(({ countyFips }) => countyFips))].sort(), ['29510', '42003', '55079']);
    for (const { levies, amount, parcel } of debts) {
      const cents = levies.reduce((sum, levy) => sum + Math.round(Number(levy.amount) * 100), 0);
      assert.equal(Math.round(Number(amount) * 100), cents, parcel);
    }
    assert.ok(debts.some(({ levies }) => levies.length > 3));
  });
});

describe('sales outside Ohio', () => {
  test('each site has items of the kind, on its days of sale', () => {
    for (const { fips, type, isSaleDay } of saleSites) {
      const items = elsewhere.filter((item) => item.countyFips === fips && item.auctionType === type);
      assert.ok(items.length > 10, `${fips} ${type}`);
      for (const { saleDate } of items) assert.ok(isSaleDay(Date.parse(`${saleDate}T00:00:00Z`) / DAY_MS));
    }
  });

  test('far from the sale most items name no parcel; all others name the true one', () => {
    const tampa = elsewhere.filter(({ countyFips }) => countyFips.startsWith('12'));
    const far = tampa.filter(({ saleDate }) => saleDate > '2026-12-26');
    const near = tampa.filter(({ saleDate }) => saleDate >= DEFAULT && saleDate <= '2026-12-10');
    assert.ok(shareOf(far, ({ showsParcel }) => !showsParcel) > 0.55);
    assert.ok(shareOf(near, ({ showsParcel }) => !showsParcel) < 0.25);
    for (const { parcel, showsParcel, assessed } of tampa) {
      assert.equal(['Property Appraiser', 'MULTIPLE PARCEL'].includes(parcel), !showsParcel);
      if (!showsParcel) assert.equal(assessed, null);
    }
    // Pinellas prints the range before the section on its foreclosure site, and the section first elsewhere.
    const item = tampa.find((one) => one.countyFips === '12103' && one.maxBid !== null && one.showsParcel);
    const [section, township, range, ...rest] = (day.property(item?.propertyId ?? '').parcel ?? '').split('-');
    assert.equal(item?.parcel, [range, township, section, ...rest].join(''));
  });

  test('an opening bid is of a tax deed or tax sale, never of a foreclosure', () => {
    assert.ok(elsewhere.every((item) => item.openingBid === null || item.auctionType !== 'foreclosure_sale'));
    const deeds = elsewhere.filter(({ auctionType }) => auctionType === 'tax_deed_sale');
    assert.ok(deeds.every(({ openingBid, certificate }) => openingBid !== null && certificate !== null));
    assert.ok(elsewhere.some(({ judgment, maxBid }) => judgment !== null && maxBid === null));
  });

  test('a postponed item has a later sale of the same case', () => {
    const postponed = later.auctions.filter(
      ({ countyFips, status }) => !countyFips.startsWith('39') && status === 'postponed',
    );
    assert.ok(postponed.length > 0);
    for (const { countyFips, caseNumber, saleDate } of postponed)
      assert.ok(
        later.auctions.some(
          (one) => one.countyFips === countyFips && one.caseNumber === caseNumber && one.saleDate > saleDate,
        ),
      );
  });
});

test('a roll has every parcel of its place, the same every day, and no price of a transfer without a sale', () => {
  for (const fips of ['55079', '29510', '26163', '39035', '39061', '42003', '17031']) {
    const roll = day.roll(fips);
    assert.ok(roll.length > 0 && new Set(roll.map(({ parcel }) => parcel)).size === roll.length, fips);
    assert.deepEqual(later.roll(fips), roll);
    assert.ok(roll.every((entry) => (entry.lastSalePrice !== null) === entry.isMarketSale));
    assert.ok(roll.every((entry) => entry.lastSaleDate !== null || !entry.isMarketSale));
  }
  assert.deepEqual(day.roll('37119'), []);
});
