/** The published keys of receipts: /.well-known/jwks.json, and /.well-known/did.json for x402 receipts. */
import type { Router } from '@koa/router';
import { RECEIPT_ALGORITHM } from '../../lib/receipt.ts';
import { isCached, shortHash } from '../http/caching.ts';
import type { ReceiptKeys } from '../payments/receipts/keys.ts';
import { didOf } from '../payments/receipts/signed_receipt.ts';

const JWKS_PATH = '/.well-known/jwks.json';
const DID_PATH = '/.well-known/did.json';

/** The keys as a JWK Set (RFC 7517), each with its time. */
const jwksOf = ({ published }: ReceiptKeys): unknown => ({
  keys: published.map((key) => ({ ...key, use: 'sig', alg: RECEIPT_ALGORITHM })),
});

/** The DID document (did:web). It omits revoked keys, so that nobody resolves one. */
function didDocumentOf({ published }: ReceiptKeys, publicUrl: string): unknown {
  const id = didOf(publicUrl);
  const valid = published.filter((key) => key.revoked === null);
  const idOf = (kid: string): string => `${id}#${kid}`;
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id,
    verificationMethod: valid.map(({ kty, crv, x, kid }) => ({
      id: idOf(kid),
      type: 'JsonWebKey2020',
      controller: id,
      publicKeyJwk: { kty, crv, x, kid },
    })),
    assertionMethod: valid.map(({ kid }) => idOf(kid)),
  };
}

export function mountReceiptKeys(router: Router, keys: ReceiptKeys, publicUrl: string): void {
  for (const [path, document, type] of [
    [JWKS_PATH, jwksOf(keys), 'application/jwk-set+json'],
    [DID_PATH, didDocumentOf(keys, publicUrl), 'application/did+json'],
  ] as const) {
    const text = `${JSON.stringify(document, null, 1)}\n`;
    const hash = shortHash(text);
    router.get(path, (ctx) => {
      if (isCached(ctx, hash)) return;
      ctx.body = text;
      ctx.type = type;
    });
  }
}
