/**
 * The states of a purchase. The unique indexes decide which caller reserves a payment first, never an earlier read.
 * Open purchases and held leads are counted in the transaction that reserves or holds. Each later change is one
 * guarded UPDATE or DELETE.
 */
import {
  FUTURE_MS,
  isExpired,
  RELEASED_MS,
  type Begun,
  type Held,
  type LeadLimits,
  type Ledger,
  type NewPurchase,
  type PayerRefusal,
  type Purchase,
  type Answer,
} from '../ledger.ts';
import { drop, record, change } from './journal.ts';
import { asNumber, FACTS, firstPurchase, purchaseOf, selectPurchase } from './rows.ts';
import type { Query, Store } from './store.ts';
import { hash } from 'node:crypto';
import { storeBody } from './answers.ts';

/** SQL of `isExpired` at the time in the given parameter. */
export const expiredAt = (parameter: string): string =>
  `state = 'reserved' AND (reserved_until_ms <= ${parameter} OR reserved_at_ms > ${parameter} + ${FUTURE_MS})`;

/** The condition of the index purchases_unfinished, literally. */
export const UNFINISHED = "state IN ('reserved', 'settling')";

/** Open purchases of a payer, at most as many as the limits allow. SQLite cannot add 256-bit amounts. */
const OPEN = `SELECT amount FROM purchases
  WHERE payer = $1 AND ${UNFINISHED} AND NOT (${expiredAt('$2')})`;

/** Leads that a payer holds, and those of its released purchases, latest first, but of what was never sent. */
const LEADS_OF_PAYER = `SELECT CAST(NULL AS BIGINT) AS ended_at_ms
    FROM purchases p JOIN holds h ON h.purchase_id = p.id
    WHERE payer = $1 AND ${UNFINISHED} AND NOT (${expiredAt('$2')})
  UNION ALL SELECT ended_at_ms FROM purchases
    WHERE payer = $1 AND state = 'released' AND returned_lead IS NOT NULL AND why <> 'not_sent' AND ended_at_ms > $3
  ORDER BY ended_at_ms DESC`;

const SOLD_TO = "standing = 1 AND state = 'sold' AND payer =";
const HELD_BY_NEW_PAYERS = `SELECT count(*) AS leads FROM purchases p JOIN holds h ON h.purchase_id = p.id
  WHERE ${UNFINISHED} AND NOT (${expiredAt('$1')})
    AND NOT EXISTS (SELECT 1 FROM purchases WHERE ${SOLD_TO} p.payer)`;
const HAS_BOUGHT = `SELECT 1 AS one FROM purchases WHERE ${SOLD_TO} $1 LIMIT 1`;

/** Why this payer may not begin this purchase now; null if it may. */
async function payerRefusal(query: Query, { payment, nowMs, limits }: NewPurchase): Promise<PayerRefusal | null> {
  const open = await query(OPEN, payment.payer, nowMs);
  if (open.length >= limits.maxOpen) return 'too_many_open_purchases';
  const committed = open.reduce((sum, row) => sum + BigInt(String(row['amount'])), 0n);
  return committed + payment.amount > limits.balance ? 'payer_without_funds' : null;
}

/** Which limit on leads this payer has reached; null if it may hold another lead. */
export async function leadLimitReached(
  query: Query,
  payer: string,
  limits: LeadLimits,
  nowMs: number,
): Promise<Extract<Held, { kind: 'limited' }> | null> {
  const leads = await query(LEADS_OF_PAYER, payer, nowMs, nowMs - RELEASED_MS);
  if (leads.length >= limits.perPayer) {
    const released = leads.filter((row) => row['ended_at_ms'] !== null);
    const last = released[limits.perPayer - 1];
    return last
      ? { kind: 'limited', by: 'released', forMs: asNumber(last['ended_at_ms']) + RELEASED_MS - nowMs }
      : { kind: 'limited', by: 'payer' };
  }
  const [held] = await query(HELD_BY_NEW_PAYERS, nowMs);
  if (asNumber(held?.['leads']) < limits.byNewPayers) return null;
  return (await query(HAS_BOUGHT, payer)).length > 0 ? null : { kind: 'limited', by: 'new payers' };
}

const INSERT = `INSERT INTO purchases (id, changes, state, standing, network, asset, payer, nonce, pay_to, amount,
    valid_before, route, request, snapshot_id, identifier_hash, reserved_at_ms, reserved_until_ms, chain)
  VALUES ($1, 1, 'reserved', 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  ON CONFLICT DO NOTHING RETURNING ${FACTS}`;
/** Delete one reservation if it has expired. @returns whether it had */
export const dropIfExpired = async (query: Query, nowMs: number, id: string): Promise<boolean> =>
  (await drop(query, `${expiredAt('$1')} AND id = $2`, nowMs, id)) === 1;

const MAX_TRIES = 5;

const ADDRESS = /^0x[0-9a-f]{40}$/;
const NONCE = /^0x[0-9a-f]{64}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const UINT256_END = 1n << 256n;

/** @throws TypeError for a payment whose spelling could evade the unique indexes */
function checkPurchase({ payment, identifierHash }: NewPurchase): void {
  const require = (isValid: boolean, what: string): void => {
    if (!isValid) throw new TypeError(`a purchase needs ${what}`);
  };
  for (const name of ['asset', 'payer', 'payTo'] as const)
    require(ADDRESS.test(payment[name]), `${name} as an address in lower case`);
  require(NONCE.test(payment.nonce), 'a nonce of 32 bytes in lower-case hex');
  require(payment.network === payment.network.toLowerCase(), 'its network in lower case');
  for (const name of ['amount', 'validBefore'] as const)
    require(payment[name] >= 0n && payment[name] < UINT256_END, `${name} within uint256`);
  require(identifierHash === null || SHA256.test(identifierHash), 'the SHA-256 of its identifier in hex');
}

/**
 * The purchase that prevents a new one. An expired reservation is deleted here.
 * @returns null if nothing prevents it, 'changed' if it must be read again
 */
async function findConflict(
  query: Query,
  { payment, identifierHash, nowMs }: NewPurchase,
): Promise<Extract<Begun, { kind: 'taken' }> | 'changed' | null> {
  const keys = [
    { by: 'payment', key: { payment } } as const,
    ...(identifierHash === null ? [] : [{ by: 'identifier', key: { payer: payment.payer, identifierHash } } as const]),
  ];
  for (const { by, key } of keys) {
    const purchase = firstPurchase(await query(...selectPurchase(key)));
    if (purchase === null) continue;
    if (!isExpired(purchase, nowMs)) return { kind: 'taken', by, purchase };
    if (!(await dropIfExpired(query, nowMs, purchase.id))) return 'changed';
  }
  return null;
}

/** @returns the reservation; null if another purchase has the payment or the identifier */
async function insert(query: Query, id: string, purchase: NewPurchase): Promise<Purchase | null> {
  const { payment, nowMs } = purchase;
  const [row] = await query(
    INSERT,
    id,
    payment.network,
    payment.asset,
    payment.payer,
    payment.nonce,
    payment.payTo,
    String(payment.amount),
    String(payment.validBefore),
    purchase.route,
    purchase.request,
    purchase.snapshotId,
    purchase.identifierHash,
    nowMs,
    nowMs + purchase.reserveMs,
    purchase.chain,
  );
  if (!row) return null;
  await record(query, 'reserved', row);
  return purchaseOf(row);
}

/** One try in one transaction. @returns null if it must be tried again */
async function tryReserve(query: Query, wanted: NewPurchase, id: string): Promise<Begun | null> {
  const refusal = await payerRefusal(query, wanted);
  if (refusal !== null) {
    // A repeated request gets its own purchase, not a refusal.
    const conflict = await findConflict(query, wanted);
    return conflict === 'changed' ? null : (conflict ?? { kind: 'refused', reason: refusal });
  }
  // Insert first: it nearly always succeeds.
  let purchase = await insert(query, id, wanted);
  if (purchase === null) {
    const conflict = await findConflict(query, wanted);
    if (conflict) return conflict === 'changed' ? null : conflict;
    purchase = await insert(query, id, wanted);
  }
  return purchase && { kind: 'reserved', purchase };
}

export const reservations = (store: Store, newId: () => string): Pick<Ledger, 'begin'> => ({
  async begin(wanted) {
    checkPurchase(wanted);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const id = newId();
      // Nothing depends on a reservation but its own request, whose next write fails without it.
      const begun = await store.write(async (query) => {
        await store.lock(query, wanted.payment.payer);
        return tryReserve(query, wanted, id);
      }, 'soon');
      if (begun) return begun;
    }
    throw new Error(`the purchase of this payment changed during each of ${MAX_TRIES} tries to reserve it`);
  },
});

/** A longer answer is not written into the journal. That of an exclusive lead has some kilobytes. */
const MAX_JOURNAL_BYTES = 65_536;

const START_SETTLING = `UPDATE purchases SET changes = changes + 1, state = 'settling', settling_at_ms = $2,
  answer_sha256 = $3, kept_answer = $4, answer_headers = $5 WHERE id = $1 AND state = 'reserved'
  RETURNING ${FACTS}`;
const UNRESOLVED = `SELECT ${FACTS} FROM purchases
  WHERE ${UNFINISHED} AND settling_at_ms < $1 ORDER BY settling_at_ms, id`;

/** The answer of an exclusive lead, for the journal. */
const inBase64 = ({ body }: Answer): { answer?: string } =>
  body.length > MAX_JOURNAL_BYTES ? {} : { answer: Buffer.from(body).toString('base64') };

/**
 * End a purchase that may still be paid, with its answer if it has one: a transfer that arrives later makes it
 * collectable again.
 */
export async function release(
  query: Query,
  lockRows: string,
  purchaseId: string,
  { nowMs, reason }: { readonly nowMs: number; readonly reason: string },
): Promise<boolean> {
  const [open] = await query(
    `SELECT state FROM purchases WHERE id = $1 AND state IN ('reserved', 'settling') ${lockRows}`,
    purchaseId,
  );
  if (!open) return false;
  const [hold] = await query('DELETE FROM holds WHERE purchase_id = $1 RETURNING lead_id', purchaseId);
  await query('UPDATE held_properties SET standing = NULL WHERE purchase_id = $1', purchaseId);
  const set = `state = 'released', standing = NULL, ended_at_ms = $2, why = $3, returned_lead = $4`;
  const lead = hold === undefined ? null : String(hold['lead_id']);
  await change(query, 'released', { set, where: 'id = $1' }, purchaseId, nowMs, reason, lead);
  return true;
}

export const settlements = (store: Store) =>
  ({
    async startSettling(purchaseId, answer, nowMs) {
      const { sha256, headers, body } = answer;
      if (hash('sha256', body, 'hex') !== sha256) throw new TypeError('the body of an answer does not have its hash');
      return store.write(async (query) => {
        const values = [nowMs, sha256, await storeBody(query, answer, nowMs), JSON.stringify(headers)];
        const [row] = await query(START_SETTLING, purchaseId, ...values);
        if (!row) return false;
        await record(query, 'settling', row, row['lead'] === null ? {} : inBase64(answer));
        return true;
      });
    },

    async markUnknown(purchaseId, why, transaction) {
      const unknown = { set: 'why = $2, tx_hash = COALESCE($3, tx_hash)', where: `id = $1 AND state = 'settling'` };
      await store.write((query) => change(query, 'unknown', unknown, purchaseId, why, transaction));
    },

    markSold: (purchaseId, { transaction, block }, nowMs) =>
      store.write(async (query) => {
        const set = `state = 'sold', ended_at_ms = $2, tx_hash = $3, block = $4, why = NULL`;
        const where = `id = $1 AND state = 'settling'`;
        const sold = firstPurchase(
          await change(query, 'sold', { set, where }, purchaseId, nowMs, transaction, Number(block)),
        );
        const purchase = sold ?? firstPurchase(await query(...selectPurchase({ id: purchaseId })));
        if (!purchase || purchase.state === 'reserved')
          throw new Error(`purchase ${purchaseId} was never sent for settlement`);
        return purchase;
      }),

    release: (purchaseId, reason, nowMs) =>
      store.write(async (query) =>
        reason === 'not_settled'
          ? (await drop(query, 'id = $1', purchaseId)) === 1
          : release(query, store.lockRows, purchaseId, { nowMs, reason }),
      ),

    find: async (key) => firstPurchase(await store.read(...selectPurchase(key))),

    unresolved: async (settlingBeforeMs) => (await store.read(UNRESOLVED, settlingBeforeMs)).map(purchaseOf),
  }) satisfies Partial<Ledger>;
