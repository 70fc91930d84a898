/** The text of a record equals the published record, with any characters in its values. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseRecord } from '../../../api/serving/json_text.ts';
import { openSnapshot, type Snapshot } from '../../../api/serving/open.ts';
import { type TableName } from '../../../models/serving/tables.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const ODD = [
  'plain',
  'quoted "name" \\ and / more',
  'tab\tand line\nand bell\u0007',
  'Straße, São, 東京, 🏠',
  '\u2028',
  '<script>',
  "O'Fallon",
  '\u007f',
];

describe('a record as text', () => {
  const rows = (table: TableName, column: string) =>
    rowsOfTable(table, ODD.length, (i) => ({ [column]: ODD[i % ODD.length] ?? '' }));
  const published = {
    deals: rows('deals', 'city'),
    signals: rows('signals', 'county'),
    auctions: rows('auctions', 'county'),
    filings: rows('filings', 'business_name'),
    // Characters that end a value or a record, within a value.
    leads: rowsOfTable('leads', ODD.length, (i) => ({
      score_rationale: { 'a "b", {[': '}],', c: ODD[i % ODD.length], d: '\\', e: '"]' },
      score_parts: {},
    })),
  };
  let folder: DataFolder;
  let snapshot: Snapshot;

  before(async () => {
    folder = await dataFolder();
    snapshot = await openSnapshot(await folder.publish('2026-11-20.01', published));
  });
  after(async () => {
    snapshot.close();
    await folder.remove();
  });

  for (const table of ['deals', 'signals', 'auctions', 'leads', 'filings'] as const) {
    it(`of ${table} equals the published row`, async () => {
      const texts = await snapshot.texts(table, [...published[table].keys()]);
      const records = texts.map(parseRecord);
      // Byte for byte, including the order of the fields.
      assert.deepEqual(
        texts.map(String),
        published[table].map((row, i) => JSON.stringify({ ...row, absent: records[i]?.['absent'] })),
      );
      for (const { absent, ...row } of records)
        assert.deepEqual(
          Object.keys(absent as object).filter((path) => !/[.[]/u.test(path)),
          Object.keys(row).filter((name) => row[name] === null),
        );
    });
  }
});
