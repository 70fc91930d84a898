/** Sends sold answers, the first time and again, and records each delivery in the ledger. */
import { Readable } from 'node:stream';
import { encodePaymentResponseHeader } from '@x402/core/http';
import { withPrivateCacheControl } from '@x402/core/server';
import type { Context } from 'koa';
import { isHash } from 'viem';
import type { Answer, DeliveryKind, Ledger, Purchase } from '../../../ledger/ledger.ts';
import { NETWORK } from '../../../lib/network.ts';
import type { Refusals } from '../refusals.ts';
import { recordDelivery } from '../sale.ts';
import { digestHeader } from '../spooled_answer.ts';

/**
 * PAYMENT-RESPONSE of a purchase that the chain shows as paid. Older versions stored any text that a facilitator named
 * as the transaction.
 */
const paymentResponse = ({ transaction, payment }: Purchase): Record<string, string> => ({
  'PAYMENT-RESPONSE': encodePaymentResponseHeader({
    success: true,
    transaction: isHash(transaction ?? '') ? (transaction ?? '') : '',
    network: NETWORK,
    payer: payment.payer,
  }),
});

/** The body of an answer. A failed read ends the connection, so that the buyer sees that the body is incomplete. */
const streamed = (ctx: Context, answer: Answer): Readable =>
  Readable.from(answer.body()).once('error', () => ctx.res.destroy());

export interface Deliveries {
  /** Put a sold answer and its receipt into `ctx`. */
  give(ctx: Context, purchase: Purchase, answer: Answer, kind: DeliveryKind): void;
  /** Send a sold answer again, byte for byte. */
  redeliver(ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void>;
  /** Resolves when every finished delivery is recorded. */
  idle(): Promise<void>;
}

export function deliveriesOf(ledger: Ledger, refusals: Pick<Refusals, 'expired'>, nowMs: () => number): Deliveries {
  const pending = new Set<Promise<void>>();

  /** Record the delivery once the response is sent or has failed. */
  const recordWhenClosed = (ctx: Context, purchase: Purchase, kind: DeliveryKind): void => {
    const closed = new Promise<void>((resolve) => {
      if (ctx.res.closed || ctx.res.destroyed) resolve();
      else
        ctx.res.once('close', () => {
          resolve();
        });
    });
    const recorded = closed
      .then(() =>
        recordDelivery(ledger, {
          purchaseId: purchase.id,
          kind,
          atMs: nowMs(),
          complete: ctx.res.writableFinished,
        }),
      )
      .finally(() => {
        pending.delete(recorded);
      });
    pending.add(recorded);
  };

  const give = (ctx: Context, purchase: Purchase, answer: Answer, kind: DeliveryKind): void => {
    ctx.status = 200;
    const { buffer } = answer;
    ctx.body = buffer ? Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength) : streamed(ctx, answer);
    const digest = digestHeader(answer.sha256);
    ctx.set({
      ...answer.headers,
      ...paymentResponse(purchase),
      'Repr-Digest': digest,
      'Unencoded-Digest': digest,
      Delivery: kind,
    });
    ctx.length = answer.bytes;
    ctx.set('Cache-Control', withPrivateCacheControl(ctx.response.get('Cache-Control') || null));
    recordWhenClosed(ctx, purchase, kind);
  };

  return {
    give,
    async redeliver(ctx, purchase, kind) {
      const answer = await ledger.answerOf(purchase.id);
      if (answer) give(ctx, purchase, answer, kind);
      else refusals.expired(ctx, purchase);
    },
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
