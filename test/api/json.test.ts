/** A record as text that the database writes is the record as it is written from an object. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { textSql } from '../../api/json.ts';
import { loadSnapshot, type Snapshot } from '../../api/snapshot.ts';
import { TABLES, type TableName } from '../../api/tables.ts';
import { dataFolder, rowsOfTable, type DataFolder } from './snapshots_made.ts';

const ODD = ['plain', 'quoted "name" \\ and / more', 'tab\tand line\nand bell\u0007', 'Straße, São, 東京, 🏠', '\u2028', '<script>', "O'Fallon", '\u007f'];

describe('a record as text', () => {
  let folder: DataFolder;
  let snapshot: Snapshot;

  before(async () => {
    folder = await dataFolder();
    const rows = (table: TableName, column: string) => rowsOfTable(table, ODD.length, (i) => ({ [column]: ODD[i % ODD.length] ?? '' }));
    snapshot = await loadSnapshot(await folder.publish('2026-11-20.01', {
      deals: rows('deals', 'city'), signals: rows('signals', 'county'), auctions: rows('auctions', 'county'), leads: rows('leads', 'county'), filings: rows('filings', 'business_name'),
    }));
  });
  after(async () => {
    snapshot.close();
    await folder.remove();
  });

  for (const table of ['deals', 'signals', 'auctions', 'leads', 'filings'] as const) {
    it(`of ${table} is that of the object`, async () => {
      const objects = await snapshot.records(table, `SELECT * FROM ${table} ORDER BY id`);
      const texts = await snapshot.rows(`SELECT ${textSql(TABLES[table].columns)} AS text FROM ${table} ORDER BY id`);
      assert.equal(objects.length, ODD.length);
      assert.deepEqual(texts.map((row) => JSON.parse(String(row['text'])) as unknown), objects);
      // The order of the fields is part of it.
      assert.deepEqual(texts.map((row) => Object.keys(JSON.parse(String(row['text'])) as object)), objects.map((o) => Object.keys(o)));
    });
  }
});
