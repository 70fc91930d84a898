/**
 * Interest rate series as FRED (Federal Reserve Bank of St. Louis) publishes them, one CSV file for each.
 *
 * Recorded files confirm the headers `observation_date,<series>` and `date,value` and the empty cell of a day without
 * a figure; the point in its place, the address, and its parameter `cosd` (first day) are as public readers use them.
 */
import { type Candidate, defineSource, type Page, Quarantine } from '../../contract.ts';
import { checkColumns } from '../../csv/csv.ts';
import { parseRates, readRatePage, type RateColumns } from '../../families/survey_rates.ts';
import { RATE_SERIES, SurveyRate, type RateSeries } from '../../rows/survey_rate.ts';

const FRED = 'https://fred.stlouisfed.org';
/** Calendar years before the current one to request. */
const YEARS = 2;
/** Headings of a file that does not name its series. */
const NAMELESS = ['date', 'value'];

const isSeries = (text: string | undefined): text is RateSeries => RATE_SERIES.some((series) => series === text);

/** The series that a page was requested for, or that the name of a dropped file starts with. */
function seriesOf({ context, url }: Page): RateSeries {
  const named = context['series'] ?? /^(?:fred_)?([a-z0-9]+)/iu.exec(context['file'] ?? '')?.[1]?.toUpperCase();
  if (isSeries(named)) return named;
  throw new Quarantine('template_changed', `the file is none of the known series: ${RATE_SERIES.join(', ')}`, url);
}

function detectColumns(header: readonly string[], series: RateSeries, pageUrl: string): RateColumns {
  const isNameless = header.join() === NAMELESS.join();
  const [day = '', rate = ''] = isNameless ? NAMELESS : ['observation_date', series];
  checkColumns(header, [day, rate], pageUrl);
  return { series, day, rate };
}

function parse(page: Page): readonly Candidate[] {
  const series = seriesOf(page);
  const csv = readRatePage(page);
  return parseRates(page, csv, detectColumns(csv.header, series, page.url));
}

export default defineSource({
  name: 'fred_rates',
  family: 'benchmarks',
  title: 'FRED: mortgage, Treasury and overnight rates',
  home: `${FRED}/series/MORTGAGE30US`,
  terms: {
    basis: 'permission',
    note:
      "FRED's terms, as public readers quote them, allow non-commercial, educational and personal use: a paid " +
      'service needs permission. MORTGAGE30US is copyrighted by Freddie Mac and requires attribution ("Freddie Mac, ' +
      '30-Year Fixed Rate Mortgage Average in the United States [MORTGAGE30US], retrieved from FRED"); DGS10 is of ' +
      'the Federal Reserve, SOFR of the New York Fed, which has terms of its own. The terms were not obtained.',
    url: `${FRED}/legal/`,
    resale: 'forbidden',
  },
  everyDays: 7,
  hosts: ['fred.stlouisfed.org'],
  politeness: { minIntervalMs: 1000, concurrency: 1 },
  row: SurveyRate,
  contradictions: 'refused',
  expect: {
    minRows: 100,
    // A misprint is most likely in the newest row, which is the one that counts.
    maxRejectShare: 0,
    // The file of a series may have all years, and a read from the web has the last two.
    maxDropShare: 0.98,
    newest: { column: 'observed_on', of: 'series', given: 'rate_pct', maxAgeDays: 14 },
  },
  drop: [
    {
      pattern: /^(?:fred_)?(?:mortgage30us|dgs10|sofr)(?:[ ._(-].*)?\.csv$/u,
      file: 'MORTGAGE30US.csv',
      kind: 'series',
      about: 'The CSV download of each of the three series, whose name starts with that of the series.',
    },
  ],

  checkDrop(pages) {
    const dropped = new Set(pages.map(seriesOf));
    const missing = RATE_SERIES.filter((series) => !dropped.has(series));
    if (missing.length > 0)
      throw new Quarantine(
        'malformed_page',
        `the drop folder has no file of ${missing.join(' and ')}: drop all three series together`,
      );
  },
  async *fetch(ctx) {
    const from = `${Number(ctx.asOf.slice(0, 4)) - YEARS}-01-01`;
    for (const series of RATE_SERIES)
      yield await ctx.get(`${FRED}/graph/fredgraph.csv?id=${series}&cosd=${from}`, {
        kind: 'series',
        context: { series },
      });
  },
  parse,
});
