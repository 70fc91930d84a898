/** Purchases as rows of the database, and the statements that select them. */
import type { Purchase, PurchaseKey, PurchaseState } from '../ledger.ts';
import type { Row, Value } from './store.ts';

/** Columns of a purchase that the journal states as they are. */
export const COLUMNS: readonly string[] = `id changes state standing network asset payer nonce pay_to amount
  valid_before chain route request snapshot_id identifier_hash reserved_at_ms reserved_until_ms settling_at_ms
  ended_at_ms tx_hash block why returned_lead answer_sha256 answer_headers refund_due refund_proof refunded`.split(
  /\s+/,
);

const keysOf = (standing: string): string =>
  `(SELECT string_agg(k.property_key, '|' ORDER BY k.property_key) FROM held_properties k
    WHERE k.purchase_id = purchases.id AND k.standing ${standing})`;

/**
 * All facts of a purchase, for SELECT and RETURNING: its columns, its lead, the keys of its property (separated by |)
 * while it holds them and after it returned them, and whether its answer can be collected.
 */
export const FACTS = `${COLUMNS.map((column) => `purchases.${column}`).join(', ')},
  CASE WHEN purchases.kept_answer IS NULL THEN 0 ELSE 1 END AS has_answer,
  (SELECT h.lead_id FROM holds h WHERE h.purchase_id = purchases.id) AS lead,
  ${keysOf('= 1')} AS properties, ${keysOf('IS NULL')} AS returned_properties`;

const SELECT = `SELECT ${FACTS} FROM purchases`;
const BY_ID = `${SELECT} WHERE id = $1`;
const BY_PAYMENT = `${SELECT} WHERE standing = 1 AND network = $1 AND asset = $2 AND payer = $3 AND nonce = $4`;
const BY_IDENTIFIER = `${SELECT} WHERE standing = 1 AND payer = $1 AND identifier_hash = $2`;

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

/** The hash of a transaction, as opposed to an operator's note. */
export const TRANSACTION = /^0x[0-9a-f]{64}$/;

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
    reservedUntilMs: asNumber(row['reserved_until_ms']),
    settlingAtMs: orNull(row['settling_at_ms'], asNumber),
    endedAtMs: orNull(row['ended_at_ms'], asNumber),
    transaction: orNull(row['tx_hash'], asText),
    why: orNull(row['why'], asText),
    leadId: orNull(row['lead'] ?? row['returned_lead'], asText),
    properties: orNull(row['properties'] ?? row['returned_properties'], asText)?.split('|') ?? [],
    answerSha256: orNull(row['answer_sha256'], asText),
    chain: asText(row['chain']),
    block: orNull(row['block'], (value) => BigInt(asNumber(value))),
    refund: orNull(row['refund_due'], (due) => ({
      amount: BigInt(asText(due)),
      proof: asText(row['refund_proof']),
      paid: orNull(row['refunded'], asText),
    })),
  };
}

/** The purchase in the first row; null if there is no row. */
export const firstPurchase = ([row]: readonly Row[]): Purchase | null => (row === undefined ? null : purchaseOf(row));
