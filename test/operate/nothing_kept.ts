/** The strictest policy of a prune. */
import type { Policy } from '../../pipelines/operate/retention/plan.ts';

export const NOTHING_KEPT: Policy = {
  dailyDays: 0,
  monthlyDays: 0,
  databaseDays: 0,
  filingsDays: 0,
  readsDays: 0,
  runsDays: 0,
};
