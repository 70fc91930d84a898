/**
 * The ledger on any database that speaks SQL. Every move of a purchase is one guarded UPDATE or DELETE; who comes
 * first is decided by unique indexes, never by looking first.
 */
import { randomUUIDv7 } from 'node:crypto';
import { storedAnswers } from './answers.ts';
import {
  isOver,
  PAYER_FAULTS,
  type Begun,
  type Claimed,
  type Ledger,
  type NewPurchase,
  type Purchase,
  type PurchaseKey,
  type PurchaseState,
} from '../ledger.ts';
import { leadLimitReached, overAt, payerRefusal } from './payer_limits.ts';
import { PIECE_BYTES } from './answer_chunks.ts';
import { asNumber, CHANGED_COLUMNS, deliveryOf, purchaseOf, PURCHASE_COLUMNS } from './rows.ts';
import type { Query, Row, Store, Value } from './store.ts';
import { exclusivePause, MATCH_EARLIER_TRANSFER, transferBook } from './sql_transfers.ts';

const FROM = 'FROM purchases p LEFT JOIN claims c ON c.purchase_id = p.id';
const BY_ID = `SELECT ${PURCHASE_COLUMNS} ${FROM} WHERE p.id = $1`;
const BY_PAYMENT = `SELECT ${PURCHASE_COLUMNS} ${FROM} WHERE p.standing = 1 AND p.network = $1 AND p.asset = $2 AND p.payer = $3 AND p.nonce = $4`;
const BY_IDENTIFIER = `SELECT ${PURCHASE_COLUMNS} ${FROM} WHERE p.standing = 1 AND p.payer = $1 AND p.identifier_hash = $2`;
const OVER = overAt('$1');
const BEGIN = `INSERT INTO purchases (id, state, standing, network, asset, payer, nonce, pay_to, amount, valid_before, route, request, snapshot_id, identifier_hash, reserved_at_ms, lease_until_ms, chain)
  VALUES ($1, 'reserved', 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING RETURNING id`;
const SELL = `UPDATE purchases SET state = 'sold', ended_at_ms = $2, tx_hash = $3, block = $4, why = NULL WHERE id = $1 AND state = 'settling' RETURNING ${CHANGED_COLUMNS}`;
const GIVE_UP = `DELETE FROM purchases WHERE ${OVER} AND id = $2 RETURNING id`;

/** Leads looked at in one statement, which always has so many parameters so that it is prepared once. */
const LEADS_AT_ONCE = 100;
const THESE_LEADS = `(${Array.from({ length: LEADS_AT_ONCE }, (_, i) => `$${i + 1}`).join(', ')})`;
/** Who has these leads. A withheld lead counts as sold, whoever has a claim on it: its row comes last. */
const HOLDERS = `SELECT c.lead_id, p.id, p.state, 0 AS withheld FROM claims c JOIN purchases p ON p.id = c.purchase_id WHERE c.lead_id IN ${THESE_LEADS}
  UNION ALL SELECT lead_id, purchase_id, 'sold', 1 FROM withheld_leads WHERE lead_id IN ${THESE_LEADS} ORDER BY withheld`;
const PAGE = 500;
const TRIES = 5;

const ADDRESS = /^0x[0-9a-f]{40}$/;
const HASH = /^[0-9a-f]{64}$/;
const UINT256_END = 1n << 256n;

/** What would break the rule of one payment, one purchase if it were let in. */
function check({ payment, identifierHash }: NewPurchase): void {
  const wrong = (what: string): never => {
    throw new TypeError(`a purchase needs ${what}`);
  };
  for (const name of ['asset', 'payer', 'payTo'] as const)
    if (!ADDRESS.test(payment[name])) wrong(`${name} as an address in lower case`);
  if (!/^0x[0-9a-f]{64}$/.test(payment.nonce)) wrong('a nonce of 32 bytes in lower-case hex');
  if (payment.network !== payment.network.toLowerCase()) wrong('its network in lower case');
  for (const name of ['amount', 'validBefore'] as const)
    if (payment[name] < 0n || payment[name] >= UINT256_END) wrong(`${name} within uint256`);
  if (identifierHash !== null && !HASH.test(identifierHash)) wrong('the SHA-256 of its identifier in hex');
}

const purchaseIn = ([row]: readonly Row[]): Purchase | null => (row === undefined ? null : purchaseOf(row));

function lookup(key: PurchaseKey): readonly [string, ...Value[]] {
  if ('id' in key) return [BY_ID, key.id];
  if ('payment' in key)
    return [BY_PAYMENT, key.payment.network, key.payment.asset, key.payment.payer, key.payment.nonce];
  return [BY_IDENTIFIER, key.payer, key.identifierHash];
}

/**
 * A ledger on `store`, whose tables exist.
 * @param newId gives receipt ids: UUIDs of version 7, random but for the time they begin with, so that purchases of one time lie together; unless a simulation must be repeatable
 */
export function ledgerInSql(store: Store, newId: () => string = randomUUIDv7): Ledger {
  const answers = storedAnswers(store);
  let pinging: Promise<unknown> | undefined;

  /**
   * The purchase that stands in the way of a new one. One whose lease has run out is given up here.
   * @returns null where the way is free, 'changed' where it must be looked at again
   */
  const inTheWay = async (
    query: Query,
    { payment: p, identifierHash, nowMs }: NewPurchase,
  ): Promise<Extract<Begun, { kind: 'taken' }> | 'changed' | null> => {
    const ways = [
      { by: 'payment', rows: () => query(BY_PAYMENT, p.network, p.asset, p.payer, p.nonce) },
      ...(identifierHash === null
        ? []
        : [{ by: 'identifier', rows: () => query(BY_IDENTIFIER, p.payer, identifierHash) } as const]),
    ] as const;
    for (const { by, rows } of ways) {
      const purchase = purchaseIn(await rows());
      if (purchase === null) continue;
      if (!isOver(purchase, nowMs)) return { kind: 'taken', by, purchase };
      if ((await query(GIVE_UP, nowMs, purchase.id)).length === 0) return 'changed';
    }
    return null;
  };

  return {
    ...transferBook(store),

    async begin(purchase) {
      check(purchase);
      const { nowMs, leaseMs, limits: _, ...wanted } = purchase;
      const p = wanted.payment;
      for (let tries = 0; tries < TRIES; tries += 1) {
        const id = newId();
        const begun = await store.write(async (query): Promise<Begun | null> => {
          const insert = async (): Promise<boolean> =>
            (
              await query(
                BEGIN,
                id,
                p.network,
                p.asset,
                p.payer,
                p.nonce,
                p.payTo,
                String(p.amount),
                String(p.validBefore),
                wanted.route,
                wanted.request,
                wanted.snapshotId,
                wanted.identifierHash,
                nowMs,
                nowMs + leaseMs,
                wanted.chain,
              )
            ).length === 1;
          await store.lock(query, p.payer);
          const refusal = await payerRefusal(query, purchase);
          if (refusal !== null) {
            // A repeated request learns of its own purchase first.
            const taken = await inTheWay(query, purchase);
            return taken === 'changed' ? null : (taken ?? { kind: 'refused', reason: refusal });
          }
          // Nearly always the insert succeeds; the unique indexes decide.
          if (!(await insert())) {
            const taken = await inTheWay(query, purchase);
            if (taken) return taken === 'changed' ? null : taken;
            if (!(await insert())) return null;
          }
          return {
            kind: 'reserved',
            purchase: {
              ...wanted,
              id,
              state: 'reserved',
              reservedAtMs: nowMs,
              leaseUntilMs: nowMs + leaseMs,
              settlingAtMs: null,
              endedAtMs: null,
              transaction: null,
              block: null,
              why: null,
              leadId: null,
              answerSha256: null,
            },
          };
        });
        if (begun) return begun;
      }
      throw new Error('a purchase was taken and given back faster than it could be looked at');
    },

    claim: (purchaseId, leadIds, limits, nowMs) =>
      store.write(async (query): Promise<Claimed> => {
        await store.lock(query, 'claims');
        const [own] = await query(
          `SELECT p.payer FROM purchases p WHERE p.id = $1 AND p.state = 'reserved' ${store.lockRows}`,
          purchaseId,
        );
        if (!own) return { kind: 'none' };
        const [held] = await query('SELECT lead_id FROM claims WHERE purchase_id = $1', purchaseId);
        if (held) return { kind: 'claimed', leadId: String(held['lead_id']) };
        const reached = await leadLimitReached(query, String(own['payer']), limits, nowMs);
        if (reached !== null) return { kind: 'limited', by: reached };
        for (let at = 0; at < leadIds.length; at += LEADS_AT_ONCE) {
          const some = leadIds.slice(at, at + LEADS_AT_ONCE);
          const padded = Array.from({ length: LEADS_AT_ONCE }, (_, i) => some[i] ?? some[0] ?? '');
          const holders = new Map((await query(HOLDERS, ...padded)).map((row) => [String(row['lead_id']), row]));
          for (const leadId of some) {
            const holder = holders.get(leadId);
            if (holder) {
              // Deleting an abandoned reservation frees its lead.
              if (holder['state'] !== 'reserved' || (await query(GIVE_UP, nowMs, String(holder['id']))).length === 0)
                continue;
            }
            const claimed = await query(
              'INSERT INTO claims (lead_id, purchase_id, claimed_at_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING lead_id',
              leadId,
              purchaseId,
              nowMs,
            );
            if (claimed.length === 1) return { kind: 'claimed', leadId };
          }
        }
        return { kind: 'none' };
      }),

    async settling(purchaseId, answer, nowMs) {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const keep = await answers.store(answer, nowMs);
        const moved = await store.write(async (query) => {
          const [own] = await query(
            `SELECT id FROM purchases WHERE id = $1 AND state = 'reserved' ${store.lockRows}`,
            purchaseId,
          );
          if (!own) return false;
          const kept = await keep(query);
          if (kept === null) return null;
          await query(
            `UPDATE purchases SET state = 'settling', settling_at_ms = $2, answer_sha256 = $3, kept_answer = $4, answer_headers = $5 WHERE id = $1`,
            purchaseId,
            nowMs,
            answer.sha256,
            kept,
            JSON.stringify(answer.headers),
          );
          return true;
        });
        if (moved !== null) return moved;
      }
      throw new Error('an answer was forgotten again and again while it was stored');
    },

    async unknown(purchaseId, why, transaction) {
      await store.write((query) =>
        query(
          `UPDATE purchases SET why = $2, tx_hash = COALESCE($3, tx_hash), payer_fault = CASE WHEN $4 = 1 THEN 1 ELSE payer_fault END
        WHERE id = $1 AND state = 'settling'`,
          purchaseId,
          why,
          transaction,
          PAYER_FAULTS.includes(why) ? 1 : 0,
        ),
      );
    },

    sold: (purchaseId, { transaction, block }, nowMs) =>
      store.write(async (query) => {
        const moved = purchaseIn(await query(SELL, purchaseId, nowMs, transaction, Number(block)));
        if (moved)
          await query(
            MATCH_EARLIER_TRANSFER,
            moved.id,
            moved.payment.payer,
            moved.payment.nonce,
            moved.chain,
            moved.payment.payTo,
            String(moved.payment.amount),
          );
        const purchase = moved ?? purchaseIn(await query(BY_ID, purchaseId));
        if (!purchase || purchase.state === 'reserved')
          throw new Error(`purchase ${purchaseId} was never sent for settlement`);
        return purchase;
      }),

    release: (purchaseId, reason, nowMs) =>
      store.write(async (query) => {
        if (reason === 'not_settled')
          return (
            (await query(`DELETE FROM purchases WHERE id = $1 AND state = 'reserved' RETURNING id`, purchaseId))
              .length === 1
          );
        // The answer stays: money that arrives after all makes it collectable again.
        const released = await query(
          `UPDATE purchases SET state = 'released', standing = NULL, ended_at_ms = $2, why = $3, payer_fault = CASE WHEN $4 = 1 THEN 1 ELSE payer_fault END,
        returned_lead = (SELECT lead_id FROM claims WHERE purchase_id = $1) WHERE id = $1 AND state = 'settling' RETURNING id`,
          purchaseId,
          nowMs,
          reason,
          reason === 'used_elsewhere' ? 1 : 0,
        );
        if (released.length === 0) return false;
        await query('DELETE FROM claims WHERE purchase_id = $1', purchaseId);
        return true;
      }),

    find: async (key) => purchaseIn(await store.read(...lookup(key))),

    async answerOf(purchaseId) {
      const [row] = await store.read(
        `SELECT p.answer_headers, a.number, a.sha256, a.bytes FROM purchases p JOIN answers a ON a.number = p.kept_answer WHERE p.id = $1`,
        purchaseId,
      );
      if (!row) return null;
      const [number, sha256, bytes] = [asNumber(row['number']), String(row['sha256']), asNumber(row['bytes'])];
      const found = {
        headers: JSON.parse(String(row['answer_headers'])) as Record<string, string>,
        sha256,
        bytes,
        body: () => answers.read(number, bytes),
      };
      if (bytes > PIECE_BYTES) return found;
      const held = await answers.held(number, sha256, bytes);
      return held && { ...found, held };
    },

    async delivered({ purchaseId, kind, atMs, complete }) {
      await store.write((query) =>
        query(
          'INSERT INTO deliveries (purchase_id, kind, at_ms, complete) VALUES ($1, $2, $3, $4)',
          purchaseId,
          kind,
          atMs,
          complete ? 1 : 0,
        ),
      );
    },

    unresolved: async (settlingBeforeMs) =>
      (
        await store.read(
          `SELECT ${PURCHASE_COLUMNS} ${FROM} WHERE p.state = 'settling' AND p.settling_at_ms < $1 ORDER BY p.settling_at_ms, p.id`,
          settlingBeforeMs,
        )
      ).map(purchaseOf),

    claimedLeads: async (nowMs) =>
      new Map(
        (
          await store.read(
            `SELECT c.lead_id, p.state, 0 AS withheld FROM claims c JOIN purchases p ON p.id = c.purchase_id WHERE NOT (${OVER})
        UNION ALL SELECT lead_id, 'sold', 1 FROM withheld_leads ORDER BY withheld`,
            nowMs,
          )
        ).map((row) => [String(row['lead_id']), String(row['state']) as Exclude<PurchaseState, 'released'>]),
      ),

    soldLeads: async () =>
      (
        await store.read(
          `SELECT c.lead_id FROM claims c JOIN purchases p ON p.id = c.purchase_id WHERE p.state <> 'reserved' UNION SELECT lead_id FROM withheld_leads`,
        )
      )
        .map((row) => String(row['lead_id']))
        .sort(),

    giveUpAbandoned: async (nowMs) =>
      (await store.write((query) => query(`DELETE FROM purchases WHERE ${OVER} RETURNING id`, nowMs))).length,

    forgetAnswers: (endedBeforeMs) =>
      store.write(async (query) => {
        const forgotten = await query(
          'UPDATE purchases SET kept_answer = NULL WHERE kept_answer IS NOT NULL AND ended_at_ms < $1 AND CAST(valid_before AS NUMERIC) * 1000 < $1 RETURNING id',
          endedBeforeMs,
        );
        await query('DELETE FROM used_tokens WHERE until_ms < $1', endedBeforeMs);
        await query(
          'DELETE FROM answers WHERE stored_at_ms < $1 AND NOT EXISTS (SELECT 1 FROM purchases p WHERE p.kept_answer = answers.number)',
          endedBeforeMs,
        );
        return forgotten.length;
      }),

    async *purchases() {
      let [atMs, id] = [Number.MIN_SAFE_INTEGER, ''];
      for (;;) {
        const rows = await store.read(
          `SELECT ${PURCHASE_COLUMNS} ${FROM} WHERE (p.reserved_at_ms, p.id) > ($1, $2) ORDER BY p.reserved_at_ms, p.id LIMIT $3`,
          atMs,
          id,
          PAGE,
        );
        for (const row of rows) {
          const purchase = purchaseOf(row);
          [atMs, id] = [purchase.reservedAtMs, purchase.id];
          yield purchase;
        }
        if (rows.length < PAGE) return;
      }
    },

    async *deliveries() {
      let number = 0;
      for (;;) {
        const rows = await store.read(
          'SELECT number, purchase_id, kind, at_ms, complete FROM deliveries WHERE number > $1 ORDER BY number LIMIT $2',
          number,
          PAGE,
        );
        for (const row of rows) {
          number = asNumber(row['number']);
          yield deliveryOf(row);
        }
        if (rows.length < PAGE) return;
      }
    },

    exclusivePause: async () => exclusivePause(store.read),

    adoptChain: async (chain) => {
      await store.write((query) => query('UPDATE purchases SET chain = $1 WHERE chain IS NULL', chain));
    },

    reserveGas: async (account, day, gas, most) =>
      (
        await store.write((query) =>
          query(
            `INSERT INTO gas_days (account, day, gas)
      SELECT $1, $2, CAST($3 AS BIGINT) WHERE CAST($3 AS BIGINT) <= CAST($4 AS BIGINT)
      ON CONFLICT (account, day) DO UPDATE SET gas = gas_days.gas + excluded.gas WHERE gas_days.gas + excluded.gas <= CAST($4 AS BIGINT) RETURNING gas`,
            account,
            day,
            Number(gas),
            Number(most),
          ),
        )
      ).length === 1,

    gasReserved: async (account, day) =>
      BigInt(
        asNumber(
          (await store.read('SELECT gas FROM gas_days WHERE account = $1 AND day = $2', account, day))[0]?.['gas'] ?? 0,
        ),
      ),

    useOnce: async (token, untilMs) =>
      (
        await store.write((query) =>
          query(
            'INSERT INTO used_tokens (token, until_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING token',
            token,
            untilMs,
          ),
        )
      ).length === 1,

    keepTo: (money) =>
      store.write(async (query) => {
        await query('INSERT INTO money (one, kind) VALUES (1, $1) ON CONFLICT DO NOTHING', money);
        return (await query('SELECT kind FROM money'))[0]?.['kind'] === 'test' ? 'test' : 'real';
      }),

    async ping() {
      // Callers at the same time share one write.
      pinging ??= store
        .write((query) => query('UPDATE heartbeat SET beats = beats + 1'))
        .finally(() => {
          pinging = undefined;
        });
      await pinging;
    },

    close: () => store.close(),
  };
}
