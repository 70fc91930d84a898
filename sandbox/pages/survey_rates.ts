/** The weekly survey of mortgage rates as Freddie Mac posts it, below a comment. */
import { httpDate, respond, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { dollars } from '../world/days.ts';
import { madeUpRates } from '../world/survey_rates.ts';
import type { WorldDay } from '../world/world.ts';

/** The label that tells the adapter that no figure is real. */
const LABEL = '# Made up by the sandbox: these are not rates of Freddie Mac, the Federal Reserve or the New York Fed.';

const printed = (rate: number | null): string => (rate === null ? '' : dollars(rate));

/** A day as the survey's file prints it: 8/27/2026. */
const plainDay = (day: string): string => `${Number(day.slice(5, 7))}/${Number(day.slice(8))}/${day.slice(0, 4)}`;

export function freddieMac(day: WorldDay, { path }: SandboxRequest): SandboxResponse | null {
  if (path !== '/pmms/docs/PMMS_history.csv') return null;
  const rates = madeUpRates(day.world.options.seed, day.day).map(
    ({ day: on, rate }) => `${plainDay(on)},${printed(rate)}, ,${printed(rate && rate - 70)},,,,,`,
  );
  const lines = [LABEL, 'date,pmms30,pmms30p,pmms15,pmms15p,pmms51,pmms51p,pmms51m,pmms51spread', ...rates];
  return withValidators(
    respond(`${lines.join('\n')}\n`, 'application/csv; charset=utf-8'),
    httpDate(day.day, '11:05:00'),
  );
}
