/**
 * x402 payments for Koa, on the same route configuration as the official Express middleware:
 *
 *   parse -> check the payer ourselves -> ask the facilitator -> the handler builds the whole answer
 *         -> ask for the transfer -> see it on the chain -> send
 *
 * A payment is used for one purchase among all processes. Whether it was paid is read from our own node, per payer and
 * nonce. What was paid for can be collected again by its buyer.
 */
import type { HTTPAdapter, RouteConfig } from '@x402/core/server';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import type { Context, Middleware, Next } from 'koa';
import {
  isOver,
  LedgerUnavailable,
  type Answer,
  type DeliveryKind,
  type Ledger,
  type Purchase,
} from '../../ledger/ledger.ts';
import { mismatch, payloadFor, readOffered, type OfferedPayment } from './chain/authorization.ts';
import { OPEN_PER_CONTRACT, OPEN_PER_PAYER, UNPAID_PER_PAYER } from './caps.ts';
import { ChainUnavailable } from './chain/chain_errors.ts';
import { deliveriesOf } from './delivery.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';
import { FacilitatorUnavailable } from './facilitator/unavailable.ts';
import { checkPayer, type CheckedPayer } from './chain/payer_check.ts';
import type { PaymentChain } from './chain/payment_chain.ts';
import { refusalsOf, type Refusal } from './refusals.ts';
import { shortHeader } from './required.ts';
import { requirementsOf, type Requirements } from './requirements.ts';
import { sell, type Claimant, type SettlementWait } from './sale.ts';
import type { Signatures } from './chain/signatures.ts';
import { SpooledFile, wholeAnswer } from './spooled_answer.ts';

export interface PaymentLayerOptions {
  readonly facilitator: Facilitator;
  readonly chain: Pick<PaymentChain, 'id' | 'of' | 'payer'>;
  /** Routes as the official middleware takes them: `"GET /api/deals": { accepts: ... }`. */
  readonly routes: Readonly<Record<string, RouteConfig>>;
  readonly ledger: Ledger;
  readonly signatures: Signatures;
  /** Whether contract wallets may pay. */
  readonly contractWallets: boolean;
  readonly wait: SettlementWait;
  /** Public address of the server, without a trailing slash. Resource URLs are built from it, never from the request. */
  readonly publicUrl: string;
  /** Names the state of the data that a request is answered from. */
  readonly editionOf: (ctx: Context) => string;
  /** Where a buyer can collect the purchase made with a payment of this nonce, or of this receipt id. */
  readonly collectUrl: (idOrNonce: string) => string;
  /** Write a refusal as the answer. Headers are set already. */
  readonly refuse: (ctx: Context, refusal: Refusal) => void;
  readonly nowMs?: () => number;
}

/** A priced route. */
export interface Charge {
  readonly routeKey: string;
  /** Time for the answer to be made, after which its payment and what it claimed are free again. */
  readonly leaseMs: number;
  /** Whether it sells something once: a lead. */
  readonly isExclusive: boolean;
}

export interface PaymentLayer {
  /** Ask the facilitator whether it serves our network. @throws UnservedNetwork, FacilitatorUnavailable */
  start(): Promise<void>;
  /** False while the facilitator has not been reached yet. */
  ready(): boolean;
  /** Middleware that calls the next one only for a paid request. The next one finds its Claimant in `ctx.state.claimant`. */
  charge(charge: Charge): Middleware;
  /** Answer with what was sold before, byte for byte, to whom it was sold. */
  redeliver(ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void>;
  /** Resolves when every delivery that ended is noted. */
  idle(): Promise<void>;
}

/** The facilitator answers and does not serve exact payments on our network. */
export class UnservedNetwork extends Error {
  override readonly name = 'UnservedNetwork';
}

/** Seconds after which a facilitator or ledger that could not be asked is worth another try. */
export const RETRY_SECONDS = 5;

/** Path and query as our own record of what was asked, the same however the query is ordered. */
export function requestOf({ path, querystring }: Pick<Context, 'path' | 'querystring'>): string {
  const query = new URLSearchParams(querystring);
  query.sort();
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** A call as the library looks at it. */
function callOf(ctx: Context, publicUrl: string): HTTPAdapter {
  return {
    getHeader: (name) => ctx.get(name) || undefined,
    getMethod: () => 'GET',
    getPath: () => ctx.path,
    getUrl: () => publicUrl + ctx.originalUrl,
    // The form of a refusal is the application's: the library makes no page of its own.
    getAcceptHeader: () => 'application/json',
    getUserAgent: () => ctx.get('User-Agent'),
  };
}

/** A payment that may be used for a purchase. */
interface Paying {
  readonly offer: OfferedPayment;
  readonly payload: PaymentPayload;
  readonly asked: PaymentRequirements;
  readonly required: PaymentRequired;
  readonly payer: Extract<CheckedPayer, { kind: 'good' }>;
}

const WITHOUT_FUNDS =
  'The payer has less USDC on Base than this call and its open purchases cost. Nothing was charged.';

type Payment402 =
  'payment_required' | 'payment_malformed' | 'payment_invalid' | 'contract_wallet_refused' | 'payer_without_funds';

export function paymentLayer(options: PaymentLayerOptions): PaymentLayer {
  const { facilitator, chain, ledger, signatures, contractWallets, wait, publicUrl, nowMs = Date.now } = options;
  const requirements = requirementsOf(options.routes);
  requirements.catch(() => undefined);
  const refusals = refusalsOf(options, RETRY_SECONDS);
  const { give, redeliver, idle } = deliveriesOf(ledger, refusals, nowMs);
  let isReady = false;
  let starting: Promise<void> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;

  const ask = async (): Promise<void> => {
    askedAtMs = nowMs();
    await requirements;
    if (!(await facilitator.supported()))
      throw new UnservedNetwork('the facilitator does not serve exact payments on eip155:8453');
    isReady = true;
  };
  const start = (): Promise<void> =>
    (starting ??= ask().finally(() => {
      starting = undefined;
    }));
  /** Ready now, or after asking the facilitator again, which is done at most every few seconds. */
  const readyNow = async (): Promise<boolean> => {
    if (!isReady && (starting !== undefined || Math.abs(nowMs() - askedAtMs) >= RETRY_SECONDS * 1000))
      await start().catch(() => undefined);
    return isReady;
  };

  /**
   * Answer a request whose payment or identifier belongs to a purchase already: with what was sold, to the payer who
   * knows the identifier of that purchase and asks for the same; otherwise with a refusal. The payment alone proves
   * nothing, as anybody can rebuild it from the transaction that settled it.
   */
  const answerTaken = async (
    ctx: Context,
    route: string,
    purchase: Purchase,
    { payment, identifierHash, signed }: OfferedPayment,
  ): Promise<void> => {
    const own =
      identifierHash !== null && purchase.identifierHash === identifierHash && purchase.payment.payer === payment.payer;
    if (!own) {
      refusals.used(ctx, purchase);
      return;
    }
    if (!(await signatures.authorization(signed))) {
      refusals.unsigned(ctx);
      return;
    }
    if (purchase.route !== route || purchase.request !== requestOf(ctx)) refusals.otherRequest(ctx, purchase);
    else if (purchase.state === 'sold') await redeliver(ctx, purchase, 'identifier');
    else refusals.used(ctx, purchase);
  };

  /** The purchase that has this payment or identifier, unless it is a reservation whose time is over. */
  const takenBy = async ({ payment, identifierHash }: OfferedPayment): Promise<Purchase | null> => {
    const standing = (p: Purchase | null): Purchase | null => (p && isOver(p, nowMs()) ? null : p);
    const byIdentifier =
      identifierHash === null ? null : standing(await ledger.find({ payer: payment.payer, identifierHash }));
    return byIdentifier ?? standing(await ledger.find({ payment }));
  };

  /** The 402 of a route. */
  const refuse402 = (
    ctx: Context,
    reason: Payment402,
    detail: string,
    asked: PaymentRequired,
    error?: string,
  ): void => {
    const required = { ...asked, ...(error === undefined ? {} : { error }) };
    refusals.payment(
      ctx,
      reason,
      detail,
      { 'PAYMENT-REQUIRED': shortHeader(required), 'Cache-Control': 'no-store' },
      error,
    );
  };

  /** Make the answer of a checked payment, ask for the money, see it on the chain, and send. */
  const serve = async (ctx: Context, next: Next, { routeKey, leaseMs }: Charge, paying: Paying): Promise<void> => {
    const { offer, payload, asked, required, payer } = paying;
    const { payment, identifierHash } = offer;
    let file: SpooledFile | undefined;
    const make = async (claimant: Claimant): Promise<Answer | null> => {
      ctx.state['claimant'] = claimant;
      await next();
      if (ctx.body instanceof SpooledFile) file = ctx.body;
      // Nobody is charged for an answer that nobody is there to receive.
      return ctx.status < 400 && !ctx.res.destroyed ? wholeAnswer(ctx, { 'Receipt-Id': claimant.purchase.id }) : null;
    };
    const limits = {
      balance: payer.balance,
      mostOpen: payer.isContract ? OPEN_PER_CONTRACT : OPEN_PER_PAYER,
      mostUnpaid: UNPAID_PER_PAYER,
    };
    try {
      const outcome = await sell(
        {
          ledger,
          nowMs,
          make,
          wait,
          settle: () => facilitator.settle(payload, asked),
          evidence: (paid, hint) => chain.of(paid, hint),
          async payerFault(paid) {
            const now = await chain.payer(paid);
            if (now.isUsed) return null;
            if (now.hasCode) return payer.isContract ? 'contract_did_not_pay' : 'payer_changed_code';
            return now.balance < paid.amount ? 'payer_without_funds' : null;
          },
          pause: (ms) =>
            new Promise((resolve) => {
              setTimeout(resolve, ms);
            }),
        },
        {
          payment,
          identifierHash,
          route: routeKey,
          request: requestOf(ctx),
          snapshotId: options.editionOf(ctx),
          leaseMs,
          chain: await chain.id(),
          limits,
        },
      );
      switch (outcome.kind) {
        case 'sold': {
          const { purchase, answer } = outcome;
          ctx.state['settlement'] = {
            payer: payment.payer,
            transaction: purchase.transaction,
            network: payment.network,
            receiptId: purchase.id,
          };
          give(ctx, purchase, answer, 'first');
          const sent = file;
          file = undefined;
          if (sent)
            ctx.res.once('close', () => {
              void sent.close();
            });
          return;
        }
        case 'taken':
          await answerTaken(ctx, routeKey, outcome.purchase, offer);
          return;
        case 'refused':
          if (outcome.reason === 'payer_without_funds')
            refuse402(ctx, outcome.reason, WITHOUT_FUNDS, required, outcome.reason);
          else refusals.limited(ctx, outcome.reason);
          return;
        case 'nothing':
          return;
        case 'not_sent':
          refusals.notSent(ctx, outcome.why);
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
    } finally {
      // A file that is not sent after all is deleted.
      await file?.close();
    }
  };

  /** Check a payment with our own node and the facilitator. Null where it was refused, and the refusal written. */
  const checked = async (
    ctx: Context,
    charge: Charge,
    route: Requirements,
    offer: OfferedPayment,
  ): Promise<Paying | null> => {
    const call = callOf(ctx, publicUrl);
    const required = await route.required(call);
    const asked = await route.accepted(call);
    const wrong = mismatch(offer, asked, nowMs() / 1000);
    if (wrong !== null) {
      refuse402(
        ctx,
        'payment_invalid',
        'The payment is not what this call asks for. Nothing was charged.',
        required,
        wrong,
      );
      return null;
    }
    if (charge.isExclusive && (await ledger.exclusivePause()) !== null) {
      refusals.exclusivePaused(ctx);
      return null;
    }
    const payer = await checkPayer({ chain, signatures, contractWallets }, offer, charge.isExclusive);
    if (payer.kind === 'refused') {
      // A copy that was checked while the first was settled is not invalid, but used.
      const used = await takenBy(offer);
      if (used) await answerTaken(ctx, charge.routeKey, used, offer);
      else refuse402(ctx, payer.reason, payer.detail, required, 'error' in payer ? payer.error : payer.reason);
      return null;
    }
    if (facilitator.hasBudget && !(await facilitator.hasBudget())) {
      refusals.budgetSpent(ctx);
      return null;
    }
    const payload = payloadFor(offer, asked);
    const verification = await facilitator.verify(payload, asked);
    if (verification.valid) return { offer, payload, asked, required, payer };
    const used = await takenBy(offer);
    if (used) await answerTaken(ctx, charge.routeKey, used, offer);
    else
      refuse402(
        ctx,
        'payment_invalid',
        'The facilitator refuses this payment. Nothing was charged.',
        required,
        verification.reason,
      );
    return null;
  };

  const charged = async (ctx: Context, next: Next, charge: Charge): Promise<void> => {
    const offered = readOffered(ctx.get('PAYMENT-SIGNATURE'));
    if (offered.kind === 'payment' && ctx.method === 'HEAD') {
      refusals.onHead(ctx);
      return;
    }
    if (offered.kind === 'payment') {
      // Before anyone else is asked: what was paid for can be collected while they are away.
      const taken = await takenBy(offered.offer);
      if (taken) {
        await answerTaken(ctx, charge.routeKey, taken, offered.offer);
        return;
      }
    }
    if (!(await readyNow())) {
      refusals.unavailable(ctx, 'Payments cannot be taken right now. Nothing was charged.');
      return;
    }
    const route = (await requirements)(charge.routeKey);
    if (offered.kind === 'none') {
      refuse402(
        ctx,
        'payment_required',
        'This call is paid with x402 version 2.',
        await route.required(callOf(ctx, publicUrl)),
      );
    } else if (offered.kind === 'malformed') {
      refuse402(
        ctx,
        'payment_malformed',
        offered.detail,
        await route.required(callOf(ctx, publicUrl)),
        'payment_malformed',
      );
    } else {
      const paying = await checked(ctx, charge, route, offered.offer);
      if (paying) await serve(ctx, next, charge, paying);
    }
  };

  return {
    start,
    redeliver,
    idle,
    ready: () => isReady,
    charge(charge) {
      if (!options.routes[charge.routeKey]) throw new Error(`no payment configuration for ${charge.routeKey}`);
      return async (ctx, next) => {
        try {
          await charged(ctx, next, charge);
        } catch (error) {
          if (error instanceof FacilitatorUnavailable)
            refusals.unavailable(ctx, 'The payment could not be verified right now. Nothing was charged; try again.');
          else if (error instanceof ChainUnavailable)
            refusals.unavailable(
              ctx,
              'The chain cannot be read right now, and no sale starts without it. Nothing was charged; try again.',
            );
          else if (error instanceof LedgerUnavailable)
            refusals.unavailable(ctx, 'Purchases cannot be written right now. Nothing was charged; try again.');
          else throw error;
        }
      };
    },
  };
}
