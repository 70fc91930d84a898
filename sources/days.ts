/**
 * Calendar days as text, YYYY-MM-DD, without time zones; the federal fiscal year, which begins on October 1, and the
 * day from which rows of a year are outdated.
 */
import { DAY_MS, dayOf } from '../lib/time.ts';

/** The day `count` days later, or earlier if negative. */
export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS);
}

/** Months YYYY-MM from the month of one day to the month of another, in order. */
export function monthsBetween(from: string, to: string): string[] {
  const months: string[] = [];
  for (let month = from.slice(0, 7); month <= to.slice(0, 7); month = addDays(`${month}-28`, 4).slice(0, 7))
    months.push(month);
  return months;
}

/** A day as MM/DD/YYYY. */
export const usDay = (day: string): string => `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(0, 4)}`;

/** First and last day, MM-DD, of the same year. */
export interface Season {
  readonly from: string;
  readonly to: string;
}

/** Whether a day is in the season. Without a season every day is. */
export const isInSeason = (season: Season | undefined, day: string): boolean =>
  season === undefined || (day.slice(5) >= season.from && day.slice(5) <= season.to);

/** The first day of a season, in this year or the next, that is not before `day`; without a season the day itself. */
export function nextInSeason(season: Season | undefined, day: string): string {
  if (season === undefined || isInSeason(season, day)) return day;
  const year = Number(day.slice(0, 4)) + (day.slice(5) > season.to ? 1 : 0);
  return `${year}-${season.from}`;
}

/** Days for which rows stay in use after their year, if no list of years tells whether a newer year is published. */
const GRACE_DAYS = 60;

export const OUTDATED_REASONS = ['newer_fiscal_year_published', 'fiscal_year_over'] as const;

/** The fiscal years of a source's rows, and the newest year that the source's own list of years names. */
interface FiscalYears {
  readonly rows: readonly number[];
  /** Null if no list was read. */
  readonly listed: { readonly year: number; readonly on: string } | null;
}

interface YearInUse {
  readonly fiscalYear: number;
  /** First day on which the rows are outdated. */
  readonly outdatedOn: string;
  readonly outdatedReason: (typeof OUTDATED_REASONS)[number];
}

/** The fiscal year of a day. */
export function fiscalYearOn(day: string): number {
  return Number(day.slice(0, 4)) + (day.slice(5) >= '10-01' ? 1 : 0);
}

/** Last day of a fiscal year. */
const endOf = (fiscalYear: number): string => `${fiscalYear}-09-30`;

/**
 * The newest year of the rows that has begun, and from which day its rows are outdated: once it is over if a newer
 * year is published, else 60 days after it is over. A list that names no newer year extends its use by 60 days from
 * the day of the list. Null if no row is of a year that has begun.
 */
export function yearInUse({ rows, listed }: FiscalYears, asOf: string): YearInUse | null {
  const begun = rows.filter((year) => year <= fiscalYearOn(asOf));
  if (begun.length === 0) return null;
  const fiscalYear = Math.max(...begun);
  const end = endOf(fiscalYear);
  if (Math.max(...rows, listed?.year ?? 0) > fiscalYear)
    return { fiscalYear, outdatedOn: addDays(end, 1), outdatedReason: 'newer_fiscal_year_published' };
  // A list that lacks even the year of the rows says nothing about newer years.
  const listedOn = listed?.year === fiscalYear ? listed.on : end;
  const usedUntil = addDays(listedOn > end ? listedOn : end, GRACE_DAYS);
  return { fiscalYear, outdatedOn: addDays(usedUntil, 1), outdatedReason: 'fiscal_year_over' };
}
