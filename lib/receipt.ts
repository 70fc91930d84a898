/**
 * Signed receipts of paid answers, and the keys that sign them: the records that the server writes and anyone can
 * verify. docs/payments.md describes both.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';

/** Header of a paid answer: the receipt as a compact JWS. */
export const RECEIPT_HEADER = 'Signed-Receipt';
/** `typ` of the JWS. No other document that these keys sign has it. */
export const RECEIPT_TYPE = 'dealfeed-receipt+jwt';
/** `alg` of the JWS. No other algorithm is accepted. */
export const RECEIPT_ALGORITHM = 'EdDSA';

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');
const instant = z.iso.datetime();

/** What a receipt states about one sold answer. */
export const ReceiptPayload = z.object({
  /** Public origin of the server that sold the answer. */
  iss: z.string(),
  receipt_id: z.string(),
  sold_at: instant,
  /** Dollars, with six decimals. */
  price: z.string(),
  payment: z.object({
    network: z.string(),
    asset: z.string(),
    /** Atomic units. */
    amount: z.string(),
    payer: z.string(),
    pay_to: z.string(),
    nonce: z.string(),
    transaction: z.string(),
    block: z.int(),
  }),
  request: z.object({
    method: z.string(),
    path: z.string(),
    /** Parameters sorted by name; null if they are too long for a header, then `query_sha256` is their hash. */
    query: z.string().nullable(),
    query_sha256: sha256Hex.nullable(),
    media_type: z.string(),
  }),
  /** The body before any content encoding. */
  content: z.object({ sha256: sha256Hex, bytes: z.int().min(0) }),
  snapshot_id: z.string(),
  /** When the price, or a part of it, is due back; null without a guarantee. */
  refund_terms: z.string().nullable(),
});
export type ReceiptPayload = z.infer<typeof ReceiptPayload>;

/** Id of an Ed25519 key: the thumbprint of its JWK (RFC 7638). It identifies the key by itself. */
export const keyIdOf = (x: string): string =>
  hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');

const key = z.object({
  kty: z.literal('OKP', 'OKP'),
  crv: z.literal('Ed25519', 'Ed25519'),
  /** The public key: 32 bytes, base64url. */
  x: z.string().regex(/^[\w-]{43}$/, 'a public key of 32 bytes in base64url'),
  kid: z.string(),
  /** The key signs from this time on. */
  from: instant,
  /** The key signs no sale after this time; null for the latest key. */
  until: instant.nullable(),
  /** When the operator withdrew a key that others may have; its receipts prove nothing. Else null. */
  revoked: instant.nullable(),
});

const hasOwnId = ({ kid, x }: { kid: string; x: string }): boolean => kid === keyIdOf(x);
const OWN_ID = 'a kid that is the thumbprint of its key';

export const PublicKey = key.refine(hasOwnId, OWN_ID);
export type PublicKey = z.infer<typeof PublicKey>;

/** The published keys: /.well-known/jwks.json. */
export const PublicKeys = z.object({ keys: z.array(PublicKey) });

/** A key of the server's key file. A key that no longer signs has no private part `d`. */
export const PrivateKey = key
  .extend({
    d: z
      .string()
      .regex(/^[\w-]{43}$/, 'a private key of 32 bytes in base64url')
      .optional(),
  })
  .strict()
  .refine(hasOwnId, OWN_ID);
export type PrivateKey = z.infer<typeof PrivateKey>;

export const publicPart = ({ kty, crv, x, kid, from, until, revoked }: PrivateKey): PublicKey => ({
  kty,
  crv,
  x,
  kid,
  from,
  until,
  revoked,
});
