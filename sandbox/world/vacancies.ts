/** Made-up rental vacancy of the twenty metros by quarter. */
import { Draw } from './random.ts';
import type { Day } from './types.ts';

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
