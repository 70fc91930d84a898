/**
 * The signed receipt of a sold answer: our statement over price, payment, request and content. It follows from the
 * ledger alone, so that one sale has one receipt per key, on every server and at every delivery.
 */
import { hash } from 'node:crypto';
import type { Answer, Purchase } from '../../../ledger/ledger.ts';
import { dollarsOf } from '../../../lib/network.ts';
import { RECEIPT_ALGORITHM, RECEIPT_TYPE, type ReceiptPayload } from '../../../lib/receipt.ts';
import type { ReceiptKeys } from './keys.ts';

/** A longer query is stated by its hash: proxies limit a response header to 4 kB, and a paid answer must pass. */
const MAX_QUERY = 1_000;

/** What the receipts of a server have in common. */
interface Signing {
  /** Public URL of the server. */
  readonly issuer: string;
  /** When the price of a sale of this route is due back; null without a guarantee. */
  readonly refundTerms: (route: string) => string | null;
}

type Content = Pick<Answer, 'headers' | 'sha256' | 'body'>;

function payloadOf(purchase: Purchase, content: Content, { issuer, refundTerms }: Signing): ReceiptPayload {
  const { id, state, payment, route, request, snapshotId, transaction, block, endedAtMs, reservedAtMs } = purchase;
  if (state !== 'sold' || transaction === null || block === null)
    throw new Error(`a purchase that is ${state} has no receipt`);
  const { headers, sha256, body } = content;
  // A media type may follow the path and the query.
  const [path = '', query = ''] = (request.split(' ')[0] ?? '').split('?');
  const isLong = query.length > MAX_QUERY;
  return {
    iss: issuer,
    receipt_id: id,
    sold_at: new Date(endedAtMs ?? reservedAtMs).toISOString(),
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
    content: { sha256, bytes: body.length },
    snapshot_id: snapshotId,
    refund_terms: refundTerms(route),
  };
}

/** Signs the receipts of a server: a compact JWS each. */
export function receiptSigner(keys: ReceiptKeys, signing: Signing, nowMs: () => number) {
  return (purchase: Purchase, answer: Content): string => {
    const key = keys.at(nowMs());
    const parts = [{ alg: RECEIPT_ALGORITHM, typ: RECEIPT_TYPE, kid: key.kid }, payloadOf(purchase, answer, signing)];
    const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${input}.${key.sign(Buffer.from(input)).toString('base64url')}`;
  };
}
