/**
 * x402 payments for Koa, configured with the same routes as the official Express middleware:
 *
 *   parse -> check on our own node -> build the whole answer -> settle -> find it on the chain -> send
 *
 * One payment buys one answer, across all processes. Our own node decides whether it was paid, by payer and nonce. A
 * buyer can collect a paid answer again.
 */
import type { Context, Middleware, Next } from 'koa';
import { LedgerUnavailable, type Purchase } from '../../ledger/ledger.ts';
import { ChainUnavailable } from './chain/node.ts';
import { createDeliveries } from './delivery.ts';
import { FacilitatorUnavailable } from './facilitator.ts';
import {
  answerEarlierPurchase,
  chosenMedia,
  findEarlierPurchase,
  offeredBy,
  sellForPayment,
  type Charge,
  type PaymentLayerOptions,
  type PaymentNetwork,
  type PaymentSteps,
} from './paid_request.ts';
import { receiptSigner } from './receipts/signed_receipt.ts';
import { plain, RETRY_SECONDS, unavailable, unpaid } from './refusals.ts';
import { openRequirements } from './requirements.ts';
import { Problem, PROBLEMS } from '../http/problem.ts';

/** Errors of services that we depend on, and what a refusal says of them. */
const UNAVAILABLE = [
  [FacilitatorUnavailable, 'The facilitator cannot be reached right now.'],
  [ChainUnavailable, 'The chain cannot be read right now, and no sale starts without it.'],
  [LedgerUnavailable, 'The ledger cannot be written right now.'],
] as const;

/** The facilitator does not serve exact payments on this network. */
export class UnservedNetwork extends Error {
  override readonly name = 'UnservedNetwork';
}

/** Prepares the first sale and asks the facilitator whether it serves the network, every few seconds until it does. */
function untilServed({ network, facilitator }: PaymentNetwork, prepare: Promise<unknown>, nowMs: () => number) {
  let isReady = false;
  let running: Promise<void> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const check = async (): Promise<void> => {
    askedAtMs = nowMs();
    await prepare;
    if (!(await facilitator.supported())) throw new UnservedNetwork(network.name);
    isReady = true;
  };
  const start = (): Promise<void> =>
    (running ??= check().finally(() => {
      running = undefined;
    }));
  const becomeReady = async (): Promise<boolean> => {
    if (!isReady && (running !== undefined || Math.abs(nowMs() - askedAtMs) >= RETRY_SECONDS * 1000))
      await start().catch(() => undefined);
    return isReady;
  };
  return { start, isReady: () => isReady, becomeReady };
}

export type PaymentLayer = ReturnType<typeof paymentLayer>;

export function paymentLayer(options: PaymentLayerOptions) {
  const { ledger, routes, network, publicUrl, nowMs = Date.now, refundTerms = () => null } = options;
  const requirements = openRequirements(routes, network, publicUrl);
  // Avoids an unhandled rejection; awaited below.
  requirements.catch(() => undefined);
  const readiness = untilServed(options, requirements, nowMs);
  const receiptOf = receiptSigner(options.receiptKeys, { issuer: publicUrl, refundTerms }, nowMs);
  const deliveries = createDeliveries(ledger, receiptOf);
  const steps: PaymentSteps = { options, deliveries, nowMs };

  /** @throws Problem */
  const handle = async (ctx: Context, next: Next, charge: Charge): Promise<void> => {
    const offered = offeredBy(ctx);
    if (offered.kind === 'payment') {
      if (ctx.method === 'HEAD') throw plain('payment_on_head');
      // First, so that a paid answer can be collected while the facilitator or the chain is unavailable.
      const purchase = await findEarlierPurchase(steps, offered.offer);
      if (purchase) return answerEarlierPurchase(steps, { ctx, charge, offer: offered.offer }, purchase);
    }
    if (!(await readiness.becomeReady())) throw unavailable('Payments are unavailable right now. Nothing was charged.');
    const { routeKey } = charge;
    const { terms, required: build } = await requirements;
    const required = () => build(routeKey, ctx.originalUrl, chosenMedia(ctx));
    if (offered.kind === 'payment') {
      const { offer } = offered;
      return sellForPayment(steps, { ctx, charge, offer, requirements: await terms(routeKey), required }, next);
    }
    // Before anything is signed. A payment is refused by the state of the token at that moment.
    const obstacle = options.tokenObstacle();
    if (obstacle !== null) throw plain(obstacle);
    if (offered.kind === 'malformed')
      throw unpaid(await required(), 'payment_malformed', offered.detail, 'payment_malformed');
    throw unpaid(await required(), 'payment_required', 'This call is paid with x402 version 2.');
  };

  /** Answer a request. A 402 says how to pay. @throws Problem */
  const respond = async (ctx: Context, work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      const [, detail] = UNAVAILABLE.find(([type]) => error instanceof type) ?? [];
      if (detail !== undefined) throw unavailable(`${detail} Nothing was charged; try again.`);
      if (!(error instanceof Problem) || PROBLEMS[error.reason].status !== 402) throw error;
      const { reason, message, extras, headers } = error;
      throw new Problem(reason, message, { ...extras, ...options.howToPay(ctx) }, headers);
    }
  };

  return {
    /** Ask the facilitator whether it serves the network. @throws UnservedNetwork, FacilitatorUnavailable */
    start: readiness.start,
    /** Whether the facilitator has confirmed the network, so that something can be sold. */
    ready: readiness.isReady,
    /** Send a sold answer again, byte for byte, to its buyer. */
    redeliver: (ctx: Context, purchase: Purchase): Promise<void> =>
      respond(ctx, deliveries.redeliver(ctx, purchase, 'wallet')),
    /** Middleware that calls the handler only for a paid request, with its OpenPurchase in `ctx.state.openPurchase`. */
    charge(charge: Charge): Middleware {
      if (!routes[charge.routeKey]) throw new Error(`no payment configuration for ${charge.routeKey}`);
      return (ctx, next) => respond(ctx, handle(ctx, next, charge));
    },
  };
}
