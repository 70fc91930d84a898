/** Purchases as rows of the database, and the statements that select them. */
import type { Delivery, DeliveryKind, Purchase, PurchaseKey, PurchaseState } from '../ledger.ts';
import type { Row, Value } from './store.ts';

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

/** Keys of the property of a purchase, in one text. */
const propertiesOf = (purchase: string): string =>
  `(SELECT string_agg(k.property_key, '|' ORDER BY k.property_key) FROM claimed_properties k
    WHERE k.purchase_id = ${purchase}.id) AS properties`;

/** Columns of a purchase and its lead, selected from FROM_PURCHASES. */
export const PURCHASE_COLUMNS = `${COLUMNS.map((column) => `p.${column}`).join(', ')},
  COALESCE(c.lead_id, p.returned_lead) AS lead_id, ${propertiesOf('p')}`;

/** The same columns for RETURNING of an UPDATE. */
export const RETURNED_COLUMNS = `${COLUMNS.join(', ')},
  COALESCE((SELECT c.lead_id FROM claims c WHERE c.purchase_id = purchases.id), returned_lead) AS lead_id,
  ${propertiesOf('purchases')}`;

export const FROM_PURCHASES = 'FROM purchases p LEFT JOIN claims c ON c.purchase_id = p.id';

const BY_ID = `SELECT ${PURCHASE_COLUMNS} ${FROM_PURCHASES} WHERE p.id = $1`;
const BY_PAYMENT = `SELECT ${PURCHASE_COLUMNS} ${FROM_PURCHASES}
  WHERE p.standing = 1 AND p.network = $1 AND p.asset = $2 AND p.payer = $3 AND p.nonce = $4`;
const BY_IDENTIFIER = `SELECT ${PURCHASE_COLUMNS} ${FROM_PURCHASES}
  WHERE p.standing = 1 AND p.payer = $1 AND p.identifier_hash = $2`;

/** The statement and parameters that select the purchase with this key. */
export function selectPurchase(key: PurchaseKey): readonly [sql: string, ...parameters: Value[]] {
  if ('id' in key) return [BY_ID, key.id];
  if ('payment' in key)
    return [BY_PAYMENT, key.payment.network, key.payment.asset, key.payment.payer, key.payment.nonce];
  return [BY_IDENTIFIER, key.payer, key.identifierHash];
}

const asText = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError(`the ledger contains ${typeof value}, expected text`);
  return value;
};
const orNull = <T>(value: unknown, read: (value: unknown) => T): T | null =>
  value === null || value === undefined ? null : read(value);

/** A 64-bit integer, which SQLite returns as a number and PostgreSQL as text. */
export const asNumber = (value: unknown): number => {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw new TypeError(`the ledger contains ${String(value)}, expected a whole number`);
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
    properties: orNull(row['properties'], asText)?.split('|') ?? [],
    answerSha256: orNull(row['answer_sha256'], asText),
    chain: asText(row['chain']),
    block: orNull(row['block'], (value) => BigInt(asNumber(value))),
  };
}

/** The purchase in the first row; null if there is no row. */
export const firstPurchase = ([row]: readonly Row[]): Purchase | null => (row === undefined ? null : purchaseOf(row));

export const deliveryOf = (row: Row): Delivery => ({
  purchaseId: asText(row['purchase_id']),
  kind: asText(row['kind']) as DeliveryKind,
  atMs: asNumber(row['at_ms']),
  isComplete: asNumber(row['complete']) === 1,
});
