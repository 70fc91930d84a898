/** Collecting again what was paid for, by proof of the wallet that paid. Free, as it was paid for before. */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { LedgerUnavailable, type Purchase } from '../../ledger/ledger.ts';
import { namesPurchase, type Collecting } from '../payments/collect.ts';
import type { PaymentLayer } from '../payments/middleware.ts';
import { Problem } from '../http/problem.ts';

const PATH = '/api/purchases/:id';

/** Where the purchase of this receipt id or payment nonce is collected. */
export const purchaseUrl = (publicUrl: string, idOrNonce: string): string =>
  `${publicUrl}${PATH.replace(':id', idOrNonce)}`;

const ref = (name: string): { $ref: string } => ({ $ref: `#/components/headers/${name}` });
const refusal = (description: string) => ({
  description,
  headers: { 'X-Request-Id': ref('X-Request-Id') },
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/problem' } } },
});
const openState = {
  type: 'object',
  required: ['receipt_id', 'state', 'route', 'request', 'valid_before', 'transaction', 'detail'],
  additionalProperties: false,
  properties: {
    receipt_id: { type: 'string', format: 'uuid' },
    state: { type: 'string', enum: ['reserved', 'settling'] },
    route: { type: 'string' },
    request: { type: 'string' },
    valid_before: { type: 'string', format: 'date-time' },
    transaction: { type: ['string', 'null'] },
    detail: { type: 'string' },
  },
};

/** The path as the interface description has it. */
export const purchasesDescribed = {
  '/api/purchases/{id}': {
    get: {
      operationId: 'api_purchases_id',
      summary: 'Collect again what was paid for, byte for byte, by proof of the wallet that paid.',
      'x-price-usd': '0.00',
      security: [{ wallet: [] }],
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'Receipt-Id of the answer, or nonce of the payment. Expected: a UUID, or 0x and 64 hex digits.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description: 'The answer that was bought, with its own headers. Not billed.',
          headers: Object.fromEntries(
            ['X-Request-Id', 'X-Snapshot-Id', 'Receipt-Id', 'Repr-Digest', 'Delivery', 'PAYMENT-RESPONSE'].map((n) => [
              n,
              ref(n),
            ]),
          ),
          content: { '*/*': { schema: {} } },
        },
        202: {
          description: 'Whether the payment was settled is not known yet. Ask again after Retry-After.',
          headers: { 'X-Request-Id': ref('X-Request-Id'), 'Retry-After': ref('Retry-After') },
          content: { 'application/json': { schema: openState } },
        },
        400: refusal('reason: invalid_parameter, unknown_parameter, sign_in_on_head.'),
        401: refusal('reason: sign_in_required, sign_in_invalid. sign_in holds what is to be signed.'),
        404: refusal('reason: purchase_not_found. This wallet has no such purchase.'),
        410: refusal('reason: answer_expired, purchase_released (nobody was charged).'),
        429: refusal('reason: rate_limited.'),
        503: refusal('reason: payments_unavailable.'),
      },
    },
  },
};

/** What can be said of a purchase whose outcome is open. */
const openBody = ({ id, state, route, request, payment, transaction }: Purchase): Record<string, unknown> => ({
  receipt_id: id,
  state,
  route,
  request,
  valid_before: new Date(Number(payment.validBefore) * 1000).toISOString(),
  transaction,
  detail:
    state === 'reserved'
      ? 'The answer is being made; nothing was sent for settlement yet.'
      : 'The payment was sent for settlement and the outcome is not known yet. It is found out from the chain: then the answer can be collected here, or nobody was charged and the payment is free again.',
});

export interface PurchasesDeps {
  readonly collecting: Collecting;
  readonly layer: Pick<PaymentLayer, 'redeliver'>;
  readonly publicUrl: string;
}

/** Put the route on the router. */
export function mountPurchases(router: Router, { collecting, layer, publicUrl }: PurchasesDeps): void {
  const signIn = (ctx: Context, uri: string, reason: 'sign_in_required' | 'sign_in_invalid', detail: string): never => {
    ctx.set('WWW-Authenticate', `SIGN-IN-WITH-X realm="${new URL(publicUrl).host}"`);
    throw new Problem(reason, detail, { header: 'SIGN-IN-WITH-X', sign_in: collecting.challenge(uri) });
  };
  router.get(PATH, async (ctx: Context) => {
    const id = (ctx['params'] as { id: string }).id;
    if (!namesPurchase(id))
      throw new Problem(
        'invalid_parameter',
        `${JSON.stringify(id.slice(0, 100))} is neither a receipt id nor the nonce of a payment.`,
        {
          field: 'id',
          value: id.slice(0, 100),
          accepted: ['a Receipt-Id', 'the nonce of a payment: 0x and 64 hex digits'],
        },
      );
    if (ctx.querystring !== '')
      throw new Problem('unknown_parameter', 'This endpoint takes no parameters.', {
        field: [...new URLSearchParams(ctx.querystring).keys()][0] ?? '',
        accepted: [],
      });
    const uri = purchaseUrl(publicUrl, id);
    const header = ctx.get('SIGN-IN-WITH-X');
    if (header === '')
      return signIn(
        ctx,
        uri,
        'sign_in_required',
        'Sign the message of sign_in with the wallet that paid and send it in SIGN-IN-WITH-X.',
      );
    // A sign-in is good once, and an answer to HEAD would carry nothing for it.
    if (ctx.method === 'HEAD')
      throw new Problem(
        'sign_in_on_head',
        'An answer to HEAD has no body, so nothing is collected by it and the sign-in was not used. Send it with GET.',
      );
    ctx.set('Cache-Control', 'no-store');
    let found: Awaited<ReturnType<Collecting['collect']>>;
    try {
      found = await collecting.collect(uri, id, header);
    } catch (error) {
      const what =
        error instanceof LedgerUnavailable
          ? 'The purchases cannot be read right now.'
          : 'The wallet is a contract, and the chain cannot be asked about its signature right now.';
      throw new Problem('payments_unavailable', what, {}, { 'Retry-After': '5' });
    }
    if (found.kind === 'refused')
      return signIn(
        ctx,
        uri,
        'sign_in_invalid',
        `Nothing was given out: ${found.why}. Sign the new challenge of sign_in.`,
      );
    if (found.kind === 'none')
      throw new Problem('purchase_not_found', 'This wallet has no purchase of this receipt or payment here.');
    const { purchase } = found;
    switch (purchase.state) {
      case 'sold':
        await layer.redeliver(ctx, purchase, 'wallet');
        return;
      case 'released':
        throw new Problem(
          'purchase_released',
          `Nobody was charged for this purchase, so there is nothing to collect: ${purchase.why ?? 'it was given back'}.`,
          { receipt_id: purchase.id },
        );
      default:
        ctx.status = 202;
        ctx.set('Retry-After', '5');
        ctx.body = openBody(purchase);
    }
  });
}
