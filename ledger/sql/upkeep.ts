/** Maintenance of the ledger: expired reservations, old answers, used tokens, gas, and the kind of money. */
import type { Ledger } from '../ledger.ts';
import { change, drop, recordEvent } from './journal.ts';
import { expiredAt, UNFINISHED } from './payer_limits.ts';
import { asNumber } from './rows.ts';
import type { Store } from './store.ts';

const MAY_BE_FORGOTTEN = 'kept_answer IS NOT NULL AND ended_at_ms < $1 AND CAST(valid_before AS NUMERIC) * 1000 < $1';
const DELETE_UNUSED_ANSWERS = `DELETE FROM answers WHERE stored_at_ms < $1
  AND NOT EXISTS (SELECT 1 FROM purchases p WHERE p.kept_answer = answers.number)`;
const USE_TOKEN = `INSERT INTO used_tokens (token, until_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING token`;
const RESERVE_GAS = `INSERT INTO gas_days (account, day, gas)
    SELECT $1, $2, CAST($3 AS BIGINT) WHERE CAST($3 AS BIGINT) <= CAST($4 AS BIGINT)
  ON CONFLICT (account, day) DO UPDATE SET gas = gas_days.gas + excluded.gas
    WHERE gas_days.gas + excluded.gas <= CAST($4 AS BIGINT) RETURNING gas`;

type UpkeepMethods = Pick<
  Ledger,
  | 'deleteExpiredReservations'
  | 'forgetAnswers'
  | 'reserveGas'
  | 'gasReserved'
  | 'gasAccounts'
  | 'useOnce'
  | 'recordMoney'
  | 'ping'
>;

export function upkeep(store: Store): UpkeepMethods {
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
  };
}
