/** Calendar days as text, YYYY-MM-DD, without time zones. */
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
