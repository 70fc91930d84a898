/** What a priced request is told that gets no answer. */
import type { Context } from 'koa';
import type { PayerRefusal, Purchase } from '../../ledger/ledger.ts';

export type RefusalReason =
  | 'payment_required'
  | 'payment_malformed'
  | 'payment_invalid'
  | 'contract_wallet_refused'
  | PayerRefusal
  | 'payment_in_progress'
  | 'payment_already_used'
  | 'payment_identifier_used'
  | 'payment_on_head'
  | 'payments_unavailable'
  | 'settlement_budget_spent'
  | 'exclusive_paused'
  | 'settlement_pending'
  | 'settlement_unknown'
  | 'answer_expired';

/** Why a priced request got no answer. `billed` is null where that is not known. */
export interface Refusal {
  readonly status: 400 | 402 | 409 | 410 | 429 | 502 | 503;
  readonly reason: RefusalReason;
  readonly detail: string;
  readonly billed: false | null;
  /** The protocol's own word for what was wrong with the payment. */
  readonly paymentError?: string;
  readonly transaction?: string;
  /** Where what was paid for can be collected by the wallet that paid. */
  readonly collect?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Seconds after which a payer, or a budget, may be looked at again. */
const UNPAID_RETRY_SECONDS = 3_600;

export interface RefusalOptions {
  readonly collectUrl: (idOrNonce: string) => string;
  readonly refuse: (ctx: Context, refusal: Refusal) => void;
}

const instantOf = (seconds: bigint): string => `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;

export function refusalsOf({ collectUrl, refuse }: RefusalOptions, retrySeconds: number) {
  const answer = (
    ctx: Context,
    status: Refusal['status'],
    reason: RefusalReason,
    detail: string,
    {
      headers = {},
      billed = false,
      ...more
    }: Partial<Pick<Refusal, 'headers' | 'billed' | 'paymentError' | 'transaction' | 'collect'>> = {},
  ): void => {
    ctx.status = status;
    ctx.set({ ...headers });
    refuse(ctx, { status, reason, detail, billed, headers, ...more });
  };
  const retryAfter = (seconds: number): { headers: Record<string, string> } => ({
    headers: { 'Retry-After': String(seconds) },
  });
  const collectOf = ({ id }: Purchase): { collect: string } => ({ collect: collectUrl(id) });

  return {
    payment(
      ctx: Context,
      reason:
        | 'payment_required'
        | 'payment_malformed'
        | 'payment_invalid'
        | 'contract_wallet_refused'
        | 'payer_without_funds',
      detail: string,
      headers: Record<string, string>,
      paymentError?: string,
    ): void {
      answer(ctx, 402, reason, detail, { headers, ...(paymentError === undefined ? {} : { paymentError }) });
    },
    onHead(ctx: Context): void {
      answer(
        ctx,
        400,
        'payment_on_head',
        'An answer to HEAD has no body, so it is not sold. Send the payment with GET.',
      );
    },
    unavailable(ctx: Context, detail: string): void {
      answer(ctx, 503, 'payments_unavailable', detail, retryAfter(retrySeconds));
    },
    /** A payment presented to collect what it bought, which its payer did not sign. */
    unsigned(ctx: Context): void {
      answer(ctx, 402, 'payment_invalid', 'The payment is not signed by its payer.', {
        paymentError: 'invalid_exact_evm_signature',
      });
    },
    /** The payment or identifier belongs to this purchase, which may not be shown to whoever sent the request. */
    used(ctx: Context, purchase: Purchase): void {
      switch (purchase.state) {
        case 'reserved':
          answer(
            ctx,
            409,
            'payment_in_progress',
            'Another request with this payment is being answered. One payment buys one answer.',
            retryAfter(1),
          );
          return;
        case 'settling':
          answer(
            ctx,
            409,
            'settlement_pending',
            'This payment was sent for settlement and its outcome is not known yet. It buys nothing else; once it is known the answer can be collected, or the payment is free again.',
            { ...retryAfter(retrySeconds), ...collectOf(purchase), billed: null },
          );
          return;
        default:
          answer(
            ctx,
            409,
            'payment_already_used',
            'This payment has already bought an answer, which the wallet that paid can collect again. Sign a new payment for another.',
            collectOf(purchase),
          );
      }
    },
    otherRequest(ctx: Context, purchase: Purchase): void {
      answer(
        ctx,
        409,
        'payment_identifier_used',
        `This payment identifier was used for ${purchase.request}. One identifier names one purchase; choose another for this one. Nothing was charged.`,
        collectOf(purchase),
      );
    },
    expired(ctx: Context, purchase: Purchase): void {
      answer(
        ctx,
        410,
        'answer_expired',
        `Receipt ${purchase.id} stands, but its answer is no longer kept. Nothing was charged now.`,
      );
    },
    /** The payer has reached one of its own limits. */
    limited(ctx: Context, reason: Exclude<PayerRefusal, 'payer_without_funds'>): void {
      switch (reason) {
        case 'too_many_open_purchases':
          answer(
            ctx,
            429,
            reason,
            'This payer has too many purchases open at once. Wait until some of them end. Nothing was charged.',
            retryAfter(retrySeconds),
          );
          return;
        case 'payer_unbilled_too_often':
          answer(
            ctx,
            429,
            reason,
            'Several payments of this payer could not be settled within a day, by its own doing. Nothing was charged.',
            retryAfter(UNPAID_RETRY_SECONDS),
          );
      }
    },
    budgetSpent(ctx: Context): void {
      answer(
        ctx,
        503,
        'settlement_budget_spent',
        'The gas this server spends on settlements in a day is used up. Nothing was charged; try again tomorrow (UTC).',
        retryAfter(UNPAID_RETRY_SECONDS),
      );
    },
    exclusivePaused(ctx: Context): void {
      answer(
        ctx,
        503,
        'exclusive_paused',
        'Exclusive sales are paused: the ledger was restored, and payments made before are being matched. Nothing was charged.',
        retryAfter(UNPAID_RETRY_SECONDS),
      );
    },
    notSent(ctx: Context, why: 'ledger_unavailable' | 'reservation_ran_out' | 'gas_spent'): void {
      if (why === 'gas_spent') {
        this.budgetSpent(ctx);
        return;
      }
      const detail =
        why === 'ledger_unavailable'
          ? 'Purchases cannot be written right now.'
          : 'The reservation ran out before the answer was ready.';
      answer(ctx, 503, 'payments_unavailable', `${detail} Nothing was charged; try again.`, retryAfter(retrySeconds));
    },
    unknown(ctx: Context, purchase: Purchase, transaction: string | null): void {
      answer(
        ctx,
        502,
        'settlement_unknown',
        `The payment was sent for settlement and the outcome is not known yet. The chain decides: if it shows the payment, collect the answer; if the payment is not on it by ${instantOf(purchase.payment.validBefore)}, it is void.`,
        {
          billed: null,
          headers: { 'Cache-Control': 'no-store', 'Receipt-Id': purchase.id },
          ...collectOf(purchase),
          ...(transaction === null ? {} : { transaction }),
        },
      );
    },
  };
}
