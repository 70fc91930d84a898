/** FRED's files of interest rate series, and the weekly survey as Freddie Mac posts it. Both start with a comment. */
import { httpDate, respond, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { dollars } from '../world/days.ts';
import { isMadeUpSeries, madeUpRates } from '../world/survey_rates.ts';
import type { WorldDay } from '../world/types.ts';

/** The label that tells the adapter that no figure is real. */
const LABEL = '# Made up by the sandbox: these are not rates of Freddie Mac, the Federal Reserve or the New York Fed.';

const printed = (rate: number | null): string => (rate === null ? '' : dollars(rate));

const csv = (day: WorldDay, lines: readonly string[]): SandboxResponse =>
  withValidators(
    respond(`${[LABEL, ...lines].join('\n')}\n`, 'application/csv; charset=utf-8'),
    httpDate(day.day, '11:05:00'),
  );

/** FRED's rules for programs, as public readers quote them. */
const FRED_ROBOTS =
  'User-agent: *\nCrawl-delay: 1\nDisallow: /graph/graph-landing.php\nDisallow: /graph/image.php\n' +
  'Disallow: /graph/fredgraph.png\nDisallow: /searchresults\n';

export function fred(day: WorldDay, { path, query }: SandboxRequest): SandboxResponse | null {
  if (path === '/robots.txt') return respond(FRED_ROBOTS, 'text/plain; charset=utf-8');
  const series = query.get('id') ?? '';
  if (path !== '/graph/fredgraph.csv' || !isMadeUpSeries(series)) return null;
  const from = query.get('cosd') ?? '';
  const rates = madeUpRates(day.world.options.seed, series, day.day).filter((rate) => rate.day >= from);
  return csv(day, [`observation_date,${series}`, ...rates.map(({ day: on, rate }) => `${on},${printed(rate)}`)]);
}

/** A day as the survey's file prints it: 8/27/2026. */
const plainDay = (day: string): string => `${Number(day.slice(5, 7))}/${Number(day.slice(8))}/${day.slice(0, 4)}`;

export function freddieMac(day: WorldDay, { path }: SandboxRequest): SandboxResponse | null {
  if (path !== '/pmms/docs/PMMS_history.csv') return null;
  const rates = madeUpRates(day.world.options.seed, 'MORTGAGE30US', day.day);
  return csv(day, [
    'date,pmms30,pmms30p,pmms15,pmms15p,pmms51,pmms51p,pmms51m,pmms51spread',
    ...rates.map(({ day: on, rate }) => `${plainDay(on)},${printed(rate)}, ,${printed(rate && rate - 70)},,,,,`),
  ]);
}
