/** Purchases as they lie in the database. */
import type { Delivery, DeliveryKind, Purchase, PurchaseState } from '../ledger.ts';
import type { Row } from './store.ts';

const COLUMNS = [
  'id',
  'state',
  'network',
  'asset',
  'payer',
  'nonce',
  'pay_to',
  'amount',
  'valid_before',
  'route',
  'request',
  'snapshot_id',
  'identifier_hash',
  'reserved_at_ms',
  'lease_until_ms',
  'settling_at_ms',
  'ended_at_ms',
  'tx_hash',
  'why',
  'answer_sha256',
  'chain',
  'block',
];

/** Columns of a purchase with its lead, for `FROM purchases p LEFT JOIN claims c ON c.purchase_id = p.id`. */
export const PURCHASE_COLUMNS = `${COLUMNS.map((c) => `p.${c}`).join(', ')}, COALESCE(c.lead_id, p.returned_lead) AS lead_id`;

/** The same of a purchase that was just changed, for RETURNING. */
export const CHANGED_COLUMNS = `${COLUMNS.join(', ')}, COALESCE((SELECT c.lead_id FROM claims c WHERE c.purchase_id = purchases.id), returned_lead) AS lead_id`;

const asText = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError(`the ledger holds ${typeof value} where text belongs`);
  return value;
};
const orNull = <T>(value: unknown, read: (value: unknown) => T): T | null =>
  value === null || value === undefined ? null : read(value);

/** A 64-bit integer, which one database gives as a number and the other as text. */
export const asNumber = (value: unknown): number => {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new TypeError(`the ledger holds ${String(value)} where a whole number belongs`);
  return number;
};

export function purchaseOf(row: Row): Purchase {
  return {
    id: asText(row['id']),
    state: asText(row['state']) as PurchaseState,
    payment: {
      network: asText(row['network']),
      asset: asText(row['asset']),
      payer: asText(row['payer']),
      nonce: asText(row['nonce']),
      payTo: asText(row['pay_to']),
      amount: BigInt(asText(row['amount'])),
      validBefore: BigInt(asText(row['valid_before'])),
    },
    route: asText(row['route']),
    request: asText(row['request']),
    snapshotId: asText(row['snapshot_id']),
    identifierHash: orNull(row['identifier_hash'], asText),
    reservedAtMs: asNumber(row['reserved_at_ms']),
    leaseUntilMs: asNumber(row['lease_until_ms']),
    settlingAtMs: orNull(row['settling_at_ms'], asNumber),
    endedAtMs: orNull(row['ended_at_ms'], asNumber),
    transaction: orNull(row['tx_hash'], asText),
    why: orNull(row['why'], asText),
    leadId: orNull(row['lead_id'], asText),
    answerSha256: orNull(row['answer_sha256'], asText),
    chain: orNull(row['chain'], asText),
    block: orNull(row['block'], (value) => BigInt(asNumber(value))),
  };
}

export const deliveryOf = (row: Row): Delivery => ({
  purchaseId: asText(row['purchase_id']),
  kind: asText(row['kind']) as DeliveryKind,
  atMs: asNumber(row['at_ms']),
  complete: asNumber(row['complete']) === 1,
});
