/** Made-up interest rates, up to a day: a weekly survey and two series of business days. */
import { dayNumber, dayText, isWeekend, weekday } from './days.ts';
import { Draw } from './random.ts';
import type { Day } from './types.ts';

export interface MadeUpRate {
  readonly day: Day;
  /** Hundredths of a percent; null on a holiday. */
  readonly rate: number | null;
}

interface Series {
  readonly firstDay: Day;
  /** In hundredths of a percent. */
  readonly usual: number;
  /** Largest change from one figure to the next. */
  readonly step: number;
}

/** Over two years of weeks, and about sixty business days before the sandbox's day. */
const SERIES = {
  MORTGAGE30US: { firstDay: '2024-11-07', usual: 690, step: 9 },
  DGS10: { firstDay: '2026-08-27', usual: 450, step: 5 },
  SOFR: { firstDay: '2026-08-27', usual: 365, step: 3 },
} as const satisfies Readonly<Record<string, Series>>;
export type MadeUpSeries = keyof typeof SERIES;

export const isMadeUpSeries = (name: string): name is MadeUpSeries => Object.hasOwn(SERIES, name);

/** Federal holidays on which no figure is published. */
const HOLIDAYS: ReadonlySet<string> = new Set([
  '2024-11-28',
  '2025-06-19',
  '2025-11-27',
  '2025-12-25',
  '2026-01-01',
  '2026-09-07',
  '2026-10-12',
  '2026-11-11',
  '2026-11-26',
  '2026-12-25',
  '2027-01-01',
  '2027-01-18',
]);

const THURSDAY = 4;
/** Share of the distance from the usual rate that a step goes back. */
const PULL = 20;

/** The survey's Thursdays, or the day before a holiday. */
const surveyDays = (from: number, to: number): Day[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
    .filter((number) => weekday(number) === THURSDAY)
    .map((number) => (HOLIDAYS.has(dayText(number)) ? dayText(number - 1) : dayText(number)));

/** Business days, holidays included. A day's figure is published on the next. */
const businessDays = (from: number, to: number): Day[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
    .filter((number) => !isWeekend(number))
    .map((number) => dayText(number));

/** Rates of a series published up to a day, oldest first. */
export function madeUpRates(seed: number, name: MadeUpSeries, day: Day): MadeUpRate[] {
  const { firstDay, usual, step }: Series = SERIES[name];
  const [from, to] = [dayNumber(firstDay), dayNumber(day)];
  let rate = usual;
  return (name === 'MORTGAGE30US' ? surveyDays(from, to) : businessDays(from, to)).map((on) => {
    if (HOLIDAYS.has(on)) return { day: on, rate: null };
    rate += new Draw(seed, name, on).int(-step, step) + Math.trunc((usual - rate) / PULL);
    return { day: on, rate };
  });
}
