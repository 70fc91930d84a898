/** Receipts of an invented sale, signed as the server signs them, for tests that damage them. */
import { hash } from 'node:crypto';
import { receiptKeysOf, type KeyFile } from '../../api/payments/receipts/keys.ts';
import { receiptSigner, type SignedReceipts } from '../../api/payments/receipts/signed_receipt.ts';
import type { Purchase } from '../../ledger/ledger.ts';
import { NETWORK, USDC } from '../../lib/network.ts';
import { publicPart, type PublicKey } from '../../lib/receipt.ts';

export const SOLD_AT = '2026-11-20T12:00:00.000Z';
const ISSUER = 'https://api.dealfeed.example';

export const purchase: Purchase = {
  id: '01a20799-59ce-709e-bb1d-83c883200204',
  state: 'sold',
  payment: {
    network: NETWORK,
    asset: USDC.toLowerCase(),
    payer: `0x${'1'.repeat(40)}`,
    nonce: `0x${'2'.repeat(64)}`,
    payTo: `0x${'3'.repeat(40)}`,
    amount: 1_500_000n,
    validBefore: 1_795_000_000n,
  },
  route: 'GET /api/deals/:id/report',
  request: '/api/deals/5/report?fields=deal',
  snapshotId: '2026-11-20.01',
  identifierHash: null,
  chain: `0x${'4'.repeat(64)}`,
  block: 17n,
  reservedAtMs: Date.parse(SOLD_AT) - 900,
  leaseUntilMs: Date.parse(SOLD_AT) + 60_000,
  settlingAtMs: Date.parse(SOLD_AT) - 500,
  endedAtMs: Date.parse(SOLD_AT),
  transaction: `0x${'5'.repeat(64)}`,
  why: null,
  leadId: null,
  properties: [],
  answerSha256: null,
  refund: null,
};

export const answerOf = (text: string, type = 'application/json; charset=utf-8') => ({
  headers: { 'Content-Type': type },
  sha256: hash('sha256', text, 'hex'),
  bytes: Buffer.byteLength(text),
});

/** The receipts of the invented sale for this answer, signed at this time. */
export const receiptsOf = (
  file: KeyFile,
  text: string,
  { at = SOLD_AT, sold = purchase, type }: { at?: string; sold?: Purchase; type?: string } = {},
): Promise<SignedReceipts> =>
  receiptSigner(receiptKeysOf(file), { issuer: ISSUER, refundTerms: () => null }, () => Date.parse(at)).sign(
    sold,
    answerOf(text, type),
  );

export const publishedOf = ({ keys }: KeyFile): PublicKey[] => keys.map(publicPart);
