/** The SQLite file of an archive: its schema and version, statements, and transactions beside other processes. */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { DamagedFile } from './files.ts';

/** The only version of the file that this program reads. */
export const VERSION = 1;
const SCHEMA = `
  -- zstd is null if the body is a file of large/.
  CREATE TABLE body (sha256 BLOB PRIMARY KEY, bytes INTEGER NOT NULL, zstd BLOB) STRICT;
  CREATE TABLE read (
    id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, run_id TEXT NOT NULL, UNIQUE (source, run_id)) STRICT;
  -- In the order of the responses. address: the first 6 bytes of the SHA-256 of the URL.
  CREATE TABLE request (
    read INTEGER NOT NULL REFERENCES read ON DELETE CASCADE, number INTEGER NOT NULL, address INTEGER NOT NULL,
    sha256 BLOB, PRIMARY KEY (read, number)) STRICT, WITHOUT ROWID;
  CREATE INDEX request_address ON request (address);
  CREATE INDEX request_body ON request (sha256);
  -- The records of a read's requests first, first + 1, ... as compressed JSON lines.
  CREATE TABLE record (
    read INTEGER NOT NULL REFERENCES read ON DELETE CASCADE, first INTEGER NOT NULL, count INTEGER NOT NULL,
    zstd BLOB NOT NULL, PRIMARY KEY (read, first)) STRICT;
  PRAGMA user_version = ${VERSION};`;

/** How long a reader waits for a commit of another process, and a writer for its turn before it goes on from memory. */
const [READ_LOCK_MS, WRITE_LOCK_MS] = [10_000, 100];

/** SQLite's error codes. */
const [BUSY, FULL, CONSTRAINT] = [5, 13, 19];
const codeOf = (error: unknown): number | undefined => {
  const code = (error as { errcode?: number }).errcode;
  return code === undefined ? undefined : code & 0xff;
};

/** Whether an error means that another process has the file for now. */
export const isBusy = (error: unknown): boolean => codeOf(error) === BUSY;

export type Row = Readonly<Record<string, SQLOutputValue>>;

export class ArchiveFile {
  /** Version of the file, which is created if it is empty. */
  readonly version: number;
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** @throws DamagedFile */
  constructor(path: string) {
    this.#path = path;
    this.#db = this.#guarded(() => new DatabaseSync(path, { timeout: READ_LOCK_MS }));
    // What is removed is overwritten.
    this.#execute('PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON');
    const isEmpty = (): boolean => this.get('SELECT count(*) AS n FROM sqlite_schema')?.['n'] === 0;
    if (isEmpty()) {
      // Pruned pages give their space back to the disk.
      this.#execute('PRAGMA auto_vacuum = INCREMENTAL');
      this.transaction(() => {
        if (isEmpty()) this.#db.exec(SCHEMA);
      });
    }
    this.version = Number(this.get('PRAGMA user_version')?.['user_version']);
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#guarded(() => this.#prepare(sql).get(...values));
  }

  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#guarded(() => this.#prepare(sql).all(...values));
  }

  run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#guarded(() => this.#prepare(sql).run(...values));
  }

  /** @throws an error that isBusy if another process writes, or copies the file */
  transaction(work: () => void): void {
    try {
      this.#execute(`PRAGMA busy_timeout = ${WRITE_LOCK_MS}; BEGIN IMMEDIATE`);
      work();
      this.#execute('COMMIT');
    } finally {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#db.exec(`PRAGMA busy_timeout = ${READ_LOCK_MS}`);
    }
  }

  /** Give the space of removed rows back to the disk, unless another process is writing. */
  shrink(): void {
    try {
      this.#execute('PRAGMA incremental_vacuum');
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }

  close(): void {
    this.#db.close();
  }

  #execute(sql: string): void {
    this.#guarded(() => this.#db.exec(sql));
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  /** @throws DamagedFile for an error of the file that a retry cannot mend */
  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined || [BUSY, FULL, CONSTRAINT].includes(code)) throw error;
      throw new DamagedFile(
        `The archive ${this.#path} cannot be used: ${(error as Error).message}. Check its disk and its permissions, ` +
          'or restore it from a backup.',
        { cause: error },
      );
    }
  }
}
