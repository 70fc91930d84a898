/** The comparison of `make reconcile` by itself: what counts as a difference, and what its report says. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { currentAssumptions } from '../../models/assumptions.ts';
import {
  anyOf,
  compare,
  formatComparisons,
  isEqual,
  verdict,
  type Row,
  type TrueRow,
} from '../../sandbox/comparison/compare.ts';
import { compareRecords } from '../../sandbox/comparison/reconcile.ts';
import { siteHistories } from '../../sandbox/comparison/truth/listing_versions.ts';
import { trueSignals } from '../../sandbox/comparison/truth/records.ts';
import { behind, type SourceReads, type Truth } from '../../sandbox/comparison/truth/truth.ts';
import type { ListingOnDay } from '../../sandbox/world/types.ts';
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
  columns: { owner, city: anyOf(null, 'AKRON') },
  ...more,
});
const signals = (published: readonly Row[], rows: readonly TrueRow[]): ReturnType<typeof compare> =>
  compare({ record: 'signals', published, keyOf: (r) => String(r['key']), truth: rows });
/** Number of compared rows, and each difference in short. */
const compared = (published: readonly Row[], rows: readonly TrueRow[]): unknown[] => {
  const { compared: count, differences } = signals(published, rows);
  return [count, ...differences.map(({ kind, key, column }) => `${kind} ${key} ${column ?? 'row'}`)];
};

describe('a comparison', () => {
  it('finds equal rows equal, for each of the possible values', () => {
    assert.deepEqual(compared([row('1', 'ANN'), row('2', null, null)], [truth('1', 'ANN'), truth('2', null)]), [2]);
  });

  it('finds rows and values that differ, are missing or extra', () => {
    const published = [row('1', 'BEN', 'KENT'), row('2', null), row('3', 'CY'), row('9', 'EVE')];
    const rows = [truth('1', 'ANN'), truth('2', 'ANN'), truth('3', null), truth('4', 'DEE')];
    assert.deepEqual(compared(published, rows), [
      4,
      'differing 1 owner',
      'differing 1 city',
      'differing 2 owner',
      'differing 3 owner',
      'missing 4 row',
      'extra 9 row',
    ]);
  });

  it('never collapses a repeated key, on either side', () => {
    const twice = [row('1', 'ANN'), row('1', 'ANN')];
    assert.deepEqual(compared(twice, [truth('1', 'ANN')]), [1, 'repeated 1 row']);
    assert.deepEqual(compared(twice.slice(1), [truth('1', 'ANN'), truth('1', 'ANN')]), [2, 'repeated 1 row']);
    assert.deepEqual(compared(twice, [truth('1', 'ANN'), truth('1', 'ANN')]), [2]);
  });

  it('allows a row to be absent only if the rule says so', () => {
    assert.deepEqual(compared([], [truth('1', 'ANN', { isOptional: true })]), [0]);
    assert.deepEqual(compared([], [truth('1', 'ANN')]), [1, 'missing 1 row']);
  });
});

it('a report names column, key, both values and the archived page, and ends with a verdict', () => {
  const equal = [signals([row('1', 'ANN')], [truth('1', 'ANN')])];
  assert.ok(equal.every(isEqual));
  assert.equal(verdict(equal), 'Equal: all 1 true rows are published, and no others.');
  const different = [signals([row('1', 'BEN')], [truth('1', 'ANN')])];
  assert.deepEqual(
    formatComparisons(different).map((line) => line.replaceAll(/ +/gu, ' ')),
    [
      ' record compared missing extra repeated differing',
      ' signals 1 0 0 0 1',
      ' signals: owner: 1',
      ` 1 expected "ANN", found "BEN" (archive/objects/ab/${PAGE} row 3)`,
    ],
  );
  assert.match(verdict(different), /^Different: signals: owner\./u);
});

const SITE = {
  source: 'heartland_multifamily',
  family: 'listings',
  countyFips: null,
  kinds: [],
  everyDays: 1,
  status: 'quarantined',
} as const;

/** The truth of a site that shows these listings on these days. */
function truthOfSite(shown: Readonly<Record<string, readonly ListingOnDay[]>>, last: string): Truth {
  const world = makeWorld({ seed: 1, listings: 0, parcels: 0, auctions: 0, filings: 0 });
  const days = Object.keys(shown);
  const reads: SourceReads = { ...SITE, days, lastGood: days.at(-1) ?? last };
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

/** Reads these rows as the published ones, whatever the condition. */
const reading =
  (tables: Readonly<Record<string, readonly Row[]>>) =>
  (table: string): Promise<Row[]> =>
    Promise.resolve([...(tables[table] ?? [])]);

test('the lead of a debt is expected for a week after its list was read', async () => {
  const expectedOn = async (asOf: string): Promise<number | undefined> => {
    const debt = { id: 'S', last_seen: '2026-11-21', amount: '1.00' };
    const assumptions = currentAssumptions().rows.map(({ key, value }) => ({ key, value }));
    const read = reading({ signals: [debt], assumptions, leads: [{ signal_id: 'S' }] });
    const [leads] = await compareRecords(read, truthOfSite({}, asOf), ({ record }) => record === 'leads');
    return leads?.compared;
  };
  assert.deepEqual([await expectedOn('2026-11-28'), await expectedOn('2026-11-29')], [1, 0]);
});

test('a debt that was paid after the read of its list is known as the list had it', () => {
  const readOn = '2026-11-21';
  const world = makeWorld({ seed: 7, listings: 0, parcels: 50, auctions: 0, filings: 0 });
  const [debt] = worldOn(world, readOn).delinquent.filter(({ countyFips }) => countyFips === '55079');
  assert.ok(debt);
  const reads: SourceReads = { ...SITE, family: 'tax', countyFips: '55079', days: [readOn], lastGood: readOn };
  const paid: Truth = {
    ...truthOfSite({}, '2026-11-24'),
    world,
    on: (day) => ({ ...worldOn(world, day), delinquent: day === readOn ? [debt] : [] }),
    sources: new Map([[reads.source, reads]]),
  };
  const signal: Row = { id: 'S', signal_type: 'tax_delinquent', county_fips: '55079', parcel_id: debt.parcel };
  assert.equal(trueSignals([signal], paid, []).get('S')?.propertyId, debt.propertyId);
});
