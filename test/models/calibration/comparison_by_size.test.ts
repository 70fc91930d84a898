/** The comparison with real NOI as the pages show it: every size once, and errors in the direction that they name. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  AIM_WORDS,
  aimsBySize,
  comparedSizes,
  comparedYears,
  isJudged,
  errorRanges,
  medianRange,
  unitsText,
  WHOSE_NOI,
  type ComparedCell,
} from '../../../models/calibration/comparison_by_size.ts';

const bounds = (range: string): number[] => range.split(' to ').map(Number);

test('each size of each data set is one row, and the aim is counted over those with enough properties', () => {
  const rows = comparedSizes();
  const keys = rows.map(({ population, size }) => `${population} ${size}`);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(keys.includes('survey 2_4') && keys.includes('assessor 50_up') && keys.includes('loans 50_up'));
  for (const { n, aim } of rows) assert.equal(aim === 'too_few', n < 100);
  const judged = rows.filter(({ n }) => n >= 100);
  assert.ok(aimsBySize().includes(`${judged.filter(({ aim }) => aim === 'reached').length} of the ${judged.length} `));
});

test('the pages say: high for small buildings, low for large and recent ones', () => {
  const { small, large, recent } = errorRanges();
  const [[least = 0], [, largest = 2], [, newest = 2]] = [bounds(small), bounds(large), bounds(recent)];
  assert.ok(least > 1, small);
  assert.ok(largest < 1, large);
  assert.ok(newest < 1, recent);
});

test('docs/underwriting.md has every row of the comparison', () => {
  const page = readFileSync(new URL('../../../docs/underwriting.md', import.meta.url), 'utf8').replaceAll('\n', ' ');
  for (const row of comparedSizes()) {
    const ours = `${row.underwriting_q1} / **${row.underwriting_median}** / ${row.underwriting_q3}`;
    const proxy = `${row.proxy_q1} / **${row.proxy_median}** / ${row.proxy_q3}`;
    const cells = [WHOSE_NOI[row.population], unitsText(row.size), row.n, ours, proxy, AIM_WORDS[row.aim]];
    assert.ok(page.includes(`| ${cells.join(' | ')} |`), cells.join(' | '));
  }
  assert.ok(page.includes(aimsBySize()), aimsBySize());
  for (const [year, cells] of comparedYears())
    assert.ok(
      page.includes(`| ${[year, ...cells.map((cell) => `${cell.underwriting_median} (${cell.n})`)].join(' | ')} |`),
    );
  assert.ok(comparedYears().size > 3);
});

test('the README has the median error of every size with enough properties, and of every year of the best', () => {
  const page = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8').replaceAll('\n', ' ');
  const errorOf = ({ underwriting_median: median }: ComparedCell): number => Math.round((Number(median) - 1) * 100);
  const signed = (error: number): string => `${error > 0 ? '+' : ''}${error}`;
  const listOf = (cells: readonly ComparedCell[]): string =>
    cells
      .map(errorOf)
      .map(signed)
      .join(', ')
      .replace(/, ([^,]+)$/u, ' and $1 %');
  const judged = comparedSizes().filter(isJudged);
  const owners = judged.filter(({ population }) => population === 'survey');
  for (const cell of owners) assert.ok(page.includes(`${Math.abs(errorOf(cell))} % `), unitsText(cell.size));
  assert.ok(page.includes(listOf(judged.filter(({ population }) => population === 'assessor'))));
  assert.ok(
    page.includes(
      listOf([...comparedYears().values()].flatMap((cells) => cells.filter(({ size }) => size === '5_12'))),
    ),
  );
  const isCloser = (cell: ComparedCell): boolean =>
    Math.abs(errorOf(cell)) < Math.abs(Math.round((Number(cell.proxy_median) - 1) * 100));
  assert.deepEqual([judged.length, judged.filter(isCloser).length], [9, 8]);
});

test('a range without cells is an error', () => {
  assert.throws(() => medianRange([]), /no such cells/);
});
