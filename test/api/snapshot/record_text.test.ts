/** The text of a record equals the published record, with any characters in its values. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { parseRecord, JsonText } from '../../../api/snapshot/json_text.ts';
import { loadSnapshot, type Snapshot } from '../../../api/snapshot/load.ts';
import { TABLES, type TableName } from '../../../models/serving/tables.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { Records } from '../../../api/snapshot/records.ts';

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
    snapshot = await loadSnapshot(await folder.publish('2026-11-20.01', published));
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
          Object.keys(absent as object),
          Object.keys(row).filter((name) => row[name] === null),
        );
    });

    it(`of ${table} has the requested fields, in order`, async () => {
      const names = TABLES[table].columns.map((c) => c.name);
      for (const some of [names.slice(-1), names.filter((_, i) => i % 3 === 1).reverse(), ['id']]) {
        assert.deepEqual(
          (await snapshot.texts(table, [2, 0], some)).map(String),
          [2, 0].map((row) =>
            JSON.stringify(Object.fromEntries(some.map((name) => [name, published[table][row]?.[name]]))),
          ),
        );
      }
    });
  }
});

const TEXT_BYTES = 1_000;
const textOf = (row: number): string => String(row).padEnd(TEXT_BYTES, '.');

/** Records over a database that counts the rows it reads. */
function recordsOver(cacheBytes?: number) {
  const read: number[] = [];
  const records = new Records(
    {
      async rows(_sql, params = []) {
        const rows = JSON.parse(String(params[0])) as number[];
        read.push(...rows);
        return rows.toReversed().map((row) => ({ row: String(row), text: textOf(row) }));
      },
    },
    cacheBytes,
  );
  const texts = async (rows: readonly number[], columns?: readonly string[]): Promise<string[]> =>
    (await records.texts('deals', rows, columns)).map(String);
  return { read, texts };
}

test('texts are in the order of the rows and are read once per kind of record', async () => {
  const { read, texts } = recordsOver();
  assert.deepEqual(await texts([3, 1]), [3, 1].map(textOf));
  assert.deepEqual(await texts([1, 2, 3]), [1, 2, 3].map(textOf));
  assert.deepEqual(read, [3, 1, 2]);
  await texts([3], ['id']);
  assert.deepEqual(read, [3, 1, 2, 3], 'other columns of the same row are another text');
});

test('the cache is bounded and drops the least recently used text first', async () => {
  const { read, texts } = recordsOver(5 * TEXT_BYTES);
  for (const row of [1, 2, 3, 4, 1, 5]) await texts([row]);
  read.length = 0;
  for (const row of [1, 2]) await texts([row]);
  assert.deepEqual(read, [2]);
});

test('a page larger than the cache is complete', async () => {
  const { texts } = recordsOver(2 * TEXT_BYTES);
  const rows = Array.from({ length: 20 }, (_, i) => i);
  assert.deepEqual(await texts(rows), rows.map(textOf));
});

test('a missing row is an error, not a short list', async () => {
  const records = new Records({ rows: async () => [] });
  await assert.rejects(records.texts('deals', [1]), /deals has no row 1/);
});

test('a body of texts is the JSON of their objects', () => {
  const texts = ['{"a":1}', '{"a":"é"}'].map((text) => Buffer.from(text));
  for (const fields of [
    { records: texts },
    { count: 2, records: texts, next: null },
    { records: [], note: undefined, more: texts, last: { x: [] } },
    {},
  ]) {
    const expected = JSON.stringify(fields, (_, value: unknown) => value).replaceAll(
      /\{"type":"Buffer","data":\[[\d,]*\]\}/g,
      (buffer) => Buffer.from((JSON.parse(buffer) as { data: number[] }).data).toString('utf8'),
    );
    assert.equal(JsonText.of(fields).bytes.toString('utf8'), expected);
  }
});
