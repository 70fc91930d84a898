/** A snapshot older than the server: missing columns are null, missing tables empty, and /health lists both. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TABLE_NAMES, TABLES } from '../../../api/snapshot/tables.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { startSharedApp, type SharedApp } from '../support/test_app.ts';
import { removeFromSnapshot } from '../support/older_snapshot.ts';
import { rowsOfTable, uuid } from '../support/snapshot_fixtures.ts';
import required from './required_columns.json' with { type: 'json' };

describe('an older snapshot', () => {
  let shared: SharedApp;
  const buyer = buyerWith();
  before(async () => {
    shared = await startSharedApp();
  });
  after(() => shared.close());

  /** Serve a snapshot without these columns and tables. */
  const serveWithout = async (id: string, missing: Parameters<typeof removeFromSnapshot>[1]): Promise<void> => {
    const path = await shared.folder.publish(
      id,
      {
        deals: rowsOfTable('deals', 20, () => ({ deal_score: 1 })),
        leads: rowsOfTable('leads', 2),
        reports: rowsOfTable('reports', 20),
        listing_history: rowsOfTable('listing_history', 20),
      },
      { current: false },
    );
    await removeFromSnapshot(path, missing);
    await shared.switchTo(id);
  };

  it('has null in every missing column that may be null', async () => {
    await serveWithout('2026-11-20.01', {
      columns: [
        ['deals', 'offer_low'],
        ['deals', 'gross_rent_multiplier'],
        ['listing_history', 'gone_on'],
      ],
    });
    const { url } = shared.app;
    const { records } = (await bodyOf(await buyer.fetch(`${url}/api/deals?limit=1&fields=all`))) as {
      records: Record<string, unknown>[];
    };
    assert.deepEqual(
      [records[0]?.['offer_low'], records[0]?.['gross_rent_multiplier'], records[0]?.['deal_score']],
      [null, null, 1],
    );
    assert.equal((await buyer.fetch(`${url}/api/deals/${uuid(1)}/report`)).status, 200);
    const { body } = await shared.get('/health');
    assert.equal(body['status'], 'degraded');
    assert.deepEqual(
      body['snapshot_gaps'],
      ['deals.gross_rent_multiplier', 'deals.offer_low', 'listing_history.gone_on'].map(
        (column) => `There is no ${column} in this snapshot; it is null in every row.`,
      ),
    );
  });

  it('without points has records that say so', async () => {
    const tables = ['deals', 'signals', 'auctions', 'leads'];
    const point = ['latitude', 'longitude', 'geo_basis'];
    await serveWithout('2026-11-20.05', {
      columns: [
        ...tables.flatMap((table) => point.map((column) => [table, column] as const)),
        ...['county', 'county_fips', 'county_basis'].map((column) => ['deals', column] as const),
      ],
    });
    const { records } = (await bodyOf(await buyer.fetch(`${shared.app.url}/api/deals?limit=1&fields=all`))) as {
      records: (Record<string, unknown> & { absent: Record<string, string> })[];
    };
    for (const name of [...point, 'county', 'county_fips', 'county_basis'])
      assert.deepEqual([records[0]?.[name], records[0]?.absent[name]], [null, 'not_recorded'], name);
    assert.equal((await buyer.fetch(`${shared.app.url}/api/leads`)).status, 200);
  });

  it('is served by every later version: a column that is added may be null', () => {
    const without = (table: (typeof TABLE_NAMES)[number]): string[] =>
      TABLES[table].columns.filter(({ absent }) => absent === undefined).map(({ name }) => name);
    for (const table of TABLE_NAMES) {
      const earlier: readonly string[] = required[table];
      assert.deepEqual(
        without(table).filter((name) => !earlier.includes(name)),
        [],
        `${table}: a snapshot of an earlier version lacks these; state when they are absent`,
      );
    }
  });

  it('without reports responds with 503 for them before a payment, and serves everything else', async () => {
    await serveWithout('2026-11-20.02', { tables: ['reports', 'listing_history'] });
    for (const path of [`/api/deals/${uuid(1)}/report`, '/api/example_report']) {
      const { response, body } = await shared.get(path);
      assert.deepEqual([response.status, body['reason'], body['billed']], [503, 'snapshot_unavailable', false], path);
      assert.match(String(body['detail']), /built before there were reports/);
    }
    for (const path of ['/api/meta', '/api/deals/ids', '/api/deals/{id}/report'])
      assert.equal((await shared.get(path)).response.status, 200, path);
    assert.equal((await buyer.fetch(`${shared.app.url}/api/deals`)).status, 200);
    assert.deepEqual((await shared.get('/health')).body['snapshot_gaps'], [
      'There is no table reports in this snapshot.',
      'There is no table listing_history in this snapshot.',
    ]);
  });

  it('without properties sells no exclusive lead, and lists leads', async () => {
    await serveWithout('2026-11-20.04', { tables: ['property_keys'] });
    const { response, body } = await shared.get('/api/leads/exclusive');
    assert.deepEqual([response.status, body['reason'], body['billed']], [503, 'snapshot_unavailable', false]);
    assert.equal((await buyer.fetch(`${shared.app.url}/api/leads`)).status, 200);
  });

  it('without listing history sells reports with a null history', async () => {
    await serveWithout('2026-11-20.03', { tables: ['listing_history'] });
    const response = await buyer.fetch(`${shared.app.url}/api/deals/${uuid(1)}/report`);
    assert.equal(response.status, 200);
    assert.equal((await bodyOf(response))['history'], null);
  });
});
