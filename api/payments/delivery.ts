/** Sends sold answers with their receipts, the first time and again. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { encodePaymentResponseHeader } from '@x402/core/http';
import { withPrivateCacheControl } from '@x402/core/server';
import type { Context } from 'koa';
import type { Answer, Ledger, Purchase } from '../../ledger/ledger.ts';
import { RECEIPT_HEADER } from '../../lib/receipt.ts';
import type { receiptSigner } from './receipts/signed_receipt.ts';
import type { Refusals } from './refusals.ts';
import { digestHeader } from './spooled_answer.ts';

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

/** The body of an answer. A failed read ends the connection, so that the buyer sees that the body is incomplete. */
const streamed = (ctx: Context, answer: Answer): Readable =>
  Readable.from(answer.body()).once('error', () => ctx.res.destroy());

/** How an answer reaches its buyer. */
type DeliveryKind = 'first' | 'identifier' | 'wallet';

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries(
  ledger: Pick<Ledger, 'answerOf'>,
  refusals: Pick<Refusals, 'expired'>,
  receiptOf: ReturnType<typeof receiptSigner>,
) {
  /** Put a sold answer and its receipt into `ctx`. */
  const deliver = (ctx: Context, purchase: Purchase, answer: Answer, kind: DeliveryKind): void => {
    ctx.status = 200;
    const { buffer } = answer;
    ctx.body = buffer ? Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength) : streamed(ctx, answer);
    const digest = digestHeader(answer.sha256);
    ctx.set({
      ...answer.headers,
      'PAYMENT-RESPONSE': paymentResponse(purchase),
      [RECEIPT_HEADER]: receiptOf(purchase, answer),
      'Repr-Digest': digest,
      'Unencoded-Digest': digest,
      Delivery: kind,
    });
    ctx.length = answer.bytes;
    ctx.set('Cache-Control', withPrivateCacheControl(ctx.response.get('Cache-Control') || null));
  };

  return {
    deliver,
    /** Send a sold answer again, byte for byte. */
    async redeliver(ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void> {
      const answer = await ledger.answerOf(purchase.id);
      if (answer) deliver(ctx, purchase, answer, kind);
      else refusals.expired(ctx, purchase);
    },
  };
}
