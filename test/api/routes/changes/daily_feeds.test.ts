/** /feeds/{list}: valid JSON Feed 1.1 and Atom, the link that buys, and nothing that is sold. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load } from 'cheerio';
import { bodyOf, buyerWith } from '../../support/buyers.ts';
import { rowOf, rowsOfTable, type Row } from '../../support/snapshot_fixtures.ts';
import { PUBLIC_URL, sharedApp } from '../../support/test_app.ts';
import { changeRows, feedRows, FIRST, SECOND, type Changed } from './feed_rows.ts';

const AKRON = { city: 'Akron & "Co"', zip: '44301' };
/** Twelve new deals, one of Akron that changed and one that left on the second day; three new ones on the first. */
const DEALS: readonly Changed[] = [
  ...Array.from({ length: 12 }, (_, i) => ({ list: 'deals', record: i + 1 }) as const),
  { list: 'deals', record: 13, change: 'changed', fields: ['units'], ...AKRON },
  { list: 'deals', record: 14, change: 'gone', reason: 'sold' },
  ...[15, 16, 17].map((record) => ({ list: 'deals', record, changed_at: FIRST }) as const),
];
const newLead = (record: number): Changed => ({ list: 'leads', record, kind: 'tax_delinquent' });
/** Ten new leads, one that left, and leads of the day before. */
const LEADS: readonly Changed[] = [
  ...Array.from({ length: 10 }, (_, i) => newLead(i + 1)),
  { list: 'leads', record: 11, kind: 'tax_delinquent', change: 'gone', reason: 'cured' },
  ...[12, 13, 14].map((record) => ({ ...newLead(record), changed_at: FIRST })),
];
const SOLD: Changed = { list: 'leads', record: 12, change: 'gone', reason: 'sold' };
const TABLES = {
  deals: rowsOfTable('deals', 17, (i) => (i === 13 ? AKRON : {})),
  leads: [rowOf('leads', 1)],
  change_feeds: feedRows(),
};

interface Item extends Row {
  readonly url: string;
  readonly _dealfeed: Record<'new' | 'changed' | 'gone', { at_least: number; at_most: number }>;
}

describe('a feed of changes', () => {
  const shared = sharedApp({ ...TABLES, changes: changeRows([...DEALS, ...LEADS]) });
  const itemsOf = async (path: string): Promise<Item[]> => (await shared.get(`/feeds/${path}`)).body['items'] as Item[];
  const ends = ({ _dealfeed: ranges }: Item): unknown[] =>
    [ranges.new, ranges.changed, ranges.gone].map(({ at_least: least, at_most: most }) => [least, most]);

  it('has a range for each day with changes, in its place, and none for other days', async () => {
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
    const buyer = buyerWith();
    for (const [path, totals] of [
      ['deals.json', [14, 17]],
      ['deals.json?zip=44301', [1]],
    ] as const) {
      for (const [i, item] of (await itemsOf(path)).entries()) {
        const response = await buyer.fetch(item.url.replace(PUBLIC_URL, shared.app.url));
        assert.deepEqual([response.status, (await bodyOf(response))['total_matches']], [200, totals[i]], item.url);
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

  it('takes the filters by place and kind alone', async () => {
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

  it('of leads shows no sale by an entry, a difference of places, or a change of an earlier entry', async () => {
    const queries = ['', '?state=OH', '?state=MI', '?lead_type=tax_delinquent', '?zip=44113'];
    const all = async (): Promise<string[]> =>
      Promise.all(queries.map(async (query) => JSON.stringify(await itemsOf(`leads.json${query}`))));
    const unsold = await all();
    assert.match(unsold[0] ?? '', /"at_least":10,"at_most":24/u);
    assert.equal((JSON.parse(unsold[0] ?? '') as Item[]).length, 1, 'a sale would change an earlier entry');
    assert.match(unsold[2] ?? '', /"new":\{"at_least":0,"at_most":9\}/u, 'none is not told from a few');
    // As a run publishes it after lead 12 was sold: its earlier change is gone, and its last one has no place.
    const after = [...DEALS, ...LEADS.filter(({ record }) => record !== 12), ...Array.from({ length: 12 }, () => SOLD)];
    await shared.folder.publish('2026-11-20.02', { ...TABLES, changes: changeRows(after) });
    await shared.app.snapshots.refresh();
    assert.deepEqual(await all(), unsold);
    await shared.switchTo('2026-11-20.01');
  });
});
