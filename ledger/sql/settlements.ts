/** The states of a purchase after its reservation. Each change is one guarded UPDATE or DELETE. */
import type { Ledger } from '../ledger.ts';
import type { StoredAnswers } from './answers.ts';
import { matchEarlierTransfer } from './match_transfer.ts';
import {
  firstPurchase,
  FROM_PURCHASES,
  purchaseOf,
  PURCHASE_COLUMNS,
  RETURNED_COLUMNS,
  selectPurchase,
} from './rows.ts';
import type { Store } from './store.ts';

const MAX_TRIES = 5;

const START_SETTLING = `UPDATE purchases
  SET state = 'settling', settling_at_ms = $2, answer_sha256 = $3, kept_answer = $4, answer_headers = $5 WHERE id = $1`;
const MARK_UNKNOWN = `UPDATE purchases SET why = $2, tx_hash = COALESCE($3, tx_hash)
  WHERE id = $1 AND state = 'settling'`;
const MARK_SOLD = `UPDATE purchases SET state = 'sold', ended_at_ms = $2, tx_hash = $3, block = $4, why = NULL
  WHERE id = $1 AND state = 'settling' RETURNING ${RETURNED_COLUMNS}`;
/** The answer stays: a transfer that arrives later makes it collectable again. */
const RELEASE = `UPDATE purchases SET state = 'released', standing = NULL, ended_at_ms = $2, why = $3,
    returned_lead = (SELECT lead_id FROM claims WHERE purchase_id = $1)
  WHERE id = $1 AND state = 'settling' RETURNING id`;
const UNRESOLVED = `SELECT ${PURCHASE_COLUMNS} ${FROM_PURCHASES}
  WHERE p.state = 'settling' AND p.settling_at_ms < $1 ORDER BY p.settling_at_ms, p.id`;

type SettlementMethods = Pick<Ledger, 'startSettling' | 'markUnknown' | 'markSold' | 'release' | 'find' | 'unresolved'>;

export const settlements = (store: Store, answers: StoredAnswers): SettlementMethods => ({
  async startSettling(purchaseId, answer, nowMs) {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const referToAnswer = await answers.store(answer, nowMs);
      const isSettling = await store.write(async (query) => {
        const [own] = await query(
          `SELECT id FROM purchases WHERE id = $1 AND state = 'reserved' ${store.lockRows}`,
          purchaseId,
        );
        if (!own) return false;
        const number = await referToAnswer(query);
        if (number === null) return null;
        await query(START_SETTLING, purchaseId, nowMs, answer.sha256, number, JSON.stringify(answer.headers));
        return true;
      });
      if (isSettling !== null) return isSettling;
    }
    throw new Error(`the answer was deleted during each of ${MAX_TRIES} tries to store it`);
  },

  async markUnknown(purchaseId, why, transaction) {
    await store.write((query) => query(MARK_UNKNOWN, purchaseId, why, transaction));
  },

  markSold: (purchaseId, { transaction, block }, nowMs) =>
    store.write(async (query) => {
      const sold = firstPurchase(await query(MARK_SOLD, purchaseId, nowMs, transaction, Number(block)));
      if (sold) await matchEarlierTransfer(query, sold);
      const purchase = sold ?? firstPurchase(await query(...selectPurchase({ id: purchaseId })));
      if (!purchase || purchase.state === 'reserved')
        throw new Error(`purchase ${purchaseId} was never sent for settlement`);
      return purchase;
    }),

  release: (purchaseId, reason, nowMs) =>
    store.write(async (query) => {
      if (reason === 'not_settled') {
        const sql = `DELETE FROM purchases WHERE id = $1 AND state = 'reserved' RETURNING id`;
        return (await query(sql, purchaseId)).length === 1;
      }
      if ((await query(RELEASE, purchaseId, nowMs, reason)).length === 0) return false;
      await query('DELETE FROM claims WHERE purchase_id = $1', purchaseId);
      await query('UPDATE claimed_properties SET standing = NULL WHERE purchase_id = $1', purchaseId);
      return true;
    }),

  find: async (key) => firstPurchase(await store.read(...selectPurchase(key))),

  unresolved: async (settlingBeforeMs) => (await store.read(UNRESOLVED, settlingBeforeMs)).map(purchaseOf),
});
