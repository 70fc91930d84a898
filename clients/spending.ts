/**
 * The payments that a wallet signed, and its caps, in a SQLite file: the total holds across restarts and across clients
 * of one wallet. A payment counts from before it is sent. Only the chain frees it, never the server: it counts until
 * the buyer's own node has a final block after its validity in which its nonce is unused, and forever without a node.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Caps in atomic units of USDC (6 decimals). */
export interface Caps {
  readonly perCall: bigint;
  readonly total: bigint;
}

export interface SignedPayment {
  readonly payer: string;
  readonly nonce: `0x${string}`;
  /** Name of the network (CAIP-2). */
  readonly network: string;
  readonly amount: bigint;
  /** Unix seconds from which no block can include it. */
  readonly validBefore: bigint;
}

export interface Counted {
  /** Sum of the signed payments, without those that the chain freed. */
  readonly spent: bigint;
  /** The part of it whose use is not known. */
  readonly held: bigint;
}

export type Spending = ReturnType<typeof openSpending>;

const SCHEMA = `CREATE TABLE IF NOT EXISTS signed (
  payer TEXT NOT NULL, nonce TEXT NOT NULL, network TEXT NOT NULL, amount INTEGER NOT NULL,
  valid_before INTEGER NOT NULL, at TEXT NOT NULL, call TEXT NOT NULL, used INTEGER, snapshot TEXT,
  PRIMARY KEY (payer, nonce))`;

/** Open the file at `path`, or create it. */
export function openSpending(path: string, caps: Caps) {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path, { readBigInts: true });
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL;');
  db.exec(SCHEMA);
  const sum = db.prepare(
    `SELECT coalesce(sum(amount), 0) AS spent, coalesce(sum(amount) FILTER (WHERE used IS NULL), 0) AS held
     FROM signed WHERE payer = ? AND used IS NOT 0`,
  );
  const insert = db.prepare('INSERT INTO signed VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)');
  const select = db.prepare(
    `SELECT payer, nonce, network, amount, valid_before AS validBefore FROM signed
     WHERE payer = ? AND network = ? AND valid_before < ? AND used IS NULL`,
  );
  const setSnapshot = db.prepare('UPDATE signed SET snapshot = ? WHERE payer = ? AND nonce = ?');
  const same = db.prepare(
    `SELECT nonce FROM signed WHERE payer = ? AND call = ? AND snapshot = ? AND at >= ? ORDER BY at DESC LIMIT 1`,
  );
  const update = db.prepare('UPDATE signed SET used = ? WHERE payer = ? AND nonce = ?');
  const count = (payer: string): Counted => sum.get(payer.toLowerCase()) as unknown as Counted;
  return {
    caps,
    count,
    /** Count a signed payment for a call before it is sent. @returns false if it exceeds the total */
    hold({ payer, nonce, network, amount, validBefore }: SignedPayment, call: string): boolean {
      // The lock is taken before the sum is read, so that two clients of one wallet cannot exceed the cap together.
      db.exec('BEGIN IMMEDIATE');
      try {
        const fits = count(payer).spent + amount <= caps.total;
        if (fits) insert.run(payer.toLowerCase(), nonce, network, amount, validBefore, new Date().toISOString(), call);
        db.exec('COMMIT');
        return fits;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
    /** Record the snapshot of the answer that a payment bought. */
    answered({ payer, nonce }: SignedPayment, snapshotId: string): void {
      setSnapshot.run(snapshotId, payer.toLowerCase(), nonce);
    },
    /** The nonce of a payment that bought the same call today, in the same snapshot. */
    boughtIn(payer: string, call: string, snapshotId: string): string | undefined {
      const day = new Date().toISOString().slice(0, 10);
      return same.get(payer.toLowerCase(), call, snapshotId, day)?.['nonce'] as string | undefined;
    },
    /** Payments whose validity ended before `seconds`, and whose use is not known. */
    expired: (payer: string, network: string, seconds: bigint) =>
      select.all(payer.toLowerCase(), network, seconds) as unknown as SignedPayment[],
    /** Record whether a final block has used a payment. */
    resolve({ payer, nonce }: SignedPayment, isUsed: boolean): void {
      update.run(isUsed ? 1 : 0, payer.toLowerCase(), nonce);
    },
    close(): void {
      db.close();
    },
  };
}
