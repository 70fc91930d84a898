/** The commands `make ledger`, `make ledger-backup` and `make ledger-restore`. */
import { existsSync } from 'node:fs';
import { messageOf } from '../lib/errors.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { checkBackup, type Counts } from './backup/read.ts';
import { restore } from './backup/restore.ts';
import { backUp } from './backup/write.ts';
import { readNote, writeNote } from './identity.ts';
import { heldClaims, journalFile } from './journal.ts';
import { LedgerUnavailable } from './ledger.ts';
import { assertLedgerExists, openLedger, openStore, shownPlace } from './open.ts';
import { readFigures, formatReport } from './report.ts';
import { backupSettings, reportSettings } from './settings.ts';
import { LedgerRefused } from './sql/migrations.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Print = (line: string) => void;

/** Rows by table; `money` is the kind of money, not data. */
const inWords = (counts: Counts): string =>
  Object.entries(counts)
    .filter(([name]) => name !== 'money')
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');

async function report(env: Env, print: Print): Promise<void> {
  const settings = readSettings(reportSettings, env);
  assertLedgerExists(settings);
  const ledger = await openLedger(settings);
  try {
    for (const line of formatReport(await readFigures(ledger), shownPlace(settings), Date.now(), settings.DAYS))
      print(line);
    if (settings.PARQUET === undefined) return;
    // Loading DuckDB takes as long as the rest of the command.
    const { exportParquet } = await import('./export.ts');
    const counts = await exportParquet(ledger, settings.PARQUET);
    const files = Object.entries(counts).map(([name, rows]) => `${name}.parquet (${rows} rows)`);
    print(`\nWritten to ${settings.PARQUET}: ${files.join(', ')}`);
  } finally {
    await ledger.close();
  }
}

async function backup(env: Env, print: Print): Promise<void> {
  const settings = readSettings(backupSettings, env);
  assertLedgerExists(settings);
  const store = await openStore(settings);
  try {
    const counts = await backUp(store, settings.FILE);
    print(`${settings.FILE} is a complete, checked backup of ${shownPlace(settings)}: ${inWords(counts)}`);
  } finally {
    await store.close();
  }
}

async function restoreBackup(env: Env, print: Print): Promise<void> {
  const settings = readSettings(backupSettings, env);
  if (!existsSync(settings.FILE))
    throw new SettingError(`FILE is ${JSON.stringify(settings.FILE)}, expected an existing backup`);
  const absent = settings.JOURNALS?.find((path) => !existsSync(path));
  if (absent !== undefined)
    throw new SettingError(`JOURNALS names ${JSON.stringify(absent)}, expected existing claims journals`);
  // Report a damaged backup before a ledger is created for it.
  await checkBackup(settings.FILE);
  const claims = await heldClaims(settings.JOURNALS ?? [journalFile(settings.DATA_DIR)], null);
  const store = await openStore(settings);
  try {
    const noted = readNote(settings.DATA_DIR);
    const options = { overwrite: settings.OVERWRITE, noted, claims };
    const { counts, identity, withheld } = await restore(store, settings.FILE, options);
    await writeNote(settings.DATA_DIR, { ...identity, kind: store.kind });
    print(`${shownPlace(settings)} was restored from ${settings.FILE}: ${inWords(counts)}`);
    if (noted !== null && noted.id !== identity.id) print(`${settings.DATA_DIR} used ledger ${noted.id} before.`);
    print(`Epoch ${identity.epoch} of ledger ${identity.id}. Restart the servers that use it: they stopped selling.`);
    if (withheld > 0)
      print(
        `${withheld} leads were sold after the backup, according to the claims journal. They are never offered again.`,
      );
  } finally {
    await store.close();
  }
}

const commands: Readonly<Record<string, (env: Env, print: Print) => Promise<void>>> = {
  report,
  backup,
  restore: restoreBackup,
};

const isExpected = (error: unknown): boolean =>
  error instanceof SettingError ||
  error instanceof LedgerUnavailable ||
  error instanceof LedgerRefused ||
  (error instanceof Error && 'syscall' in error);

export interface CommandOutput {
  readonly print: Print;
  readonly printError: Print;
}

/** Run a command. @returns the exit status: 1 if a setting or the ledger fails */
export async function runLedgerCommand(
  name: string | undefined,
  env: Env,
  { print, printError }: CommandOutput,
): Promise<number> {
  try {
    const command = commands[name ?? ''];
    if (!command) {
      const names = Object.keys(commands).join(', ');
      throw new SettingError(`command is ${JSON.stringify(name ?? null)}, expected ${names}`);
    }
    await command(env, print);
    return 0;
  } catch (error) {
    const stack = error instanceof Error && !isExpected(error) ? error.stack : undefined;
    printError(stack ?? messageOf(error));
    return 1;
  }
}
