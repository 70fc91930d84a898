/**
 * The weekly survey of mortgage rates as posted by its publisher, Freddie Mac. The header and three rows are known from
 * a public test that quotes them, the address from public readers; no whole file was recorded. The other mortgages of
 * the survey are not read.
 */
import { type Candidate, defineSource, type Page, Quarantine } from '../contract.ts';
import { checkColumns, readCsv } from '../csv/csv.ts';
import { SurveyRate } from '../rows/benchmarks.ts';
import { candidate, date, decimal, hundredths, MADE_UP, refuse, required, tidy } from '../values.ts';

const SITE = 'https://www.freddiemac.com';
const SERIES = 'MORTGAGE30US';
const [DAY, RATE] = ['date', 'pmms30'];
/** Points of that mortgage, and the 15-year and adjustable ones. */
const UNREAD = /^pmms(?:30p|15p?|51(?:p|m|spread)?)$/u;
/** A higher rate is a misprint: the series has been below 20 percent since 1971. */
const MAX_PCT = 25n;

/** The comment above the header, which says that the rates are made up; blank in a real file. */
function commentOf(text: string, pageUrl: string): string {
  const [comment = ''] = /^#[^\r\n]*(?:\r\n|\r|\n)?/u.exec(text) ?? [];
  if (comment === '' || MADE_UP.test(comment)) return comment;
  const detail = `the file starts with the comment ${JSON.stringify(comment.trim().slice(1))}`;
  throw new Quarantine('template_changed', detail, pageUrl);
}

/** A rate in percent; null in a week without a figure. */
function parseRate(day: string, value: string | undefined): string | null {
  const text = tidy(value);
  if (text === null) return null;
  const rate = /^\d+(?:\.\d+)?$/u.test(text) ? hundredths(text) : null;
  if (rate !== null && rate <= 100n * MAX_PCT) return decimal(rate);
  const expected = `expected a rate from 0 to ${MAX_PCT} percent`;
  return refuse('bad_rate', `${SERIES} of ${day} is ${JSON.stringify(text)}, ${expected}`);
}

function parse(page: Page): readonly Candidate[] {
  const text = page.text();
  const comment = commentOf(text, page.url);
  const { header, rows } = readCsv(text.slice(comment.length), page.url);
  checkColumns(header, [DAY, RATE], page.url, [UNREAD]);
  // Without a line end, the last rate may be cut.
  if (!/[\r\n]$/u.test(text))
    throw new Quarantine('truncated_download', 'the last line is truncated: it has no line end', page.url);
  const readOn = page.observedAt.slice(0, 10);
  return rows.map(({ cells, raw, line }) =>
    candidate(raw.trim() === '' ? '(blank)' : raw, () => {
      if (cells.length !== header.length)
        refuse('wrong_field_count', `line ${line} has ${cells.length} cells, expected ${header.length}`);
      const printed = required(DAY, cells[header.indexOf(DAY)]);
      const day = date(DAY, printed) ?? refuse('blank_day', `line ${line} has no day`);
      if (day > readOn) refuse('future_date', `${SERIES} has a row of ${day}, after the day of the read, ${readOn}`);
      return {
        values: {
          series: SERIES,
          observed_on: day,
          rate_pct: parseRate(day, cells[header.indexOf(RATE)]),
          is_made_up: comment !== '',
        },
      };
    }),
  );
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
  minIntervalMs: 5000,
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
