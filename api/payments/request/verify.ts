/** Checks a payment before anything is reserved: its terms, and its payer on our own node, without the signature. */
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { mismatch, payloadFor, type OfferedPayment } from '../chain/authorization.ts';
import { checkPayer, type CheckedPayer } from '../chain/payer_check.ts';
import type { PaidRequest, PaymentSteps } from './context.ts';
import { answerEarlierPurchase, findEarlierPurchase } from './earlier_purchase.ts';

/** A payment that may be used for a purchase. */
export interface VerifiedPayment {
  readonly offer: OfferedPayment;
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  readonly required: PaymentRequired;
  readonly payer: Extract<CheckedPayer, { kind: 'good' }>;
}

/** @returns null if the payment was refused; the refusal is written then */
export async function verifyPayment(
  steps: PaymentSteps,
  request: PaidRequest,
  required: PaymentRequired,
): Promise<VerifiedPayment | null> {
  const { options, refusals, nowMs } = steps;
  const { ledger, facilitator } = options;
  const { ctx, charge, offer } = request;
  const [requirements] = required.accepts;
  if (!requirements) throw new Error(`${charge.routeKey} accepts no payment`);

  const wrong = mismatch(offer, requirements, nowMs() / 1000);
  if (wrong) {
    const detail = `The payment does not match what this call requires. ${wrong.cause} Nothing was charged.`;
    refusals.payment(ctx, required, { reason: 'payment_invalid', detail, error: wrong.code });
    return null;
  }
  if (charge.isExclusive && (await ledger.exclusivePause()) !== null) {
    refusals.plain(ctx, 'exclusive_paused');
    return null;
  }
  const payer = await checkPayer(options, offer, charge.isExclusive);
  if (payer.kind === 'obstacle') {
    refusals.plain(ctx, payer.obstacle);
    return null;
  }
  if (payer.kind === 'refused') {
    // A copy that was checked while the first one settled is used, not invalid.
    const purchase = await findEarlierPurchase(steps, offer);
    if (purchase) await answerEarlierPurchase(steps, request, purchase);
    else refusals.payment(ctx, required, payer);
    return null;
  }
  if (facilitator.hasBudget && !(await facilitator.hasBudget())) {
    refusals.plain(ctx, 'settlement_budget_spent');
    return null;
  }
  await facilitator.reach?.();
  return { offer, payload: payloadFor(offer, requirements), requirements, required, payer };
}
