/** The ledger on any database that speaks SQL. */
import { randomUUIDv7 } from 'node:crypto';
import type { Ledger } from '../ledger.ts';
import { findAnswer } from './answers.ts';
import { leadClaims } from './lead_claims.ts';
import { exclusivePause } from './restore_mark.ts';
import { reservations } from './reservations.ts';
import { settlements } from './settlements.ts';
import { rowsInOrder, type Store } from './store.ts';
import { deliveryOf, FACTS, purchaseOf } from './rows.ts';
import { transferBook } from './transfer_book.ts';
import { upkeep } from './upkeep.ts';

const PURCHASES = { select: `SELECT ${FACTS} FROM purchases`, key: 'id' };
const DELIVERIES = { select: 'SELECT number, purchase_id, kind, at_ms, complete FROM deliveries', key: 'number' };

/** All purchases and deliveries, read page by page. */
const history = (store: Store): Pick<Ledger, 'purchases' | 'deliveries' | 'recordDelivery'> => ({
  async recordDelivery({ purchaseId, kind, atMs, isComplete }) {
    const sql = 'INSERT INTO deliveries (purchase_id, kind, at_ms, complete) VALUES ($1, $2, $3, $4)';
    await store.write((query) => query(sql, purchaseId, kind, atMs, isComplete ? 1 : 0), 'soon');
  },

  async *purchases() {
    for await (const row of rowsInOrder(store.read, PURCHASES)) yield purchaseOf(row);
  },

  async *deliveries() {
    for await (const row of rowsInOrder(store.read, DELIVERIES)) yield deliveryOf(row);
  },
});

/**
 * A ledger on `store`, whose tables exist.
 * @param newId creates receipt ids; the default, UUIDs of version 7, stores purchases of one time together in the index
 */
export const sqlLedger = (store: Store, newId: () => string = randomUUIDv7): Ledger => ({
  ...reservations(store, newId),
  ...leadClaims(store),
  ...settlements(store),
  ...transferBook(store),
  ...history(store),
  ...upkeep(store),
  answerOf: (purchaseId) => findAnswer(store, purchaseId),
  exclusivePause: () => exclusivePause(store.read),
  close: () => store.close(),
});
