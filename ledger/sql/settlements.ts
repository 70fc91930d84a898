/** The states of a purchase after its reservation. Each change is one guarded UPDATE or DELETE. */
import { hash } from 'node:crypto';
import type { Answer, Ledger } from '../ledger.ts';
import { storeBody } from './answers.ts';
import { change, drop, record } from './journal.ts';
import { UNFINISHED } from './reservations.ts';
import { FACTS, firstPurchase, purchaseOf, selectPurchase } from './rows.ts';
import type { Query, Store } from './store.ts';

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
