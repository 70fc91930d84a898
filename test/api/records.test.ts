/** Texts of records that are kept: made once, and never more of them than the bound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonText, recordsKept, type Records } from '../../api/records.ts';

const TEXT_BYTES = 1_000;
const textOf = (row: number): Buffer => Buffer.from(String(row).padEnd(TEXT_BYTES, '.'));

function making(kept: Records) {
  const made: number[] = [];
  const ask = (row: number, kind = 0): string => kept.text(kind, row, () => { made.push(row); return textOf(row); }).toString();
  return { made, ask };
}

test('a record is made once for its kind', () => {
  const { made, ask } = making(recordsKept());
  assert.deepEqual([3, 1, 3, 1].map((row) => ask(row)), [3, 1, 3, 1].map((row) => textOf(row).toString()));
  assert.deepEqual(made, [3, 1]);
  ask(3, 1);
  assert.deepEqual(made, [3, 1, 3], 'another kind of the same row is another text');
});

test('what does not fit the bound is given up, the longest unasked for first', () => {
  const { made, ask } = making(recordsKept(5 * TEXT_BYTES));
  for (const row of [1, 2, 3, 4, 1, 5]) ask(row);
  made.length = 0;
  for (const row of [1, 2]) ask(row);
  assert.deepEqual(made, [2], 'of four, the one before the last asked for had to go');
});

test('an answer of texts is the JSON of their objects', () => {
  const texts = ['{"a":1}', '{"a":"é"}'].map((text) => Buffer.from(text));
  for (const fields of [{ records: texts }, { count: 2, records: texts, next: null }, { records: [], note: undefined, more: texts, last: { x: [] } }, {}]) {
    const expected = JSON.stringify(fields, (_, value: unknown) => value).replaceAll(/\{"type":"Buffer","data":\[[\d,]*\]\}/g, (buffer) => Buffer.from((JSON.parse(buffer) as { data: number[] }).data).toString('utf8'));
    assert.equal(JsonText.of(fields).bytes.toString('utf8'), expected);
  }
});
