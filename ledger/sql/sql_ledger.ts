/** The ledger on any database that speaks SQL. */
import { randomUUIDv7 } from 'node:crypto';
import type { Ledger } from '../ledger.ts';
import { storedAnswers } from './answers.ts';
import { exclusivePause } from './exclusive_pause.ts';
import { history } from './history.ts';
import { leadClaims } from './lead_claims.ts';
import { reservations } from './reservations.ts';
import { settlements } from './settlements.ts';
import type { Store } from './store.ts';
import { transferBook } from './transfer_book.ts';
import { upkeep } from './upkeep.ts';

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
