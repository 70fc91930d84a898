/** GET /api/purchases/:id: collects a paid response again, free, after a sign-in by the wallet that paid. */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { LedgerUnavailable, type Purchase } from '../../ledger/ledger.ts';
import { namesPurchase, type PurchaseCollector } from '../payments/collect.ts';
import type { PaymentLayer } from '../payments/middleware.ts';
import { dollarsOf } from '../../lib/network.ts';
import { Problem, type Reason } from '../http/problem.ts';

const PATH = '/api/purchases/:id';
/** Header of a collected response with the refund of its purchase. */
const REFUND_HEADER = 'Refund';

/** URL at which the purchase of a receipt id or payment nonce is collected. */
export const purchaseUrl = (publicUrl: string, idOrNonce: string): string =>
  `${publicUrl}${PATH.replace(':id', idOrNonce)}`;

/** Body of the 202 for a purchase whose outcome is not known yet. */
export const PendingPurchase = z.strictObject({
  receipt_id: z.string(),
  state: z.enum(['reserved', 'settling']),
  route: z.string(),
  request: z.string(),
  valid_before: z.iso.datetime(),
  transaction: z.string().nullable().meta({ description: 'Null when: the transaction is not known yet.' }),
  detail: z.string(),
});

/** Reasons of the error responses. */
export const COLLECT_REASONS: readonly Reason[] = [
  'invalid_parameter',
  'unknown_parameter',
  'sign_in_on_head',
  'sign_in_required',
  'sign_in_invalid',
  'purchase_not_found',
  'answer_expired',
  'purchase_released',
  'rate_limited',
  'payments_unavailable',
];

const pendingBody = ({ id, state, route, request, payment, transaction }: Purchase): Record<string, unknown> => ({
  receipt_id: id,
  state,
  route,
  request,
  valid_before: new Date(Number(payment.validBefore) * 1000).toISOString(),
  transaction,
  detail:
    state === 'reserved'
      ? 'The response is being prepared; the payment was not sent for settlement yet.'
      : 'The payment was sent for settlement and the outcome is not known yet. The server reads it from the chain: ' +
        'then the response can be collected here, or nobody was charged and the payment can be used again.',
});

/** What is due back of a purchase, and why. ASCII, as the URLs of pages are. */
const refundOf = ({ refund }: Purchase) =>
  refund && {
    state: refund.paid === null ? 'due' : 'refunded',
    amount: dollarsOf(refund.amount),
    paid_by: refund.paid,
    ...(JSON.parse(refund.proof) as object),
  };

interface PurchasesDeps {
  readonly collector: PurchaseCollector;
  readonly layer: Pick<PaymentLayer, 'redeliver'>;
  readonly publicUrl: string;
}

/** The receipt id or payment nonce in the path. @throws Problem if it is neither, or the request has parameters */
function readPurchaseId(ctx: Context): string {
  const id = (ctx['params'] as { id: string }).id;
  if (!namesPurchase(id))
    throw new Problem(
      'invalid_parameter',
      `${JSON.stringify(id.slice(0, 100))} is neither a receipt id nor a payment nonce.`,
      {
        field: 'id',
        value: id.slice(0, 100),
        accepted: ['a Receipt-Id', 'a payment nonce: 0x and 64 hex digits'],
      },
    );
  if (ctx.querystring !== '')
    throw new Problem('unknown_parameter', 'This endpoint takes no parameters.', {
      field: [...new URLSearchParams(ctx.querystring).keys()][0] ?? '',
      accepted: [],
    });
  return id;
}

export function mountPurchases(router: Router, { collector, layer, publicUrl }: PurchasesDeps): void {
  const realm = new URL(publicUrl).host;
  router.get(PATH, async (ctx: Context) => {
    const id = readPurchaseId(ctx);
    const uri = purchaseUrl(publicUrl, id);
    const header = ctx.get('SIGN-IN-WITH-X');
    const signIn = (reason: 'sign_in_required' | 'sign_in_invalid', detail: string): Problem =>
      new Problem(
        reason,
        detail,
        { header: 'SIGN-IN-WITH-X', sign_in: collector.challenge(uri) },
        { 'WWW-Authenticate': `SIGN-IN-WITH-X realm="${realm}"` },
      );
    if (header === '')
      throw signIn(
        'sign_in_required',
        'Sign the challenge in sign_in with the wallet that paid and send it in SIGN-IN-WITH-X.',
      );
    // A sign-in works once, and a response to HEAD has no body.
    if (ctx.method === 'HEAD')
      throw new Problem(
        'sign_in_on_head',
        'A response to HEAD has no body, so it collects nothing. The sign-in was not used; send it with GET.',
      );
    ctx.set('Cache-Control', 'no-store');
    const found = await collector.collect(uri, id, header).catch((error: unknown) => {
      const detail =
        error instanceof LedgerUnavailable
          ? 'The purchases are unavailable right now.'
          : 'The wallet is a contract, and the chain cannot check its signature right now.';
      throw new Problem('payments_unavailable', detail, {}, { 'Retry-After': '5' });
    });
    const lost = 'The server has lost what this payment bought.';
    switch (found.kind) {
      case 'refused':
        throw signIn('sign_in_invalid', `The sign-in was refused: ${found.why}. Sign the new challenge in sign_in.`);
      case 'none':
        throw new Problem('purchase_not_found', 'This wallet has no purchase with this receipt or payment.');
      case 'owed':
        throw new Problem('answer_expired', `${lost} It owes this wallet ${dollarsOf(found.amount)} USDC.`);
      default:
    }
    const { purchase } = found;
    const refund = refundOf(purchase);
    if (refund) ctx.set(REFUND_HEADER, JSON.stringify(refund));
    if (purchase.state === 'sold') return layer.redeliver(ctx, purchase);
    if (purchase.state === 'released') {
      if (purchase.why === 'answer_lost')
        throw new Problem('answer_expired', `${lost} If the chain shows the payment, it will be owed.`);
      throw new Problem(
        'purchase_released',
        `Nobody was charged for this purchase, so there is nothing to collect: ${purchase.why ?? 'it was released'}.`,
        { receipt_id: purchase.id },
      );
    }
    ctx.status = 202;
    ctx.set('Retry-After', '5');
    ctx.body = pendingBody(purchase);
  });
}
