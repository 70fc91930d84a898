/**
 * x402 payments for Koa, on the same route configuration as the official Express middleware:
 *
 *   verify -> the handler builds the whole answer -> status below 400: settle, then send; otherwise cancel, unbilled.
 *
 * It differs where that middleware is wrong: HEAD is asked to pay like GET, copies of a payment are refused before
 * the handler runs, a payment may not stay valid for longer than was asked, a facilitator that cannot be asked is
 * not an invalid payment, and a settlement of unknown outcome is neither success nor failure.
 */
import { decodePaymentRequiredHeader, encodePaymentRequiredHeader } from '@x402/core/http';
import {
  withPrivateCacheControl, x402HTTPResourceServer, x402ResourceServer,
  type FacilitatorClient, type HTTPAdapter, type HTTPResponseInstructions, type RouteConfig,
} from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import type { Context, Middleware, Next } from 'koa';
import type { Attempts, AttemptState } from './attempts.ts';
import { readOffered, validTooLong, type Authorization } from './authorization.ts';
import { FacilitatorUnavailable, plainSpoken, SettlementUnknown } from './facilitator.ts';
import { NETWORK } from './network.ts';
import { isWhole } from './whole.ts';

export type RefusalReason =
  | 'payment_required' | 'payment_malformed' | 'payment_invalid' | 'payment_already_used' | 'payment_on_head'
  | 'payments_unavailable' | 'settlement_failed' | 'settlement_unknown';

/** Why a priced request got no answer. `billed` is null where that is not known. */
export interface Refusal {
  readonly status: 400 | 402 | 409 | 502 | 503;
  readonly reason: RefusalReason;
  readonly detail: string;
  readonly billed: false | null;
  /** The protocol's own word for what was wrong with the payment. */
  readonly paymentError?: string;
  readonly transaction?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PaymentLayerOptions {
  readonly facilitator: FacilitatorClient;
  /** Routes as the official middleware takes them: `"GET /api/deals": { accepts: ... }`. */
  readonly routes: Readonly<Record<string, RouteConfig>>;
  readonly attempts: Attempts;
  /** Public address of the server, without a trailing slash. Resource URLs are built from it, never from the request. */
  readonly publicUrl: string;
  /** Write a refusal as the answer. Headers are set already. */
  readonly refuse: (ctx: Context, refusal: Refusal) => void;
  readonly nowMs?: () => number;
}

export interface PaymentLayer {
  /** Ask the facilitator what it supports. Throws RouteConfigurationError where it does not serve our network. */
  start(): Promise<void>;
  /** False while the facilitator has not yet been reached. */
  ready(): boolean;
  /** Middleware that lets a request of this route through to the next one only when it is paid. */
  charge(routeKey: string): Middleware;
}

const RETRY_SECONDS = 5;

function adapterOf(ctx: Context, publicUrl: string, withPayment: boolean): HTTPAdapter {
  return {
    getHeader: (name) => (withPayment || name.toLowerCase() !== 'payment-signature' ? ctx.get(name) || undefined : undefined),
    getMethod: () => 'GET',
    getPath: () => ctx.path,
    getUrl: () => publicUrl + ctx.originalUrl,
    // One form of refusal for everybody: no HTML page for browsers.
    getAcceptHeader: () => 'application/json',
    getUserAgent: () => ctx.get('User-Agent'),
  };
}

const usedDetail: Readonly<Record<AttemptState, string>> = {
  in_progress: 'Another request with this payment is being answered. One payment buys one answer.',
  settled: 'This payment has already bought an answer. Sign a new one.',
  unknown: 'This payment was sent for settlement and its outcome is not known yet. It buys nothing else.',
};

export function paymentLayer(options: PaymentLayerOptions): PaymentLayer {
  const { attempts, publicUrl, refuse, nowMs = Date.now } = options;
  const facilitator = plainSpoken(options.facilitator);
  const resources = new x402ResourceServer(facilitator).register(NETWORK, new ExactEvmScheme());
  const everyRoute = new x402HTTPResourceServer(resources, { ...options.routes });
  let isReady = false;
  let starting: Promise<void> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;

  const ask = async (): Promise<void> => {
    askedAtMs = nowMs();
    await facilitator.getSupported();
    await everyRoute.initialize();
    isReady = true;
  };
  const start = (): Promise<void> => starting ??= ask().finally(() => { starting = undefined; });
  /** Ready now, or after asking the facilitator again, which is done at most every few seconds. */
  const readyNow = async (): Promise<boolean> => {
    if (!isReady && (starting !== undefined || nowMs() - askedAtMs >= RETRY_SECONDS * 1000)) await start().catch(() => undefined);
    return isReady;
  };

  const answerRefusal = (ctx: Context, refusal: Refusal): void => {
    ctx.status = refusal.status;
    ctx.set({ ...refusal.headers });
    refuse(ctx, refusal);
  };
  const unavailable = (ctx: Context, detail: string): void => {
    answerRefusal(ctx, { status: 503, reason: 'payments_unavailable', detail, billed: false, headers: { 'Retry-After': String(RETRY_SECONDS) } });
  };
  const alreadyUsed = (ctx: Context, state: AttemptState): void => {
    answerRefusal(ctx, { status: 409, reason: 'payment_already_used', detail: usedDetail[state], billed: false, headers: {} });
  };
  /** A 402 with what the library put into its headers. `error` replaces the library's word. */
  const paymentRequired = (ctx: Context, response: HTTPResponseInstructions, reason: RefusalReason, detail: string, error?: string): void => {
    const { 'Content-Type': _, ...headers } = response.headers;
    const asked = headers['PAYMENT-REQUIRED'];
    const decoded = asked === undefined ? undefined : decodePaymentRequiredHeader(asked);
    if (decoded && error !== undefined) headers['PAYMENT-REQUIRED'] = encodePaymentRequiredHeader({ ...decoded, error });
    const word = error ?? (reason === 'payment_required' ? undefined : decoded?.error);
    answerRefusal(ctx, { status: 402, reason, detail, billed: false, headers, ...(word === undefined ? {} : { paymentError: word }) });
  };

  /** Run the handler for a claimed payment and settle. Always ends the claim. */
  const serve = async (ctx: Context, next: Next, http: x402HTTPResourceServer, path: string, payment: Authorization,
    verified: Extract<Awaited<ReturnType<x402HTTPResourceServer['processHTTPRequest']>>, { type: 'payment-verified' }>): Promise<void> => {
    let charging = false;
    try {
      try { await next(); } catch (error) {
        await verified.cancellationDispatcher.cancel({ reason: 'handler_threw', error });
        throw error;
      }
      if (ctx.status >= 400) {
        await verified.cancellationDispatcher.cancel({ reason: 'handler_failed', responseStatus: ctx.status });
        return;
      }
      if (!(await isWhole(ctx))) throw new TypeError('the answer of a priced route must be whole before it is settled: text, bytes or a spooled file');
      const body: unknown = ctx.body;
      if (ctx.res.destroyed) {
        // Nobody is there to receive the answer: it is not charged.
        await verified.cancellationDispatcher.cancel({ reason: 'handler_failed' });
        return;
      }
      charging = true;
      const settled = await http.processSettlement(verified.paymentPayload, verified.paymentRequirements, verified.declaredExtensions, {
        request: { adapter: adapterOf(ctx, publicUrl, true), path, method: 'GET' },
        ...(typeof body === 'string' || Buffer.isBuffer(body) ? { responseBody: Buffer.from(body as string) } : {}),
      });
      charging = false;
      if (settled.success) {
        await attempts.end(payment, 'settled');
        ctx.state['settlement'] = { payer: settled.payer, transaction: settled.transaction, network: settled.network };
        ctx.set({ ...settled.headers, 'Cache-Control': withPrivateCacheControl(ctx.response.get('Cache-Control') || null) });
        return;
      }
      const { 'Content-Type': _, ...headers } = settled.response.headers;
      answerRefusal(ctx, { status: 402, reason: 'settlement_failed', billed: false, paymentError: settled.errorReason, headers,
        detail: 'The payment could not be settled and nothing was charged.' });
    } catch (error) {
      if (!charging) throw error;
      await attempts.end(payment, 'unknown');
      const transaction = error instanceof SettlementUnknown ? error.transaction : null;
      ctx.state['unresolved'] = { payer: payment.payer, nonce: payment.nonce, valid_before: String(payment.validBefore), why: error instanceof Error ? error.message : String(error) };
      answerRefusal(ctx, {
        status: 502, reason: 'settlement_unknown', billed: null, headers: { 'Cache-Control': 'no-store' }, ...(transaction === null ? {} : { transaction }),
        detail: `The payment was sent for settlement and the outcome is not known. If it is not settled by ${new Date(Number(payment.validBefore) * 1000).toISOString().slice(0, 19)}Z it cannot be any more, and nothing was charged.`,
      });
    } finally {
      if ((await attempts.stateOf(payment)) === 'in_progress') await attempts.release(payment);
    }
  };

  return {
    start,
    ready: () => isReady,
    charge(routeKey) {
      const config = options.routes[routeKey];
      if (!config) throw new Error(`no payment configuration for ${routeKey}`);
      // One server for one route: what is charged follows from the route that matched, never from the path again.
      const http = new x402HTTPResourceServer(resources, { [routeKey]: config });
      const path = routeKey.slice(routeKey.indexOf(' ') + 1);
      const ask402 = async (ctx: Context): Promise<HTTPResponseInstructions> => {
        const asked = await http.processHTTPRequest({ adapter: adapterOf(ctx, publicUrl, false), path, method: 'GET' });
        if (asked.type !== 'payment-error') throw new Error(`${routeKey} is priced, but was let through unpaid`);
        return asked.response;
      };

      return async (ctx, next) => {
        if (!(await readyNow())) { unavailable(ctx, 'Payments cannot be taken right now. Nothing was charged.'); return; }
        const offered = readOffered(ctx.get('PAYMENT-SIGNATURE'));
        if (offered.kind === 'none') {
          paymentRequired(ctx, await ask402(ctx), 'payment_required', 'This call is paid with x402 version 2.');
          return;
        }
        if (offered.kind === 'malformed') {
          paymentRequired(ctx, await ask402(ctx), 'payment_malformed', offered.detail, 'payment_malformed');
          return;
        }
        if (ctx.method === 'HEAD') {
          answerRefusal(ctx, { status: 400, reason: 'payment_on_head', billed: false, headers: {},
            detail: 'An answer to HEAD has no body, so it is not sold. Send the payment with GET.' });
          return;
        }
        const payment = offered.authorization;
        if (validTooLong(payment, nowMs() / 1000)) {
          paymentRequired(ctx, await ask402(ctx), 'payment_invalid', 'The payment stays valid for longer than maxTimeoutSeconds.', 'valid_before_too_late');
          return;
        }
        const before = await attempts.stateOf(payment);
        if (before !== null) { alreadyUsed(ctx, before); return; }
        let result: Awaited<ReturnType<typeof http.processHTTPRequest>>;
        try { result = await http.processHTTPRequest({ adapter: adapterOf(ctx, publicUrl, true), path, method: 'GET' }); } catch (error) {
          if (!(error instanceof FacilitatorUnavailable)) throw error;
          unavailable(ctx, 'The payment could not be verified right now. Nothing was charged; try again.');
          return;
        }
        if (result.type === 'no-payment-required') throw new Error(`${routeKey} is priced, but was let through unpaid`);
        if (result.type === 'payment-error') {
          paymentRequired(ctx, result.response, 'payment_invalid', 'The payment is not valid for this call. Nothing was charged.');
          return;
        }
        if (!(await attempts.begin(payment))) { alreadyUsed(ctx, (await attempts.stateOf(payment)) ?? 'in_progress'); return; }
        await serve(ctx, next, http, path, payment, result);
      };
    },
  };
}
