/**
 * A request with a payment: an earlier purchase is answered again; otherwise the payer is checked, the whole answer is
 * built and settled, and it is sent once the chain shows the payment.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { RouteConfig } from '@x402/core/server';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import type { Context, Next } from 'koa';
import { isExpired, type Answer, type Ledger, type Purchase } from '../../ledger/ledger.ts';
import type { Network } from '../../lib/network.ts';
import { mismatch, payloadFor, readOffered, type Offered, type OfferedPayment } from './chain/authorization.ts';
import { checkPayer, type CheckedPayer } from './chain/payer_check.ts';
import type { PaymentChain, TokenObstacle } from './chain/payment_chain.ts';
import type { Signatures } from './chain/signatures.ts';
import { callersResponse, completeAnswer, type Deliveries } from './delivery.ts';
import type { Facilitator, SettlementHint } from './facilitator.ts';
import type { ReceiptKeys } from './receipts/keys.ts';
import type { Extras } from '../http/problem.ts';
import { notSent, otherRequest, plain, unknown, unpaid, unsigned, used } from './refusals.ts';
import { sell, type OpenPurchase, type SaleEffects, type SaleOutcome, type SettlementWait } from './sale.ts';

/** Open purchases per payer. */
const OPEN_PER_PAYER = 20;
/** The same for a contract wallet: nothing shows in advance whether it will pay. */
const OPEN_PER_CONTRACT = 4;

/** The network on which a server takes payments, with its node, its facilitator and its signature checks. */
export interface PaymentNetwork {
  readonly network: Network;
  readonly chain: Pick<PaymentChain, 'id' | 'evidenceOf' | 'payerState'>;
  /** What kept every payer from paying us when the token was read last. */
  readonly tokenObstacle: () => TokenObstacle | null;
  readonly facilitator: Facilitator;
  readonly signatures: Signatures;
}

export interface PaymentLayerOptions extends PaymentNetwork {
  /** Routes as the official middleware takes them: `"GET /api/deals": { accepts: ... }`. */
  readonly routes: Readonly<Record<string, RouteConfig>>;
  readonly ledger: Ledger;
  /** Whether contract wallets may pay. */
  readonly acceptsContractWallets: boolean;
  readonly wait: SettlementWait;
  /** Public address of the server, without a trailing slash. Resource URLs are built from it, not from the request. */
  readonly publicUrl: string;
  /** Id of the snapshot that a request is answered from. */
  readonly snapshotOf: (ctx: Context) => string;
  /** What a facilitator may list of each route, by its key. Nothing of the buyer's request is handed on. */
  readonly catalog?: ReadonlyMap<string, Pick<PaymentPayload, 'resource' | 'extensions'>>;
  /** Where a buyer collects the purchase with this receipt id, or of a payment with this nonce. */
  readonly collectUrl: (idOrNonce: string) => string;
  /** What a 402 says besides its terms. */
  readonly howToPay: (ctx: Context) => Extras;
  /** When the price of a route is due back, for its receipts. Default: never. */
  readonly refundTerms?: (routeKey: string) => string | null;
  readonly receiptKeys: ReceiptKeys;
  readonly nowMs?: () => number;
}

/** A priced route. */
export interface Charge {
  readonly routeKey: string;
  /** Time to build the answer; afterwards the payment and any held lead are released. */
  readonly reserveMs: number;
  /** Whether it sells an exclusive lead. */
  readonly isExclusive: boolean;
}

export interface PaymentSteps {
  readonly options: PaymentLayerOptions;
  readonly deliveries: Deliveries;
  readonly nowMs: () => number;
}

/** A request to a priced route that carries a payment. */
interface PaidRequest {
  readonly ctx: Context;
  readonly charge: Charge;
  readonly offer: OfferedPayment;
  /** What the route accepts. */
  readonly requirements: PaymentRequirements;
  /** The whole 402, which is needed for a refusal only. */
  readonly required: () => Promise<PaymentRequired>;
}

/** The payment of a request, which is parsed once. */
export function offeredBy(ctx: Context): Offered {
  const state = ctx.state as { offered?: Offered };
  return (state.offered ??= readOffered(ctx.get('PAYMENT-SIGNATURE')));
}

/** The media type of the answer, if the request chose another one than JSON. */
export function chosenMedia({ state }: Pick<Context, 'state'>): string | undefined {
  const media: unknown = state['media'];
  return typeof media === 'string' ? media : undefined;
}

/**
 * Key of a request: path and sorted query, followed by the media type if the request chose another one than JSON, as in
 * "/api/deals?state=OH text/csv".
 */
function requestOf({ path, querystring, state }: Context): string {
  const query = new URLSearchParams(querystring);
  query.sort();
  const media = chosenMedia({ state });
  return `${path}${query.size === 0 ? '' : `?${query.toString()}`}${media === undefined ? '' : ` ${media}`}`;
}

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
 * Send the answer again to the payer who knows the identifier of the purchase and repeats the same request. The payment
 * alone proves nothing: anyone can rebuild it from the transaction that settled it.
 * @throws Problem for everyone else
 */
export async function answerEarlierPurchase(
  { deliveries, options: { network, signatures, collectUrl } }: PaymentSteps,
  { ctx, charge, offer }: Pick<PaidRequest, 'ctx' | 'charge' | 'offer'>,
  purchase: Purchase,
): Promise<void> {
  const { payment, signed, identifierHash } = offer;
  const isOwn =
    identifierHash !== null && purchase.identifierHash === identifierHash && purchase.payment.payer === payment.payer;
  // A contract wallet is asked through our node, which must not see a signature that the ledger does not have.
  const isInLedger = purchase.payment.nonce === payment.nonce && purchase.state !== 'reserved';
  const isSigned =
    isOwn &&
    payment.network === network.name &&
    ((await signatures.byKey(signed)) || (isInLedger && (await signatures.byContract(signed))));
  const collect = collectUrl(purchase.id);
  if (!isSigned) throw isOwn && isInLedger ? unsigned() : used(purchase, collect);
  if (purchase.route !== charge.routeKey || purchase.request !== requestOf(ctx)) throw otherRequest(purchase, collect);
  if (purchase.state !== 'sold') throw used(purchase, collect);
  await deliveries.redeliver(ctx, purchase, 'identifier');
}

type GoodPayer = Extract<CheckedPayer, { kind: 'good' }>;

/**
 * Check a payment before anything is reserved: its terms, and its payer on our own node, without the signature.
 * @returns null if an earlier purchase has answered the request meanwhile
 * @throws Problem
 */
async function verifyPayment(steps: PaymentSteps, request: PaidRequest): Promise<GoodPayer | null> {
  const { options, nowMs } = steps;
  const { ledger, facilitator } = options;
  const { charge, offer, requirements, required } = request;
  const wrong = mismatch(offer, requirements, nowMs() / 1000);
  if (wrong) {
    const detail = `The payment does not match what this call requires. ${wrong.cause} Nothing was charged.`;
    throw unpaid(await required(), 'payment_invalid', detail, wrong.code);
  }
  if (charge.isExclusive && (await ledger.exclusivePause()) !== null) throw plain('exclusive_paused');
  const payer = await checkPayer(options, offer, charge.isExclusive);
  if (payer.kind === 'obstacle') throw plain(payer.obstacle);
  if (payer.kind === 'refused') {
    // A copy that was checked while the first one settled is used, not invalid.
    const purchase = await findEarlierPurchase(steps, offer);
    if (!purchase) throw unpaid(await required(), payer.reason, payer.detail, payer.error);
    await answerEarlierPurchase(steps, request, purchase);
    return null;
  }
  if (facilitator.hasBudget && !(await facilitator.hasBudget())) throw plain('settlement_budget_spent');
  await facilitator.reach?.();
  return payer;
}

/** Ask a contract wallet whether it signed; then let the facilitator see the payment, for the first and only time. */
async function settle(
  { facilitator, signatures, catalog }: PaymentLayerOptions,
  { charge, offer, requirements }: PaidRequest,
  { isContract }: GoodPayer,
): Promise<SettlementHint> {
  try {
    if (isContract && !(await signatures.byContract(offer.signed)))
      return { transaction: null, unsent: 'invalid_exact_evm_signature' };
  } catch {
    return { transaction: null, unsent: 'unavailable' };
  }
  const payload = { ...catalog?.get(charge.routeKey), ...payloadFor(offer, requirements) };
  return facilitator.settle(payload, requirements);
}

/** Answer a request whose sale did not end in `sold`. @throws Problem */
async function refuseOutcome(
  steps: PaymentSteps,
  request: PaidRequest,
  outcome: Exclude<SaleOutcome, { kind: 'sold' }>,
): Promise<void> {
  const { network, collectUrl } = steps.options;
  const { ctx, offer, required } = request;
  switch (outcome.kind) {
    case 'taken':
      return answerEarlierPurchase(steps, request, outcome.purchase);
    case 'refused': {
      const { reason } = outcome;
      if (reason === 'too_many_open_purchases') throw plain(reason);
      const detail =
        `The payer has less USDC on ${network.title} than this call and its open purchases cost. ` +
        'Nothing was charged.';
      throw unpaid(await required(), reason, detail, reason);
    }
    case 'nothing':
      // The handler has written its own response.
      return undefined;
    case 'not_sent':
      throw await notSent(required, outcome.why);
    case 'unknown': {
      const { payer, nonce, validBefore } = offer.payment;
      const { purchase, transaction } = outcome;
      ctx.state['unresolved'] = { payer, nonce, valid_before: String(validBefore), receipt_id: purchase.id };
      throw unknown(purchase, transaction, collectUrl(purchase.id));
    }
  }
}

/**
 * Sell the answer that `next` makes for this payment, which belongs to no purchase yet: check the payer, build the
 * answer, settle, and send the answer once the chain shows the payment.
 * @throws Problem
 */
export async function sellForPayment(steps: PaymentSteps, request: PaidRequest, next: Next): Promise<void> {
  const payer = await verifyPayment(steps, request);
  if (payer === null) return;
  const { options, deliveries, nowMs } = steps;
  const { ctx, charge, offer } = request;
  const { payment, identifierHash } = offer;
  const buildAnswer = async (openPurchase: OpenPurchase): Promise<Answer | null> => {
    ctx.state['openPurchase'] = openPurchase;
    ctx.state['isContractPayer'] = payer.isContract;
    await next();
    // A buyer who has disconnected is not charged.
    return ctx.status < 400 && !callersResponse(ctx).destroyed
      ? completeAnswer(ctx, { 'Receipt-Id': openPurchase.purchase.id })
      : null;
  };
  const effects: SaleEffects = {
    ledger: options.ledger,
    nowMs,
    buildAnswer,
    wait: options.wait,
    settle: () => settle(options, request, payer),
    evidence: (paid, hint) => options.chain.evidenceOf(paid, hint),
    pause,
  };
  const outcome = await sell(effects, {
    payment,
    identifierHash,
    route: charge.routeKey,
    request: requestOf(ctx),
    snapshotId: options.snapshotOf(ctx),
    reserveMs: charge.reserveMs,
    chain: await options.chain.id(),
    limits: { balance: payer.balance, maxOpen: payer.isContract ? OPEN_PER_CONTRACT : OPEN_PER_PAYER },
  });
  if (outcome.kind !== 'sold') {
    await refuseOutcome(steps, request, outcome);
    return;
  }
  const { purchase, answer } = outcome;
  const { transaction, id: receiptId } = purchase;
  ctx.state['settlement'] = { payer: payment.payer, transaction, network: payment.network, receiptId };
  deliveries.deliver(ctx, purchase, answer, 'first');
}
