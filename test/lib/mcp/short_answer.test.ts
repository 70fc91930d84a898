/** Short answers for agents: nothing is lost, and the length is bounded. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ArgumentError } from '../../../lib/mcp/arguments.ts';
import { readView, shortAnswer, withHint } from '../../../lib/mcp/short_answer.ts';

const json = (body: unknown, isBought = true) => ({ type: 'application/json', text: JSON.stringify(body), isBought });
const viewOf = (given: Record<string, unknown>) => readView(given).view;

describe('a short answer', () => {
  const long = { kind: 'x', text: 'y'.repeat(1_300) };
  const record = (n: number) => ({ id: n, figure: '1.00', nested: { long }, absent: {} });
  const body = { count: 30, next_cursor: 'c', records: Array.from({ length: 30 }, (_, n) => record(n)) };

  it('has the first five records, their count and the cursor', () => {
    const { body: short, shown, left_out } = shortAnswer(json(body), viewOf({}));
    assert.deepEqual(short, {
      count: 30,
      next_cursor: 'c',
      records: [0, 1, 2, 3, 4].map((id) => ({ id, figure: '1.00', absent: {} })),
    });
    assert.equal(shown, 'records 1 to 5 of 30.');
    assert.deepEqual(left_out, { 'records.N.nested': JSON.stringify({ long }).length });
  });

  it('has every field of a record if the call chose fields', () => {
    const { body: short } = shortAnswer(json(body), viewOf({ fields: 'nested', show: 1 }));
    assert.deepEqual((short as typeof body).records, [record(0)]);
  });

  it('shows a part by its path, and lists the fields if the path does not exist', () => {
    assert.deepEqual(shortAnswer(json(body), viewOf({ part: 'records.7' })).part, {
      name: 'records.7',
      value: record(7),
    });
    assert.deepEqual(shortAnswer(json(body), viewOf({ part: 'records.7.nested.long.kind' })).part?.value, 'x');
    for (const part of ['records.30', 'count.x', '__proto__', 'records.length.x', 'toString'])
      assert.match(shortAnswer(json(body), viewOf({ part })).shown ?? '', /Fields: count, next_cursor, records\.$/);
  });

  it('keeps a free answer below its limit, and names the rest', () => {
    const free = { note: 'short', a: 'x'.repeat(2_000), b: 'y'.repeat(2_000), last: 1 };
    assert.deepEqual(shortAnswer(json(free, false), viewOf({})), {
      left_out: { b: 2_002 },
      body: { note: 'short', a: free.a, last: 1 },
    });
  });

  it('has the header and the first lines of a file', () => {
    const text = ['h', ...Array.from({ length: 9 }, (_, n) => `row ${n}`)].map((line) => `${line}\r\n`).join('');
    const file = { type: 'text/csv', text, isBought: true };
    assert.equal(shortAnswer(file, viewOf({ show: 2 })).body, 'h\r\nrow 0\r\nrow 1\r\n');
    assert.deepEqual(shortAnswer(file, viewOf({ show: 2, from: 7 })), {
      shown: 'lines 8 to 9 of 9, and the header.',
      body: 'h\r\nrow 7\r\nrow 8\r\n',
    });
    assert.match(shortAnswer({ ...file, isCut: true }, viewOf({})).shown ?? '', /of more than 9/);
  });

  it('names a way to read on only if something is left out', () => {
    assert.deepEqual(withHint({ body: 1 }, 'hint'), { body: 1 });
    assert.deepEqual(withHint({ body: 1, left_out: { a: 1 } }, 'hint'), { shown: 'hint', left_out: { a: 1 }, body: 1 });
    assert.deepEqual(withHint({ body: 1, shown: 'x.' }, null), { shown: 'x.', body: 1 });
  });

  it('refuses arguments that describe no view', () => {
    for (const wrong of [{ show: 0 }, { show: 501 }, { from: -1 }, { part: 7 }, { show: 'many' }, { show: [] }])
      assert.throws(() => readView(wrong), ArgumentError, JSON.stringify(wrong));
  });

  it('gives every record once when it is read on page by page', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 20 }), (count, show) => {
        const list = {
          records: Array.from({ length: count }, (_, id) => ({ id, text: 'z'.repeat((id * 997) % 3_000) })),
        };
        const seen: number[] = [];
        while (seen.length < count) {
          const { body: page } = shortAnswer(json(list), viewOf({ show, from: seen.length }));
          const { records } = page as typeof list;
          assert.ok(records.length > 0);
          seen.push(...records.map((r) => r.id));
        }
        assert.deepEqual(seen, [...Array(count).keys()]);
      }),
      { numRuns: 50 },
    );
  });
});
