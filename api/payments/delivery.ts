/** Sends what was sold, the first time and again, and notes in the ledger how it left. */
import { Readable } from 'node:stream';
import { withPrivateCacheControl } from '@x402/core/server';
import type { Context } from 'koa';
import { isHash } from 'viem';
import type { Answer, DeliveryKind, Ledger, Purchase } from '../../ledger/ledger.ts';
import { base64Of } from './headers.ts';
import { NETWORK } from '../../lib/network.ts';
import type { refusalsOf } from './refusals.ts';
import { noteDelivery } from './sale.ts';

/** PAYMENT-RESPONSE of a purchase that the chain shows as paid. Older versions stored whatever a facilitator called a transaction. */
const receiptOf = ({ transaction, payment }: Purchase): Record<string, string> => ({
  'PAYMENT-RESPONSE': base64Of({
    success: true,
    transaction: isHash(transaction ?? '') ? transaction : '',
    network: NETWORK,
    payer: payment.payer,
  }),
});

export interface Deliveries {
  /** Put a sold answer and its receipt into `ctx`. */
  give(ctx: Context, purchase: Purchase, answer: Answer, kind: DeliveryKind): void;
  /** Answer with what was sold before, byte for byte. */
  redeliver(ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void>;
  /** Resolves when every delivery that ended is noted. */
  idle(): Promise<void>;
}

export function deliveriesOf(
  ledger: Ledger,
  refusals: Pick<ReturnType<typeof refusalsOf>, 'expired'>,
  nowMs: () => number,
): Deliveries {
  const noting = new Set<Promise<void>>();

  /** Note the delivery once the answer has left, or could not. */
  const noteWhenSent = (ctx: Context, purchase: Purchase, kind: DeliveryKind): void => {
    const closed = new Promise<void>((resolve) => {
      if (ctx.res.closed || ctx.res.destroyed) resolve();
      else
        ctx.res.once('close', () => {
          resolve();
        });
    });
    const noted = closed
      .then(() => noteDelivery(ledger, purchase, kind, ctx.res.writableFinished, nowMs()))
      .catch(() => undefined)
      .finally(() => {
        noting.delete(noted);
      });
    noting.add(noted);
  };

  /** Put a sold answer and its receipt into `ctx`. */
  const give = (ctx: Context, purchase: Purchase, answer: Answer, kind: DeliveryKind): void => {
    ctx.status = 200;
    ctx.body = answer.held
      ? Buffer.from(answer.held.buffer, answer.held.byteOffset, answer.held.byteLength)
      : Readable.from(answer.body());
    ctx.set({ ...answer.headers, ...receiptOf(purchase), Delivery: kind });
    ctx.length = answer.bytes;
    // As it was hashed: nobody on the way may encode it otherwise.
    ctx.set('Cache-Control', `${withPrivateCacheControl(ctx.response.get('Cache-Control') || null)}, no-transform`);
    noteWhenSent(ctx, purchase, kind);
  };

  const redeliver = async (ctx: Context, purchase: Purchase, kind: DeliveryKind): Promise<void> => {
    const answer = await ledger.answerOf(purchase.id);
    if (!answer) {
      refusals.expired(ctx, purchase);
      return;
    }
    give(ctx, purchase, answer, kind);
  };

  return {
    give,
    redeliver,
    async idle() {
      while (noting.size > 0) await Promise.all(noting);
    },
  };
}
