/**
 * x402 payments for Koa, configured with the same routes as the official Express middleware:
 *
 *   parse -> check on our own node -> build the whole answer -> settle -> find it on the chain -> send
 *
 * One payment buys one answer, across all processes. Our own node decides whether it was paid, by payer and nonce. A
 * buyer can collect a paid answer again.
 */
import type { HTTPAdapter, RouteConfig } from '@x402/core/server';
import type { Context, Middleware, Next } from 'koa';
import { LedgerUnavailable, type DeliveryKind, type Ledger, type Purchase } from '../../ledger/ledger.ts';
import { readOffered } from './chain/authorization.ts';
import { ChainUnavailable } from './chain/chain_errors.ts';
import { FacilitatorUnavailable } from './facilitator/facilitator_client.ts';
import type { PaymentNetwork } from './payment_network.ts';
import type { ReceiptKeys } from './receipts/key_set.ts';
import { receiptSigner } from './receipts/signed_receipt.ts';
import { createRefusals, RETRY_SECONDS, type Refusal } from './refusals.ts';
import { chosenMedia, type PaymentSteps } from './request/context.ts';
import { createDeliveries } from './request/delivery.ts';
import { answerEarlierPurchase, findEarlierPurchase } from './request/earlier_purchase.ts';
import { fulfill } from './request/fulfill.ts';
import { verifyPayment } from './request/verify.ts';
import { requirementsBuilder, type ExtensionsForMedia } from './requirements.ts';
import type { SettlementWait } from './sale.ts';

export interface PaymentLayerOptions extends PaymentNetwork {
  /** Routes as the official middleware takes them: `"GET /api/deals": { accepts: ... }`. */
  readonly routes: Readonly<Record<string, RouteConfig>>;
  readonly ledger: Ledger;
  /** Whether contract wallets may pay. */
  readonly acceptsContractWallets: boolean;
  readonly wait: SettlementWait;
  /**
   * Public address of the server, without a trailing slash. Resource URLs are built from it, never from the request.
   */
  readonly publicUrl: string;
  /** Id of the snapshot that a request is answered from. */
  readonly editionOf: (ctx: Context) => string;
  /** Describes another media type than that of the route. Default: the route's description. */
  readonly extensionsForMedia?: ExtensionsForMedia;
  /** Where a buyer collects the purchase with this receipt id, or of a payment with this nonce. */
  readonly collectUrl: (idOrNonce: string) => string;
  /** Write a refusal as the response. Its headers are set already. */
  readonly refuse: (ctx: Context, refusal: Refusal) => void;
  /** Signs the receipts of sold answers. */
  readonly receiptKeys: ReceiptKeys;
  readonly nowMs?: () => number;
}

/** A priced route. */
export interface Charge {
  readonly routeKey: string;
  /** Time to build the answer; afterwards the payment and any claimed lead are released. */
  readonly leaseMs: number;
  /** Whether it sells an exclusive lead. */
  readonly isExclusive: boolean;
}

export interface PaymentLayer {
  /** Ask the facilitator whether it serves the network. @throws UnservedNetwork, FacilitatorUnavailable */
  start(): Promise<void>;
  /** Whether the facilitator has confirmed the network, so that something can be sold. */
  ready(): boolean;
  /**
   * Middleware that calls the handler only for a paid request. The handler finds its Claimant in `ctx.state.claimant`.
   */
  charge(charge: Charge): Middleware;
  /** Send a sold answer again, byte for byte, to its buyer. */
  redeliver(ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void>;
  /** Resolves when every finished delivery is recorded. */
  idle(): Promise<void>;
}

/** The request as the library sees it: without a payment, which we parse ourselves. */
const libraryRequest = (ctx: Context, publicUrl: string): HTTPAdapter => ({
  getHeader: () => undefined,
  getMethod: () => 'GET',
  getPath: () => ctx.path,
  getUrl: () => publicUrl + ctx.originalUrl,
  // The application renders refusals; the library must not render its own page.
  getAcceptHeader: () => 'application/json',
  getUserAgent: () => ctx.get('User-Agent'),
});

/** Detail of the refusal for an error of a service that we depend on; null for any other error. */
function unavailableDetail(error: unknown): string | null {
  if (error instanceof FacilitatorUnavailable)
    return 'The facilitator cannot be reached right now. Nothing was charged; try again.';
  if (error instanceof ChainUnavailable)
    return 'The chain cannot be read right now, and no sale starts without it. Nothing was charged; try again.';
  if (error instanceof LedgerUnavailable)
    return 'The ledger cannot be written right now. Nothing was charged; try again.';
  return null;
}

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

export function paymentLayer(options: PaymentLayerOptions): PaymentLayer {
  const { ledger, nowMs = Date.now } = options;
  const requirements = requirementsBuilder(options.routes, options.network, options.extensionsForMedia);
  // Avoids an unhandled rejection; awaited below.
  requirements.catch(() => undefined);
  const readiness = untilServed(options, requirements, nowMs);
  const refusals = createRefusals(options);
  const receipts = receiptSigner(options.receiptKeys, options.publicUrl, nowMs);
  const deliveries = createDeliveries({ ledger, refusals, receipts, nowMs });
  const steps: PaymentSteps = { options, refusals, deliveries, nowMs };

  const handle = async (ctx: Context, next: Next, charge: Charge): Promise<void> => {
    const offered = readOffered(ctx.get('PAYMENT-SIGNATURE'));
    if (offered.kind === 'payment') {
      if (ctx.method === 'HEAD') {
        refusals.plain(ctx, 'payment_on_head');
        return;
      }
      // First, so that a paid answer can be collected while the facilitator or the chain is unavailable.
      const purchase = await findEarlierPurchase(steps, offered.offer);
      if (purchase) {
        await answerEarlierPurchase(steps, { ctx, charge, offer: offered.offer }, purchase);
        return;
      }
    }
    if (!(await readiness.becomeReady())) {
      refusals.unavailable(ctx, 'Payments are unavailable right now. Nothing was charged.');
      return;
    }
    const build = await requirements;
    const required = await build(charge.routeKey, libraryRequest(ctx, options.publicUrl), chosenMedia(ctx));
    const obstacle = offered.kind === 'payment' ? null : options.tokenObstacle();
    if (obstacle !== null) {
      // Before anything is signed. A payment is refused by the state of the token at that moment.
      refusals.plain(ctx, obstacle);
    } else if (offered.kind === 'none') {
      const detail = 'This call is paid with x402 version 2.';
      refusals.payment(ctx, required, { reason: 'payment_required', detail });
    } else if (offered.kind === 'malformed') {
      const { detail } = offered;
      refusals.payment(ctx, required, { reason: 'payment_malformed', detail, error: 'payment_malformed' });
    } else {
      const verified = await verifyPayment(steps, { ctx, charge, offer: offered.offer }, required);
      if (verified) await fulfill(steps, { ctx, next, charge, verified });
    }
  };

  return {
    start: readiness.start,
    ready: readiness.isReady,
    redeliver: (ctx, purchase, kind) => deliveries.redeliver(ctx, purchase, { kind, wantsX402Receipt: false }),
    idle: deliveries.idle,
    charge(charge) {
      if (!options.routes[charge.routeKey]) throw new Error(`no payment configuration for ${charge.routeKey}`);
      return async (ctx, next) => {
        try {
          await handle(ctx, next, charge);
        } catch (error) {
          const detail = unavailableDetail(error);
          if (detail === null) throw error;
          refusals.unavailable(ctx, detail);
        }
      };
    },
  };
}
