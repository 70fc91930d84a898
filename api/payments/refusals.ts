/** What a priced request is told that gets no answer. */
import type { Context } from 'koa';
import type { Purchase } from '../../ledger/ledger.ts';

export type RefusalReason =
  | 'payment_required' | 'payment_malformed' | 'payment_invalid' | 'payment_in_progress' | 'payment_already_used' | 'payment_identifier_used'
  | 'payment_on_head' | 'payments_unavailable' | 'settlement_failed' | 'settlement_pending' | 'settlement_unknown' | 'answer_expired';

/** Why a priced request got no answer. `billed` is null where that is not known. */
export interface Refusal {
  readonly status: 400 | 402 | 409 | 410 | 502 | 503;
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

export interface RefusalOptions {
  readonly collectUrl: (idOrNonce: string) => string;
  readonly refuse: (ctx: Context, refusal: Refusal) => void;
}

const instantOf = (seconds: bigint): string => `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;

export function refusalsOf({ collectUrl, refuse }: RefusalOptions, retrySeconds: number) {
  const answer = (ctx: Context, status: Refusal['status'], reason: RefusalReason, detail: string,
    { headers = {}, billed = false, ...more }: Partial<Pick<Refusal, 'headers' | 'billed' | 'paymentError' | 'transaction' | 'collect'>> = {}): void => {
    ctx.status = status;
    ctx.set({ ...headers });
    refuse(ctx, { status, reason, detail, billed, headers, ...more });
  };
  const retryAfter = (seconds: number): { headers: Record<string, string> } => ({ headers: { 'Retry-After': String(seconds) } });
  const collectOf = ({ id }: Purchase): { collect: string } => ({ collect: collectUrl(id) });

  return {
    payment(ctx: Context, reason: 'payment_required' | 'payment_malformed' | 'payment_invalid', detail: string, headers: Record<string, string>, paymentError?: string): void {
      answer(ctx, 402, reason, detail, { headers, ...(paymentError === undefined ? {} : { paymentError }) });
    },
    onHead(ctx: Context): void { answer(ctx, 400, 'payment_on_head', 'An answer to HEAD has no body, so it is not sold. Send the payment with GET.'); },
    unavailable(ctx: Context, detail: string): void { answer(ctx, 503, 'payments_unavailable', detail, retryAfter(retrySeconds)); },
    /** A payment presented to collect what it bought, which its payer did not sign. */
    unsigned(ctx: Context): void { answer(ctx, 402, 'payment_invalid', 'The payment is not signed by its payer.', { paymentError: 'invalid_exact_evm_signature' }); },
    /** The payment or identifier belongs to this purchase, which may not be shown to whoever sent the request. */
    used(ctx: Context, purchase: Purchase): void {
      switch (purchase.state) {
        case 'reserved': answer(ctx, 409, 'payment_in_progress', 'Another request with this payment is being answered. One payment buys one answer.', retryAfter(1)); return;
        case 'settling':
          answer(ctx, 409, 'settlement_pending', 'This payment was sent for settlement and its outcome is not known yet. It buys nothing else; once it is known the answer can be collected, or the payment is free again.',
            { ...retryAfter(retrySeconds), ...collectOf(purchase), billed: null });
          return;
        default:
          answer(ctx, 409, 'payment_already_used', 'This payment has already bought an answer, which the wallet that paid can collect again. Sign a new payment for another.', collectOf(purchase));
      }
    },
    otherRequest(ctx: Context, purchase: Purchase): void {
      answer(ctx, 409, 'payment_identifier_used', `This payment identifier was used for ${purchase.request}. One identifier names one purchase; choose another for this one. Nothing was charged.`, collectOf(purchase));
    },
    expired(ctx: Context, purchase: Purchase): void {
      answer(ctx, 410, 'answer_expired', `Receipt ${purchase.id} stands, but its answer is no longer kept. Nothing was charged now.`);
    },
    notSettled(ctx: Context, why: string, headers: Readonly<Record<string, string>>): void {
      answer(ctx, 402, 'settlement_failed', 'The payment could not be settled and nothing was charged.', { headers: { ...headers, 'Cache-Control': 'no-store' }, paymentError: why });
    },
    unknown(ctx: Context, purchase: Purchase, transaction: string | null): void {
      answer(ctx, 502, 'settlement_unknown',
        `The payment was sent for settlement and the outcome is not known yet. It is found out from the chain: if you were charged, collect the answer; if it is not settled by ${instantOf(purchase.payment.validBefore)} it cannot be any more, and nothing was charged.`,
        { billed: null, headers: { 'Cache-Control': 'no-store', 'Receipt-Id': purchase.id }, ...collectOf(purchase), ...(transaction === null ? {} : { transaction }) });
    },
  };
}
