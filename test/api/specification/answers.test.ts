/**
 * Answers of a running server, held against the specification by a buyer who reads them as JSON. docs/specification.md
 * lists every statement with the test that fails if it becomes false.
 */
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { dataFolder, type DataFolder } from '../support/snapshot_fixtures.ts';
import { startApp, type Started } from '../support/test_app.ts';
import { testFilters } from './filters.ts';
import { testPurchases } from './purchases.ts';
import { testRecords } from './records.ts';
import { ROWS } from './rows.ts';
import type { Shop } from './shop.ts';

describe('the server', () => {
  let folder: DataFolder;
  let started: Started;
  const buyer = buyerWith();
  const shop: Shop = {
    url: () => started.url,
    async free(path) {
      const response = await fetch(started.url + path);
      assert.equal(response.status, 200, path);
      return bodyOf(response);
    },
    async buy(path) {
      const response = await buyer.fetch(started.url + path);
      assert.equal(response.status, 200, path);
      return bodyOf(response);
    },
    ask: (path) => buyer.fetch(started.url + path),
    sign: (path) => buyer.sign(started.url + path),
    settled: () => started.facilitator.settled,
  };

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', ROWS);
    started = await startApp(folder.path, { unbilledPerMinute: 10_000 });
  });
  after(async () => {
    await started.close();
    await folder.remove();
  });

  testRecords(shop);
  testPurchases(shop);
  // The last of them sells leads.
  testFilters(shop);
});
