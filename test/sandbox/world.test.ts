/** What the made-up world promises to those who test against it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';
import { dayNumber } from '../../sandbox/world/days.ts';
import { mainSites, type Site, type WorldDay } from '../../sandbox/world/types.ts';

const DEFAULT = '2026-11-20';
const NEXT = '2026-11-21';
const world = makeWorld();
const day = worldOn(world, DEFAULT);

const truth = ({ listings, listingEvents, delinquent, auctions, ohio, colorado }: WorldDay): unknown => [
  listings,
  listingEvents,
  delinquent,
  auctions,
  ohio,
  colorado,
];
const sheriffSales = day.auctions.filter(({ auctionType }) => auctionType === 'sheriff_sale');
const inOhio = ({ countyFips }: { readonly countyFips: string }): boolean => countyFips.startsWith('39');
const shareOf = <T>(list: readonly T[], holds: (one: T) => boolean): number => list.filter(holds).length / list.length;

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
    assert.equal(new Set(day.listings.map(({ propertyId }) => day.property(propertyId).metro)).size, 20);
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

  test('each sheriff item is of a parcel of its county; each tax foreclosure of a parcel that owes', () => {
    const lists = new Set(day.delinquent.map(({ countyFips }) => countyFips));
    const owing = new Set(day.delinquent.map(({ propertyId }) => propertyId));
    for (const item of sheriffSales) {
      const property = day.property(item.propertyId);
      assert.equal(property.countyFips, item.countyFips);
      assert.equal(item.parcel, property.parcel?.replaceAll('-', ''));
      if (item.kind === 'tax_foreclosure' && item.status === 'scheduled' && lists.has(item.countyFips))
        assert.ok(owing.has(property.id), item.caseNumber);
    }
  });

  test("a mortgage's first sale opens at two thirds of the appraisal or without a bid, except a few", () => {
    const first = sheriffSales.filter(({ kind, round }) => kind === 'mortgage_foreclosure' && round === 1);
    const published = first.filter(({ openingBid }) => openingBid !== null);
    assert.ok(published.length < first.length);
    assert.ok(
      shareOf(published, ({ appraised, openingBid }) => Number(openingBid) === Math.ceil((Number(appraised) * 2) / 3)) >
        0.9,
    );
    const tax = sheriffSales.filter(({ kind }) => kind === 'tax_foreclosure');
    assert.ok(tax.some(({ appraised }) => appraised === null) && tax.every(({ openingBid }) => openingBid !== null));
    assert.ok(shareOf(tax, ({ openingBid }) => !openingBid?.endsWith('.00')) > 0.8);
  });

  test('a second sale follows an unsold first by two to five weeks, with the same case', () => {
    const seconds = day.auctions.filter(({ round }) => round === 2);
    assert.ok(seconds.length > 0);
    for (const second of seconds) {
      const first = day.auctions.find(
        (a) => a.caseNumber === second.caseNumber && a.round === 1 && a.status === 'unsold',
      );
      assert.ok(first, second.caseNumber);
      const wait = dayNumber(second.saleDate) - dayNumber(first.saleDate);
      assert.ok(wait >= 14 && wait <= 35, `${wait} days`);
    }
  });

  test('a canceled item says so in the time slot, while the case status mostly stays ACTIVE', () => {
    const off = sheriffSales.filter(
      ({ status }) => status === 'cancelled' || status === 'withdrawn' || status === 'postponed',
    );
    assert.ok(off.length > 10 && off.every(({ slotWords }) => slotWords !== null));
    assert.ok(shareOf(off, ({ caseStatus }) => caseStatus === 'ACTIVE') > 0.7);
  });

  test('some properties are shown by two sites, some by two or three kinds of source', () => {
    const main = (site: Site): boolean => mainSites.some((one) => one === site);
    const sites = Map.groupBy(day.listings, ({ propertyId }) => propertyId);
    const owing = new Set(day.delinquent.map(({ propertyId }) => propertyId));
    const sold = new Set(day.auctions.map(({ propertyId }) => propertyId));
    const twice = [...sites.values()].filter((listings) => listings.filter(({ site }) => main(site)).length === 2);
    assert.ok(
      [...sites.values()].some((all) => all.length > 1 && all.some(({ site }) => !main(site))),
      'a third site repeats some',
    );
    assert.ok(twice.length > 45 && twice.length < 100, `${twice.length} on two sites`);
    const listedAndOwing = owing.intersection(sites);
    assert.ok(listedAndOwing.size > 10 && listedAndOwing.intersection(sold).size > 0);
    assert.ok(owing.intersection(sold).size > 0);
  });

  test('some buildings for sale owe for two parcels, and in some only a condominium owes', () => {
    const forSale = new Set(day.listings.map(({ propertyId }) => propertyId));
    const owing = day.delinquent.map(({ propertyId }) => day.property(propertyId));
    const debts = Map.groupBy(owing, ({ building }) => building);
    assert.ok([...debts].filter(([building, { length }]) => forSale.has(building) && length === 2).length >= 3);
    const condominiums = owing.filter(({ id }) => id.startsWith('C'));
    assert.ok(
      condominiums.length > 0 && condominiums.every(({ id, parcel }) => !forSale.has(id) && parcel?.endsWith('C')),
    );
  });

  test('listings have every case that an underwriter must distinguish', () => {
    for (const kind of ['plain', 'call_for_price', 'above_proxy', 'typo_low', 'below_minimum_loan'] as const) {
      assert.ok(
        day.listings.some(({ priceKind }) => priceKind === kind),
        kind,
      );
    }
    for (const claim of ['fair', 'inflated', 'modest', 'none'] as const)
      assert.ok(
        day.listings.some((listing) => listing.claim === claim),
        claim,
      );
    assert.ok(
      day.listings.some(({ units }) => units === null) && day.listings.some(({ yearBuilt }) => yearBuilt === null),
    );
    assert.ok(day.listings.some(({ noi, capRate }) => noi !== null && capRate === null));
    assert.ok(
      day.listings
        .filter(({ priceKind }) => priceKind === 'below_minimum_loan')
        .every(({ price }) => Number(price) * 0.75 < 50_000),
    );
  });
});

describe('from day to day', () => {
  test('prices fall, listings come and go, and each event equals the difference of the two days', () => {
    const next = worldOn(world, NEXT);
    const count = (kind: string): number => next.listingEvents.filter((event) => event.kind === kind).length;
    assert.ok(count('price_cut') >= 5 && count('price_cut') <= 15, `${count('price_cut')} cuts`);
    assert.ok(count('gone') > 0 && count('appeared') > 0);
    const before = new Map(day.listings.map((listing) => [listing.listingId, listing]));
    const after = new Map(next.listings.map((listing) => [listing.listingId, listing]));
    for (const event of next.listingEvents) {
      assert.equal(before.get(event.listingId)?.price ?? null, event.before);
      assert.equal(after.get(event.listingId)?.price ?? null, event.after);
    }
    const told = new Set(next.listingEvents.map(({ listingId }) => listingId));
    for (const [id, listing] of after) if (!told.has(id)) assert.equal(before.get(id)?.price, listing.price, id);
  });
});
