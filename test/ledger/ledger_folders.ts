/** Data folders, places for ledgers of both kinds, and ledger commands, for tests of whole ledgers. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { closing } from '../../lib/closing.ts';
import { backUp, restoreLedger, type Restored, type RestoreOptions } from '../../ledger/backup.ts';
import type { Counts } from '../../ledger/copy.ts';
import { noteFile, type LedgerNote } from '../../ledger/identity.ts';
import { journalFile } from '../../ledger/journal_file.ts';
import { openLedgerStore, type LedgerSettings } from '../../ledger/open.ts';
import { memoryFolder } from './memory_folder.ts';
import { startPostgres, type PostgresServer } from './postgres_started.ts';

/** A kind of ledger, and the setting LEDGER of a new one. */
export interface LedgerKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly kind: 'sqlite' | 'postgres';
  fresh(dataDir: string): Promise<string>;
}

export interface LedgerFolders {
  /** A new data folder. */
  dataDir(): string;
  /** Both kinds of ledger; PostgreSQL runs as one server for the whole file. */
  readonly kinds: readonly LedgerKind[];
  /** That server. */
  postgres(): PostgresServer;
}

/** Register hooks that create and remove the folders and the server. Call it inside `describe`. */
export function ledgerFolders(): LedgerFolders {
  const root = memoryFolder('dealfeed-ledgers-');
  let server: PostgresServer | undefined;
  let count = 0;
  before(async () => {
    server = await startPostgres();
  });
  after(async () => {
    await server?.remove();
    rmSync(root, { recursive: true, force: true });
  });
  const postgres = (): PostgresServer => server ?? assert.fail('the server is not started');
  return {
    postgres,
    dataDir() {
      const path = join(root, String((count += 1)));
      mkdirSync(path);
      return path;
    },
    kinds: [
      { name: 'SQLite', kind: 'sqlite', fresh: async (dataDir) => join(dataDir, 'ledger.sqlite') },
      { name: 'PostgreSQL', kind: 'postgres', fresh: () => postgres().schema() },
    ],
  };
}

/** Back up a ledger into a file, as `make backup` does. @returns rows by table */
export async function backUpTo(file: string, settings: LedgerSettings): Promise<Counts> {
  await using store = closing(await openLedgerStore(settings));
  return await backUp(store, file);
}

/** Restore a ledger from a file, as `make restore` does. */
export const restoreFrom = (
  file: string,
  settings: LedgerSettings,
  { overwrite = false, journals = [journalFile(settings.DATA_DIR)] }: Partial<RestoreOptions> = {},
): Promise<Restored> => restoreLedger(settings, file, { overwrite, journals });

/** The ledger that a data folder records. */
export const noteIn = (dataDir: string): LedgerNote =>
  JSON.parse(readFileSync(noteFile(dataDir), 'utf8')) as LedgerNote;
