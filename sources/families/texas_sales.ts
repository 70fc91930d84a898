/** Days of sales in Texas. */
import { refuse } from '../values.ts';

const TUESDAY = 2;

/**
 * Day of the foreclosure and tax sales of a month: its first Tuesday, or its first Wednesday if that Tuesday is January
 * 1 or July 4 (Texas Property Code 51.002, Texas Tax Code 34.01).
 * @param month 1 to 12; another number refuses the row, as does a year outside 2000 to 2099
 */
export function firstTuesday(year: number, month: number): string {
  if (!(year >= 2000 && year <= 2099)) refuse('bad_year', `the year of the sale is ${year}, expected 2000 to 2099`);
  if (!(month >= 1 && month <= 12)) refuse('bad_month', `the month of the sale is ${month}, expected 1 to 12`);
  const weekday = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const tuesday = 1 + ((TUESDAY - weekday + 7) % 7);
  const isHoliday = (month === 1 && tuesday === 1) || (month === 7 && tuesday === 4);
  return new Date(Date.UTC(year, month - 1, tuesday + (isHoliday ? 1 : 0))).toISOString().slice(0, 10);
}
