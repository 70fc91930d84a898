/** The ledger on any database that speaks SQL. */
import { randomUUIDv7 } from 'node:crypto';
import type { Ledger } from '../ledger.ts';
import { findAnswer } from './answers.ts';
import { holds } from './holds.ts';
import { change, drop, recordEvent } from './journal.ts';
import { exclusivePause, transferBook } from './transfer_book.ts';
import { expiredAt, reservations, UNFINISHED, settlements } from './purchases.ts';
import { rowsInOrder, type Store } from './store.ts';
import { asNumber, FACTS, purchaseOf } from './rows.ts';

const MAY_BE_FORGOTTEN = 'kept_answer IS NOT NULL AND ended_at_ms < $1 AND CAST(valid_before AS NUMERIC) * 1000 < $1';
const DELETE_UNUSED_ANSWERS = `DELETE FROM answers WHERE stored_at_ms < $1
  AND NOT EXISTS (SELECT 1 FROM purchases p WHERE p.kept_answer = answers.number)`;
const USE_TOKEN = `INSERT INTO used_tokens (token, until_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING token`;
const RESERVE_GAS = `INSERT INTO gas_days (account, day, gas)
    SELECT $1, $2, CAST($3 AS BIGINT) WHERE CAST($3 AS BIGINT) <= CAST($4 AS BIGINT)
  ON CONFLICT (account, day) DO UPDATE SET gas = gas_days.gas + excluded.gas
    WHERE gas_days.gas + excluded.gas <= CAST($4 AS BIGINT) RETURNING gas`;

/** Expired reservations, old answers, used tokens, gas, and the kind of money. */
function upkeep(store: Store) {
  let pinging: Promise<unknown> | undefined;
  return {
    deleteExpiredReservations: (nowMs) =>
      store.write((query) => drop(query, `${UNFINISHED} AND ${expiredAt('$1')}`, nowMs)),

    forgetAnswers: (endedBeforeMs) =>
      store.write(async (query) => {
        const forget = { set: 'kept_answer = NULL', where: MAY_BE_FORGOTTEN };
        const forgotten = await change(query, 'forgotten', forget, endedBeforeMs);
        if (forgotten.length > 0) await recordEvent(query, 'forgot', { before_ms: endedBeforeMs });
        await query('DELETE FROM used_tokens WHERE until_ms < $1', endedBeforeMs);
        await query(DELETE_UNUSED_ANSWERS, endedBeforeMs);
        return forgotten.length;
      }),

    reserveGas: async (account, day, gas, most) =>
      (await store.write((query) => query(RESERVE_GAS, account, day, Number(gas), Number(most)))).length === 1,

    async gasReserved(account, day) {
      const [row] = await store.read('SELECT gas FROM gas_days WHERE account = $1 AND day = $2', account, day);
      return BigInt(asNumber(row?.['gas'] ?? 0));
    },

    gasAccounts: async () =>
      (await store.read('SELECT DISTINCT account FROM gas_days')).map(({ account }) => String(account)),

    useOnce: async (token, untilMs) => (await store.write((query) => query(USE_TOKEN, token, untilMs))).length === 1,

    recordMoney: (money) =>
      store.write(async (query) => {
        await query('INSERT INTO money (one, kind) VALUES (1, $1) ON CONFLICT DO NOTHING', money);
        return (await query('SELECT kind FROM money'))[0]?.['kind'] === 'test' ? 'test' : 'real';
      }),

    async ping() {
      // Concurrent callers share one write.
      pinging ??= store
        .write((query) => query('UPDATE heartbeat SET beats = beats + 1'))
        .finally(() => {
          pinging = undefined;
        });
      await pinging;
    },
  } satisfies Partial<Ledger>;
}

const PURCHASES = { select: `SELECT ${FACTS} FROM purchases`, key: 'id' };

/**
 * A ledger on `store`, whose tables exist.
 * @param newId creates receipt ids; the default, UUIDs of version 7, stores purchases of one time together in the index
 */
export const sqlLedger = (store: Store, newId: () => string = randomUUIDv7): Ledger => ({
  ...reservations(store, newId),
  ...holds(store),
  ...settlements(store),
  ...transferBook(store),
  ...upkeep(store),
  answerOf: (purchaseId) => findAnswer(store.read, purchaseId),
  exclusivePause: () => exclusivePause(store.read),
  async *purchases() {
    for await (const row of rowsInOrder(store.read, PURCHASES)) yield purchaseOf(row);
  },
  close: () => store.close(),
});
