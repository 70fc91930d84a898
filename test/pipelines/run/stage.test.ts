/** Staging: each row is a staged row, a reject or a merged duplicate. A refused row keeps its last good version. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { closing } from '../../../lib/closing.ts';
import { defineRecord, money, text } from '../../../lib/record.ts';
import { readPage, stagedParquet } from '../../../pipelines/ingest/reads.ts';
import { checkExpectations, type Tally, type Unreadable } from '../../../pipelines/ingest/stage/check_rows.ts';
import { stageRead, type StagedRead } from '../../../pipelines/ingest/stage/stage.ts';
import { layoutOf, type Layout } from '../../../pipelines/layout.ts';
import { defineSource, Quarantine, type Candidate, type Page, type SourceSpec } from '../../../sources/contract.ts';
import { memoryFolder } from '../../ledger/memory_folder.ts';

const Debt = defineRecord('debt', 'One row per parcel.', ['parcel'], {
  parcel: text('Parcel.'),
  amount: money('Amount.', { absent: 'not published' }),
});

const spec: SourceSpec = defineSource({
  name: 'test_debts',
  family: 'tax',
  title: 'Debts',
  home: 'https://county.example/',
  everyDays: 1,
  hosts: ['county.example'],
  terms: { basis: 'sandbox_only', note: 'Made up for this test.' },
  minIntervalMs: 0,
  row: Debt,
  expect: { minRows: 1, maxRejectShare: 0.5, maxDropShare: 0.4 },
  async *fetch() {
    /* pages are handed to parse directly */
  },
  /** A line `parcel=amount`; `parcel=` has no amount, a line without `=` is refused. */
  parse: (page) =>
    page
      .text()
      .split('\n')
      .filter(Boolean)
      .map((line): Candidate => {
        const [parcel = '', amount] = line.split('=');
        if (amount === undefined)
          return {
            reject: { reason: 'wrong_field_count', detail: `line is ${line}, expected parcel=amount` },
            key: { parcel },
            raw: line,
          };
        return { values: { parcel, amount: amount || null }, raw: line };
      }),
});

const page = (body: string, day = '2026-11-20', url = 'https://county.example/list'): Page => ({
  kind: 'list',
  url,
  context: {},
  bytes: Buffer.from(body),
  sha256: 'ab'.repeat(32),
  contentType: 'text/plain',
  observedAt: `${day}T12:00:00Z`,
  text: () => body,
});

const folder = (): Layout => layoutOf(memoryFolder('dealfeed-stage-'));

/** Stage pages, use the result and close it. */
async function stage<T>(
  pages: readonly Page[],
  use: (result: StagedRead) => T | Promise<T>,
  options: { readonly spec?: SourceSpec; readonly target?: string; readonly unreadable?: Unreadable[] } = {},
): Promise<T> {
  const target = options.target ?? stagedParquet(folder(), spec.name, '2026-11-20.01');
  const observedAt = pages[0]?.observedAt ?? '';
  await using result = closing(
    await stageRead({ spec, pages: pages.map(readPage), unreadable: [], observedAt, ...options, target }),
  );
  return await use(result);
}

test('rows in = rows out + rejects + merged for any page', async () => {
  const layout = folder();
  const line = fc.oneof(
    fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 99 })).map(([p, a]) => `${p}=${a}.50`),
    fc.integer({ min: 1, max: 9 }).map((p) => `${p}=`),
    fc.constant('7'),
    fc.constant('3=lots'),
  );
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), async (lines) => {
      number += 1;
      const target = stagedParquet(layout, spec.name, `2026-11-20.${100 + number}`);
      const { counts } = await stage([page(lines.join('\n'))], (result) => result.write(undefined), { target });
      assert.equal(counts.rows_in, lines.length);
      assert.equal(counts.rows_out, new Set(lines.filter((l) => /^\d=(\d+\.50)?$/.test(l)).map((l) => l[0])).size);
      assert.equal(counts.rows_rejected, lines.filter((l) => l === '7' || l === '3=lots').length);
      assert.equal(counts.rows_in, counts.rows_out + counts.rows_rejected + counts.rows_merged);
    }),
    { numRuns: 25 },
  );
});

test('a breached expectation quarantines the read', async () => {
  const staging = (rows: number, rejects: number): Promise<Tally> => {
    const lines = [...Array(rows).keys()].map((n) => `${n}=1.00`).concat(Array<string>(rejects).fill('7'));
    return stage([page(lines.join('\n'))], (result) => result);
  };
  const reasonOf = (tally: Tally, lastGoodRows?: number, expecting = spec): string => {
    try {
      checkExpectations(expecting, tally, lastGoodRows);
    } catch (error) {
      return error instanceof Quarantine ? error.reason : String(error);
    }
    return 'none';
  };
  assert.equal(reasonOf(await staging(0, 0)), 'too_few_rows');
  assert.equal(reasonOf(await staging(5, 6)), 'too_many_rejects');
  assert.equal(reasonOf(await staging(5, 5)), 'none');
  assert.equal(reasonOf(await staging(59, 0), 100), 'row_count_dropped');
  assert.equal(reasonOf(await staging(60, 0), 100), 'none');
  assert.equal(reasonOf(await staging(5, 0), 100, { ...spec, reads: 'increments' }), 'none');
});

test('identical rows are merged; contradictory ones are refused, and the last good row is carried', async () => {
  const strict: SourceSpec = { ...spec, contradictions: 'refused' };
  const layout = folder();
  const first = stagedParquet(layout, spec.name, '2026-11-19.01');
  await stage([page('A=5.00\nB=6.00\n', '2026-11-19')], (result) => result.write(undefined), { target: first });
  const second = stagedParquet(layout, spec.name, '2026-11-20.01');
  await stage(
    [page('A=1.00\nB=2.00\nA=1.00\n'), { ...page('B=3.00\nB=2.00\nC=4.00\n'), sha256: 'cd'.repeat(32) }],
    async (result) => {
      assert.deepEqual(
        [result.rowsIn, result.rows, result.rejects.length, result.merged],
        [6, 2, 2, 2],
        'in = out + rejected + merged',
      );
      assert.deepEqual(
        result.rejects.map((r) => [r.reason, r.detail]),
        Array.from({ length: 2 }, () => ['contradictory_rows', '2 rows of B differ in amount ("3.00", "2.00")']),
      );
      assert.deepEqual(result.rejectedKeys, [{ parcel: 'B' }, { parcel: 'B' }]);
      const { counts } = await result.write(first);
      assert.deepEqual(counts, { rows_in: 6, rows_out: 2, rows_rejected: 2, rows_merged: 2, rows_carried: 1 });
    },
    { spec: strict, target: second },
  );
});
