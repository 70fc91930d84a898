/**
 * Answers of a running server, held against the specification by a buyer who reads them as JSON. docs/specification.md
 * lists every statement with the test that fails if it becomes false.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { bodyOf, buyerWith } from '../support/buyers.ts';

import { sharedApp } from '../support/test_app.ts';
import { testFilters } from './filters.ts';
import { testPurchases } from './purchases.ts';
import { testRecords } from './records.ts';
import { ROWS } from './rows.ts';
import type { Shop } from './shop.ts';

describe('the server', () => {
  const buyer = buyerWith();
  const shop: Shop = {
    url: () => shared.app.url,
    async free(path) {
      const response = await fetch(shared.app.url + path);
      assert.equal(response.status, 200, path);
      return bodyOf(response);
    },
    async buy(path) {
      const response = await buyer.fetch(shared.app.url + path);
      assert.equal(response.status, 200, path);
      return bodyOf(response);
    },
    ask: (path) => buyer.fetch(shared.app.url + path),
    sign: (path) => buyer.sign(shared.app.url + path),
    settled: () => shared.app.facilitator.settled,
  };

  const shared = sharedApp(ROWS, { unbilledPerMinute: 10_000 });

  testRecords(shop);
  testPurchases(shop);
  // The last of them sells leads.
  testFilters(shop);
});
