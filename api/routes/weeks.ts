/** Days, and ISO weeks: Monday to Sunday, UTC, such as 2026-W46. Week 1 has the first Thursday of the year. */
import { DAY_MS, dayOf } from '../../lib/time.ts';

export interface Week {
  readonly name: string;
  /** Monday and Sunday, YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
}

/** The day that is `days` earlier. */
export const dayBefore = (day: string, days: number): string => dayOf(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS);

/** Start of the day that is `before` days earlier, as an instant. */
export const startOfDay = (day: string, before = 0): string => `${dayBefore(day, before)}T00:00:00Z`;

/** The week of this day. */
export function weekOf(day: string): Week {
  const ms = Date.parse(`${day}T00:00:00Z`);
  const monday = ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS;
  const year = new Date(monday + 3 * DAY_MS).getUTCFullYear();
  const fourth = Date.UTC(year, 0, 4);
  const first = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  const number = Math.round((monday - first) / (7 * DAY_MS)) + 1;
  return { name: `${year}-W${String(number).padStart(2, '0')}`, from: dayOf(monday), to: dayOf(monday + 6 * DAY_MS) };
}

/** The week of this name, or null if the year has no such week. */
export function parseWeek(name: string): Week | null {
  const parts = /^(\d{4})-W(\d{2})$/.exec(name);
  if (!parts?.[1] || !parts[2]) return null;
  const fourth = Date.UTC(Number(parts[1]), 0, 4) + (Number(parts[2]) - 1) * 7 * DAY_MS;
  if (Number.isNaN(fourth)) return null;
  const week = weekOf(dayOf(fourth));
  return week.name === name ? week : null;
}
