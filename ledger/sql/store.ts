/** What the ledger asks of a database: rows for statements, and transactions that all readers see whole. */

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, unknown>>;

/** Run one statement with parameters $1, $2 ... and give its rows: those selected, or those of RETURNING. */
export type Query = (sql: string, ...parameters: readonly Value[]) => Promise<readonly Row[]>;

export type StoreKind = 'sqlite' | 'postgres';

export interface Store {
  readonly kind: StoreKind;
  /** Whether the ledger's path still names the file that was opened. Always true for a database server. */
  isSameFile(): boolean;
  /**
   * Run `work` in one transaction, which is durable when this resolves. If `work` throws, nothing is written. `work` may
   * run more than once, so it only uses `query`.
   * @throws LedgerUnavailable when the database cannot be written now
   */
  write<T>(work: (query: Query) => Promise<T>): Promise<T>;
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
