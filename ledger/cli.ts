/** `make ledger`, `make ledger-backup` and `make ledger-restore`. Exit status 1 if a setting or the ledger fails. */
import { existsSync } from 'node:fs';
import { messageOf } from '../lib/errors.ts';
import { print as say } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { checkBackup, type Counts } from './backup/read.ts';
import { restore } from './backup/restore.ts';
import { backUp } from './backup/write.ts';
import { exportParquet } from './export.ts';
import { readNote, writeNote } from './identity.ts';
import { heldClaims, journalFile } from './journal.ts';
import { LedgerUnavailable } from './ledger.ts';
import { assertLedgerExists, openLedger, openStore, shownPlace } from './open.ts';
import { figuresOf, linesOf } from './report.ts';
import { backupSettings, reportSettings } from './settings.ts';
import { LedgerRefused } from './sql/migrations.ts';

/** Rows by table; `money` is the kind of money, not data. */
const inWords = (counts: Counts): string =>
  Object.entries(counts)
    .filter(([name]) => name !== 'money')
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');

async function report(): Promise<void> {
  const settings = readSettings(reportSettings);
  assertLedgerExists(settings);
  const ledger = await openLedger(settings);
  try {
    for (const line of linesOf(await figuresOf(ledger), shownPlace(settings), Date.now(), settings.DAYS)) say(line);
    if (settings.PARQUET === undefined) return;
    const counts = await exportParquet(ledger, settings.PARQUET);
    const files = Object.entries(counts).map(([name, rows]) => `${name}.parquet (${rows} rows)`);
    say(`\nWritten to ${settings.PARQUET}: ${files.join(', ')}`);
  } finally {
    await ledger.close();
  }
}

async function backup(): Promise<void> {
  const settings = readSettings(backupSettings);
  assertLedgerExists(settings);
  const store = await openStore(settings);
  try {
    const counts = await backUp(store, settings.FILE);
    say(`${settings.FILE} is a complete, checked backup of ${shownPlace(settings)}: ${inWords(counts)}`);
  } finally {
    await store.close();
  }
}

async function restoreBackup(): Promise<void> {
  const settings = readSettings(backupSettings);
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
    say(`${shownPlace(settings)} was restored from ${settings.FILE}: ${inWords(counts)}`);
    if (noted !== null && noted.id !== identity.id) say(`${settings.DATA_DIR} used ledger ${noted.id} before.`);
    say(`Epoch ${identity.epoch} of ledger ${identity.id}. Restart the servers that use it: they stopped selling.`);
    if (withheld > 0)
      say(`${withheld} leads were sold after the backup, by the claims journal. They are withheld for good.`);
  } finally {
    await store.close();
  }
}

const commands: Readonly<Record<string, () => Promise<void>>> = { report, backup, restore: restoreBackup };

const isExpected = (error: unknown): boolean =>
  error instanceof SettingError ||
  error instanceof LedgerUnavailable ||
  error instanceof LedgerRefused ||
  (error instanceof Error && 'syscall' in error);

try {
  const command = commands[process.argv[2] ?? ''];
  if (!command) {
    const names = Object.keys(commands).join(', ');
    throw new SettingError(`command is ${JSON.stringify(process.argv[2] ?? null)}, expected ${names}`);
  }
  await command();
} catch (error) {
  const stack = error instanceof Error && !isExpected(error) ? error.stack : undefined;
  process.stderr.write(`${stack ?? messageOf(error)}\n`);
  process.exitCode = 1;
}
