/** The published keys of receipts: /.well-known/jwks.json. */
import type { Router } from '@koa/router';
import { RECEIPT_ALGORITHM } from '../../lib/receipt.ts';
import { isCached, shortHash } from '../http/caching.ts';
import type { ReceiptKeys } from '../payments/receipts/keys.ts';

/** The keys as a JWK Set (RFC 7517), each with its time. */
export function mountReceiptKeys(router: Router, { published }: ReceiptKeys): void {
  const keys = published.map((key) => ({ ...key, use: 'sig', alg: RECEIPT_ALGORITHM }));
  const text = `${JSON.stringify({ keys }, null, 1)}\n`;
  const hash = shortHash(text);
  router.get('/.well-known/jwks.json', (ctx) => {
    if (isCached(ctx, hash)) return;
    ctx.body = text;
    ctx.type = 'application/jwk-set+json';
  });
}
