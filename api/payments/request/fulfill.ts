/**
 * Fulfills a request whose payment was verified: builds the whole answer, settles, and sends it once the chain shows
 * the payment.
 */
import { setTimeout } from 'node:timers/promises';
import type { Context, Next } from 'koa';
import type { Answer } from '../../../ledger/ledger.ts';
import type { SettlementHint } from '../facilitator/facilitator_client.ts';
import { OPEN_PER_CONTRACT, OPEN_PER_PAYER } from '../caps.ts';
import type { Charge } from '../middleware.ts';
import type { PaymentNetwork } from '../payment_network.ts';
import { sell, type Claimant, type SaleEffects, type SaleOutcome } from '../sale.ts';
import { SpooledFile, completeAnswer } from '../spooled_answer.ts';
import { callersResponse, requestOf, type PaymentSteps } from './context.ts';
import { answerEarlierPurchase } from './earlier_purchase.ts';
import type { VerifiedPayment } from './verify.ts';

export interface VerifiedRequest {
  readonly ctx: Context;
  /** The handler of the route. */
  readonly next: Next;
  readonly charge: Charge;
  readonly verified: VerifiedPayment;
}

/** Ask a contract wallet whether it signed; then let the facilitator see the payment, for the first and only time. */
async function settle(
  { facilitator, signatures }: PaymentNetwork,
  { offer, payload, requirements, payer }: VerifiedPayment,
): Promise<SettlementHint> {
  try {
    if (payer.isContract && !(await signatures.byContract(offer.signed)))
      return { transaction: null, unsent: 'invalid_exact_evm_signature' };
  } catch {
    return { transaction: null, unsent: 'unavailable' };
  }
  return facilitator.settle(payload, requirements);
}

async function sellAnswer(
  steps: PaymentSteps,
  { ctx, charge: { routeKey, leaseMs }, verified }: VerifiedRequest,
  buildAnswer: SaleEffects['buildAnswer'],
): Promise<SaleOutcome> {
  const { options, nowMs } = steps;
  const { ledger, wait, chain } = options;
  const { offer, payer } = verified;
  const effects: SaleEffects = {
    ledger,
    nowMs,
    buildAnswer,
    wait,
    settle: () => settle(options, verified),
    evidence: (payment, hint) => chain.evidenceOf(payment, hint),
    pause: setTimeout,
  };
  return sell(effects, {
    payment: offer.payment,
    identifierHash: offer.identifierHash,
    route: routeKey,
    request: requestOf(ctx),
    snapshotId: options.editionOf(ctx),
    leaseMs,
    chain: await chain.id(),
    limits: { balance: payer.balance, maxOpen: payer.isContract ? OPEN_PER_CONTRACT : OPEN_PER_PAYER },
  });
}

/** Write the response of a sale that did not end in `sold`. */
async function refuseOutcome(
  steps: PaymentSteps,
  { ctx, charge, verified: { offer, required } }: VerifiedRequest,
  outcome: Exclude<SaleOutcome, { kind: 'sold' }>,
): Promise<void> {
  const { refusals, options } = steps;
  const { payment } = offer;
  switch (outcome.kind) {
    case 'taken':
      await answerEarlierPurchase(steps, { ctx, charge, offer }, outcome.purchase);
      return;
    case 'refused': {
      const { reason } = outcome;
      const detail =
        `The payer has less USDC on ${options.network.title} than this call and its open purchases cost. ` +
        'Nothing was charged.';
      if (reason === 'too_many_open_purchases') refusals.plain(ctx, reason);
      else refusals.payment(ctx, required, { reason, detail, error: reason });
      return;
    }
    case 'nothing':
      // The handler has written its own response.
      return;
    case 'not_sent':
      refusals.notSent(ctx, required, outcome.why);
      return;
    case 'unknown':
      ctx.state['unresolved'] = {
        payer: payment.payer,
        nonce: payment.nonce,
        valid_before: String(payment.validBefore),
        receipt_id: outcome.purchase.id,
      };
      refusals.unknown(ctx, outcome.purchase, outcome.transaction);
  }
}

/** Build the answer of a verified request, settle its payment, and send the answer once the chain shows the payment. */
export async function fulfill(steps: PaymentSteps, request: VerifiedRequest): Promise<void> {
  const { ctx, next, verified } = request;
  const { payment } = verified.offer;
  let file: SpooledFile | undefined;
  const buildAnswer = async (claimant: Claimant): Promise<Answer | null> => {
    ctx.state['claimant'] = claimant;
    ctx.state['isContractPayer'] = verified.payer.isContract;
    await next();
    if (ctx.body instanceof SpooledFile) file = ctx.body;
    // A buyer who has disconnected is not charged.
    return ctx.status < 400 && !callersResponse(ctx).destroyed
      ? completeAnswer(ctx, { 'Receipt-Id': claimant.purchase.id })
      : null;
  };
  try {
    const outcome = await sellAnswer(steps, request, buildAnswer);
    if (outcome.kind !== 'sold') {
      await refuseOutcome(steps, request, outcome);
      return;
    }
    const { purchase, answer } = outcome;
    ctx.state['settlement'] = {
      payer: payment.payer,
      transaction: purchase.transaction,
      network: payment.network,
      receiptId: purchase.id,
    };
    const { wantsX402Receipt } = verified.offer;
    const sent = file;
    // No separate listener: a file's response already has the number at which Node warns.
    const whenClosed = (): void => void sent?.close().catch(() => undefined);
    await steps.deliveries.deliver(ctx, purchase, answer, { kind: 'first', wantsX402Receipt, whenClosed });
    file = undefined;
  } finally {
    // Delete the file of an answer that is not sent.
    await file?.close();
  }
}
