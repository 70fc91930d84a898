/**
 * Days of one history of the change feed, each built upon the one before, with the records of all cases: their ids
 * begin with the case's letter.
 */
import assert from 'node:assert/strict';
import { build, type InputRow, type Inputs } from '../build_models.ts';

/** The models of the feed. All that they read is stated. */
const FEED = [
  'int_change_feeds',
  'int_listed_records',
  'int_listed_before',
  'registers',
  'int_filings_followed',
  'int_filings_compared',
  'int_record_changes',
  'int_changed_fields',
  'int_sold_keys',
  'int_sold_lead_ids',
  'int_gone_reasons',
  'int_change_places',
  'changes',
  'change_feeds',
];
const LISTS = ['deals', 'signals', 'auctions', 'leads', 'filings', 'listing_history'] as const;
const READ = ['int_filings_before', 'property_keys', 'int_property_groups'];
const NOTHING: Inputs = Object.fromEntries([...LISTS, ...READ, 'int_property_records'].map((table) => [table, []]));

export interface Snapshot {
  readonly changes: readonly Readonly<Record<string, unknown>>[];
  readonly feeds: readonly Readonly<Record<string, unknown>>[];
  /** What the next snapshot reads of this one. */
  readonly published: Inputs;
}

/** A change in one line: "leads new 1", "deals changed 1 list_price", "auctions gone 1 called_off". */
export const lineOf = (change: Readonly<Record<string, unknown>>): string =>
  [change['list'], change['change'], change['record_id'], change['changed_fields'], change['reason']]
    .filter((part) => part !== null)
    .map((part) => (Array.isArray(part) ? part.join(' ') : String(part)))
    .join(' ');

/**
 * Build the changes of one day.
 * @param tables rows of the lists, and of other inputs; every list that is not named has none
 * @param previous null: the first snapshot. Its clock is noon of `day`
 */
async function snapshotOf(day: string, tables: Inputs, previous: Snapshot | null): Promise<Snapshot> {
  const inputs: Inputs = {
    ...NOTHING,
    run: [{ as_of: day, observed_at: `${day}T12:00:00Z`, assumption_set_id: 'uw-2026.3' }],
    ...previous?.published,
    ...tables,
  };
  const built = await build(inputs, ({ name }) => FEED.includes(name));
  try {
    assert.deepEqual(built.failed, []);
    const published: Record<string, readonly InputRow[]> = {};
    for (const table of [...LISTS, 'changes', 'change_feeds'])
      published[`followed_${table}`] = (await built.rows(table)).map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([k, v]) => [k, typeof v === 'object' && v !== null ? JSON.stringify(v) : v]),
        ),
      );
    return { changes: await built.rows('changes'), feeds: await built.rows('change_feeds'), published };
  } finally {
    built.close();
  }
}

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

const place = { county: 'Cuyahoga County, OH', county_fips: '39035', zip: '44102' };
const leadAt = (id: string): InputRow => lead(id, { signal_id: `s${id}`, ...place });
/** Two leads of one property each. */
const [ofOne, ofAnother] = [
  ['p1', 'p2'],
  ['q1', 'q2'],
] as const;
const SOLD: Inputs = {
  sold_leads: [{ id: 'p1' }, { id: 'q1' }],
  sold_properties: [{ property_key: 'parcel:p' }, { property_key: 'parcel:q' }],
  int_property_groups: [...ofOne, ...ofAnother].map((id) => ({
    record_id: `s${id}`,
    property_key: `parcel:${id[0]}`,
    property_group: id[0],
  })),
  int_property_records: [...ofOne, ...ofAnother].map((id) => ({ record_id: `s${id}`, lead_id: id })),
};

/** Snapshots of one history, each upon the one before. */
export interface Days {
  /** 20 November. */
  readonly first: Snapshot;
  /** 21 November upon a snapshot of an older version. */
  readonly afterOlder: Snapshot;
  readonly second: Snapshot;
  readonly third: Snapshot;
  /** The third day again: a deal that was new is not there. */
  readonly thirdAgain: Snapshot;
  readonly sold: Snapshot;
  readonly stillSold: Snapshot;
  /** 89 days after the second day, when a payment has not arrived. */
  readonly kept: Snapshot;
  /** 90 days after the second day. */
  readonly dropped: Snapshot;
}

/** Build the snapshots. */
export async function makeDays(): Promise<Days> {
  const [before, after] = [rowsOn('before'), rowsOn('after')];
  const [repeated, withNew] = [[deal('e1')], [deal('e1'), deal('e2')]];
  const first = await snapshotOf(
    FIRST,
    {
      ...before,
      deals: [...(before['deals'] ?? []), ...repeated],
      signals: [...(before['signals'] ?? []), signal('c1')],
    },
    null,
  );
  const older = { ...first, published: { ...first.published, followed_changes: [], followed_change_feeds: [] } };
  const afterOlder = await snapshotOf('2026-11-21', { deals: [deal('2')] }, older);
  const second = await snapshotOf(
    '2026-11-21',
    {
      ...after,
      deals: [...(after['deals'] ?? []), ...repeated],
      leads: [...(after['leads'] ?? []), ...ofAnother.map(leadAt)],
    },
    first,
  );
  // A register's filings are not withdrawn.
  const { filings = [] } = after;
  const onThird: Inputs = {
    filings,
    signals: [signal('c1'), signal('c2')],
    leads: [...ofOne.map(leadAt), leadAt('q1')],
  };
  const third = await snapshotOf('2026-11-22', { ...onThird, deals: withNew }, second);
  const thirdAgain = await snapshotOf('2026-11-22', { ...onThird, deals: repeated }, third);
  const sold = await snapshotOf('2026-11-23', { ...SOLD, filings }, thirdAgain);
  const stillSold = await snapshotOf('2026-11-24', { ...SOLD, filings }, sold);
  const kept = await snapshotOf('2027-02-18', { filings, leads: [leadAt('p1')] }, stillSold);
  const dropped = await snapshotOf('2027-02-19', { filings }, kept);
  return { first, afterOlder, second, third, thirdAgain, sold, stillSold, kept, dropped };
}
