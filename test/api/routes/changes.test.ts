/** Changes of lists, by a change feed of two days: `updated_since`, changes of leads, and /feeds/{list}. */
import assert from 'node:assert/strict';
import { describe, it, afterEach, beforeEach } from 'node:test';
import { load } from 'cheerio';
import { rowOf, uuid, type Row, rowsOfTable } from '../support/snapshot_fixtures.ts';
import { sharedApp, startApp, type Started, PUBLIC_URL } from '../support/test_app.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { purchaseIn } from '../../ledger/purchases.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';

const BEGIN = '2026-11-17T12:00:00Z';
/** Instants of the snapshots with changes. The second is later than the clock of the manifest, as after a repeat. */
const [FIRST, SECOND] = ['2026-11-19T12:00:00Z', '2026-11-20T12:00:01Z'];

const LISTS = ['deals', 'signals', 'auctions', 'leads', 'filings'] as const;
type ListName = (typeof LISTS)[number];

const OHIO = { state: 'OH', county: 'Cuyahoga County, OH', county_fips: '39035', city: 'Cleveland', zip: '44113' };

/** A change. `record` is the number of the record. */
type Changed = Row & { readonly list: ListName; readonly record: number };

const valuesOf = ({ change = 'new', reason = null, fields = null, list, record, ...given }: Changed): Row => ({
  list,
  record_id: uuid(record),
  change,
  reason,
  changed_fields: fields,
  changed_at: SECOND,
  as_of: '2026-11-20',
  ...(reason === 'sold' && list === 'leads' ? {} : OHIO),
  ...given,
});

const changeRows = (changes: readonly Changed[]): Row[] =>
  changes.map((change, i) => rowOf('changes', i + 1, valuesOf(change)));

/** The feeds of all lists. */
const feedRows = (given: Row = {}): Row[] =>
  LISTS.map((list, i) =>
    rowOf('change_feeds', i + 1, { list, changes_through: SECOND, complete_since: BEGIN, begins: false, ...given }),
  );

const PLACE = { county: 'Cuyahoga County, OH', state: 'OH', city: 'Cleveland', zip: '44113' };
const OTHER_PLACE = { county: 'Stark County, OH', county_fips: '39151', state: 'OH', city: 'Canton', zip: '44702' };

/** Deal 1 and 2 are new, 2 changed, 3 was sold, 4 moved to another ZIP, 5 changed and is no longer for sale. */
const DEALS: readonly Changed[] = [
  { list: 'deals', record: 1, changed_at: FIRST },
  { list: 'deals', record: 2, changed_at: FIRST },
  { list: 'deals', record: 2, change: 'changed', fields: ['list_price', 'cap_rate'] },
  { list: 'deals', record: 3, change: 'gone', reason: 'sold' },
  { list: 'deals', record: 4, change: 'changed', fields: ['zip'], ...OTHER_PLACE },
  { list: 'deals', record: 5, change: 'changed', fields: ['units'], changed_at: FIRST },
];
const OTHERS: readonly Changed[] = [
  { list: 'signals', record: 1, kind: 'tax_delinquent' },
  { list: 'signals', record: 2, kind: 'code_violation', ...OTHER_PLACE },
  { list: 'signals', record: 3, change: 'gone', reason: 'cured', kind: 'tax_delinquent', changed_at: FIRST },
  { list: 'auctions', record: 1, kind: 'sheriff_sale' },
  { list: 'auctions', record: 2, kind: 'tax_sale', change: 'gone', reason: 'called_off' },
  { list: 'filings', record: 1, kind: 'OH', city: 'Akron', county: null },
  { list: 'filings', record: 2, kind: 'CO', state: 'CO', city: 'Denver', county: null },
  {
    list: 'filings',
    record: 3,
    kind: 'OH',
    city: 'Dayton',
    county: null,
    change: 'changed',
    fields: ['business_city'],
  },
];

const TABLES = {
  deals: [
    rowOf('deals', 1),
    rowOf('deals', 2),
    rowOf('deals', 3, { listing_status: 'sold' }),
    rowOf('deals', 4, OTHER_PLACE),
    rowOf('deals', 5, { listing_status: 'delisted' }),
    rowOf('deals', 6),
  ],
  signals: [rowOf('signals', 1, PLACE), rowOf('signals', 2, { ...OTHER_PLACE, signal_type: 'code_violation' })],
  auctions: [rowOf('auctions', 1, PLACE), rowOf('auctions', 2, { sale_status: 'cancelled' })],
  filings: [
    rowOf('filings', 1, { business_city: 'Akron' }),
    rowOf('filings', 2, { source: 'colorado_sos', source_state: 'CO', business_city: 'Denver' }),
    rowOf('filings', 3, { business_city: 'Dayton' }),
  ],
  changes: changeRows([...DEALS, ...OTHERS]),
  change_feeds: feedRows(),
};

type Answer = Record<string, unknown> & { readonly records: readonly (Row & { readonly change: Row })[] };

/** An event in one line: "new 1", "changed 2 list_price,cap_rate", "gone 3 sold", "changed 5 units alone". */
const lineOf = ({ id, change, ...fields }: Answer['records'][number]): string =>
  [
    change['event'],
    Number(String(id).slice(-4)),
    change['fields'],
    change['reason'],
    ...(Object.keys(fields).length === 0 ? ['alone'] : []),
  ]
    .filter((part) => part !== null)
    .join(' ');

describe('updated_since', () => {
  const shared = sharedApp(TABLES);
  const buy = async (path: string): Promise<Answer> => (await shared.buy(path)) as Answer;
  const lines = async (path: string): Promise<string[]> => (await buy(path)).records.map(lineOf);

  it('returns the events of a list in order, each with the current record', async () => {
    const since = `/api/deals?updated_since=${BEGIN}`;
    const body = await buy(`${since}&fields=all`);
    assert.deepEqual(body.records.map(lineOf), [
      'new 1',
      'new 2',
      'changed 5 units alone',
      'changed 2 list_price,cap_rate',
      'gone 3 sold alone',
      'changed 4 zip',
    ]);
    const { change, ...record } = body.records[1] ?? { change: {} };
    assert.deepEqual(change, { event: 'new', at: FIRST, fields: null, reason: null });
    const all = await buy('/api/deals?fields=all');
    assert.deepEqual(
      record,
      all.records.find(({ id }) => id === uuid(2)),
    );
    assert.deepEqual([body['count'], body['total_matches'], body['next_cursor']], [6, 6, null]);
    assert.deepEqual(Object.keys((await buy(`${since}&fields=units`)).records[0] ?? {}), [
      'id',
      'units',
      'absent',
      'change',
    ]);
  });

  it('returns every change once over all pages', async () => {
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const body = await buy(`/api/deals?updated_since=${BEGIN}&limit=2${cursor}`);
      found.push(...body.records.map(lineOf));
      assert.equal(body['total_matches'], 6);
      if (body['next_cursor'] === null) break;
      cursor = `&cursor=${String(body['next_cursor'])}`;
    }
    assert.deepEqual(found, await lines(`/api/deals?updated_since=${BEGIN}`));
  });

  it('gives the next updated_since in every response, also of the whole list', async () => {
    for (const path of ['/api/deals', '/api/signals', '/api/auctions', '/api/filings', '/ohio/api/filings']) {
      for (const query of ['', `?updated_since=${BEGIN}`]) {
        const body = await buy(path + query);
        assert.deepEqual([body['changes_through'], body['complete_since']], [SECOND, BEGIN], path + query);
      }
    }
    assert.equal((await buy('/api/deals/basic'))['changes_through'], undefined);
  });

  it('lists the fields that move without a change', async () => {
    const { not_compared: moving } = await buy(`/api/deals?updated_since=${BEGIN}`);
    const { follows_day: day, follows_reads: reads } = moving as Record<string, readonly string[]>;
    for (const field of ['deal_score', 'days_on_feed', 'motivation_score']) assert.ok(day?.includes(field), field);
    for (const field of ['last_verified', 'provenance']) assert.ok(reads?.includes(field), field);
    assert.ok(![...(day ?? []), ...(reads ?? [])].includes('list_price'));
    assert.equal((await buy('/api/deals'))['not_compared'], undefined);
  });

  it('is filtered by place and kind, and returns only the id of a record that may have left the place', async () => {
    for (const [path, expected] of [
      ['/api/deals?zip=44702&', ['changed 4 zip']],
      ['/api/deals?zip=44113&', ['changed 2 list_price,cap_rate', 'gone 3 sold alone', 'changed 4 zip alone']],
      ['/api/deals?county=stark&', ['changed 4 zip']],
      ['/api/deals?city=canton&', ['changed 4 zip']],
      ['/api/signals?county=stark&', ['new 2']],
      ['/api/signals?signal_type=Tax_Delinquent&', ['new 1']],
      ['/api/auctions?auction_type=tax_sale&', ['gone 2 called_off alone']],
      ['/api/filings?state=CO&', ['new 2']],
      ['/colorado/api/filings?', ['new 2']],
      ['/ohio/api/filings?city=akron&', ['new 1', 'changed 3 business_city alone']],
    ] as const)
      assert.deepEqual(await lines(`${path}updated_since=${FIRST}`), expected, path);
  });

  it('is refused before a payment with other filters, and for an instant without complete changes', async () => {
    for (const [query, detail] of [
      [`deals?min_score=10&updated_since=${BEGIN}`, /^min_score cannot .* state, city, county, zip, metro\.$/],
      [`leads?property_kind=other&updated_since=${BEGIN}`, /^property_kind cannot .* lead_type\.$/],
      [`auctions?include_past=true&updated_since=${BEGIN}`, /^include_past cannot .* auction_type\.$/],
      [`filings?entity_type=domestic_llc&updated_since=${BEGIN}`, /^entity_type cannot .* state, city\.$/],
      ['deals?updated_since=2026-11-17', /complete only since 2026-11-17T12:00:00Z\. Take the whole list/],
      ['deals?updated_since=2026-11-21', /after the latest changes of this snapshot, 2026-11-20T12:00:01Z/],
      ['deals?updated_since=yesterday', /expected an instant such as/],
      ['deals?updated_since=2026-11-31', /expected an instant such as/],
    ] as const) {
      const { response, body } = await shared.get(`/api/${query}`);
      assert.deepEqual([response.status, body['reason'], body['billed']], [400, 'invalid_parameter', false], query);
      assert.match(String(body['detail']), detail);
    }
    const { response, body } = await shared.get(`/ohio/api/filings?state=OH&updated_since=${BEGIN}`);
    assert.deepEqual([response.status, body['reason']], [400, 'unknown_parameter']);
    for (const path of ['/api/deals/basic', '/api/deals/hot', '/api/owners', '/api/filings/recent'])
      assert.equal((await shared.get(`${path}?updated_since=${BEGIN}`)).body['reason'], 'unknown_parameter', path);
  });

  it('continues from a cursor after a newer snapshot dropped the changes before it', async () => {
    const path = `/api/deals?updated_since=${BEGIN}&limit=3`;
    const { next_cursor: cursor } = await buy(path);
    for (const [runId, completeSince] of [
      ['2026-11-20.02', FIRST],
      ['2026-11-20.03', SECOND],
    ] as const) {
      await shared.folder.publish(runId, { ...TABLES, change_feeds: feedRows({ complete_since: completeSince }) });
      await shared.app.snapshots.refresh();
      const { response } = await shared.get(`${path}&cursor=${String(cursor)}`);
      assert.equal(response.status, completeSince === FIRST ? 402 : 400, runId);
      assert.equal((await shared.get(path)).response.status, 400, runId);
    }
    await shared.switchTo('2026-11-20.01');
  });
});

const BEFORE_SECOND = '2026-11-20T12:00:00Z';
const lead = (n: number, more: Row = {}): Row => rowOf('leads', n, { state: 'OH', zip: '44113', ...more });

/** Leads 1 and 2 are of one property, by their signal and their sale. Lead 5 was not verified lately. */
const LEAD_TABLES = {
  leads: [
    lead(1, { signal_id: uuid(101) }),
    lead(2, { auction_id: uuid(102), lead_type: 'sheriff_sale_auction' }),
    lead(3, { signal_id: uuid(103) }),
    lead(5, { last_verified: '2026-11-01T12:00:00Z' }),
  ],
  property_keys: [
    rowOf('property_keys', 101, { property_key: 'parcel:39035:A' }),
    rowOf('property_keys', 102, { property_key: 'parcel:39035:A' }),
    rowOf('property_keys', 103, { property_key: 'parcel:39035:B' }),
  ],
  changes: changeRows([
    { list: 'leads', record: 1, kind: 'tax_delinquent', changed_at: FIRST },
    { list: 'leads', record: 2, kind: 'sheriff_sale_auction' },
    { list: 'leads', record: 3, kind: 'tax_delinquent', change: 'changed', fields: ['lead_score'] },
    { list: 'leads', record: 4, change: 'gone', reason: 'sold' },
    { list: 'leads', record: 5, kind: 'tax_delinquent' },
    { list: 'leads', record: 6, kind: 'tax_delinquent', change: 'gone', reason: 'cured' },
  ]),
  change_feeds: feedRows(),
};

describe('changes of leads', () => {
  const shared = sharedApp(LEAD_TABLES);
  let ledger: Ledger;
  let started: Started;
  const buyer = buyerWith();
  const get = async (query: string): Promise<{ status: number; body: Record<string, unknown>; lines: string[] }> => {
    const response = await buyer.fetch(`${started.url}/api/leads?updated_since=${query}`);
    const body = await bodyOf(response);
    const records = (body['records'] ?? []) as (Row & { change: Row })[];
    const lines = records.map(({ id, change, ...fields }) =>
      [change['event'], Number(String(id).slice(-2)), change['reason'], Object.keys(fields).length === 0 && 'alone']
        .filter(Boolean)
        .join(' '),
    );
    return { status: response.status, body, lines };
  };
  const linesOf = async (query: string): Promise<string[]> => (await get(query)).lines;

  beforeEach(async () => {
    ledger = await openSqliteLedger(':memory:');
    started = await startApp(shared.folder.path, { ledger, snapshots: shared.app.snapshots });
  });
  afterEach(async () => {
    await started.close();
    await ledger.close();
  });

  it('include the lead if it may be sold today', async () => {
    assert.deepEqual(await linesOf(BEGIN), [
      'new 1',
      'new 2',
      'changed 3',
      'gone 4 sold alone',
      'new 5 alone',
      'gone 6 cured alone',
    ]);
  });

  it('include a sold lead as its id only, for every place and kind', async () => {
    for (const filter of [
      'zip=99999',
      'state=MO',
      'county=nowhere',
      'city=Akron',
      'lead_type=tax_delinquent&zip=99999',
    ])
      assert.deepEqual(await linesOf(`${FIRST}&${filter}`), ['gone 4 sold alone'], filter);
  });

  it('are withheld while a lead of the property is being bought, and sent if the purchase fails', async () => {
    const whole = await linesOf(BEGIN);
    const nowMs = Date.now();
    const held = { lead: uuid(3), properties: ['parcel:39035:B'], nowMs };
    const { id } = await purchaseIn(ledger, 'settling', 901, held);
    const { body, lines } = await get(BEGIN);
    assert.deepEqual(
      lines,
      whole.filter((line) => line !== 'changed 3'),
    );
    assert.deepEqual([body['total_matches'], body['changes_through']], [5, BEFORE_SECOND]);
    const elsewhere = await get(`${BEGIN}&zip=99999`);
    assert.equal(elsewhere.body['changes_through'], BEFORE_SECOND, 'whatever the place, so that it shows no place');
    assert.ok(await ledger.release(id, 'not_sent', nowMs + 20));
    assert.deepEqual(await linesOf(BEFORE_SECOND), whole.slice(1), 'the next request has it');
    assert.equal((await get(BEGIN)).body['changes_through'], SECOND);
  });

  it('reveal nothing about a sold lead or the other leads of its property', async () => {
    await purchaseIn(ledger, 'sold', 902, { lead: uuid(1), properties: ['parcel:39035:A'], nowMs: Date.now() });
    const { body, lines } = await get(BEGIN);
    assert.deepEqual(lines, ['changed 3', 'gone 4 sold alone', 'new 5 alone', 'gone 6 cured alone']);
    assert.equal(body['changes_through'], SECOND, 'nothing is left to come');
  });

  it('report a lead as sold, in every place, if it was sold after it had left the list', async () => {
    await purchaseIn(ledger, 'sold', 903, { lead: uuid(6), nowMs: Date.now() });
    assert.deepEqual(await linesOf(`${FIRST}&zip=99999`), ['gone 4 sold alone', 'gone 6 sold alone']);
  });

  it('answer 404 while all are withheld, unbilled, with the instant to request again', async () => {
    await purchaseIn(ledger, 'settling', 904, { lead: uuid(3), properties: ['parcel:39035:B'], nowMs: Date.now() });
    await shared.folder.publish('2026-11-20.02', { ...LEAD_TABLES, changes: LEAD_TABLES.changes.slice(2, 3) });
    await shared.app.snapshots.refresh();
    const { status, body } = await get(FIRST);
    assert.deepEqual([status, body['reason'], body['changes_through']], [404, 'no_matches', BEFORE_SECOND]);
    await shared.switchTo('2026-11-20.01');
  });
});

const AKRON = { city: 'Akron & "Co"', zip: '44301' };
/** Twelve new deals, one of Akron that changed and one that left on the second day; three new ones on the first. */
const FEED_DEALS: readonly Changed[] = [
  ...Array.from({ length: 12 }, (_, i) => ({ list: 'deals', record: i + 1 }) as const),
  { list: 'deals', record: 13, change: 'changed', fields: ['units'], ...AKRON },
  { list: 'deals', record: 14, change: 'gone', reason: 'sold' },
  ...[15, 16, 17].map((record) => ({ list: 'deals', record, changed_at: FIRST }) as const),
];
const newLead = (record: number): Changed => ({ list: 'leads', record, kind: 'tax_delinquent' });
/** Ten new leads, one that left, and leads of the day before. */
const FEED_LEADS: readonly Changed[] = [
  ...Array.from({ length: 10 }, (_, i) => newLead(i + 1)),
  { list: 'leads', record: 11, kind: 'tax_delinquent', change: 'gone', reason: 'cured' },
  ...[12, 13, 14].map((record) => ({ ...newLead(record), changed_at: FIRST })),
];
const SOLD: Changed = { list: 'leads', record: 12, change: 'gone', reason: 'sold' };
const FEED_TABLES = {
  deals: rowsOfTable('deals', 17, (i) => (i === 13 ? AKRON : {})),
  leads: [rowOf('leads', 1)],
  change_feeds: feedRows(),
};

interface Item extends Row {
  readonly url: string;
  readonly _dealfeed: Record<'new' | 'changed' | 'gone', { at_least: number; at_most: number }>;
}

describe('a feed of changes', () => {
  const shared = sharedApp({ ...FEED_TABLES, changes: changeRows([...FEED_DEALS, ...FEED_LEADS]) });
  const itemsOf = async (path: string): Promise<Item[]> => (await shared.get(`/feeds/${path}`)).body['items'] as Item[];
  const ends = ({ _dealfeed: ranges }: Item): unknown[] =>
    [ranges.new, ranges.changed, ranges.gone].map(({ at_least: least, at_most: most }) => [least, most]);

  it('has a range for each day with changes in its place, and no entry for other days', async () => {
    const [second, first, ...others] = await itemsOf('deals.json');
    assert.ok(second && first && others.length === 0);
    assert.deepEqual([second['date_modified'], first['date_modified']], [SECOND, FIRST]);
    assert.deepEqual(ends(second), [
      [10, 24],
      [1, 9],
      [1, 9],
    ]);
    assert.deepEqual(ends(first), [
      [1, 9],
      [0, 0],
      [0, 0],
    ]);
    const [akron] = await itemsOf('deals.json?zip=44301&state=oh');
    assert.ok(akron);
    assert.deepEqual(ends(akron), [
      [0, 0],
      [1, 9],
      [0, 0],
    ]);
    assert.deepEqual(await itemsOf('deals.json?state=MI'), []);
  });

  it('has the link that buys these changes and later ones, with the cost of the call', async () => {
    for (const [path, totals] of [
      ['deals.json', [14, 17]],
      ['deals.json?zip=44301', [1]],
    ] as const) {
      for (const [i, item] of (await itemsOf(path)).entries()) {
        const changes = await shared.buy(item.url.replace(PUBLIC_URL, ''));
        assert.equal(changes['total_matches'], totals[i], item.url);
        assert.match(String(item['content_text']), /1 call \(\$0\.05\) with limit=500/u);
      }
    }
  });

  it('follows the rules of JSON Feed and of Atom, with the same entries', async () => {
    const query = `?city=${encodeURIComponent('Akron & "Co"')}`;
    const json = await fetch(`${shared.app.url}/feeds/deals.json${query}`);
    assert.equal(json.headers.get('Content-Type')?.split(';')[0], 'application/feed+json');
    const feed = (await json.json()) as Record<string, unknown>;
    assert.equal(feed['version'], 'https://jsonfeed.org/version/1.1');
    assert.equal(feed['feed_url'], `${PUBLIC_URL}/feeds/deals.json?${new URLSearchParams(query).toString()}`);
    const items = feed['items'] as Item[];
    const atom = await fetch(`${shared.app.url}/feeds/deals.atom${query}`);
    assert.equal(atom.headers.get('Content-Type')?.split(';')[0], 'application/atom+xml');
    const text = await atom.text();
    assert.doesNotMatch(text, /&(?!amp;|lt;|gt;|quot;)/u);
    const $ = load(text, { xml: true });
    for (const name of ['id', 'title', 'updated', 'author > name', 'link[rel="self"]'])
      assert.equal($(`feed > ${name}`).length, 1, name);
    assert.equal($('feed').attr('xmlns'), 'http://www.w3.org/2005/Atom');
    assert.equal($('feed > link[rel="self"]').attr('href'), String(feed['feed_url']).replace('.json', '.atom'));
    const entries = $('entry').toArray();
    assert.deepEqual([entries.length, items.length], [1, 1]);
    for (const [i, entry] of entries.entries()) {
      const { id, title, date_modified: updated, content_text: summary, url } = items[i] ?? assert.fail();
      const of = (name: string): string => $(name, entry).text();
      assert.deepEqual([of('id'), of('title'), of('updated'), of('summary')], [id, title, updated, summary]);
      assert.equal($('link[rel="alternate"]', entry).attr('href'), url);
      assert.match(String(id), /^tag:api\.dealfeed\.example,2026:\/feeds\/deals\/2026-11-20\?/u, 'RFC 4151');
      assert.match(String(updated), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u, 'RFC 3339');
    }
  });

  it('accepts only the filters by place and kind', async () => {
    for (const [path, reason, field] of [
      ['deals.json?min_score=80', 'unknown_parameter', 'min_score'],
      ['deals.json?signal_type=condemned', 'unknown_parameter', 'signal_type'],
      ['leads.json?property_kind=five_up', 'unknown_parameter', 'property_kind'],
      ['deals.atom?near=41.5,-81.7', 'unknown_parameter', 'near'],
      ['owners.json', 'invalid_parameter', 'list'],
    ] as const) {
      const { response, body } = await shared.get(`/feeds/${path}`);
      assert.deepEqual([response.status, body['reason'], body['field']], [400, reason, field], path);
    }
  });

  it('of leads reveals no sale by an entry, a difference between places, or a changed entry', async () => {
    const queries = ['', '?state=OH', '?state=MI', '?lead_type=tax_delinquent', '?zip=44113'];
    const all = async (): Promise<string[]> =>
      Promise.all(queries.map(async (query) => JSON.stringify(await itemsOf(`leads.json${query}`))));
    const unsold = await all();
    assert.match(unsold[0] ?? '', /"at_least":10,"at_most":24/u);
    assert.equal((JSON.parse(unsold[0] ?? '') as Item[]).length, 1, 'a sale would change an earlier entry');
    assert.match(unsold[2] ?? '', /"new":\{"at_least":0,"at_most":9\}/u, 'none is not told from a few');
    // As a run publishes it after lead 12 was sold: its earlier change is gone, and its last one has no place.
    const after = [
      ...FEED_DEALS,
      ...FEED_LEADS.filter(({ record }) => record !== 12),
      ...Array.from({ length: 12 }, () => SOLD),
    ];
    await shared.folder.publish('2026-11-20.02', { ...FEED_TABLES, changes: changeRows(after) });
    await shared.app.snapshots.refresh();
    assert.deepEqual(await all(), unsold);
    await shared.switchTo('2026-11-20.01');
  });
});
