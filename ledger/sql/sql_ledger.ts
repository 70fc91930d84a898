/** The ledger on any database that speaks SQL. */
import { randomUUIDv7 } from 'node:crypto';
import type { Ledger } from '../ledger.ts';
import { storedAnswers } from './answers.ts';
import { leadClaims } from './lead_claims.ts';
import { exclusivePause } from './restore_mark.ts';
import { reservations } from './reservations.ts';
import { settlements } from './settlements.ts';
import { asNumber, deliveryOf, FACTS, purchaseOf } from './rows.ts';
import type { Store } from './store.ts';
import { transferBook } from './transfer_book.ts';
import { upkeep } from './upkeep.ts';

const PAGE_ROWS = 500;

const PURCHASES = `SELECT ${FACTS} FROM purchases
  WHERE id > $1 ORDER BY id LIMIT $2`;
const DELIVERIES = `SELECT number, purchase_id, kind, at_ms, complete FROM deliveries
  WHERE number > $1 ORDER BY number LIMIT $2`;

/** All purchases and deliveries, read page by page. */
const history = (store: Store): Pick<Ledger, 'purchases' | 'deliveries' | 'recordDelivery'> => ({
  async recordDelivery({ purchaseId, kind, atMs, isComplete }) {
    const sql = 'INSERT INTO deliveries (purchase_id, kind, at_ms, complete) VALUES ($1, $2, $3, $4)';
    await store.write((query) => query(sql, purchaseId, kind, atMs, isComplete ? 1 : 0), 'soon');
  },

  async *purchases() {
    for (let id = ''; ;) {
      const page = (await store.read(PURCHASES, id, PAGE_ROWS)).map(purchaseOf);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < PAGE_ROWS) return;
      ({ id } = last);
    }
  },

  async *deliveries() {
    let number = 0;
    for (;;) {
      const page = await store.read(DELIVERIES, number, PAGE_ROWS);
      yield* page.map(deliveryOf);
      const last = page.at(-1);
      if (!last || page.length < PAGE_ROWS) return;
      number = asNumber(last['number']);
    }
  },
});

/**
 * A ledger on `store`, whose tables exist.
 * @param newId creates receipt ids; the default, UUIDs of version 7, stores purchases of one time together in the index
 */
export function sqlLedger(store: Store, newId: () => string = randomUUIDv7): Ledger {
  const answers = storedAnswers(store);
  return {
    ...reservations(store, newId),
    ...leadClaims(store),
    ...settlements(store, answers),
    ...transferBook(store),
    ...history(store),
    ...upkeep(store),
    answerOf: (purchaseId) => answers.find(purchaseId),
    exclusivePause: () => exclusivePause(store.read),
    close: () => store.close(),
  };
}
