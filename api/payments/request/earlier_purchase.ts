/** Requests whose payment, or payment identifier, already belongs to a purchase. */
import { isExpired, type Purchase } from '../../../ledger/ledger.ts';
import type { OfferedPayment } from '../chain/authorization.ts';
import { requestOf, type PaidRequest, type PaymentSteps } from './context.ts';

/** The purchase that has this payment or identifier, unless it is a reservation that has expired. */
export async function findEarlierPurchase(
  { options: { ledger }, nowMs }: PaymentSteps,
  { payment, identifierHash }: OfferedPayment,
): Promise<Purchase | null> {
  const unlessOver = (purchase: Purchase | null): Purchase | null =>
    purchase && isExpired(purchase, nowMs()) ? null : purchase;
  const byIdentifier =
    identifierHash === null ? null : unlessOver(await ledger.find({ payer: payment.payer, identifierHash }));
  return byIdentifier ?? unlessOver(await ledger.find({ payment }));
}

/**
 * Send the answer again to the payer who knows the identifier of the purchase and repeats the same request; refuse
 * everyone else. The payment alone proves nothing: anyone can rebuild it from the transaction that settled it.
 */
export async function answerEarlierPurchase(
  steps: PaymentSteps,
  { ctx, charge, offer }: PaidRequest,
  purchase: Purchase,
): Promise<void> {
  const {
    refusals,
    deliveries,
    options: { network, signatures },
  } = steps;
  const { payment, signed, identifierHash, wantsX402Receipt } = offer;
  const isOwn =
    identifierHash !== null && purchase.identifierHash === identifierHash && purchase.payment.payer === payment.payer;
  if (!isOwn) {
    refusals.used(ctx, purchase);
    return;
  }
  // A contract wallet is asked through our node, which must not see a signature that the ledger does not have.
  const isInLedger = purchase.payment.nonce === payment.nonce && purchase.state !== 'reserved';
  const isSigned =
    payment.network === network.name &&
    ((await signatures.byKey(signed)) || (isInLedger && (await signatures.byContract(signed))));
  if (!isSigned) {
    if (isInLedger) refusals.unsigned(ctx);
    else refusals.used(ctx, purchase);
    return;
  }
  if (purchase.route !== charge.routeKey || purchase.request !== requestOf(ctx)) refusals.otherRequest(ctx, purchase);
  else if (purchase.state === 'sold')
    await deliveries.redeliver(ctx, purchase, { kind: 'identifier', wantsX402Receipt });
  else refusals.used(ctx, purchase);
}
