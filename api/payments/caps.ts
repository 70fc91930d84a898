/** Limits on what one payer, and all new payers together, may reserve without paying. */
import type { LeadLimits } from '../../ledger/lead_claims.ts';

/** Open purchases per payer. */
export const OPEN_PER_PAYER = 20;
/** The same for a contract wallet: nothing shows in advance whether it will pay. */
export const OPEN_PER_CONTRACT = 4;
/** Leads that one payer may hold without having paid for them, those counted that it let go within a day. */
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
