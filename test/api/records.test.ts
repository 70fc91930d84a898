/** Texts of records that are kept: made once, given in the order asked for, and never more of them than the bound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonText, recordsKept } from '../../api/records.ts';

const TEXT_BYTES = 1_000;
const textOf = (row: number): string => String(row).padEnd(TEXT_BYTES, '.');

function making() {
  const made: number[][] = [];
  return { made, make: async (rows: readonly number[]) => { made.push([...rows]); return rows.map(textOf); } };
}

test('a record is made once for its kind, whatever else is asked for with it, and the order is that of the question', async () => {
  const kept = recordsKept();
  const { made, make } = making();
  await kept.texts(0, [3, 1], make);
  const texts = await kept.texts(0, [2, 1, 4, 3], make);
  assert.deepEqual(texts.map(String), [2, 1, 4, 3].map(textOf));
  assert.deepEqual(made, [[3, 1], [2, 4]]);
  await kept.texts(1, [3], make);
  assert.deepEqual(made.at(-1), [3], 'another kind of the same row is another text');
});

test('what does not fit the bound is given up, the longest unasked for first', async () => {
  const kept = recordsKept(5 * TEXT_BYTES);
  const { made, make } = making();
  await kept.texts(0, [1, 2, 3, 4], make);
  await kept.texts(0, [1], make);
  await kept.texts(0, [5], make);
  made.length = 0;
  await kept.texts(0, [1, 2], make);
  assert.deepEqual(made, [[2]], 'of four, the one before the last asked for had to go');
});

test('a row that is not found is an error and never another row\'s text', async () => {
  await assert.rejects(recordsKept().texts(0, [1, 2], async () => [textOf(2)]), /2 rows were asked for and 1 were found/);
});

test('an answer of texts is the JSON of their objects', () => {
  const texts = ['{"a":1}', '{"a":"é"}'].map((text) => Buffer.from(text));
  for (const fields of [{ records: texts }, { count: 2, records: texts, next: null }, { records: [], note: undefined, more: texts, last: { x: [] } }, {}]) {
    const expected = JSON.stringify(fields, (_, value: unknown) => value).replaceAll(/\{"type":"Buffer","data":\[[\d,]*\]\}/g, (buffer) => Buffer.from((JSON.parse(buffer) as { data: number[] }).data).toString('utf8'));
    assert.equal(JsonText.of(fields).bytes.toString('utf8'), expected);
  }
});
