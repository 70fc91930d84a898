/** Numbered migrations: `001_ledger.sql`, `002_...`. The version of a ledger is the number of its last migration. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** A ledger that this program must not use; the message says why in one line. */
export class LedgerRefused extends Error {
  override readonly name = 'LedgerRefused';
}

/** The migrations in a folder, in order. @throws if their numbers are not 1, 2, 3 ... */
export function migrationsIn(folder: URL): readonly Migration[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return files.map((name, i) => {
    const version = Number(/^(\d{3})_/.exec(name)?.[1]);
    if (version !== i + 1) throw new Error(`${name} should be migration number ${i + 1}`);
    return { version, sql: readFileSync(new URL(name, folder), 'utf8') };
  });
}

/**
 * The migrations that a ledger of this version lacks.
 * @throws LedgerRefused if the ledger is newer than this program
 */
export function pendingMigrations(migrations: readonly Migration[], version: number): readonly Migration[] {
  if (version > migrations.length)
    throw new LedgerRefused(
      `the ledger has version ${version}, and this program reads versions up to ${migrations.length}: ` +
        'update the program',
    );
  return migrations.slice(version);
}
