/** Limits on what one payer, and all new payers together, may reserve without paying. */
import type { LeadLimits } from '../../ledger/lead_claims.ts';

/** Open purchases per payer. */
export const OPEN_PER_PAYER = 20;
/** The same for a contract wallet: nothing shows in advance whether it will pay. */
export const OPEN_PER_CONTRACT = 4;
/** Purchases that may stay unpaid within a day because of the payer, before it is refused. */
export const UNPAID_PER_PAYER = 3;
/** Leads that one payer may claim without having paid for them. */
const LEADS_PER_PAYER = 3;
/** Share of the available leads that payers without a completed purchase may claim together. */
const NEW_PAYERS_SHARE = 0.2;
/** Minimum for them, so that one payer alone cannot reach the common limit. */
const NEW_PAYERS_MIN = 3 * LEADS_PER_PAYER;

/** @param poolSize number of available leads */
export const leadLimits = (poolSize: number): LeadLimits => ({
  perPayer: LEADS_PER_PAYER,
  byNewPayers: Math.max(NEW_PAYERS_MIN, Math.floor(poolSize * NEW_PAYERS_SHARE)),
});
