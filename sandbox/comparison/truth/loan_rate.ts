/** The loan rate that a snapshot should have: the newest survey week that was read, plus the declared spread. */
import { fraction } from '../../../lib/fraction.ts';
import { madeUpRates } from '../../world/survey_rates.ts';
import type { AssumptionValue } from '../recompute/record.ts';
import type { Truth } from './truth.ts';

/** Sources of the survey. */
const SURVEYS = ['fred_rates', 'freddie_pmms'];

export function trueLoanRate({ world, sources }: Truth, assumption: AssumptionValue): string {
  const read = SURVEYS.flatMap((name) => sources.get(name)?.lastGood ?? [])
    .sort()
    .at(-1);
  if (assumption('loan_rate_method') === 'declared' || read === undefined) return assumption('loan_rate_pct');
  const newest = madeUpRates(world.options.seed, 'MORTGAGE30US', read).findLast(({ rate }) => rate !== null);
  if (!newest?.rate) return assumption('loan_rate_pct');
  return fraction(newest.rate)
    .over(fraction(100))
    .plus(fraction(assumption('loan_rate_spread')))
    .rounded(2);
}
