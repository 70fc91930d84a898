/**
 * First prices and first sightings of a made-up world's deals, read on six days, against what its sites showed on
 * each: prices that are cut twice, and properties that one site shows before another.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { dayNumber, dayText } from '../../../sandbox/world/days.ts';
import type { ListingOnDay } from '../../../sandbox/world/types.ts';
import { makeWorld, worldOn } from '../../../sandbox/world/world.ts';
import { build, type InputRow } from '../build_models.ts';

const LAST = '2026-11-20';
/** Six reads, a week apart. */
const DAYS = Array.from({ length: 6 }, (_, at) => dayText(dayNumber(LAST) - 7 * (5 - at)));
const HISTORY = ['stg_listing_addresses', 'stg_listings', 'listing_history'];
/** Models of the last day, whose properties the tests read. */
const LAST_MODELS = [...HISTORY, 'int_properties'];

const world = makeWorld({ seed: 8, listings: 400, parcels: 0, auctions: 0, filings: 0 });
const keyOf = (source: unknown, id: unknown): string => `${String(source)} ${String(id)}`;
const shown = new Map(
  DAYS.map((day) => [day, new Map(worldOn(world, day).listings.map((l) => [keyOf(l.site, l.listingId), l]))]),
);

const stagedRow = (l: ListingOnDay, observed_at: string): InputRow => ({
  source: l.site,
  listing_id: l.listingId,
  source_url: 'https://site.example/',
  listing_url: 'https://site.example/',
  street: l.street,
  city: l.city,
  state: l.state,
  zip: l.zip,
  list_price: l.price,
  units: l.units,
  cap_rate: l.capRate,
  noi: l.noi,
  annual_taxes: l.annualTaxes,
  year_built: l.yearBuilt,
  listed_on: l.postedOn,
  availability: l.availability,
  page_sha256: 'a'.repeat(64),
  observed_at,
});

/** Build the days in order, each on the history of the day before. @returns the properties of the last day */
async function propertiesOfLastDay(): Promise<Record<string, unknown>[]> {
  let history: InputRow[] = [];
  let properties: Record<string, unknown>[] = [];
  for (const day of DAYS) {
    const observed = `${day}T12:00:00Z`;
    const listings = [...(shown.get(day) ?? new Map<string, ListingOnDay>()).values()];
    const built = await build(
      {
        run: [{ as_of: day, observed_at: observed, assumption_set_id: 'uw-2026.2' }],
        source_reads: [...new Set(listings.map((l) => l.site))].map((source) => ({
          source,
          every_days: 1,
          status: 'good',
          last_good_at: observed,
          age_days: 0,
        })),
        staged_listing: listings.map((l) => stagedRow(l, observed)),
        previous_listing_history: history,
      },
      ({ name }) => (day === LAST ? LAST_MODELS : HISTORY).includes(name),
    );
    try {
      assert.deepEqual(built.failed, [], `audits of ${day}`);
      history = await built.rows('listing_history');
      if (day === LAST) properties = await built.rows('int_properties');
    } finally {
      built.close();
    }
  }
  return properties;
}

/** A listing's days and prices in the order of the reads. */
const readsOf = (key: string): { day: string; price: string | null }[] =>
  DAYS.flatMap((day) => {
    const listing = shown.get(day)?.get(key);
    return listing ? [{ day, price: listing.price }] : [];
  });

/** The listings of each property, by property. Only properties no listing of which disappeared or came back. */
function steadyListings(): Map<string, string[]> {
  const all = new Map([...shown.values()].flatMap((listings) => [...listings]));
  const byProperty = Map.groupBy(all.keys(), (key) => all.get(key)?.propertyId ?? '');
  return new Map(
    [...byProperty].filter(([, keys]) =>
      keys.every((key) => {
        const reads = readsOf(key);
        return DAYS.at(-reads.length) === reads[0]?.day;
      }),
    ),
  );
}

describe('a world on six days', () => {
  const steady = steadyListings();
  let properties: Record<string, unknown>[] = [];
  before(async () => {
    properties = await propertiesOfLastDay();
  });

  const checked = () =>
    properties.flatMap((deal) => {
      const main = keyOf(deal['source'], deal['listing_id']);
      const keys = steady.get(shown.get(LAST)?.get(main)?.propertyId ?? '');
      return keys ? [{ deal, main, keys }] : [];
    });

  it('has the first price of each main listing, though some were cut twice', () => {
    let cutTwice = 0;
    for (const { deal, main } of checked()) {
      const prices = readsOf(main).map(({ price }) => price);
      assert.equal(deal['first_price'], prices[0], main);
      assert.equal(deal['list_price'], prices.at(-1), main);
      const cuts = prices.filter((price, i) => i > 0 && Number(price) < Number(prices[i - 1]));
      if (cuts.length > 1) cutTwice += 1;
    }
    assert.ok(cutTwice >= 3, `${cutTwice} were cut twice`);
  });

  it('has the day on which the first site showed each property, though another site shows the main listing', () => {
    let earlierElsewhere = 0;
    for (const { deal, main, keys } of checked()) {
      const firsts = keys.map((key) => readsOf(key)[0]?.day ?? LAST).sort();
      assert.equal(String(deal['first_seen']).slice(0, 10), firsts[0], main);
      assert.equal(deal['days_on_feed'], dayNumber(LAST) - dayNumber(firsts[0] ?? LAST), main);
      if (firsts[0] !== readsOf(main)[0]?.day) earlierElsewhere += 1;
    }
    assert.ok(earlierElsewhere >= 3, `${earlierElsewhere} were on another site before`);
  });
});
