/**
 * Answers of a running server, held against the specification by a buyer who reads them as JSON. docs/specification.md
 * lists every statement with the test that fails if it becomes false.
 */
import { describe } from 'node:test';
import { sharedApp } from '../support/test_app.ts';
import { testFilters } from './filters.ts';
import { testPurchases } from './purchases.ts';
import { testRecords } from './records.ts';
import { ROWS } from './rows.ts';

describe('the server', () => {
  const shop = sharedApp(ROWS, { settings: { UNBILLED_PER_MINUTE: 10_000 } });

  testRecords(shop);
  testPurchases(shop);
  // The last of them sells leads.
  testFilters(shop);
});
