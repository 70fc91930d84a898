/** Error responses to priced requests. */
import type { PaymentRequired } from '@x402/core/types';
import type { Context } from 'koa';
import type { PayerRefusal, Purchase } from '../../ledger/ledger.ts';
import type { TokenObstacle } from './chain/payment_chain.ts';
import type { NotSent } from './sale.ts';
import { instantOf } from '../../lib/time.ts';
import { paymentRequiredHeader } from './request/payment_required_header.ts';

export type RefusalReason =
  | 'payment_required'
  | 'payment_malformed'
  | 'payment_invalid'
  | 'contract_wallet_refused'
  | 'payer_blocked'
  | TokenObstacle
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

/** Why a priced request got no answer. `billed` is null if that is not known. */
export interface Refusal {
  readonly status: 400 | 402 | 409 | 410 | 429 | 502 | 503;
  readonly reason: RefusalReason;
  readonly detail: string;
  readonly billed: false | null;
  /** The protocol's code for the problem with the payment. */
  readonly paymentError?: string;
  readonly transaction?: string;
  /** Where the wallet that paid can collect the answer. */
  readonly collect?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A refusal with status 402. */
export interface PaymentRefusal {
  readonly reason: Extract<
    RefusalReason,
    | 'payment_required'
    | 'payment_malformed'
    | 'payment_invalid'
    | 'contract_wallet_refused'
    | 'payer_without_funds'
    | 'payer_blocked'
  >;
  readonly detail: string;
  /** The protocol's code; omitted if no payment was sent. */
  readonly error?: string;
}

/** Why a payment was not sent for settlement. */
const NOT_SENT = {
  ledger_unavailable: 'The ledger cannot be written right now.',
  unavailable: 'The chain or the ledger did not answer before the payment was sent for settlement.',
  reservation_ran_out: 'The reservation expired before the answer was ready.',
  invalid_exact_evm_signature: 'The contract wallet does not accept this signature.',
  settlement_gas_above_limit: 'Its settlement needs more gas than this server spends on one.',
  settlement_simulation_failed: 'Its settlement would fail on the chain.',
} as const;

/** Seconds after which an unavailable facilitator or ledger is worth another try. */
export const RETRY_SECONDS = 5;
/** The same for the gas budget, the issuer of the token, and the audit after a restore. */
const LIMIT_RETRY_SECONDS = 3_600;

/** Refusals whose text is always the same: status, detail, and Retry-After in seconds. Nothing was charged. */
const PLAIN = {
  payment_on_head: [400, 'A response to HEAD has no body to sell. Send the payment with GET.'],
  payment_in_progress: [409, 'Another request with this payment is in progress. One payment buys one answer.', 1],
  too_many_open_purchases: [
    429,
    'This payer has too many open purchases. Wait until some of them end. Nothing was charged.',
    RETRY_SECONDS,
  ],
  settlement_budget_spent: [
    503,
    'The server has used its gas budget for today. Nothing was charged; try again tomorrow (UTC).',
    LIMIT_RETRY_SECONDS,
  ],
  token_paused: [503, 'Its issuer has paused USDC: no payment can be made. Nothing was charged.', LIMIT_RETRY_SECONDS],
  pay_to_blocked: [
    503,
    'The issuer of USDC blocks the address that this server is paid to. Nothing was charged.',
    LIMIT_RETRY_SECONDS,
  ],
  exclusive_paused: [
    503,
    'Exclusive sales are paused: the ledger was restored from a backup, and earlier payments are still being ' +
      'matched. Nothing was charged.',
    LIMIT_RETRY_SECONDS,
  ],
} as const satisfies Partial<Record<RefusalReason, readonly [Refusal['status'], string, number?]>>;

export interface RefusalOptions {
  readonly collectUrl: (idOrNonce: string) => string;
  readonly refuse: (ctx: Context, refusal: Refusal) => void;
}

export type Refusals = ReturnType<typeof createRefusals>;

const retryAfter = (seconds: number): { headers: Record<string, string> } => ({
  headers: { 'Retry-After': String(seconds) },
});

export function createRefusals({ collectUrl, refuse }: RefusalOptions) {
  const write = (
    ctx: Context,
    { headers = {}, billed = false, ...refusal }: Omit<Refusal, 'headers' | 'billed'> & Partial<Refusal>,
  ): void => {
    ctx.status = refusal.status;
    ctx.set({ ...headers });
    refuse(ctx, { ...refusal, billed, headers });
  };
  const collectAt = ({ id }: Purchase): { collect: string } => ({ collect: collectUrl(id) });
  const plain = (ctx: Context, reason: keyof typeof PLAIN): void => {
    const [status, detail, seconds] = PLAIN[reason];
    write(ctx, { status, reason, detail, ...(seconds === undefined ? {} : retryAfter(seconds)) });
  };
  const unavailable = (ctx: Context, detail: string): void => {
    write(ctx, { status: 503, reason: 'payments_unavailable', detail, ...retryAfter(RETRY_SECONDS) });
  };
  /** The 402 of a route. */
  const payment = (ctx: Context, required: PaymentRequired, { reason, detail, error }: PaymentRefusal): void => {
    const header = paymentRequiredHeader({ ...required, ...(error === undefined ? {} : { error }) });
    write(ctx, {
      status: 402,
      reason,
      detail,
      headers: { 'PAYMENT-REQUIRED': header, 'Cache-Control': 'no-store' },
      ...(error === undefined ? {} : { paymentError: error }),
    });
  };

  return {
    plain,
    unavailable,
    payment,
    /** A payment that is presented to collect what it bought, without its payer's signature. */
    unsigned(ctx: Context): void {
      write(ctx, {
        status: 402,
        reason: 'payment_invalid',
        detail: 'The payment is not signed by its payer.',
        paymentError: 'invalid_exact_evm_signature',
      });
    },
    /** The payment or identifier belongs to this purchase, which must not be shown to the sender of the request. */
    used(ctx: Context, purchase: Purchase): void {
      switch (purchase.state) {
        case 'reserved':
          plain(ctx, 'payment_in_progress');
          return;
        case 'settling':
          write(ctx, {
            status: 409,
            reason: 'settlement_pending',
            detail:
              'This payment was sent for settlement and its outcome is not known yet. ' +
              'If it settles, collect the answer. If it does not, the payment can be used again.',
            ...retryAfter(RETRY_SECONDS),
            ...collectAt(purchase),
            billed: null,
          });
          return;
        default:
          write(ctx, {
            status: 409,
            reason: 'payment_already_used',
            detail:
              'This payment already bought an answer. The wallet that paid can collect it again. ' +
              'Sign a new payment for another answer.',
            ...collectAt(purchase),
          });
      }
    },
    otherRequest(ctx: Context, purchase: Purchase): void {
      write(ctx, {
        status: 409,
        reason: 'payment_identifier_used',
        detail:
          `This payment identifier was used for ${purchase.request}. ` +
          'Use a new identifier for each purchase. Nothing was charged.',
        ...collectAt(purchase),
      });
    },
    expired(ctx: Context, { id }: Purchase): void {
      const detail = `Receipt ${id} is valid, but its answer is no longer stored. Nothing was charged.`;
      write(ctx, { status: 410, reason: 'answer_expired', detail });
    },
    notSent(ctx: Context, required: PaymentRequired, why: NotSent): void {
      switch (why) {
        case 'gas_spent':
          plain(ctx, 'settlement_budget_spent');
          return;
        case 'ledger_unavailable':
        case 'unavailable':
        case 'reservation_ran_out':
          unavailable(ctx, `${NOT_SENT[why]} Nothing was charged; try again.`);
          return;
        default:
          payment(ctx, required, {
            reason: 'payment_invalid',
            detail: `${NOT_SENT[why]} Nothing was charged.`,
            error: why,
          });
      }
    },
    unknown(ctx: Context, purchase: Purchase, transaction: string | null): void {
      write(ctx, {
        status: 502,
        reason: 'settlement_unknown',
        detail:
          'The payment was sent for settlement and its outcome is not known yet. If it appears on the chain, collect ' +
          `the answer. If it does not appear by ${instantOf(Number(purchase.payment.validBefore) * 1000)}, it is void.`,
        billed: null,
        headers: { 'Cache-Control': 'no-store', 'Receipt-Id': purchase.id },
        ...collectAt(purchase),
        ...(transaction === null ? {} : { transaction }),
      });
    },
  };
}
