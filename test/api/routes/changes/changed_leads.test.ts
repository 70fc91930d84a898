/** Changes of leads: what is sold or being bought shows its id at most, and no change is lost. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Ledger } from '../../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../../ledger/sqlite/store.ts';
import { purchaseIn } from '../../../ledger/purchases.ts';
import { bodyOf, buyerWith } from '../../support/buyers.ts';
import { rowOf, uuid, type Row } from '../../support/snapshot_fixtures.ts';
import { startApp, type Started, sharedApp } from '../../support/test_app.ts';
import { BEGIN, changeRows, feedRows, FIRST, SECOND } from './feed_rows.ts';

const BEFORE_SECOND = '2026-11-20T12:00:00Z';
const lead = (n: number, more: Row = {}): Row => rowOf('leads', n, { state: 'OH', zip: '44113', ...more });

/** Leads 1 and 2 are of one property, by their signal and their sale. Lead 5 was not verified lately. */
const TABLES = {
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
  const shared = sharedApp(TABLES);
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

  it('come with the lead if it may be sold today', async () => {
    assert.deepEqual(await linesOf(BEGIN), [
      'new 1',
      'new 2',
      'changed 3',
      'gone 4 sold alone',
      'new 5 alone',
      'gone 6 cured alone',
    ]);
  });

  it('have a sold lead in every place and of every kind, as its id alone', async () => {
    for (const filter of [
      'zip=99999',
      'state=MO',
      'county=nowhere',
      'city=Akron',
      'lead_type=tax_delinquent&zip=99999',
    ])
      assert.deepEqual(await linesOf(`${FIRST}&${filter}`), ['gone 4 sold alone'], filter);
  });

  it('are withheld while a lead of the property is being bought, and come if that fails', async () => {
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

  it('say nothing of a sold lead and of the others of its property', async () => {
    await purchaseIn(ledger, 'sold', 902, { lead: uuid(1), properties: ['parcel:39035:A'], nowMs: Date.now() });
    const { body, lines } = await get(BEGIN);
    assert.deepEqual(lines, ['changed 3', 'gone 4 sold alone', 'new 5 alone', 'gone 6 cured alone']);
    assert.equal(body['changes_through'], SECOND, 'nothing is left to come');
  });

  it('have a lead that was sold after it had left the list as sold, in every place', async () => {
    await purchaseIn(ledger, 'sold', 903, { lead: uuid(6), nowMs: Date.now() });
    assert.deepEqual(await linesOf(`${FIRST}&zip=99999`), ['gone 4 sold alone', 'gone 6 sold alone']);
  });

  it('are 404 and unbilled while all are withheld, with the instant to ask for again', async () => {
    await purchaseIn(ledger, 'settling', 904, { lead: uuid(3), properties: ['parcel:39035:B'], nowMs: Date.now() });
    await shared.folder.publish('2026-11-20.02', { ...TABLES, changes: TABLES.changes.slice(2, 3) });
    await shared.app.snapshots.refresh();
    const { status, body } = await get(FIRST);
    assert.deepEqual([status, body['reason'], body['changes_through']], [404, 'no_matches', BEFORE_SECOND]);
    await shared.switchTo('2026-11-20.01');
  });
});
