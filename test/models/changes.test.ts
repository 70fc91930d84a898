/** The change feed: what is new, changed and gone between two snapshots, why, and for how long it is reported. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Inputs, InputRow } from './build_models.ts';
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

const leadOfDebt = (id: string): InputRow => lead(id, { signal_id: `x${id}` });
const leadOfSale = (id: string): InputRow => lead(id, { lead_type: 'sheriff_sale_auction', auction_id: `x${id}` });
const removed = (id: string, signal_type: string, state_reason: string): InputRow =>
  signal(id, { signal_type, signal_state: 'removed', state_reason });
const REMOVED = [
  removed('s1', 'tax_delinquent', 'balance_zero'),
  removed('s2', 'tax_delinquent', 'not_on_latest_list'),
  removed('s3', 'code_violation', 'closed_by_publisher'),
  removed('s4', 'code_violation', 'not_on_latest_list'),
];
/** The day of a sale is that of the earlier day. */
const DUE = { sale_date: '2026-11-20' };

/** Records of two days for each case. Their ids begin with its letter, because one build of each day has all cases. */
const CASES: Readonly<Record<string, { readonly before: Inputs; readonly after: Inputs }>> = {
  fields: {
    before: {
      deals: [deal('f1', { address: '1 Elm St', days_on_feed: 1 }), deal('f2', { days_on_feed: 1 })],
      signals: [signal('f1', { source_url: 'https://county.example/2025.csv' })],
    },
    after: {
      deals: [deal('f1', { address: '3 Elm St', city: 'Parma', days_on_feed: 2 }), deal('f2', { days_on_feed: 2 })],
      signals: [signal('f1', { source_url: 'https://county.example/2026.csv' })],
    },
  },
  deals: {
    before: { deals: ['d1', 'd2', 'd3', 'd4', 'd5'].map((id) => deal(id)) },
    after: {
      deals: [
        deal('d1', { listing_status: 'sold' }),
        deal('d2', { listing_status: 'under_contract' }),
        deal('d3', { listing_status: 'delisted' }),
        deal('d40', { listing_id: 'Ld4' }),
      ],
      listing_history: [{ deal_id: 'd40', source: 'site', listing_id: 'Ld4', version: 1, is_latest: true }],
    },
  },
  signals: {
    before: { signals: REMOVED.map((row) => ({ ...row, signal_state: 'listed', state_reason: 'on_the_list' })) },
    after: { signals: REMOVED },
  },
  auctions: {
    before: { auctions: [...'1234567'].map((n) => sale(`a${n}`)).concat(['a8', 'a9'].map((id) => sale(id, DUE))) },
    after: {
      auctions: [
        sale('a1', { sale_status: 'cancelled' }),
        sale('a2', { sale_status: 'withdrawn' }),
        sale('a3', { sale_status: 'postponed' }),
        sale('a4', { sale_status: 'postponed', next_sale_date: '2027-01-04' }),
        sale('a5', { sale_status: 'removed' }),
        sale('a6', { sale_status: 'unknown' }),
        sale('a7'),
        sale('a8', { ...DUE, sale_status: 'sold' }),
        sale('a9', { ...DUE, sale_status: 'result_unknown' }),
      ],
    },
  },
  leads: {
    before: {
      leads: [
        leadOfDebt('l1'),
        leadOfDebt('l2'),
        leadOfDebt('l3'),
        leadOfSale('l4'),
        leadOfSale('l5'),
        leadOfSale('l6'),
        leadOfSale('l7'),
      ],
    },
    after: {
      leads: [{ ...leadOfSale('l70'), auction_id: 'xl7' }],
      signals: [
        signal('xl1', { signal_state: 'removed', state_reason: 'not_on_latest_list' }),
        signal('xl2', { last_seen: '2026-11-01T09:00:00Z' }),
        signal('xl3', { last_seen: '2026-11-21T09:00:00Z' }),
      ],
      auctions: [
        sale('xl4', { sale_status: 'cancelled' }),
        sale('xl5', { sale_status: 'sold', sale_date: '2026-11-20' }),
        sale('xl6', { sale_status: 'unknown' }),
        sale('xl7'),
      ],
    },
  },
  filings: {
    before: { filings: [filing('r1'), filing('r2')] },
    after: {
      filings: [filing('r1', { business_name: 'ACME' }), filing('r2'), filing('r3')],
      stg_registrations: ['r1', 'r3'].map((id) => ({ filing_id: id })),
    },
  },
};

/** The rows of all cases on one of the days, by table. */
function rowsOn(day: 'before' | 'after'): Inputs {
  const tables = Object.values(CASES).flatMap((each) => Object.entries(each[day]));
  return Object.fromEntries(
    [...Map.groupBy(tables, ([table]) => table)].map(([table, parts]) => [table, parts.flatMap(([, rows]) => rows)]),
  );
}

describe('the changes between two days', () => {
  let lines: string[] = [];
  /** The lines of the records whose ids begin with this letter. */
  const linesOf = (letter: string): string[] => lines.filter((line) => line.split(' ')[2]?.startsWith(letter));
  before(async () => {
    lines = await linesBetween(rowsOn('before'), rowsOn('after'));
  });

  it('name the changed fields, and pass over those that move by themselves', () => {
    assert.deepEqual(linesOf('f'), ['deals changed f1 ["address","city"]']);
  });

  it('tell why a deal is gone', () => {
    assert.deepEqual(linesOf('d'), [
      'deals gone d1 sold',
      'deals gone d2 under_contract',
      'deals gone d3 withdrawn',
      'deals gone d4 other_id',
      'deals gone d5 left_the_list',
      'deals new d40',
    ]);
  });

  it('tell why a signal is gone: cured for a tax debt alone', () => {
    assert.deepEqual(linesOf('s'), [
      'signals gone s1 cured',
      'signals gone s2 cured',
      'signals gone s3 closed_by_publisher',
      'signals gone s4 left_the_list',
    ]);
  });

  it('tell why a sale is gone: a called-off sale does not vanish', () => {
    assert.deepEqual(linesOf('a'), [
      'auctions changed a6 ["sale_status"]',
      'auctions gone a1 called_off',
      'auctions gone a2 called_off',
      'auctions gone a3 postponed',
      'auctions gone a4 rescheduled',
      'auctions gone a5 left_the_list',
      'auctions gone a8 sold',
      'auctions gone a9 day_passed',
    ]);
  });

  it('tell why a lead is gone', () => {
    assert.deepEqual(linesOf('l'), [
      'leads gone l1 cured',
      'leads gone l2 not_verified',
      'leads gone l3 no_longer_qualifies',
      'leads gone l4 called_off',
      'leads gone l5 held',
      'leads gone l6 no_longer_qualifies',
      'leads gone l7 other_id',
      'leads new l70',
    ]);
  });

  it("have the filings of today's reads", () => {
    assert.deepEqual(linesOf('r'), ['filings changed r1 ["business_name"]', 'filings new r3']);
  });
});

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

  it('has new records and records that return', async () => {
    const first = await snapshotOf(FIRST, { signals: [signal('1')] }, null);
    const gone = await snapshotOf('2026-11-21', { signals: [] }, first);
    const back = await snapshotOf('2026-11-22', { signals: [signal('1'), signal('2')] }, gone);
    assert.deepEqual(
      back.changes.filter((c) => c['as_of'] === '2026-11-22').map((c) => lineOf(c)),
      ['signals new 1', 'signals new 2'].sort(),
    );
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
