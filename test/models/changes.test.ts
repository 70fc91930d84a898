/** The change feed: what is new, changed and gone between two snapshots, why, and for how long it is reported. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InputRow } from './build_models.ts';
import { linesBetween, lineOf, snapshotOf } from './changes/snapshots.ts';

const FIRST = '2026-11-20';
const deal = (id: string, row: InputRow = {}): InputRow => ({
  id,
  listing_status: 'active',
  source: 'site',
  listing_id: `L${id}`,
  ...row,
});
const signal = (id: string, row: InputRow = {}): InputRow => ({ id, signal_state: 'listed', ...row });
const sale = (id: string, row: InputRow = {}): InputRow => ({
  id,
  sale_status: 'scheduled',
  sale_date: '2026-12-07',
  last_seen: '2026-11-21T09:00:00Z',
  ...row,
});
const lead = (id: string, row: InputRow = {}): InputRow => ({ id, lead_type: 'tax_delinquent', state: 'OH', ...row });
const filing = (id: string, row: InputRow = {}): InputRow => ({ id, source_state: 'CO', ...row });

describe('the change feed', () => {
  it('begins with the first snapshot that has one, and reports nothing of it', async () => {
    const first = await snapshotOf(FIRST, { deals: [deal('1')] }, null);
    assert.deepEqual(first.changes, []);
    const feed = first.feeds.find((f) => f['list'] === 'deals');
    assert.deepEqual(
      [feed?.['begins'], feed?.['records'], feed?.['complete_since'], feed?.['changes_through']],
      [true, 1, '2026-11-20 12:00:00', '2026-11-20 12:00:00'],
    );
  });

  it('begins anew upon a snapshot of an older version', async () => {
    const first = await snapshotOf(FIRST, { deals: [deal('1')] }, null);
    const older = { ...first, published: { ...first.published, followed_changes: [], followed_change_feeds: [] } };
    const second = await snapshotOf('2026-11-21', { deals: [deal('2')] }, older);
    assert.deepEqual(second.changes, []);
    assert.ok(second.feeds.every((f) => f['begins'] === true && f['complete_since'] === '2026-11-21 12:00:00'));
  });

  it('names the changed fields, and passes over those that move by themselves', async () => {
    const before = {
      deals: [deal('1', { address: '1 Elm St', days_on_feed: 1 }), deal('2', { days_on_feed: 1 })],
      signals: [signal('1', { source_url: 'https://county.example/2025.csv' })],
    };
    const after = {
      deals: [deal('1', { address: '3 Elm St', city: 'Parma', days_on_feed: 2 }), deal('2', { days_on_feed: 2 })],
      signals: [signal('1', { source_url: 'https://county.example/2026.csv' })],
    };
    assert.deepEqual(await linesBetween(before, after), ['deals changed 1 ["address","city"]']);
  });

  it('has new records and records that return', async () => {
    const first = await snapshotOf(FIRST, { signals: [signal('1')] }, null);
    const gone = await snapshotOf('2026-11-21', { signals: [] }, first);
    const back = await snapshotOf('2026-11-22', { signals: [signal('1'), signal('2')] }, gone);
    assert.deepEqual(
      back.changes.filter((c) => c['as_of'] === '2026-11-22').map((c) => lineOf(c)),
      ['signals new 1', 'signals new 2'].sort(),
    );
  });

  it('tells why a deal is gone', async () => {
    const before = { deals: ['1', '2', '3', '4', '5'].map((id) => deal(id)) };
    const after = {
      deals: [
        deal('1', { listing_status: 'sold' }),
        deal('2', { listing_status: 'under_contract' }),
        deal('3', { listing_status: 'delisted' }),
        deal('40', { listing_id: 'L4' }),
      ],
      listing_history: [{ deal_id: '40', source: 'site', listing_id: 'L4', version: 1, is_latest: true }],
    };
    assert.deepEqual(await linesBetween(before, after), [
      'deals gone 1 sold',
      'deals gone 2 under_contract',
      'deals gone 3 withdrawn',
      'deals gone 4 other_id',
      'deals gone 5 left_the_list',
      'deals new 40',
    ]);
  });

  it('tells why a signal is gone: cured for a tax debt alone', async () => {
    const removed = (id: string, signal_type: string, state_reason: string): InputRow =>
      signal(id, { signal_type, signal_state: 'removed', state_reason });
    const after = [
      removed('1', 'tax_delinquent', 'balance_zero'),
      removed('2', 'tax_delinquent', 'not_on_latest_list'),
      removed('3', 'code_violation', 'closed_by_publisher'),
      removed('4', 'code_violation', 'not_on_latest_list'),
    ];
    const before = after.map((row) => ({ ...row, signal_state: 'listed', state_reason: 'on_the_list' }));
    assert.deepEqual(await linesBetween({ signals: before }, { signals: after }), [
      'signals gone 1 cured',
      'signals gone 2 cured',
      'signals gone 3 closed_by_publisher',
      'signals gone 4 left_the_list',
    ]);
  });

  it('tells why a sale is gone: a called-off sale does not vanish', async () => {
    const due = { sale_date: '2026-11-20' };
    const before = [...'1234567'].map((id) => sale(id)).concat(['8', '9'].map((id) => sale(id, due)));
    const after = [
      sale('1', { sale_status: 'cancelled' }),
      sale('2', { sale_status: 'withdrawn' }),
      sale('3', { sale_status: 'postponed' }),
      sale('4', { sale_status: 'postponed', next_sale_date: '2027-01-04' }),
      sale('5', { sale_status: 'removed' }),
      sale('6', { sale_status: 'unknown' }),
      sale('7'),
      sale('8', { ...due, sale_status: 'sold' }),
      sale('9', { ...due, sale_status: 'result_unknown' }),
    ];
    assert.deepEqual(await linesBetween({ auctions: before }, { auctions: after }), [
      'auctions changed 6 ["sale_status"]',
      'auctions gone 1 called_off',
      'auctions gone 2 called_off',
      'auctions gone 3 postponed',
      'auctions gone 4 rescheduled',
      'auctions gone 5 left_the_list',
      'auctions gone 8 sold',
      'auctions gone 9 day_passed',
    ]);
  });

  it('tells why a lead is gone', async () => {
    const debt = (id: string): InputRow => lead(id, { signal_id: `s${id}` });
    const ofSale = (id: string): InputRow => lead(id, { lead_type: 'sheriff_sale_auction', auction_id: `a${id}` });
    const before = { leads: [debt('1'), debt('2'), debt('3'), ofSale('4'), ofSale('5'), ofSale('6'), ofSale('7')] };
    const after = {
      leads: [{ ...ofSale('70'), auction_id: 'a7' }],
      signals: [
        signal('s1', { signal_state: 'removed', state_reason: 'not_on_latest_list' }),
        signal('s2', { last_seen: '2026-11-01T09:00:00Z' }),
        signal('s3', { last_seen: '2026-11-21T09:00:00Z' }),
      ],
      auctions: [
        sale('a4', { sale_status: 'cancelled' }),
        sale('a5', { sale_status: 'sold', sale_date: '2026-11-20' }),
        sale('a6', { sale_status: 'unknown' }),
        sale('a7'),
      ],
    };
    const lines = await linesBetween(before, after);
    assert.deepEqual(
      lines.filter((line) => line.startsWith('leads')),
      [
        'leads gone 1 cured',
        'leads gone 2 not_verified',
        'leads gone 3 no_longer_qualifies',
        'leads gone 4 called_off',
        'leads gone 5 held',
        'leads gone 6 no_longer_qualifies',
        'leads gone 7 other_id',
        'leads new 70',
      ],
    );
  });

  it("compares the filings of today's reads", async () => {
    const before = { filings: [filing('1'), filing('2')] };
    const after = {
      filings: [filing('1', { business_name: 'ACME' }), filing('2'), filing('3')],
      stg_registrations: ['1', '3'].map((id) => ({ filing_id: id })),
    };
    assert.deepEqual(await linesBetween(before, after), ['filings changed 1 ["business_name"]', 'filings new 3']);
  });

  it('reports a change for 90 days', async () => {
    const first = await snapshotOf('2026-08-20', {}, null);
    const second = await snapshotOf('2026-08-21', { deals: [deal('1')] }, first);
    const kept = await snapshotOf('2026-11-18', { deals: [deal('1')] }, second);
    assert.deepEqual(kept.changes.map(lineOf), ['deals new 1']);
    const dropped = await snapshotOf('2026-11-19', { deals: [deal('1')] }, kept);
    assert.deepEqual(dropped.changes, []);
    assert.equal(dropped.feeds[0]?.['complete_since'], '2026-08-21 12:00:00');
  });

  it('gives a repeated run of a day a later instant, and undoes what the earlier run had', async () => {
    const first = await snapshotOf(FIRST, { deals: [deal('1')] }, null);
    const second = await snapshotOf('2026-11-21', { deals: [deal('1'), deal('2')] }, first);
    const again = await snapshotOf('2026-11-21', { deals: [deal('1')] }, second);
    assert.deepEqual(again.changes.map((c) => [lineOf(c), c['changed_at']]).sort(), [
      ['deals gone 2 left_the_list', '2026-11-21 12:00:01'],
      ['deals new 2', '2026-11-21 12:00:00'],
    ]);
  });
});

describe('a sold lead', () => {
  const place = { county: 'Cuyahoga County, OH', county_fips: '39035', zip: '44102' };
  const [debt, other] = [lead('1', { signal_id: 's1', ...place }), lead('2', { signal_id: 's2', ...place })];
  const sold = {
    sold_leads: [{ id: '1' }],
    sold_properties: [{ property_key: 'parcel:1' }],
    int_property_groups: ['s1', 's2'].map((record_id) => ({
      record_id,
      property_key: 'parcel:1',
      property_group: '1',
    })),
    int_property_records: [
      { record_id: 's1', lead_id: '1' },
      { record_id: 's2', lead_id: '2' },
    ],
  };

  it('leaves its id alone, as do others of its property, and is new if its payment never arrives', async () => {
    const first = await snapshotOf(FIRST, {}, null);
    const second = await snapshotOf('2026-11-21', { leads: [debt, other] }, first);
    assert.ok(second.changes.every((c) => c['zip'] === '44102'));
    const third = await snapshotOf('2026-11-22', sold, second);
    assert.deepEqual(third.changes.map(lineOf).sort(), ['leads gone 1 sold', 'leads gone 2 sold']);
    for (const change of third.changes)
      for (const column of ['kind', 'state', 'county', 'county_fips', 'city', 'zip'])
        assert.equal(change[column], null);
    const later = await snapshotOf('2026-11-23', sold, third);
    assert.deepEqual(later.changes, third.changes);
    const back = await snapshotOf('2026-11-24', { leads: [debt] }, later);
    assert.deepEqual(back.changes.map(lineOf).sort(), ['leads gone 1 sold', 'leads gone 2 sold', 'leads new 1']);
  });

  it('that was gone for another reason before is gone because it is sold', async () => {
    const start = await snapshotOf('2026-11-19', {}, null);
    const first = await snapshotOf(FIRST, { leads: [debt, other] }, start);
    const second = await snapshotOf('2026-11-21', { leads: [debt] }, first);
    assert.deepEqual(second.changes.map(lineOf).sort(), ['leads gone 2 left_the_list', 'leads new 1', 'leads new 2']);
    const third = await snapshotOf('2026-11-22', sold, second);
    assert.deepEqual(third.changes.map(lineOf).sort(), ['leads gone 1 sold', 'leads gone 2 sold']);
  });
});
