/** Complete answers of priced routes, and their delivery with a receipt, the first time and again. */
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { encodePaymentResponseHeader } from '@x402/core/http';
import { withPrivateCacheControl } from '@x402/core/server';
import type { Context } from 'koa';
import type { Answer, Ledger, Purchase } from '../../ledger/ledger.ts';
import { LIST_HEADER_NAMES, WEEK_HEADERS } from '../../lib/list_headers.ts';
import { RECEIPT_HEADER } from '../../lib/receipt.ts';
import type { receiptSigner } from './receipts/signed_receipt.ts';
import { expired } from './refusals.ts';

/** PAYMENT-RESPONSE of a purchase that the chain shows as paid. */
const paymentResponse = ({ transaction, payment }: Purchase): string =>
  encodePaymentResponseHeader({
    success: true,
    transaction: transaction ?? '',
    network: payment.network as `eip155:${number}`,
    payer: payment.payer,
  });

/** The response that reaches the caller: that of the request, or of the one that carries it. */
export function callersResponse({ state, res }: Pick<Context, 'state' | 'res'>): ServerResponse {
  const { carrier = res } = state as { readonly carrier?: ServerResponse };
  return carrier;
}

/** Repr-Digest (RFC 9530) and Unencoded-Digest of a SHA-256 in hex. */
export const digestHeader = (sha256: string): string => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;

/** Headers that belong to a body and are stored with it. */
const BODY_HEADERS = [
  'Content-Type',
  'Content-Disposition',
  'Content-Language',
  'X-Snapshot-Id',
  ...LIST_HEADER_NAMES,
  ...Object.values(WEEK_HEADERS),
];

/**
 * The response in `ctx` as an answer that can be sold, with its own headers and `more`.
 * @throws TypeError if it is not complete: neither text nor bytes
 */
export function completeAnswer({ body, response }: Context, more: Readonly<Record<string, string>>): Answer {
  if (typeof body !== 'string' && !Buffer.isBuffer(body))
    throw new TypeError('the answer of a priced route must be complete before it is settled: text or bytes');
  const buffer = Buffer.from(body);
  const own = BODY_HEADERS.map((name) => [name, response.get(name) || ''] as const).filter(([, value]) => value !== '');
  return { headers: { ...Object.fromEntries(own), ...more }, sha256: hash('sha256', buffer, 'hex'), body: buffer };
}

/** How an answer reaches its buyer. */
type DeliveryKind = 'first' | 'identifier' | 'wallet';

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries(ledger: Pick<Ledger, 'answerOf'>, receiptOf: ReturnType<typeof receiptSigner>) {
  /** Put a sold answer and its receipt into `ctx`. */
  const deliver = (ctx: Context, purchase: Purchase, answer: Answer, kind: DeliveryKind): void => {
    ctx.status = 200;
    const { buffer, byteOffset, byteLength } = answer.body;
    ctx.body = Buffer.from(buffer, byteOffset, byteLength);
    const digest = digestHeader(answer.sha256);
    ctx.set({
      ...answer.headers,
      'PAYMENT-RESPONSE': paymentResponse(purchase),
      [RECEIPT_HEADER]: receiptOf(purchase, answer),
      'Repr-Digest': digest,
      'Unencoded-Digest': digest,
      Delivery: kind,
    });
    ctx.length = byteLength;
    ctx.set('Cache-Control', withPrivateCacheControl(ctx.response.get('Cache-Control') || null));
  };

  return {
    deliver,
    /** Send a sold answer again, byte for byte. @throws Problem if it is no longer stored */
    async redeliver(ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void> {
      const answer = await ledger.answerOf(purchase.id);
      if (!answer) throw expired(purchase);
      deliver(ctx, purchase, answer, kind);
    },
  };
}
