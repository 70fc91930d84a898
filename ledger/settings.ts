/** Settings and arguments of `make ledger`. docs/settings.md is generated from here. */
import { z } from 'zod';
import { pipelineSettings } from '../lib/settings.ts';

const { DATA_DIR, LEDGER, SETTLEMENT_COST } = pipelineSettings.shape;

/** Where the ledger is, and what a sale costs. */
export const ledgerSettings = z.object({ DATA_DIR, LEDGER, SETTLEMENT_COST });

export const ledgerArguments = z.object({
  DAYS: z.coerce
    .number('a number of days')
    .int('a whole number of days')
    .min(1, 'at least 1 day')
    .max(3660, 'at most 3660 days')
    .default(7)
    .describe('`make ledger`: days of revenue to list.'),
});
