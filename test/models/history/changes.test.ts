/** The change feed: what is new, changed and gone between two snapshots, why, and for how long it is reported. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { words } from '../../../lib/record.ts';
import { build, type InputRow, type Inputs } from '../build_models.ts';

/** The models of the feed. All that they read is stated. */
const FEED: readonly string[] = words(
  'int_change_feeds int_listed_records int_listed_before registers int_filings_followed',
  'int_filings_compared int_record_changes int_changed_fields int_sold_keys int_sold_lead_ids',
  'int_gone_reasons int_change_places changes change_feeds',
);
const LISTS = ['deals', 'signals', 'auctions', 'leads', 'filings', 'listing_history'] as const;
type List = (typeof LISTS)[number];
const READ = ['int_filings_before', 'property_keys', 'int_property_groups', 'int_property_records'];

type Row = Readonly<Record<string, unknown>>;
interface Snapshot {
  readonly changes: readonly Row[];
  readonly feeds: readonly Row[];
  /** What the next snapshot reads of this one. */
  readonly published: Inputs;
}

/** A change in one line: "leads new 1", "deals changed 1 list_price", "auctions gone 1 called_off". */
const lineOf = (change: Row): string =>
  [change['list'], change['change'], change['record_id'], change['changed_fields'], change['reason']]
    .filter((part) => part !== null)
    .map(String)
    .join(' ');

/** Build the changes of a day, whose clock is noon. @param tables rows of the lists and of other inputs; else none */
async function snapshotOf(day: string, tables: Inputs, previous?: Snapshot): Promise<Snapshot> {
  const inputs: Inputs = {
    ...Object.fromEntries([...LISTS, ...READ].map((table) => [table, []])),
    run: [{ as_of: day, observed_at: `${day}T12:00:00Z`, assumption_set_id: 'uw-2026.3' }],
    ...previous?.published,
    ...tables,
  };
  using built = await build(inputs, ({ name }) => FEED.includes(name));
  assert.deepEqual(built.failed, []);
  const asText = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  const published: Record<string, readonly InputRow[]> = {};
  for (const table of [...LISTS, 'changes', 'change_feeds'])
    published[`followed_${table}`] = (await built.rows(table)).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asText(value)])),
    );
  return { changes: await built.rows('changes'), feeds: await built.rows('change_feeds'), published };
}

/** Columns of a list's rows unless a case states others. */
const DEFAULTS: Readonly<Record<List, (id: string) => InputRow>> = {
  deals: (id) => ({ listing_status: 'active', source: 'site', listing_id: `L${id}` }),
  signals: () => ({ signal_state: 'listed' }),
  auctions: () => ({ sale_status: 'scheduled', sale_date: '2026-12-07', last_seen: '2026-11-21T09:00:00Z' }),
  leads: (id) => ({ lead_type: 'tax_delinquent', state: 'OH', signal_id: `x${id}` }),
  filings: () => ({ source_state: 'CO' }),
  listing_history: () => ({}),
};
const rowOf = (list: List, id: string, row: InputRow = {}): InputRow => ({ id, ...DEFAULTS[list](id), ...row });

const OF_SALE = { lead_type: 'sheriff_sale_auction', signal_id: null };
const ofSale = (id: string): InputRow => ({ ...OF_SALE, auction_id: `x${id}` });
/** A tax debt or a code case, while it is listed and when it no longer is. */
const listed = (signal_type: string): InputRow => ({ signal_type, state_reason: 'on_the_list' });
const removed = (signal_type: string, state_reason: string): InputRow => ({
  signal_type,
  signal_state: 'removed',
  state_reason,
});
/** The day of a sale is that of the earlier day. */
const DUE = { sale_date: '2026-11-20' };

/** A record on 20 and on 21 November, null on a day without it, and its change; empty: none. */
const CASES: readonly (readonly [List, id: string, InputRow | null, InputRow | null, change: string])[] = [
  // Days on the feed move daily, and the page of a signal is no news
  [
    'deals',
    'f1',
    { address: '1 Elm St', days_on_feed: 1 },
    { address: '3 Elm St', city: 'Parma', days_on_feed: 2 },
    'changed f1 ["address","city"]',
  ],
  ['deals', 'f2', { days_on_feed: 1 }, { days_on_feed: 2 }, ''],
  ['signals', 'f1', { source_url: 'https://county.example/1' }, { source_url: 'https://county.example/2' }, ''],
  ['deals', 'd1', {}, { listing_status: 'sold' }, 'gone d1 sold'],
  ['deals', 'd2', {}, { listing_status: 'under_contract' }, 'gone d2 under_contract'],
  ['deals', 'd3', {}, { listing_status: 'delisted' }, 'gone d3 withdrawn'],
  ['deals', 'd4', {}, null, 'gone d4 other_id'],
  ['deals', 'd40', null, { listing_id: 'Ld4' }, 'new d40'],
  ['deals', 'd5', {}, null, 'gone d5 left_the_list'],
  // Only a tax debt is cured
  ['signals', 's1', listed('tax_delinquent'), removed('tax_delinquent', 'balance_zero'), 'gone s1 cured'],
  ['signals', 's2', listed('tax_delinquent'), removed('tax_delinquent', 'not_on_latest_list'), 'gone s2 cured'],
  [
    'signals',
    's3',
    listed('code_violation'),
    removed('code_violation', 'closed_by_publisher'),
    'gone s3 closed_by_publisher',
  ],
  ['signals', 's4', listed('code_violation'), removed('code_violation', 'not_on_latest_list'), 'gone s4 left_the_list'],
  // A called-off sale does not vanish
  ['auctions', 'a1', {}, { sale_status: 'cancelled' }, 'gone a1 called_off'],
  ['auctions', 'a2', {}, { sale_status: 'withdrawn' }, 'gone a2 called_off'],
  ['auctions', 'a3', {}, { sale_status: 'postponed' }, 'gone a3 postponed'],
  ['auctions', 'a4', {}, { sale_status: 'postponed', next_sale_date: '2027-01-04' }, 'gone a4 rescheduled'],
  ['auctions', 'a5', {}, { sale_status: 'removed' }, 'gone a5 left_the_list'],
  ['auctions', 'a6', {}, { sale_status: 'unknown' }, 'changed a6 ["sale_status"]'],
  ['auctions', 'a7', {}, {}, ''],
  ['auctions', 'a8', DUE, { ...DUE, sale_status: 'sold' }, 'gone a8 sold'],
  ['auctions', 'a9', DUE, { ...DUE, sale_status: 'result_unknown' }, 'gone a9 day_passed'],
  ['leads', 'l1', {}, null, 'gone l1 cured'],
  ['leads', 'l2', {}, null, 'gone l2 not_verified'],
  ['leads', 'l3', {}, null, 'gone l3 no_longer_qualifies'],
  ['leads', 'l4', ofSale('l4'), null, 'gone l4 called_off'],
  ['leads', 'l5', ofSale('l5'), null, 'gone l5 held'],
  ['leads', 'l6', ofSale('l6'), null, 'gone l6 no_longer_qualifies'],
  ['leads', 'l7', ofSale('l7'), null, 'gone l7 other_id'],
  ['leads', 'l70', null, ofSale('l7'), 'new l70'],
  ['filings', 'r1', {}, { business_name: 'ACME' }, 'changed r1 ["business_name"]'],
  ['filings', 'r2', {}, {}, ''],
  ['filings', 'r3', null, {}, 'new r3'],
  ['deals', 'e1', {}, {}, ''],
  ['signals', 'c1', {}, null, 'gone c1 left_the_list'],
  // What became of the records of leads
  ['signals', 'xl1', null, { signal_state: 'removed', state_reason: 'not_on_latest_list' }, ''],
  ['signals', 'xl2', null, { last_seen: '2026-11-01T09:00:00Z' }, 'new xl2'],
  ['signals', 'xl3', null, { last_seen: '2026-11-21T09:00:00Z' }, 'new xl3'],
  ['auctions', 'xl4', null, { sale_status: 'cancelled' }, ''],
  ['auctions', 'xl5', null, { sale_status: 'sold', ...DUE }, ''],
  ['auctions', 'xl6', null, { sale_status: 'unknown' }, 'new xl6'],
  ['auctions', 'xl7', null, {}, 'new xl7'],
];

const byList = (rows: readonly (readonly [List, InputRow])[]): Inputs =>
  Object.fromEntries([...Map.groupBy(rows, ([list]) => list)].map(([list, of]) => [list, of.map(([, row]) => row)]));
const rowsOn = (day: 2 | 3): Inputs =>
  byList(CASES.flatMap((each) => (each[day] ? [[each[0], rowOf(each[0], each[1], each[day])] as const] : [])));

const leadAt = (id: string): InputRow =>
  rowOf('leads', id, { signal_id: `s${id}`, county: 'Cuyahoga County, OH', county_fips: '39035', zip: '44102' });
/** Two leads of one property, and two of another. */
const OF_PROPERTIES = ['p1', 'p2', 'q1', 'q2'];
const SOLD: Inputs = {
  sold_leads: [{ id: 'p1' }, { id: 'q1' }],
  sold_properties: [{ property_key: 'parcel:p' }, { property_key: 'parcel:q' }],
  int_property_groups: OF_PROPERTIES.map((id) => ({
    record_id: `s${id}`,
    property_key: `parcel:${id[0]}`,
    property_group: id[0],
  })),
  int_property_records: OF_PROPERTIES.map((id) => ({ record_id: `s${id}`, lead_id: id })),
};

/** Snapshots of one history, each upon the one before. */
type Day = 'first' | 'second' | 'third' | 'again' | 'sold' | 'stillSold' | 'kept' | 'dropped';
const days = new Map<Day, Snapshot>();
const on = (day: Day): Snapshot => days.get(day) ?? assert.fail(day);
before(async () => {
  const [first, second] = [rowsOn(2), rowsOn(3)];
  const moved = { deal_id: 'd40', source: 'site', listing_id: 'Ld4', version: 1, is_latest: true };
  const news = ['r1', 'r3'].map((id) => ({ filing_id: id }));
  const { filings = [] } = second;
  const deals = (...ids: string[]): Inputs => ({ deals: ids.map((id) => rowOf('deals', id)) });
  const third = {
    filings,
    signals: ['c1', 'c2'].map((id) => rowOf('signals', id)),
    leads: ['p1', 'p2', 'q1'].map(leadAt),
  };
  const leads = [...(second['leads'] ?? []), ...['q1', 'q2'].map(leadAt)];
  const history: readonly (readonly [Day, day: string, Inputs])[] = [
    ['first', '2026-11-20', first],
    ['second', '2026-11-21', { ...second, leads, listing_history: [moved], stg_registrations: news }],
    ['third', '2026-11-22', { ...third, ...deals('e1', 'e2') }],
    ['again', '2026-11-22', { ...third, ...deals('e1') }],
    ['sold', '2026-11-23', { ...SOLD, filings }],
    ['stillSold', '2026-11-24', { ...SOLD, filings }],
    // 89 and 90 days after the second day; the payment for a lead has not arrived
    ['kept', '2027-02-18', { filings, leads: [leadAt('p1')] }],
    ['dropped', '2027-02-19', { filings }],
  ];
  let previous: Snapshot | undefined;
  for (const [name, day, tables] of history) days.set(name, (previous = await snapshotOf(day, tables, previous)));
});

/** The changes of records whose ids begin with this letter. */
const changesOf = (day: Day, letter: string): readonly Row[] =>
  on(day).changes.filter((change) => String(change['record_id']).startsWith(letter));
const linesOf = (day: Day, letter: string): string[] => changesOf(day, letter).map(lineOf).sort();
const feedOfDeals = (day: Day): Row | undefined => on(day).feeds.find((feed) => feed['list'] === 'deals');

it('the changes between two days name changed fields, and why a record is gone', () => {
  const expected = CASES.flatMap(([list, , , , change]) => (change === '' ? [] : [`${list} ${change}`]));
  const found = on('second').changes.filter((change) => !/^[pq]/u.test(String(change['record_id'])));
  assert.deepEqual(found.map(lineOf).sort(), expected.sort());
});

describe('the change feed', () => {
  it('begins with the first snapshot, and reports none of its rows', () => {
    assert.deepEqual(on('first').changes, []);
    const feed = feedOfDeals('first');
    const columns = ['begins', 'records', 'complete_since', 'changes_through'];
    assert.deepEqual(
      columns.map((name) => feed?.[name]),
      [true, 8, '2026-11-20 12:00:00', '2026-11-20 12:00:00'],
    );
  });

  it('reports new records and records that return', () => {
    const today = changesOf('third', 'c').filter((change) => change['as_of'] === '2026-11-22');
    assert.deepEqual(today.map(lineOf).sort(), ['signals new c1', 'signals new c2']);
  });

  it('reports a change for 90 days', () => {
    assert.ok(linesOf('kept', 'r').includes('filings new r3'));
    assert.ok(on('dropped').changes.every((change) => change['as_of'] !== '2026-11-21'));
    assert.equal(feedOfDeals('dropped')?.['complete_since'], '2026-11-21 12:00:00');
  });

  it('gives a repeated run of a day a later instant, and undoes the changes of the earlier run', () => {
    const found = changesOf('again', 'e').map((change) => [lineOf(change), change['changed_at']]);
    assert.deepEqual(found.sort(), [
      ['deals gone e2 left_the_list', '2026-11-22 12:00:01'],
      ['deals new e2', '2026-11-22 12:00:00'],
    ]);
  });
});

describe('a sold lead', () => {
  it('leaves only its id, like other leads of its property, and returns as new if it was never paid', () => {
    const fresh = changesOf('again', 'p');
    assert.ok(fresh.length > 0 && fresh.every((change) => change['zip'] === '44102'));
    assert.deepEqual(linesOf('sold', 'p'), ['leads gone p1 sold', 'leads gone p2 sold']);
    for (const change of changesOf('sold', 'p'))
      for (const column of ['kind', 'state', 'county', 'county_fips', 'city', 'zip'])
        assert.equal(change[column], null);
    assert.deepEqual(on('stillSold').changes, on('sold').changes);
    assert.deepEqual(linesOf('kept', 'p'), ['leads gone p1 sold', 'leads gone p2 sold', 'leads new p1']);
  });

  it('is reported as sold even if it left earlier for another reason', () => {
    assert.deepEqual(linesOf('again', 'q'), ['leads gone q2 left_the_list', 'leads new q1', 'leads new q2']);
    assert.deepEqual(linesOf('sold', 'q'), ['leads gone q1 sold', 'leads gone q2 sold']);
  });
});
