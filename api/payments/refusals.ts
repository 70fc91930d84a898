/** Refusals of priced requests. */
import { encodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import type { Purchase } from '../../ledger/ledger.ts';
import { instantOf } from '../../lib/time.ts';
import { Problem, type Reason } from '../http/problem.ts';
import type { NotSent } from './sale.ts';

/** Seconds after which an unavailable service, or a payer's open purchases, are worth another try. */
export const RETRY_SECONDS = 5;
/** The same for the gas budget, the audit after a restore, and the issuer of the token. */
const LATER_SECONDS = 3_600;
/** Proxies commonly allow 4 kB for one header line, its name included; this leaves room for the error codes. */
const MAX_HEADER_LENGTH = 3_500;

/** Refusals that depend on nothing of the request: what they say, and when to try again. */
const PLAIN = {
  payment_on_head: ['A response to HEAD has no body to sell. Send the payment with GET.', null],
  payment_in_progress: ['Another request with this payment is in progress. One payment buys one answer.', 1],
  too_many_open_purchases: [
    'This payer has too many open purchases. Wait until some of them end. Nothing was charged.',
    RETRY_SECONDS,
  ],
  settlement_budget_spent: [
    'The server has used its gas budget for today. Nothing was charged; try again tomorrow (UTC).',
    LATER_SECONDS,
  ],
  exclusive_paused: [
    'Exclusive sales are paused: the ledger was restored from a backup, and earlier payments are still being ' +
      'matched. Nothing was charged.',
    LATER_SECONDS,
  ],
  token_paused: ['Its issuer has paused USDC: no payment can be made. Nothing was charged.', LATER_SECONDS],
  pay_to_blocked: [
    'The issuer of USDC blocks the address that this server is paid to. Nothing was charged.',
    LATER_SECONDS,
  ],
} as const;

/** Why a payment was not sent for settlement. */
const NOT_SENT = {
  ledger_unavailable: 'The ledger cannot be written right now.',
  unavailable: 'The chain or the ledger did not answer before the payment was sent for settlement.',
  reservation_ran_out: 'The reservation expired before the answer was ready.',
  invalid_exact_evm_signature: 'The contract wallet does not accept this signature.',
  settlement_gas_above_limit: 'Its settlement needs more gas than this server spends on one.',
  settlement_simulation_failed: 'Its settlement would fail on the chain.',
} as const;

const retryAfter = (seconds: number): Record<string, string> => ({ 'Retry-After': String(seconds) });

export function plain(reason: keyof typeof PLAIN): Problem {
  const [detail, seconds] = PLAIN[reason];
  return new Problem(reason, detail, {}, seconds === null ? {} : retryAfter(seconds));
}

export const unavailable = (detail: string): Problem =>
  new Problem('payments_unavailable', detail, {}, retryAfter(RETRY_SECONDS));

/** The base64 of the requirements. If the URL makes it too long, `resource.url` is the URL without its query. */
export function paymentRequiredHeader(required: PaymentRequired): string {
  const value = encodePaymentRequiredHeader(required);
  if (value.length < MAX_HEADER_LENGTH) return value;
  const { resource } = required;
  const [url = resource.url] = resource.url.split('?');
  return encodePaymentRequiredHeader({ ...required, resource: { ...resource, url } });
}

/** The 402 of a route. @param error the protocol's code; omitted if no payment was sent */
export function unpaid(required: PaymentRequired, reason: Reason, detail: string, error?: string): Problem {
  const header = paymentRequiredHeader({ ...required, ...(error === undefined ? {} : { error }) });
  const headers = { 'PAYMENT-REQUIRED': header, 'Cache-Control': 'no-store' };
  return new Problem(reason, detail, error === undefined ? {} : { payment_error: error }, headers);
}

/** A payment that is presented to collect what it bought, without its payer's signature. */
export const unsigned = (): Problem =>
  new Problem('payment_invalid', 'The payment is not signed by its payer.', {
    payment_error: 'invalid_exact_evm_signature',
  });

/** The payment or identifier belongs to a purchase in this state, which must not be shown to the sender. */
export function used({ state }: Purchase, collect: string): Problem {
  const pending =
    'This payment was sent for settlement and its outcome is not known yet. ' +
    'If it settles, collect the answer. If it does not, the payment can be used again.';
  const spent =
    'This payment already bought an answer. The wallet that paid can collect it again. ' +
    'Sign a new payment for another answer.';
  if (state === 'reserved') return plain('payment_in_progress');
  if (state === 'settling')
    return new Problem('settlement_pending', pending, { billed: null, collect }, retryAfter(RETRY_SECONDS));
  return new Problem('payment_already_used', spent, { collect });
}

export const otherRequest = ({ request }: Purchase, collect: string): Problem =>
  new Problem(
    'payment_identifier_used',
    `This payment identifier was used for ${request}. Use a new identifier for each purchase. Nothing was charged.`,
    { collect },
  );

export const expired = ({ id }: Purchase): Problem =>
  new Problem('answer_expired', `Receipt ${id} is valid, but its answer is no longer stored. Nothing was charged.`);

export async function notSent(required: () => Promise<PaymentRequired>, why: NotSent): Promise<Problem> {
  if (why === 'gas_spent') return plain('settlement_budget_spent');
  const detail = `${NOT_SENT[why]} Nothing was charged.`;
  return why === 'ledger_unavailable' || why === 'unavailable' || why === 'reservation_ran_out'
    ? unavailable(`${detail} Try again.`)
    : unpaid(await required(), 'payment_invalid', detail, why);
}

export function unknown(
  { id, payment: { validBefore } }: Purchase,
  transaction: string | null,
  collect: string,
): Problem {
  const detail =
    'The payment was sent for settlement and its outcome is not known yet. If it appears on the chain, collect ' +
    `the answer. If it does not appear by ${instantOf(Number(validBefore) * 1000)}, it is void.`;
  const more = { billed: null, ...(transaction === null ? {} : { transaction }), collect };
  return new Problem('settlement_unknown', detail, more, { 'Cache-Control': 'no-store', 'Receipt-Id': id });
}
