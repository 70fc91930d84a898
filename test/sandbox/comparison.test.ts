/** The comparison of `make reconcile` by itself: what counts as a difference, and what its report says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentAssumptions } from '../../models/assumptions.ts';
import { anyOf, compare, isEqual, type Row, type TrueRow } from '../../sandbox/comparison/compare.ts';
import { compareLeads } from '../../sandbox/comparison/leads.ts';
import { siteHistories } from '../../sandbox/comparison/truth/listing_versions.ts';
import { parcelKey } from '../../sandbox/comparison/truth/parcels.ts';
import { formatComparisons, verdict } from '../../sandbox/comparison/report.ts';
import { behind, type SourceReads, type Truth } from '../../sandbox/comparison/truth/truth.ts';
import type { AuctionOnDay, ListingOnDay } from '../../sandbox/world/types.ts';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';

const PAGE = 'ab'.repeat(32);
const row = (key: string, owner: string | null, city: string | null = 'AKRON'): Row => ({
  key,
  owner,
  city,
  page_sha256: PAGE,
  page_row: 3,
});
const truth = (key: string, owner: string | null, more: Partial<TrueRow> = {}): TrueRow => ({
  key,
  fields: { owner: { owner }, city: { city: anyOf(null, 'AKRON') } },
  ...more,
});
const compared = (published: readonly Row[], rows: readonly TrueRow[]): Record<string, readonly number[]> =>
  Object.fromEntries(
    compare({ what: 'signals', published, keyOf: (r) => String(r['key']), truth: rows }).map((c) => [
      c.group,
      [c.compared, c.differing.length, c.missing.length, c.extra.length],
    ]),
  );

describe('a comparison', () => {
  it('finds equal rows equal, for each of the possible values', () => {
    const published = [row('1', 'ANN'), row('2', null, null)];
    assert.deepEqual(compared(published, [truth('1', 'ANN'), truth('2', null)]), {
      rows: [2, 0, 0, 0],
      owner: [2, 0, 0, 0],
      city: [2, 0, 0, 0],
    });
  });

  it('counts rows and values that differ, are missing or extra', () => {
    const published = [row('1', 'BEN', 'KENT'), row('2', null), row('3', 'CY'), row('9', 'EVE')];
    const rows = [truth('1', 'ANN'), truth('2', 'ANN'), truth('3', null), truth('4', 'DEE')];
    assert.deepEqual(compared(published, rows), { rows: [4, 0, 1, 1], owner: [3, 1, 1, 1], city: [3, 1, 0, 0] });
  });

  it('never collapses a repeated key, on either side', () => {
    const twice = [row('1', 'ANN'), row('1', 'ANN')];
    assert.deepEqual(compared(twice, [truth('1', 'ANN')])['rows'], [1, 1, 0, 0]);
    assert.deepEqual(compared(twice.slice(1), [truth('1', 'ANN'), truth('1', 'ANN')])['rows'], [2, 1, 0, 0]);
    assert.deepEqual(compared(twice, [truth('1', 'ANN'), truth('1', 'ANN')])['rows'], [2, 0, 0, 0]);
  });

  it('allows a row to be absent only if the rule says so', () => {
    assert.deepEqual(compared([], [truth('1', 'ANN', { isOptional: true })])['rows'], [0, 0, 0, 0]);
    assert.deepEqual(compared([], [truth('1', 'ANN')])['rows'], [1, 0, 1, 0]);
  });
});

it('a report names key, column, both values and the archived page, and ends with a verdict', () => {
  const sides = { what: 'signals', keyOf: (r: Row) => String(r['key']), truth: [truth('1', 'ANN')] };
  const equal = compare({ ...sides, published: [row('1', 'ANN')] });
  assert.ok(equal.every(isEqual));
  assert.equal(verdict(equal), 'Equal: 1 true rows are published as they are, and no others.');
  const different = compare({ ...sides, published: [row('1', 'BEN')] });
  const lines = formatComparisons(different);
  assert.match(lines[0] ?? '', /^ {2}table: fields +compared +differing +missing +extra$/u);
  assert.match(lines[2] ?? '', /^ {2}signals: owner +1 +1 +0 +0$/u);
  assert.equal(lines[3], `      differing 1  owner: expected "ANN", found "BEN"  (archive/objects/ab/${PAGE} row 3)`);
  assert.match(verdict(different), /^Different in 1 of 3 lines: signals: owner\./u);
});

/** The truth of a site that shows these listings on these days. */
function truthOfSite(shown: Readonly<Record<string, readonly ListingOnDay[]>>, last: string): Truth {
  const world = makeWorld({ seed: 1, listings: 0, parcels: 0, auctions: 0, filings: 0 });
  const days = Object.keys(shown);
  const reads: SourceReads = {
    source: 'heartland_multifamily',
    family: 'listings',
    countyFips: null,
    kinds: [],
    everyDays: 1,
    status: 'quarantined',
    days,
    lastGood: days.at(-1) ?? last,
  };
  return {
    world,
    asOf: last,
    on: (day) => ({ ...worldOn(world, day), listings: shown[day] ?? [] }),
    unread: ['oh_new_tax (quarantined)'],
    sources: new Map([[reads.source, reads]]),
    isComplete: true,
    soldLeads: 0,
  };
}

const listing = (listingId: string, price: string): ListingOnDay => ({
  site: 'heartland_multifamily',
  listingId,
  propertyId: 'L1',
  path: `/${listingId}`,
  street: '1 Main St',
  city: 'Akron',
  state: 'OH',
  zip: '44301',
  price,
  units: 4,
  capRate: null,
  noi: null,
  unitMix: null,
  annualTaxes: null,
  yearBuilt: 1950,
  postedOn: '2026-11-01',
  availability: 'for_sale',
  claim: 'none',
  priceKind: 'plain',
});

it('the history of a site has its cuts, ends and relistings as seen on the days of its reads', () => {
  const site = truthOfSite(
    {
      '2026-11-01': [listing('A', '200000.00')],
      '2026-11-05': [listing('A', '190000.00')],
      '2026-11-08': [listing('A', '170000.00')],
      '2026-11-10': [],
      '2026-11-15': [listing('B', '160000.00')],
    },
    '2026-11-16',
  );
  const versions = [...(siteHistories(site, 30).get('heartland_multifamily')?.values() ?? [])].flat();
  assert.deepEqual(
    versions.map((v) => [v.listing.listingId, v.change, v.firstPrice, v.firstSeen, v.listingFirstSeen, v.goneOn]),
    [
      ['A', 'added', '200000.00', '2026-11-01', '2026-11-01', null],
      ['A', 'price_cut', '200000.00', '2026-11-05', '2026-11-01', null],
      ['A', 'price_cut', '200000.00', '2026-11-08', '2026-11-01', '2026-11-10'],
      ['B', 'relisted', '200000.00', '2026-11-15', '2026-11-01', null],
    ],
  );
  const [, afterLong] = [...(siteHistories(site, 3).get('heartland_multifamily')?.values() ?? [])];
  assert.deepEqual([afterLong?.[0]?.change, afterLong?.[0]?.firstPrice], ['added', '160000.00']);
  assert.deepEqual(behind(site), [
    'heartland_multifamily: compared with 2026-11-15, its last good read ' +
      '(read every day; the latest read is quarantined)',
    'not compared, because no read was good: oh_new_tax (quarantined)',
  ]);
});

describe('the lead of a second offer far below the appraisal', () => {
  const world = makeWorld({ seed: 7, listings: 0, parcels: 50, auctions: 20, filings: 0 });
  const asOf = '2026-11-21';
  const sheriff: SourceReads = {
    source: 'oh_cuyahoga_sheriff',
    family: 'sheriff',
    countyFips: '39035',
    kinds: [],
    everyDays: 1,
    status: 'good',
    days: [asOf],
    lastGood: asOf,
  };
  const [property] = [...world.properties.values()].filter(({ countyFips }) => countyFips === '39035');
  const [drawn] = worldOn(world, asOf).auctions;
  assert.ok(property?.parcel && drawn);
  const offer: AuctionOnDay = {
    ...drawn,
    countyFips: '39035',
    propertyId: property.id,
    parcel: property.parcel,
    saleDate: '2026-12-09',
    round: 2,
    status: 'scheduled',
    appraised: '50000.00',
    openingBid: '2000.00',
  };

  const values = new Map(currentAssumptions().rows.map(({ key, value }) => [key, value]));
  const assumptions = (key: string): string => values.get(key) ?? '';

  /** Fields of the score that differ if the lead is published with these points for the gap. */
  async function different(kind: AuctionOnDay['kind'], gap: number): Promise<(string | null)[]> {
    const read: Truth = {
      ...truthOfSite({}, asOf),
      world,
      on: (day) => ({ ...worldOn(world, day), auctions: [{ ...offer, kind }] }),
      sources: new Map([[sheriff.source, sheriff]]),
    };
    const others = { base: 15, urgency: 25, corroboration: 0, absentee: 0, freshness: 5, property_kind: 2 };
    const lead: Row = {
      lead_type: 'sheriff_sale_auction',
      auction_type: 'sheriff_sale',
      sale_kind: kind,
      state: 'OH',
      county_fips: '39035',
      parcel_key: parcelKey('39035', offer.parcel),
      corroboration: '[]',
      score_parts: JSON.stringify({ ...others, equity_gap: gap, stacked_distress: 0 }),
      lead_score: 47 + gap,
      signals_count: 1,
      appraisal_discount_pct: '96.00',
      freshness: 'within_1_day',
      verified_age_days: 0,
    };
    const comparisons = await compareLeads(async () => [lead], { truth: read, assumptions, counties: [] }, new Map());
    const score = comparisons.find((c) => c.what === 'leads of sheriff sales' && c.group === 'score');
    assert.equal(score?.compared, 1);
    return score.differing.map(({ field }) => field);
  }

  it('has the points of a second sale if it is a mortgage sale, whose page says so', async () => {
    assert.deepEqual(await different('mortgage_foreclosure', 20), []);
    assert.deepEqual(await different('mortgage_foreclosure', 30), ['score_parts', 'lead_score']);
  });

  it('has all points of its gap if it is a tax sale, whose page never says which offer it is', async () => {
    assert.deepEqual(await different('tax_foreclosure', 30), []);
    assert.deepEqual(await different('tax_foreclosure', 20), ['score_parts', 'lead_score']);
  });
});
