/**
 * Spending of a wallet, and its caps, in a SQLite file: the total holds across restarts and across clients of one
 * wallet. An amount is reserved before a payment is signed and released only if the server reports that nothing was
 * charged. An amount with unknown outcome stays counted.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Caps in atomic units of USDC (6 decimals). */
export interface Caps {
  readonly perCall: bigint;
  readonly total: bigint;
}

export type SpendingOutcome = 'spent' | 'unknown' | 'released';

export interface Spending {
  readonly caps: Caps;
  /** Spent or reserved by this wallet so far. */
  spent(payer: string): bigint;
  /** Reserve an amount. @returns its id, or null if it would exceed the total */
  reserve(payer: string, call: string, amount: bigint): number | null;
  /** Record the outcome of a reserved amount. */
  finish(id: number, outcome: SpendingOutcome, transaction?: string): void;
  close(): void;
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS spending (
  id INTEGER PRIMARY KEY, at TEXT NOT NULL, payer TEXT NOT NULL, call TEXT NOT NULL, amount INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'spent', 'unknown', 'released')), "transaction" TEXT)`;

/** Open the file at `path`, or create it. */
export function openSpending(path: string, caps: Caps): Spending {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path);
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL;');
  db.exec(SCHEMA);
  const sum = db.prepare("SELECT coalesce(sum(amount), 0) AS n FROM spending WHERE payer = ? AND state <> 'released'");
  const insert = db.prepare("INSERT INTO spending (at, payer, call, amount, state) VALUES (?, ?, ?, ?, 'reserved')");
  const update = db.prepare('UPDATE spending SET state = ?, "transaction" = ? WHERE id = ?');
  const spent = (payer: string): bigint => BigInt(Number(sum.get(payer.toLowerCase())?.['n']));
  return {
    caps,
    spent,
    reserve(payer, call, amount) {
      // The lock is taken before the sum is read, so that two clients of one wallet cannot exceed the cap together.
      db.exec('BEGIN IMMEDIATE');
      try {
        const fits = spent(payer) + amount <= caps.total;
        const id = fits
          ? Number(insert.run(new Date().toISOString(), payer.toLowerCase(), call, amount).lastInsertRowid)
          : null;
        db.exec('COMMIT');
        return id;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
    finish(id, outcome, transaction) {
      update.run(outcome, transaction ?? null, id);
    },
    close() {
      db.close();
    },
  };
}
