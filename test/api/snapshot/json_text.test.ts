/** Record texts: read once while cached, and assembled into the JSON of a response. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonText } from '../../../api/snapshot/json_text.ts';
import { Records } from '../../../api/snapshot/records.ts';

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
