/**
 * The weekly survey of mortgage rates as posted by its publisher, Freddie Mac: the original of FRED's series
 * MORTGAGE30US, and its fallback. The header and three rows are known from a public test that quotes them, the address
 * from public readers; no whole file was recorded. The other mortgages of the survey are not read.
 */
import { type Candidate, defineSource, type Page } from '../../contract.ts';
import { checkColumns } from '../../csv/csv.ts';
import { parseRates, readRatePage } from '../../families/survey_rates.ts';
import { SurveyRate } from '../../rows/survey_rate.ts';

const SITE = 'https://www.freddiemac.com';
const COLUMNS = { series: 'MORTGAGE30US', day: 'date', rate: 'pmms30' } as const;
/** Points of that mortgage, and the 15-year and adjustable ones. */
const UNREAD = /^pmms(?:30p|15p?|51(?:p|m|spread)?)$/u;

function parse(page: Page): readonly Candidate[] {
  const csv = readRatePage(page);
  checkColumns(csv.header, [COLUMNS.day, COLUMNS.rate], page.url, [UNREAD]);
  return parseRates(page, csv, COLUMNS);
}

export default defineSource({
  name: 'freddie_pmms',
  family: 'benchmarks',
  title: 'Freddie Mac Primary Mortgage Market Survey',
  home: `${SITE}/pmms`,
  terms: {
    basis: 'open_data',
    note:
      'Freddie Mac allows use with proper attribution ("Freddie Mac, Primary Mortgage Market Survey"), as public ' +
      'readers of the survey quote it; the terms of the site itself were not obtained.',
    url: `${SITE}/pmms`,
  },
  everyDays: 7,
  hosts: ['www.freddiemac.com'],
  politeness: { minIntervalMs: 5000, concurrency: 1 },
  row: SurveyRate,
  contradictions: 'refused',
  expect: {
    minRows: 50,
    // A misprint is most likely in the newest row, which is the one that counts.
    maxRejectShare: 0,
    maxDropShare: 0.05,
    newest: { column: 'observed_on', given: 'rate_pct', maxAgeDays: 14 },
  },
  drop: [
    {
      pattern: /^pmms_history.*\.csv$/u,
      file: 'PMMS_history.csv',
      kind: 'history',
      about: `Freddie Mac's file of all weeks, PMMS_history.csv (${SITE}/pmms).`,
    },
  ],

  async *fetch(ctx) {
    yield await ctx.get(`${SITE}/pmms/docs/PMMS_history.csv`, { kind: 'history' });
  },
  parse,
});
