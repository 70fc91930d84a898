/** History of listings, delinquencies, sheriff sales and filings over several days, each built on the day before. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { buildTables, type InputRow } from '../build_models.ts';
import { DAYS, DELISTED_BEFORE, inputsOn, type Day } from './inputs.ts';

type Row = Record<string, unknown>;
type Tables = Readonly<Record<string, Row[]>>;

const TODAY = '2026-11-21';
/** Tables that the next day continues. */
const HISTORY = ['listing_history', 'signals', 'auctions', 'filings', 'registers'];
/** Tables that some tests read on the last three days. */
const CURRENT = ['deals', 'leads'];
const published = new Map<Day, Tables>();

async function buildDay(day: Day, marts: readonly string[], previous: Tables): Promise<Tables> {
  const history = Object.fromEntries(Object.entries(previous).map(([name, rows]) => [`previous_${name}`, rows]));
  using built = await buildTables({ ...inputsOn(day), ...history }, marts);
  assert.deepEqual(built.failed, [], `audits of ${day}`);
  return Object.fromEntries(await Promise.all(marts.map(async (name) => [name, await built.rows(name)] as const)));
}

before(async () => {
  let previous: Tables = { listing_history: [DELISTED_BEFORE] };
  for (const [i, day] of DAYS.entries()) {
    previous = await buildDay(day, i < DAYS.length - 3 ? HISTORY : [...HISTORY, ...CURRENT], previous);
    published.set(day, previous);
  }
});

const rowsOf = (table: string, where: InputRow, day: Day = TODAY): Row[] =>
  (published.get(day)?.[table] ?? []).filter((row) => Object.entries(where).every(([k, v]) => row[k] === v));

const count = (table: string, where: InputRow, day: Day = TODAY): number => rowsOf(table, where, day).length;

/** Columns of the only row that meets a condition. */
function one(table: string, where: InputRow, columns: readonly string[], day: Day = TODAY): unknown[] {
  const rows = rowsOf(table, where, day);
  assert.equal(rows.length, 1, `rows of ${table} with ${JSON.stringify(where)} on ${day}`);
  return columns.map((c) => rows[0]?.[c]);
}

const listing = (listing_id: string, columns: readonly string[], day: Day = TODAY): unknown[] =>
  one('deals', { listing_id }, columns, day);

const versionsOf = (listing_id: string): unknown[][] =>
  rowsOf('listing_history', { listing_id }).map((v) => [
    v['version'],
    v['change'],
    v['list_price'],
    v['is_latest'],
    String(v['version_last_seen']).slice(5, 10),
    v['gone_on'],
  ]);

describe('a listing', () => {
  it('measures a price cut from the first price, and counts its days', () => {
    const columns = [
      'list_price',
      'first_price',
      'price_reduction_pct',
      'days_on_feed',
      'motivation_price_cut',
      'listing_status',
    ];
    const unchanged = ['200000.00', '200000.00', '0.00', 0, 0, 'active'];
    assert.deepEqual(listing('cut', columns, '2026-11-18'), unchanged);
    assert.deepEqual(listing('cut', columns), ['190000.00', '200000.00', '5.00', 3, 30, 'active']);
    assert.deepEqual(versionsOf('cut'), [
      [1, 'added', '200000.00', false, '11-19', null],
      [2, 'price_cut', '190000.00', true, '11-21', null],
    ]);
  });

  it('measures a second price cut from the first price', () => {
    const columns = ['list_price', 'first_price', 'price_reduction_pct', 'motivation_price_cut'];
    assert.deepEqual(listing('cut-twice', columns, '2026-11-19'), ['190000.00', '200000.00', '5.00', 30]);
    assert.deepEqual(listing('cut-twice', columns), ['170000.00', '200000.00', '15.00', 60]);
    assert.deepEqual(
      versionsOf('cut-twice').map(([, change, price]) => [change, price]),
      [
        ['added', '200000.00'],
        ['price_cut', '190000.00'],
        ['price_cut', '170000.00'],
      ],
    );
  });

  it('that begins to state its unit mix and taxes has a new version, and the deal states both', () => {
    assert.deepEqual(
      versionsOf('mix').map(([version, change, , isLatest]) => [version, change, isLatest]),
      [
        [1, 'added', false],
        [2, 'details', true],
      ],
    );
    const columns = ['unit_mix_stated', 'annual_taxes'];
    assert.deepEqual(listing('mix', columns, '2026-11-18'), [null, null]);
    const [mix, taxes] = listing('mix', columns);
    assert.deepEqual(
      [JSON.parse(String(mix)), taxes],
      [{ '0br': 0, '1br': 2, '2br': 2, '3br': 0, '4br': 0 }, '4100.00'],
    );
  });

  it('whose address is corrected or revealed moves to another deal with all its versions', () => {
    for (const [listing_id, street, firstPrice] of [
      ['corrected', '141 Main St', '200000.00'],
      ['revealed', '142 Main St', '200000.00'],
    ] as const) {
      const versions = rowsOf('listing_history', { listing_id });
      const [idBefore] = listing(listing_id, ['id'], '2026-11-18');
      const [id, address, first_price] = listing(listing_id, ['id', 'address', 'first_price']);
      assert.deepEqual([address, first_price], [street, firstPrice]);
      assert.notEqual(id, idBefore);
      assert.deepEqual(
        versions.map(({ version, deal_id }) => [version, deal_id]),
        [
          [1, id],
          [2, id],
        ],
      );
      assert.equal(count('deals', { id: idBefore }), 0);
    }
  });

  it('stays active, with its age, while its site is unavailable', () => {
    const columns = ['listing_status', 'last_verified', 'days_on_feed'];
    assert.deepEqual(listing('stale', columns), ['active', '2026-11-18 12:00:00', 3]);
  });

  it('stays active when its site is removed from the sources', () => {
    const columns = ['listing_status', 'last_verified'];
    assert.deepEqual(listing('removed', columns), ['active', '2026-11-18 12:00:00']);
  });

  it('that is relisted continues its days and its first price', () => {
    const columns = ['listing_status', 'relisted', 'days_on_feed', 'price_reduction_pct', 'delisted_on'];
    assert.deepEqual(listing('back', columns), ['active', true, 11, '10.00', null]);
    assert.deepEqual(versionsOf('back'), [
      [1, 'added', '200000.00', false, '11-10', '2026-11-12'],
      [2, 'relisted', '180000.00', true, '11-21', null],
    ]);
  });

  it('of the same property with a new number is a relisting', () => {
    const columns = ['listing_id', 'relisted', 'days_on_feed', 'price_reduction_pct'];
    const deal = one('deals', { address_key: '5 MAIN ST' }, columns);
    assert.deepEqual(deal, ['new-number', true, 11, '5.00']);
  });

  it('that returns after more than the declared days is new', () => {
    const columns = ['relisted', 'days_on_feed', 'price_reduction_pct'];
    assert.deepEqual(listing('long-ago', columns), [false, 0, '0.00']);
  });

  it('on two sites has the earlier first-seen time, even if the other site has the main listing', () => {
    const columns = ['listing_id', 'first_seen', 'days_on_feed'];
    assert.deepEqual(one('deals', { address_key: '11 MAIN ST' }, columns), ['later-site', '2026-11-12 12:00:00', 9]);
  });

  it('ignores the first-seen time of a site that has since delisted it', () => {
    const columns = ['listing_id', 'first_seen', 'days_on_feed'];
    assert.deepEqual(one('deals', { address_key: '12 MAIN ST' }, columns), ['only-site', '2026-11-18 12:00:00', 3]);
  });

  it('with the same street in another ZIP, or with a unit, is another property', () => {
    assert.equal(count('deals', { house_low: 8 }), 3);
  });
});

describe('a delinquency', () => {
  const STATE = ['signal_state', 'state_reason', 'state_since', 'last_seen'];
  const NOV_12 = '2026-11-12 12:00:00';

  it('is removed when it leaves its list, and listed again when it returns', () => {
    const parcel = { parcel_key: '00101001' };
    const removed = ['removed', 'not_on_latest_list', '2026-11-18', NOV_12];
    assert.deepEqual(one('signals', parcel, STATE, '2026-11-18'), removed);
    assert.equal(count('leads', parcel, '2026-11-18'), 0);
    const listed = ['listed', 'on_the_list', '2026-11-19', '2026-11-21 12:00:00', '2026-11-10 12:00:00'];
    assert.deepEqual(one('signals', parcel, [...STATE, 'first_seen']), listed);
    assert.equal(count('leads', parcel), 1);
  });

  it('stays listed while its list is unavailable, and is no lead after seven days', () => {
    const parcel = { parcel_key: '002' };
    assert.deepEqual(one('signals', parcel, STATE), ['listed', 'on_the_list', '2026-11-12', NOV_12]);
    assert.deepEqual([count('leads', parcel, '2026-11-19'), count('leads', parcel)], [1, 0]);
  });

  it('of a county that is removed from the sources has an unknown state, and is no lead', () => {
    const county = { county_fips: '39153' };
    const unknown = ['unknown', 'source_not_read', '2026-11-19', '2026-11-18 12:00:00'];
    assert.deepEqual(one('signals', county, STATE), unknown);
    assert.equal(count('leads', county, '2026-11-19'), 0);
  });

  it('without a street gets that of a sheriff sale of its parcel, or waits for a lookup', () => {
    const address = ['address', 'address_basis', 'address_status', 'has_address'];
    const ofSale = ['24 MAIN ST', 'sheriff_sale', 'available', true];
    assert.deepEqual(one('signals', { parcel_key: '00101004' }, address), ofSale);
    const pending = [null, null, 'pending_parcel_lookup', false];
    assert.deepEqual(one('signals', { parcel_key: '00101005' }, address), pending);
  });
});

describe('a sheriff sale', () => {
  it('of the same case on a later day is another sale and the same lead', () => {
    const sale = { case_number: 'CV34' };
    assert.equal(count('auctions', sale), 2);
    const [id] = one('leads', sale, ['id'], '2026-11-19');
    const columns = ['id', 'opening_bid_basis', 'sale_date'];
    assert.deepEqual(one('leads', sale, columns), [id, 'no_minimum_second_sale', '2026-12-04']);
  });
});

describe('a filing', () => {
  it('stays listed, is dated when it changes, and is late if its day was already read', () => {
    const columns = ['business_name', 'change_kind', 'first_seen', 'last_updated'];
    const of = (document_number: string): unknown[] => one('filings', { document_number }, columns);
    const [first, second] = ['2026-11-18 12:00:00', '2026-11-19 12:00:00'];
    assert.deepEqual(of('1'), ['Oak Street LLC', 'changed', first, second]);
    assert.deepEqual(of('2'), ['Oak Street LLC', 'added', first, first]);
    assert.deepEqual(of('3'), ['Oak Street LLC', 'added', second, second]);
    assert.deepEqual(of('4'), ['Oak Street LLC', 'late', second, second]);
  });
});
