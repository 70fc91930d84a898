/**
 * The journal: one row per change of a purchase, and per event of the ledger itself, written in the transaction of the
 * change. A row states all facts after it. ledger/journal_file.ts copies the rows into a file.
 */
import { FACTS } from './rows.ts';
import type { Query, Row, Value } from './store.ts';

/** What happened to a purchase. `dropped`: the reservation was deleted; its facts are those before. */
export type Change =
  | 'reserved'
  | 'held'
  | 'settling'
  | 'unknown'
  | 'sold'
  | 'moved'
  | 'released'
  | 'forgotten'
  | 'dropped'
  | 'refund_due'
  | 'refunded';

/** What happened to the ledger: its first block, a restore, an owed transfer that was settled, deleted answers. */
export type LedgerEvent = 'began' | 'restored' | 'resolved' | 'forgot';

/** The facts of a purchase, by the names of FACTS, each as text. */
export type Facts = Readonly<Record<string, string | null>>;

/** A line of the journal. */
export interface JournalLine {
  /** Id of the ledger. */
  readonly ledger: string;
  readonly event: Change | LedgerEvent;
  /** Counts the changes of this purchase, or of the ledger itself, from 1. */
  readonly number: number;
  /** Time of the clock that wrote it, in ISO 8601. */
  readonly at: string;
  /** Null for events of the ledger itself. */
  readonly purchase: Facts | null;
  /** In `settling` of an exclusive lead: the answer, in base64. */
  readonly answer?: string;
  /** Of a ledger event. */
  readonly [detail: string]: unknown;
}

/** Appends a line; its rows are the lines of a transaction. The subject is a purchase, or '' for the ledger itself. */
export const APPEND = `INSERT INTO journal (subject, number, line)
  SELECT $1, $2, '{"ledger":"' || id || '",' || $3 FROM ledger_identity RETURNING line`;

/** PostgreSQL returns 64-bit numbers as text, SQLite as numbers. */
export const factsOf = (row: Row): Facts =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]));

async function append(query: Query, subject: string, number: number, line: object): Promise<void> {
  const text = JSON.stringify({ ...line, at: new Date().toISOString() }).slice(1);
  if ((await query(APPEND, subject, number, text)).length !== 1) throw new Error('the ledger has no identity');
}

/** Record a change of a purchase whose FACTS are in `row`. */
export async function record(query: Query, event: Change, row: Row, more: { answer?: string } = {}): Promise<void> {
  const purchase = factsOf(row);
  const number = Number(purchase['changes']);
  await append(query, String(purchase['id']), number, { event, number, purchase, ...more });
}

/** Record an event of the ledger itself. */
export async function recordEvent(query: Query, event: LedgerEvent, details: object): Promise<void> {
  const [row] = await query('UPDATE ledger_identity SET changes = changes + 1 RETURNING changes');
  const number = Number(row?.['changes']);
  await append(query, '', number, { event, number, purchase: null, ...details });
}

/**
 * Update the purchases that match, and record each.
 * @param where with the parameters, from $1 on, of `set` too
 * @returns their FACTS
 */
export async function change(
  query: Query,
  event: Change,
  { set, where }: { readonly set?: string; readonly where: string },
  ...parameters: readonly Value[]
): Promise<readonly Row[]> {
  const also = set === undefined ? '' : `, ${set}`;
  const sql = `UPDATE purchases SET changes = changes + 1${also} WHERE ${where} RETURNING ${FACTS}`;
  const rows = await query(sql, ...parameters);
  for (const row of rows) await record(query, event, row);
  return rows;
}

/** Delete reservations that match, and record each. @returns their number */
export async function drop(query: Query, where: string, ...parameters: readonly Value[]): Promise<number> {
  const rows = await query(
    `DELETE FROM purchases WHERE state = 'reserved' AND ${where} RETURNING ${FACTS}`,
    ...parameters,
  );
  for (const row of rows) await record(query, 'dropped', { ...row, changes: Number(row['changes']) + 1 });
  return rows.length;
}
