/**
 * x402 payments for Koa, on the same route configuration as the official Express middleware:
 *
 *   verify -> the handler builds the whole answer -> status below 400: settle, then send; otherwise cancel, unbilled.
 *
 * It differs where that middleware is wrong, and where an answer is worth keeping: HEAD is asked to pay like GET,
 * a payment is used for one purchase among all processes, it may not stay valid for longer than was asked, a
 * facilitator that cannot be asked is not an invalid payment, a settlement of unknown outcome is neither success nor
 * failure, and what was paid for can be collected again by its buyer.
 */
import { Readable } from 'node:stream';
import { withPrivateCacheControl, x402ResourceServer, type FacilitatorClient, type HTTPAdapter, type RouteConfig } from '@x402/core/server';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { bazaarResourceServerExtension } from '@x402/extensions/bazaar';
import { paymentIdentifierResourceServerExtension } from '@x402/extensions/payment-identifier';
import type { Context, Middleware, Next } from 'koa';
import { isOver, LedgerUnavailable, type Answer, type DeliveryKind, type Ledger, type Payment, type Purchase } from '../../ledger/ledger.ts';
import { readOffered, validTooLong, type OfferedPayment } from './authorization.ts';
import { FacilitatorUnavailable, plainSpoken, settlementOf, type Settled } from './facilitator.ts';
import { base64Of } from './headers.ts';
import { NETWORK } from './network.ts';
import { refusalsOf, type Refusal } from './refusals.ts';
import { shortHeader } from './required.ts';
import { noteDelivery, sell, type Claimant, type Settlement } from './sale.ts';
import type { Signatures } from './signatures.ts';
import { ResourceServer, termsOf, type Verified } from './terms.ts';
import { SpooledFile, wholeAnswer } from './whole.ts';

export interface PaymentLayerOptions {
  readonly facilitator: FacilitatorClient;
  /** Routes as the official middleware takes them: `"GET /api/deals": { accepts: ... }`. */
  readonly routes: Readonly<Record<string, RouteConfig>>;
  readonly ledger: Ledger;
  readonly signatures: Signatures;
  /** Public address of the server, without a trailing slash. Resource URLs are built from it, never from the request. */
  readonly publicUrl: string;
  /** What names the state of the data that a request is answered from. */
  readonly editionOf: (ctx: Context) => string;
  /** Where a buyer can collect the purchase made with a payment of this nonce, or of this receipt id. */
  readonly collectUrl: (idOrNonce: string) => string;
  /** Write a refusal as the answer. Headers are set already. */
  readonly refuse: (ctx: Context, refusal: Refusal) => void;
  readonly nowMs?: () => number;
}

export interface PaymentLayer {
  /** Ask the facilitator what it supports. Throws RouteConfigurationError where it does not serve our network. */
  start(): Promise<void>;
  /** False while the facilitator has not yet been reached. */
  ready(): boolean;
  /**
   * Middleware that lets a request of this route through to the next one only when it is paid. The next one finds
   * its Claimant in `ctx.state.claimant`.
   * @param leaseMs time for the answer to be made, after which its payment and what it claimed are free again
   */
  charge(routeKey: string, leaseMs: number): Middleware;
  /** Answer with what was sold before, byte for byte, to whom it was sold. */
  redeliver(ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void>;
  /** Resolves when every delivery that ended is noted. */
  idle(): Promise<void>;
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

/** Whether exactly what is asked was signed. A facilitator has said so already; what we write down and look for on the chain must not rest on that. */
const paysFor = (payment: Payment, { network, asset, payTo, amount }: PaymentRequirements): boolean =>
  payment.network === network.toLowerCase() && payment.asset === asset.toLowerCase() && payment.payTo === payTo.toLowerCase() && payment.amount === BigInt(amount);

export function paymentLayer(options: PaymentLayerOptions): PaymentLayer {
  const { ledger, signatures, publicUrl, nowMs = Date.now } = options;
  const facilitator = plainSpoken(options.facilitator);
  const resources = new x402ResourceServer(facilitator).register(NETWORK, new ExactEvmScheme())
    .registerExtension(bazaarResourceServerExtension).registerExtension(paymentIdentifierResourceServerExtension);
  const http = new ResourceServer(resources, { ...options.routes });
  const refusals = refusalsOf(options, RETRY_SECONDS);
  const noting = new Set<Promise<void>>();
  let isReady = false;
  let starting: Promise<void> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;

  const ask = async (): Promise<void> => {
    askedAtMs = nowMs();
    await facilitator.getSupported();
    await http.initialize();
    isReady = true;
  };
  const start = (): Promise<void> => starting ??= ask().finally(() => { starting = undefined; });
  /** Ready now, or after asking the facilitator again, which is done at most every few seconds. */
  const readyNow = async (): Promise<boolean> => {
    if (!isReady && (starting !== undefined || Math.abs(nowMs() - askedAtMs) >= RETRY_SECONDS * 1000)) await start().catch(() => undefined);
    return isReady;
  };

  /** Note the delivery once the answer has left, or could not. */
  const noteWhenSent = (ctx: Context, purchase: Purchase, kind: DeliveryKind): void => {
    const closed = new Promise<void>((resolve) => {
      if (ctx.res.closed || ctx.res.destroyed) resolve();
      else ctx.res.once('close', () => { resolve(); });
    });
    const noted = closed.then(() => noteDelivery(ledger, purchase, kind, ctx.res.writableFinished, nowMs())).catch(() => undefined).finally(() => { noting.delete(noted); });
    noting.add(noted);
  };

  /** Put a sold answer and its receipt into `ctx`. */
  const give = (ctx: Context, purchase: Purchase, answer: Answer, kind: DeliveryKind, receipt: Readonly<Record<string, string>>): void => {
    ctx.status = 200;
    ctx.body = answer.held ? Buffer.from(answer.held.buffer, answer.held.byteOffset, answer.held.byteLength) : Readable.from(answer.body());
    ctx.set({ ...answer.headers, ...receipt, Delivery: kind });
    ctx.length = answer.bytes;
    // As it was hashed: nobody on the way may encode it otherwise.
    ctx.set('Cache-Control', `${withPrivateCacheControl(ctx.response.get('Cache-Control') || null)}, no-transform`);
    noteWhenSent(ctx, purchase, kind);
  };

  const redeliver = async (ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void> => {
    const answer = await ledger.answerOf(purchase.id);
    if (!answer) { refusals.expired(ctx, purchase); return; }
    give(ctx, purchase, answer, kind, {
      'PAYMENT-RESPONSE': base64Of({ success: true, transaction: purchase.transaction ?? '', network: NETWORK, payer: purchase.payment.payer }),
    });
  };

  /**
   * Answer a request whose payment or identifier belongs to a purchase already: with what was sold, to the payer who
   * knows the identifier of that purchase and asks for the same; otherwise with a refusal. The payment alone proves
   * nothing, as anybody can rebuild it from the transaction that settled it.
   */
  const answerTaken = async (ctx: Context, route: string, purchase: Purchase, { payment, identifierHash, signed }: OfferedPayment): Promise<void> => {
    const own = identifierHash !== null && purchase.identifierHash === identifierHash && purchase.payment.payer === payment.payer;
    if (!own) { refusals.used(ctx, purchase); return; }
    if (!(await signatures.authorization(signed))) { refusals.unsigned(ctx); return; }
    if (purchase.route !== route || purchase.request !== requestOf(ctx)) refusals.otherRequest(ctx, purchase);
    else if (purchase.state === 'sold') await redeliver(ctx, purchase, 'identifier');
    else refusals.used(ctx, purchase);
  };

  /** The purchase that has this payment or identifier, unless it is a reservation whose time is over. */
  const takenBy = async ({ payment, identifierHash }: OfferedPayment): Promise<Purchase | null> => {
    const standing = (p: Purchase | null): Purchase | null => (p && isOver(p, nowMs()) ? null : p);
    const byIdentifier = identifierHash === null ? null : standing(await ledger.find({ payer: payment.payer, identifierHash }));
    return byIdentifier ?? standing(await ledger.find({ payment }));
  };

  /** Make the answer of a verified payment, settle, and send. */
  const serve = async (ctx: Context, next: Next, route: string, leaseMs: number, offer: OfferedPayment, verified: Verified): Promise<void> => {
    const { payment, identifierHash } = offer;
    let settled: Settled | undefined;
    let file: SpooledFile | undefined;
    const make = async (claimant: Claimant): Promise<Answer | null> => {
      ctx.state['claimant'] = claimant;
      try {
        await next();
        if (ctx.body instanceof SpooledFile) file = ctx.body;
        // Nobody is charged for what nobody is there to receive.
        if (ctx.status < 400 && !ctx.res.destroyed) return await wholeAnswer(ctx, { 'Receipt-Id': claimant.purchase.id });
      } catch (error) {
        await verified.cancel({ reason: 'handler_threw', error });
        throw error;
      }
      await verified.cancel({ reason: 'handler_failed', responseStatus: ctx.status });
      return null;
    };
    const settle = async (): Promise<Settlement> => {
      settled = await settlementOf(verified.settle);
      return settled.settlement;
    };
    try {
      const outcome = await sell(
        { ledger, nowMs, make, settle, pause: (ms) => new Promise((resolve) => { setTimeout(resolve, ms); }) },
        { payment, identifierHash, route, request: requestOf(ctx), snapshotId: options.editionOf(ctx), leaseMs },
      );
      switch (outcome.kind) {
        case 'sold': {
          const { purchase, answer } = outcome;
          ctx.state['settlement'] = { payer: payment.payer, transaction: purchase.transaction, network: payment.network, receiptId: purchase.id };
          give(ctx, purchase, answer, 'first', settled?.headers ?? {});
          const sent = file;
          file = undefined;
          if (sent) ctx.res.once('close', () => { void sent.close(); });
          return;
        }
        case 'taken': await answerTaken(ctx, route, outcome.purchase, offer); return;
        case 'nothing': return;
        case 'not_settled': refusals.unavailable(ctx, `${outcome.why}. Nothing was charged; try again.`); return;
        case 'refused': refusals.notSettled(ctx, outcome.why, settled?.headers ?? {}); return;
        case 'unknown':
          ctx.state['unresolved'] = { payer: payment.payer, nonce: payment.nonce, valid_before: String(payment.validBefore), receipt_id: outcome.purchase.id, why: outcome.why };
          refusals.unknown(ctx, outcome.purchase, outcome.transaction);
      }
    } finally {
      // What is not sent after all gives its disk back.
      await file?.close();
    }
  };

  return {
    start, redeliver,
    ready: () => isReady,
    async idle() { while (noting.size > 0) await Promise.all(noting); },
    charge(routeKey, leaseMs) {
      const config = options.routes[routeKey];
      if (!config) throw new Error(`no payment configuration for ${routeKey}`);
      // What is charged follows from the route that matched, never from the path again.
      const terms = termsOf(http, routeKey, config);
      const refuse402 = (ctx: Context, reason: 'payment_required' | 'payment_malformed' | 'payment_invalid', detail: string, asked: PaymentRequired, error?: string): void => {
        const required = { ...asked, ...(error === undefined ? {} : { error }) };
        refusals.payment(ctx, reason, detail, { 'PAYMENT-REQUIRED': shortHeader(required), 'Cache-Control': 'no-store' }, reason === 'payment_required' ? undefined : required.error);
      };

      return async (ctx, next) => {
        const offered = readOffered(ctx.get('PAYMENT-SIGNATURE'));
        if (offered.kind === 'payment' && ctx.method === 'HEAD') { refusals.onHead(ctx); return; }
        const call = callOf(ctx, publicUrl);
        try {
          if (offered.kind === 'payment') {
            // Before the facilitator is asked: what was paid for can be collected while it is away.
            const taken = await takenBy(offered.offer);
            if (taken) { await answerTaken(ctx, routeKey, taken, offered.offer); return; }
          }
          if (!(await readyNow())) { refusals.unavailable(ctx, 'Payments cannot be taken right now. Nothing was charged.'); return; }
          if (offered.kind === 'none') { refuse402(ctx, 'payment_required', 'This call is paid with x402 version 2.', await terms.required(call)); return; }
          if (offered.kind === 'malformed') { refuse402(ctx, 'payment_malformed', offered.detail, await terms.required(call), 'payment_malformed'); return; }
          if (validTooLong(offered.offer.payment, nowMs() / 1000)) {
            refuse402(ctx, 'payment_invalid', 'The payment stays valid for longer than maxTimeoutSeconds.', await terms.required(call), 'valid_before_too_late');
            return;
          }
          const result = await terms.verify(call, offered.offer.payload);
          if ('refused' in result) {
            // A copy that was being verified while the first was settled is not invalid, but used.
            const used = await takenBy(offered.offer);
            if (used) await answerTaken(ctx, routeKey, used, offered.offer);
            else refuse402(ctx, 'payment_invalid', 'The payment is not valid for this call. Nothing was charged.', result.refused);
            return;
          }
          if (!paysFor(offered.offer.payment, result.verified.requirements)) {
            refuse402(ctx, 'payment_invalid', 'What was signed is not what this call asks for. Nothing was charged.', await terms.required(call), 'authorization_mismatch');
            return;
          }
          await serve(ctx, next, routeKey, leaseMs, offered.offer, result.verified);
        } catch (error) {
          if (error instanceof FacilitatorUnavailable) refusals.unavailable(ctx, 'The payment could not be verified right now. Nothing was charged; try again.');
          else if (error instanceof LedgerUnavailable) refusals.unavailable(ctx, 'Purchases cannot be written down right now. Nothing was charged; try again.');
          else throw error;
        }
      };
    },
  };
}
