/** Shared by the files of interest rate series: the label of made-up rates, and the check of a row. */
import { type Candidate, type Page, Quarantine } from '../contract.ts';
import { readCsv, type Csv, type CsvRow } from '../csv/csv.ts';
import type { RateSeries } from '../rows/survey_rate.ts';
import { candidate, date, decimal, hundredths, refuse, required, tidy } from '../values.ts';

/** A higher rate is a misprint: the series have been below 20 percent since 1954. */
const MAX_PCT = 25n;

/** The label on pages with made-up figures, such as those of the sandbox. */
export const MADE_UP = /\bmade[- ]up\b/iu;

export interface RatePage extends Csv {
  /** Whether a comment above the header says that the rates are made up. No real file has a comment. */
  readonly isMadeUp: boolean;
}

/** @throws Quarantine as readCsv does, and template_changed if the file starts with another comment */
export function readRatePage(page: Page): RatePage {
  const text = page.text();
  const [, comment = null] = /^#([^\r\n]*)/u.exec(text) ?? [];
  if (comment === null) return { ...readCsv(text, page.url), isMadeUp: false };
  if (!MADE_UP.test(comment))
    throw new Quarantine('template_changed', `the file starts with the comment ${JSON.stringify(comment)}`, page.url);
  return { ...readCsv(text.slice(comment.length + 1).replace(/^(?:\r\n|\r|\n)/u, ''), page.url), isMadeUp: true };
}

/** A rate in percent; null where the series has no figure: an empty cell, a space, or a point. */
function parseRate(what: string, value: string | undefined): string | null {
  const text = tidy(value);
  if (text === null || text === '.') return null;
  const rate = /^\d+(?:\.\d+)?$/u.test(text) ? hundredths(text) : null;
  if (rate === null || rate > 100n * MAX_PCT)
    return refuse('bad_rate', `${what} is ${JSON.stringify(text)}, expected a rate from 0 to ${MAX_PCT} percent`);
  return decimal(rate);
}

export interface RateColumns {
  readonly series: RateSeries;
  /** Headings of the day and the rate. */
  readonly day: string;
  readonly rate: string;
}

/**
 * The candidate of each row. Refuses a row of a day after the read, and one of another width than the header.
 * @throws Quarantine truncated_download if the last line has no end: its rate may be cut
 */
export function parseRates(
  page: Page,
  { header, rows, isMadeUp }: RatePage,
  { series, day, rate }: RateColumns,
): Candidate[] {
  if (!/[\r\n]$/u.test(page.text()))
    throw new Quarantine('truncated_download', 'the last line is truncated: it has no line end', page.url);
  const readOn = page.observedAt.slice(0, 10);
  const [dayAt, rateAt] = [header.indexOf(day), header.indexOf(rate)];
  return rows.map(({ cells, raw, line }: CsvRow) =>
    candidate(raw.trim() === '' ? '(blank)' : raw, () => {
      if (cells.length !== header.length)
        refuse('wrong_field_count', `line ${line} has ${cells.length} cells, expected ${header.length}`);
      const observedOn = date(day, required(day, cells[dayAt])) ?? refuse('blank_day', `line ${line} has no day`);
      if (observedOn > readOn)
        refuse('future_date', `${series} has a row of ${observedOn}, after the day of the read, ${readOn}`);
      return {
        values: {
          series,
          observed_on: observedOn,
          rate_pct: parseRate(`${series} of ${observedOn}`, cells[rateAt]),
          is_made_up: isMadeUp,
        },
      };
    }),
  );
}
