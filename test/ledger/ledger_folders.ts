/** Data folders, places for ledgers of both kinds, and ledger commands, for tests of whole ledgers. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { runLedgerCommand } from '../../ledger/commands.ts';
import { noteFile, type LedgerNote } from '../../ledger/identity.ts';
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
  return {
    dataDir() {
      const path = join(root, String((count += 1)));
      mkdirSync(path);
      return path;
    },
    kinds: [
      { name: 'SQLite', kind: 'sqlite', fresh: async (dataDir) => join(dataDir, 'ledger.sqlite') },
      {
        name: 'PostgreSQL',
        kind: 'postgres',
        fresh: async () => server?.schema() ?? assert.fail('the server is not started'),
      },
    ],
  };
}

export interface CommandResult {
  readonly status: number;
  readonly out: string;
}

/** Run a command of `ledger/cli.ts` in this process, with these settings only. */
export async function ledgerCommand(name: string, env: Readonly<Record<string, string>>): Promise<CommandResult> {
  let out = '';
  const print = (line: string): void => {
    out += `${line}\n`;
  };
  return { status: await runLedgerCommand(name, env, { print, printError: print }), out };
}

/** The ledger that a data folder records. */
export const noteIn = (dataDir: string): LedgerNote =>
  JSON.parse(readFileSync(noteFile(dataDir), 'utf8')) as LedgerNote;
