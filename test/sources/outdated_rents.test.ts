/** Which fiscal year of a source's rows is in use, and from which day it is outdated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays } from '../../sources/days.ts';
import { yearInUse, type FiscalYears } from '../../sources/fiscal_year.ts';
import hud from '../../sources/fmr/hud_fmr/source.ts';
import safmr from '../../sources/fmr/hud_safmr/source.ts';
import { pageOf } from './recorded.ts';

interface Case {
  readonly about: string;
  readonly years: FiscalYears;
  readonly day: string;
  readonly reason: string | null;
}

const rows = (...years: readonly number[]): FiscalYears => ({ rows: years, listed: null });
const listing = (years: FiscalYears, year: number, on: string): FiscalYears => ({ ...years, listed: { year, on } });

const CASES: readonly Case[] = [
  { about: 'FY24 without a list', years: rows(2024), day: '2026-11-20', reason: 'fiscal_year_over' },
  {
    about: 'FY24, while the list names FY27',
    years: listing(rows(2024), 2027, '2026-11-20'),
    day: '2026-11-20',
    reason: 'newer_fiscal_year_published',
  },
  {
    about: 'FY26, while the list names FY27',
    years: listing(rows(2026), 2027, '2026-11-20'),
    day: '2026-11-20',
    reason: 'newer_fiscal_year_published',
  },
  { about: 'FY26 without a list, over for 51 days', years: rows(2026), day: '2026-11-20', reason: null },
  { about: 'FY26 without a list, over for 60 days', years: rows(2026), day: '2026-11-29', reason: null },
  { about: 'FY26 without a list, over for 61 days', years: rows(2026), day: '2026-11-30', reason: 'fiscal_year_over' },
  { about: 'FY26 without a list, over for 66 days', years: rows(2026), day: '2026-12-05', reason: 'fiscal_year_over' },
  {
    about: 'FY26, while a list of this week names FY26 as the newest',
    years: listing(rows(2026), 2026, '2026-12-01'),
    day: '2026-12-05',
    reason: null,
  },
  {
    about: 'FY26, and a list older than the end of the year does not extend its use',
    years: listing(rows(2026), 2026, '2026-07-01'),
    day: '2026-11-30',
    reason: 'fiscal_year_over',
  },
  {
    about: 'FY26, and a list older than the end of the year does not shorten its use either',
    years: listing(rows(2026), 2026, '2026-07-01'),
    day: '2026-11-29',
    reason: null,
  },
  {
    about: 'FY26, and a list that names older years only',
    years: listing(rows(2026), 2025, '2026-11-29'),
    day: '2026-11-30',
    reason: 'fiscal_year_over',
  },
  { about: 'FY27', years: rows(2027), day: '2026-11-20', reason: null },
  { about: 'FY27 next to FY26', years: rows(2026, 2027), day: '2026-11-20', reason: null },
  {
    about: 'FY26 on its last day, while FY27 is published',
    years: listing(rows(2026), 2027, '2026-09-01'),
    day: '2026-09-30',
    reason: null,
  },
  {
    about: 'FY26 on the day after its last one, while FY27 is published',
    years: listing(rows(2026), 2027, '2026-09-01'),
    day: '2026-10-01',
    reason: 'newer_fiscal_year_published',
  },
];

for (const { about, years, day, reason } of CASES) {
  test(`${about}: ${reason ?? 'not outdated'} on ${day}`, () => {
    const found = yearInUse(years, day);
    assert.ok(found);
    assert.equal(found.outdatedOn <= day ? found.outdatedReason : null, reason);
  });
}

test('rows that are outdated stay so on every later day, and the day does not depend on when it is computed', () => {
  const days = Array.from({ length: 120 }, (_, i) => addDays('2026-10-01', i));
  assert.deepEqual([...new Set(days.map((day) => yearInUse(rows(2026), day)?.outdatedOn))], ['2026-11-30']);
});

test('a year that has not begun is not in use: FY27 dropped in September leaves FY26, and alone it is none', () => {
  assert.deepEqual(yearInUse(rows(2026, 2027), '2026-09-25'), {
    fiscalYear: 2026,
    outdatedOn: '2026-10-01',
    outdatedReason: 'newer_fiscal_year_published',
  });
  assert.equal(yearInUse(rows(2027), '2026-09-25'), null);
  assert.equal(yearInUse(rows(), '2026-11-20'), null);
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
