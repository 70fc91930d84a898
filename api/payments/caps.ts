/** Limits on what one payer, and all new payers together, may hold without paying. */
import type { LeadLimits } from '../../ledger/ledger.ts';

/** Purchases that one payer may have open at once. */
export const OPEN_PER_PAYER = 20;
/** The same for a contract wallet: whether it will pay cannot be known before. */
export const OPEN_PER_CONTRACT = 4;
/** Purchases that a payer's own doing left unpaid within a day, before it is refused. */
export const UNPAID_PER_PAYER = 3;
/** Leads that one payer may hold at once. */
const HELD_PER_PAYER = 3;
/** Share of the pool that payers who never bought may hold together, and at least so many: one payer alone never reaches it. */
const [NEW_PAYERS_SHARE, NEW_PAYERS_LEAST] = [0.2, 3 * HELD_PER_PAYER];

/** @param poolSize leads that match nothing but availability: all that could be sold today */
export const leadLimits = (poolSize: number): LeadLimits => ({
  perPayer: HELD_PER_PAYER,
  byNewPayers: Math.max(NEW_PAYERS_LEAST, Math.floor(poolSize * NEW_PAYERS_SHARE)),
});
