/** Days, and ISO weeks: Monday to Sunday, UTC, named as 2026-W46. The week of a year's first Thursday is its first. */

export const DAY_MS = 86_400_000;

export interface Week {
  readonly name: string;
  /** Monday and Sunday, YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The instant at which the day begins that lies so many days before. */
export const beginningOf = (day: string, before = 0): string =>
  `${dayOf(Date.parse(`${day}T00:00:00Z`) - before * DAY_MS)}T00:00:00Z`;

/** The week that holds this day. */
export function weekHolding(day: string): Week {
  const ms = Date.parse(`${day}T00:00:00Z`);
  const monday = ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS;
  const year = new Date(monday + 3 * DAY_MS).getUTCFullYear();
  const fourth = Date.UTC(year, 0, 4);
  const first = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  const number = Math.round((monday - first) / (7 * DAY_MS)) + 1;
  return { name: `${year}-W${String(number).padStart(2, '0')}`, from: dayOf(monday), to: dayOf(monday + 6 * DAY_MS) };
}

/** The week of this name, or null where there is none: a year has 52 or 53. */
export function weekNamed(name: string): Week | null {
  const parts = /^(\d{4})-W(\d{2})$/.exec(name);
  if (!parts?.[1] || !parts[2]) return null;
  const fourth = Date.UTC(Number(parts[1]), 0, 4) + (Number(parts[2]) - 1) * 7 * DAY_MS;
  if (Number.isNaN(fourth)) return null;
  const week = weekHolding(dayOf(fourth));
  return week.name === name ? week : null;
}
