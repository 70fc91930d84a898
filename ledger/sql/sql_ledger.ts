/** The ledger on any database that speaks SQL. */
import { randomUUIDv7 } from 'node:crypto';
import type { Ledger } from '../ledger.ts';
import { findAnswer } from './answers.ts';
import { leadHolds } from './holds.ts';
import { exclusivePause } from './restore_mark.ts';
import { reservations } from './reservations.ts';
import { settlements } from './settlements.ts';
import { rowsInOrder, type Store } from './store.ts';
import { FACTS, purchaseOf } from './rows.ts';
import { transferBook } from './transfer_book.ts';
import { upkeep } from './upkeep.ts';

const PURCHASES = { select: `SELECT ${FACTS} FROM purchases`, key: 'id' };

/**
 * A ledger on `store`, whose tables exist.
 * @param newId creates receipt ids; the default, UUIDs of version 7, stores purchases of one time together in the index
 */
export const sqlLedger = (store: Store, newId: () => string = randomUUIDv7): Ledger => ({
  ...reservations(store, newId),
  ...leadHolds(store),
  ...settlements(store),
  ...transferBook(store),
  ...upkeep(store),
  answerOf: (purchaseId) => findAnswer(store, purchaseId),
  exclusivePause: () => exclusivePause(store.read),
  async *purchases() {
    for await (const row of rowsInOrder(store.read, PURCHASES)) yield purchaseOf(row);
  },
  close: () => store.close(),
});
