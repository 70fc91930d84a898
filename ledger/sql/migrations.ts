/** Numbered migrations: `001_ledger.sql`, `002_...`. A ledger's version is the number of the last one it has. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** A ledger that this program must not touch; its message says why in one line. */
export class LedgerRefused extends Error {
  override readonly name = 'LedgerRefused';
}

/** The migrations in a folder, in order. @throws where their numbers are not 1, 2, 3 ... */
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
 * Those a ledger of this version lacks.
 * @throws LedgerRefused where the ledger is newer than the migrations known here
 */
export function missing(migrations: readonly Migration[], version: number): readonly Migration[] {
  if (version > migrations.length)
    throw new LedgerRefused(
      `the ledger has version ${version}, and this program knows versions up to ${migrations.length}: it was written by a newer one`,
    );
  return migrations.slice(version);
}
