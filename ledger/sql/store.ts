/** The interface between the ledger and a database: statements, and transactions. */

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, unknown>>;

/** Run one statement with parameters $1, $2 ... and return the rows of its SELECT or RETURNING. */
export type Query = (sql: string, ...parameters: readonly Value[]) => Promise<readonly Row[]>;

export type StoreKind = 'sqlite' | 'postgres';

/**
 * `flushed`: on the disk when it resolves. `soon`: a crash of the database's host may still undo it, and with it all
 * that came later; the next flushed write puts it on the disk.
 */
export type Durability = 'flushed' | 'soon';

export interface Store {
  readonly kind: StoreKind;
  /** Whether the ledger's path still names the opened file. Always true for a database server. */
  isSameFile(): boolean;
  /**
   * Run `work` in one transaction. If `work` throws, nothing is written. `work` may run several times, so it must have
   * no effect outside `query`. By default the transaction is flushed.
   * @throws LedgerUnavailable if the database cannot be written now
   */
  write<T>(work: (query: Query) => Promise<T>, durability?: Durability): Promise<T>;
  /** Run one statement that only reads. */
  readonly read: Query;
  /** Read a consistent snapshot while others write. `work` may take long. */
  readSnapshot<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** End of a SELECT that locks its rows until the transaction ends; empty if only one writer runs at a time. */
  readonly lockRows: string;
  /** Take a lock by name until the transaction ends; does nothing if only one writer runs at a time. */
  lock(query: Query, name: string): Promise<void>;
  close(): Promise<void>;
}

/** How a store is opened. */
export interface StoreOptions {
  /** How long a locked or unreachable ledger is retried before it counts as unavailable. Default: 5 s. */
  readonly retryMs?: number;
}

export interface Selection {
  /** A SELECT without WHERE, whose columns include the key. */
  readonly select: string;
  /** Columns, separated by ", ". */
  readonly key: string;
  /** With the parameters of the call. Default: every row. */
  readonly where?: string;
  /** Rows in a page. */
  readonly limit?: number;
}

/** Rows of a page if each has a body of up to some megabytes. */
export const PAGE_OF_BODIES = 8;

/** Pages of rows; the last one may be empty. */
export async function* pagesInOrder(
  read: Query,
  { select, key, where = '1 = 1', limit = 500 }: Selection,
  ...parameters: readonly Value[]
): AsyncGenerator<readonly Row[]> {
  const columns = key.split(', ');
  const after = `AND (${key}) > (${columns.map((_, i) => `$${parameters.length + i + 1}`).join(', ')})`;
  for (let last: Row | undefined; ;) {
    const place = columns.flatMap((column) => (last ? [last[column] as Value] : []));
    const sql = `${select} WHERE ${where} ${last ? after : ''} ORDER BY ${key} LIMIT ${limit}`;
    const page = await read(sql, ...parameters, ...place);
    yield page;
    last = page.at(-1);
    if (page.length < limit) return;
  }
}

/** The rows of all pages. */
export async function* rowsInOrder(...selection: Parameters<typeof pagesInOrder>): AsyncGenerator<Row> {
  for await (const page of pagesInOrder(...selection)) yield* page;
}
