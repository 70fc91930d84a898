/** The states of a purchase after its reservation. Each change is one guarded UPDATE or DELETE. */
import type { Answer, Ledger } from '../ledger.ts';
import { storeAnswer } from './answers.ts';
import { change, drop, record } from './journal.ts';
import { UNFINISHED } from './reservations.ts';
import { FACTS, firstPurchase, purchaseOf, selectPurchase } from './rows.ts';
import type { Query, Store } from './store.ts';

const MAX_TRIES = 5;
/** A longer answer is not written into the journal. That of an exclusive lead has some kilobytes. */
const MAX_JOURNAL_BYTES = 65_536;

const START_SETTLING = `UPDATE purchases SET changes = changes + 1, state = 'settling', settling_at_ms = $2,
  answer_sha256 = $3, kept_answer = $4, answer_headers = $5 WHERE id = $1 AND state = 'reserved'
  RETURNING ${FACTS}`;
const UNRESOLVED = `SELECT ${FACTS} FROM purchases
  WHERE ${UNFINISHED} AND settling_at_ms < $1 ORDER BY settling_at_ms, id`;

async function bodyInBase64({ body, bytes }: Answer): Promise<{ answer?: string }> {
  if (bytes > MAX_JOURNAL_BYTES) return {};
  const chunks: Uint8Array[] = [];
  for await (const chunk of body()) chunks.push(chunk);
  return { answer: Buffer.concat(chunks).toString('base64') };
}

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
      const { sha256, headers } = answer;
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const referToAnswer = await storeAnswer(store, answer, nowMs);
        const isSettling = await store.write(async (query) => {
          const number = await referToAnswer(query);
          if (number === null) return null;
          const values = [nowMs, sha256, number, JSON.stringify(headers)];
          const [row] = await query(START_SETTLING, purchaseId, ...values);
          if (!row) return false;
          await record(query, 'settling', row, row['lead'] === null ? {} : await bodyInBase64(answer));
          return true;
        });
        if (isSettling !== null) return isSettling;
      }
      throw new Error(`the answer was deleted during each of ${MAX_TRIES} tries to store it`);
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
