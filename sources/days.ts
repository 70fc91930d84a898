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
