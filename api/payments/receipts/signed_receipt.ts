/**
 * The signed receipts of a sold answer: our statement over price, payment, request and content, and x402's receipt
 * (extension offer-receipt), which ours names by its hash. Both follow from the ledger alone, so that one sale has one
 * receipt per key, on every server and at every delivery.
 */
import { hash } from 'node:crypto';
import { createJWS, type ReceiptPayload, type SignedReceipt } from '@x402/extensions/offer-receipt';
import type { Answer, Purchase } from '../../../ledger/ledger.ts';
import { dollarsOf } from '../../../lib/network.ts';
import { RECEIPT_ALGORITHM, RECEIPT_TYPE, type ReceiptClaims } from '../../../lib/receipt.ts';
import type { ReceiptKeys, SigningKey } from './keys.ts';

/** A longer query is stated by its hash: proxies limit a response header to 4 kB, and a paid answer must pass. */
const MAX_QUERY = 1_000;

export interface SignedReceipts {
  /** Our receipt: a compact JWS. */
  readonly receipt: string;
  /** The x402 receipt of the same sale. */
  readonly x402: SignedReceipt;
}

export interface ReceiptSigner {
  sign(purchase: Purchase, answer: Pick<Answer, 'headers' | 'sha256' | 'bytes'>): Promise<SignedReceipts>;
}

/** What the receipts of a server have in common. */
export interface Signing {
  /** Public URL of the server. */
  readonly issuer: string;
  /** When the price of a sale of this route is due back; null without a guarantee. */
  readonly refundTerms: (route: string) => string | null;
}

/** DID of the server (did:web), whose document is /.well-known/did.json. */
export const didOf = (publicUrl: string): string => `did:web:${encodeURIComponent(new URL(publicUrl).host)}`;

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Path and query of a stored request, which may be followed by a media type. */
function requestParts(request: string): { path: string; query: string } {
  const [target = ''] = request.split(' ');
  const [path = '', query = ''] = target.split('?');
  return { path, query };
}

type SoldPurchase = Purchase & { readonly transaction: string; readonly block: bigint };

const isSold = (purchase: Purchase): purchase is SoldPurchase =>
  purchase.state === 'sold' && purchase.transaction !== null && purchase.block !== null;

const soldAtMs = ({ endedAtMs, reservedAtMs }: Purchase): number => endedAtMs ?? reservedAtMs;

async function x402Receipt(purchase: SoldPurchase, publicUrl: string, key: SigningKey): Promise<SignedReceipt> {
  const { path, query } = requestParts(purchase.request);
  const payload: ReceiptPayload = {
    version: 1,
    network: purchase.payment.network,
    resourceUrl: publicUrl + path + (query === '' || query.length > MAX_QUERY ? '' : `?${query}`),
    payer: purchase.payment.payer,
    issuedAt: Math.floor(soldAtMs(purchase) / 1000),
    transaction: purchase.transaction,
  };
  const signature = await createJWS(payload, {
    kid: `${didOf(publicUrl)}#${key.kid}`,
    format: 'jws',
    algorithm: RECEIPT_ALGORITHM,
    sign: async (bytes) => key.sign(bytes).toString('base64url'),
  });
  return { format: 'jws', signature };
}

function claimsOf(
  purchase: SoldPurchase,
  { headers, sha256, bytes }: Pick<Answer, 'headers' | 'sha256' | 'bytes'>,
  { issuer, refundTerms }: Signing,
  x402Jws: string,
): ReceiptClaims {
  const { id, payment, route, request, snapshotId, transaction, block } = purchase;
  const { path, query } = requestParts(request);
  const isLong = query.length > MAX_QUERY;
  return {
    iss: issuer,
    receipt_id: id,
    sold_at: new Date(soldAtMs(purchase)).toISOString(),
    price: dollarsOf(payment.amount),
    payment: {
      network: payment.network,
      asset: payment.asset,
      amount: payment.amount.toString(),
      payer: payment.payer,
      pay_to: payment.payTo,
      nonce: payment.nonce,
      transaction,
      block: Number(block),
    },
    request: {
      method: route.split(' ')[0] ?? 'GET',
      path,
      query: isLong ? null : query,
      query_sha256: isLong ? hash('sha256', query, 'hex') : null,
      media_type: (headers['Content-Type'] ?? '').split(';')[0]?.trim() ?? '',
    },
    content: { sha256, bytes },
    snapshot_id: snapshotId,
    refund_terms: refundTerms(route),
    x402_receipt_sha256: hash('sha256', x402Jws, 'hex'),
  };
}

/** Signs the receipts of a server. */
export const receiptSigner = (keys: ReceiptKeys, signing: Signing, nowMs: () => number): ReceiptSigner => ({
  async sign(purchase, answer) {
    if (!isSold(purchase)) throw new Error(`a purchase that is ${purchase.state} has no receipt`);
    const key = keys.at(nowMs());
    const x402 = await x402Receipt(purchase, signing.issuer, key);
    const header = base64url(JSON.stringify({ alg: RECEIPT_ALGORITHM, typ: RECEIPT_TYPE, kid: key.kid }));
    const claims = base64url(JSON.stringify(claimsOf(purchase, answer, signing, x402.signature)));
    const signature = key.sign(Buffer.from(`${header}.${claims}`)).toString('base64url');
    return { receipt: `${header}.${claims}.${signature}`, x402 };
  },
});
