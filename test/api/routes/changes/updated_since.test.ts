/** updated_since: the changes of a list in their order, each with the record as it is now. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf, buyerWith } from '../../support/buyers.ts';
import { rowOf, uuid, type Row } from '../../support/snapshot_fixtures.ts';
import { sharedApp } from '../../support/test_app.ts';
import { BEGIN, changeRows, feedRows, FIRST, SECOND, type Changed } from './feed_rows.ts';

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
  const buyer = buyerWith();
  const buy = async (path: string): Promise<Answer> => {
    const response = await buyer.fetch(shared.app.url + path);
    const body = await bodyOf(response);
    assert.equal(response.status, 200, `${path} ${JSON.stringify(body)}`);
    return body as Answer;
  };
  const lines = async (path: string): Promise<string[]> => (await buy(path)).records.map(lineOf);

  it('has the events of a list in their order, each with the record as it is now', async () => {
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

  it('is paged, with every change once', async () => {
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

  it('is filtered by place and kind, and has records that may have left the place by their id alone', async () => {
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
