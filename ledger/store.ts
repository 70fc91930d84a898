/** What the ledger asks of a database: rows for statements, and transactions that all readers see whole. */

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, unknown>>;

/** Run one statement with parameters $1, $2 ... and give its rows: those selected, or those of RETURNING. */
export type Query = (sql: string, ...parameters: readonly Value[]) => Promise<readonly Row[]>;

/**
 * What is promised of a write when its caller is told that it is done:
 * - `flushed`: a power cut takes it from nobody.
 * - `ordered`: everybody sees it, it outlives the process, and nothing that is written after it can be on the disk without
 *   it. A power cut within the next milliseconds may undo it.
 * - `late`: the same; and as nobody waits for it, it may be done some milliseconds later, to share another's transaction.
 * A database may promise more.
 */
export type Promised = 'flushed' | 'ordered' | 'late';

export interface Store {
  /**
   * Run `work` in a transaction, which is what was promised when this resolves; of one whose work throws nothing is written. The
   * transaction may be shared with other writes, none of which notices the others. `work` may run more than once, so it
   * does nothing but ask and write through `query`, and waits for nothing else.
   * @param promised default: flushed
   * @throws LedgerUnavailable where the database cannot be written now
   */
  write<T>(work: (query: Query) => Promise<T>, promised?: Promised): Promise<T>;
  /** Run one statement that only reads. */
  readonly read: Query;
  /** Read everything as it was at one moment, while others go on writing. What is read may be waited for. */
  atOneMoment<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Ends a SELECT whose rows nobody else may change before the transaction ends; empty where writers come one at a time anyway. */
  readonly lockRows: string;
  /** Let no other transaction that takes the same lock run until this one ends; nothing where writers come one at a time. */
  lock(query: Query, name: string): Promise<void>;
  close(): Promise<void>;
}
