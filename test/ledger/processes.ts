/** Another process that sells, and a lock of another user of the file. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, type Program } from '../support/program.ts';

/** One line that the process printed. */
interface Line {
  readonly id: string;
  readonly lead?: string | null;
  readonly done?: 'settling' | 'sold';
  /** Name and message of the error that ended it. */
  readonly error?: string;
  readonly message?: string;
}

export interface Seller extends Program {
  sales(): Line[];
  /** Resolves when it has printed this many lines, or has ended. */
  printed(lines: number): Promise<void>;
}

/** Start selling_process.ts on this ledger. */
export function sellerOn(place: string, dataDir: string): Seller {
  const program = startProgram(
    ['test/ledger/selling_process.ts', place, dataDir],
    process.env as Record<string, string>,
  );
  const { child, lines } = program;
  return {
    ...program,
    sales: () => lines.map((line) => JSON.parse(line) as Line),
    async printed(count) {
      while (lines.length < count && child.exitCode === null && child.signalCode === null) await sleep(2);
    },
  };
}

/**
 * Hold the write lock of an SQLite file, which others may be writing now.
 * @param readers lock it for readers, too
 * @returns releases it
 */
export function lockFile(file: string, readers = false): () => void {
  const db = new DatabaseSync(file, { timeout: 30_000 });
  if (readers) db.exec('PRAGMA locking_mode = EXCLUSIVE');
  db.exec('BEGIN EXCLUSIVE');
  return () => {
    db.exec('COMMIT');
    db.close();
  };
}
