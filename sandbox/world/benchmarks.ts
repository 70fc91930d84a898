/** Made-up mortgage rates of a weekly survey, up to a day, and rental vacancy of the twenty metros by quarter. */
import { dayNumber, dayText, weekday } from './days.ts';
import { Draw } from './random.ts';
import type { Day } from './types.ts';

interface MadeUpRate {
  readonly day: Day;
  /** Hundredths of a percent; null on a holiday. */
  readonly rate: number | null;
}

/** Over two years of weeks before the sandbox's day. */
const FIRST_DAY = '2024-11-07';
/** In hundredths of a percent: the usual rate, and the largest change from one week to the next. */
const [USUAL, STEP] = [690, 9];

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

/** Weekly rates published up to a day, oldest first. */
export function madeUpRates(seed: number, day: Day): MadeUpRate[] {
  let rate = USUAL;
  return surveyDays(dayNumber(FIRST_DAY), dayNumber(day)).map((on) => {
    if (HOLIDAYS.has(on)) return { day: on, rate: null };
    rate += new Draw(seed, 'MORTGAGE30US', on).int(-STEP, STEP) + Math.trunc((USUAL - rate) / PULL);
    return { day: on, rate };
  });
}

/** Areas of the twenty metros as the Housing Vacancy Survey names them. The names are real, the figures are not. */
export const SURVEYED_AREAS = [
  'Akron, OH',
  'Atlanta-Sandy Springs-Roswell, GA',
  'Birmingham, AL',
  'Charlotte-Concord-Gastonia, NC-SC',
  'Cincinnati, OH-KY-IN',
  'Cleveland, OH',
  'Columbus, OH',
  'Dayton-Kettering-Beavercreek, OH',
  'Detroit-Warren-Dearborn, MI',
  'Indianapolis-Carmel-Greenwood, IN',
  'Jacksonville, FL',
  'Kansas City, MO-KS',
  'Louisville/Jefferson County, KY-IN',
  'Memphis, TN-MS-AR',
  'Milwaukee-Waukesha, WI',
  'Phoenix-Mesa-Chandler, AZ',
  'San Antonio-New Braunfels, TX',
  'St. Louis, MO-IL',
  'Tampa-St. Petersburg-Clearwater, FL',
  'Toledo, OH',
] as const;

/** Days on which the four quarters of a year are published. */
const publicationDays = (year: number): Day[] => [
  `${year}-04-28`,
  `${year}-07-28`,
  `${year}-10-27`,
  `${year + 1}-02-02`,
];

/** Days up to this one on which quarters of a year were published: the first is that of the first quarter. */
export const publishedUpTo = (year: number, day: Day): Day[] => publicationDays(year).filter((on) => on <= day);

/** Rate and margin of error, in tenths of a percent. */
export function madeUpVacancy(seed: number, area: string, year: number, quarter: number) {
  const usual = new Draw(seed, 'vacancy', area).int(50, 105);
  const draw = new Draw(seed, 'vacancy', area, year, quarter);
  return { rate: usual + draw.int(-15, 15), margin: draw.int(20, 55) };
}
