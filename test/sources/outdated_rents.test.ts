/** Which fiscal year of a source's rows is in use, and from which day it is outdated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yearInUse } from '../../sources/days.ts';
import hud from '../../sources/fmr/hud_fmr.ts';
import safmr from '../../sources/fmr/hud_safmr.ts';
import { pageOf } from './recorded.ts';

/** Years of the rows, the year that a list names and its day, the day, and why the rows are outdated on it. */
type Case = readonly [
  rows: readonly number[],
  listed: readonly [number, string] | null,
  day: string,
  why: string | null,
];
const [OVER, NEWER] = ['fiscal_year_over', 'newer_fiscal_year_published'];

const CASES: readonly Case[] = [
  [[2024], null, '2026-11-20', OVER],
  [[2024], [2027, '2026-11-20'], '2026-11-20', NEWER],
  [[2026], [2027, '2026-11-20'], '2026-11-20', NEWER],
  // Without a list, a year that is over stays in use for 60 days.
  [[2026], null, '2026-11-20', null],
  [[2026], null, '2026-11-29', null],
  [[2026], null, '2026-11-30', OVER],
  // A list that names the year as the newest extends its use; one older than the end of the year changes nothing.
  [[2026], [2026, '2026-12-01'], '2026-12-05', null],
  [[2026], [2026, '2026-07-01'], '2026-11-30', OVER],
  [[2026], [2026, '2026-07-01'], '2026-11-29', null],
  // A list of older years only says nothing.
  [[2026], [2025, '2026-11-29'], '2026-11-30', OVER],
  [[2027], null, '2026-11-20', null],
  [[2026, 2027], null, '2026-11-20', null],
  [[2026], [2027, '2026-09-01'], '2026-09-30', null],
  [[2026], [2027, '2026-09-01'], '2026-10-01', NEWER],
];

for (const [years, listed, day, why] of CASES) {
  const list = listed === null ? 'without a list' : `with a list of ${listed[0]} from ${listed[1]}`;
  test(`FY${years.join(' and ')} ${list}: ${why ?? 'not outdated'} on ${day}`, () => {
    const found = yearInUse({ rows: years, listed: listed === null ? null : { year: listed[0], on: listed[1] } }, day);
    assert.ok(found);
    assert.equal(found.outdatedOn <= day ? found.outdatedReason : null, why);
  });
}

test('a year that has not begun is not in use: FY27 dropped in September leaves FY26, and alone it is none', () => {
  assert.deepEqual(yearInUse({ rows: [2026, 2027], listed: null }, '2026-09-25'), {
    fiscalYear: 2026,
    outdatedOn: '2026-10-01',
    outdatedReason: 'newer_fiscal_year_published',
  });
  assert.equal(yearInUse({ rows: [2027], listed: null }, '2026-09-25'), null);
  assert.equal(yearInUse({ rows: [], listed: null }, '2026-11-20'), null);
});

test('a list of years is read for the files of its own source, whatever else it links to', () => {
  const list = (html: string) => pageOf(Buffer.from(html), { kind: 'years', url: 'https://www.huduser.gov/x.html' });
  const both = list(
    '<a href="/fmr2026/FY26_FMRs_revised.xlsx">x</a> <a href="/fmr2027/FY27_FMRs.xlsx">x</a> ' +
      '<a href="/fmr2024/fy2024_safmrs_revised.xlsx">x</a> <a href="/fmr2026/fy2026_safmrs.xlsx">x</a>',
  );
  assert.deepEqual([hud.listedFiscalYear?.(both), safmr.listedFiscalYear?.(both)], [2027, 2026]);
  const none = list('<h1>Fair Market Rents FY 2027</h1>');
  assert.deepEqual([hud.listedFiscalYear?.(none), safmr.listedFiscalYear?.(none)], [null, null]);
  const workbook = pageOf(Buffer.from('FY27_FMRs.xlsx'), { kind: 'workbook', url: 'https://www.huduser.gov/x.xlsx' });
  assert.equal(hud.listedFiscalYear?.(workbook), null);
});
