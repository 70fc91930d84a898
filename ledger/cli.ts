/** `make ledger`, `make ledger-backup`, `make ledger-restore`. Exit status 1 where a setting is wrong or the ledger cannot be asked. */
import { existsSync } from 'node:fs';
import { say } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { backUp, checkBackup, restore, type Counts } from './backup.ts';
import { exportParquet } from './export.ts';
import { readNote, writeNote } from './identity.ts';
import { heldClaims, journalFile } from './journal.ts';
import { LedgerUnavailable } from './ledger.ts';
import { LedgerRefused } from './sql/migrations.ts';
import { ledgerExists, openLedger, openStore, shownPlace, type LedgerSettings } from './open.ts';
import { figuresOf, linesOf } from './report.ts';
import { backupSettings, reportSettings } from './settings.ts';

/** What the ledger is kept in is no thing to count. */
const inWords = (counts: Counts): string =>
  Object.entries(counts)
    .filter(([name]) => name !== 'money')
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');

/** @throws SettingError where there is no ledger yet, which looking at it must not make */
function mustExist(settings: LedgerSettings): void {
  if (!ledgerExists(settings))
    throw new SettingError(
      `LEDGER is ${shownPlace(settings)}, and nothing is there yet: the server makes it with its first start`,
    );
}

async function report(): Promise<void> {
  const settings = readSettings(reportSettings);
  mustExist(settings);
  const ledger = await openLedger(settings);
  try {
    for (const line of linesOf(await figuresOf(ledger), shownPlace(settings), Date.now(), settings.DAYS)) say(line);
    if (settings.PARQUET === undefined) return;
    const counts = await exportParquet(ledger, settings.PARQUET);
    say(
      `\nWritten into ${settings.PARQUET}: ${Object.entries(counts)
        .map(([name, rows]) => `${name}.parquet (${rows} rows)`)
        .join(', ')}`,
    );
  } finally {
    await ledger.close();
  }
}

async function backup(): Promise<void> {
  const settings = readSettings(backupSettings);
  mustExist(settings);
  const store = await openStore(settings);
  try {
    say(
      `${settings.FILE} holds ${shownPlace(settings)} as it was, read back and found whole: ${inWords(await backUp(store, settings.FILE))}`,
    );
  } finally {
    await store.close();
  }
}

async function restoration(): Promise<void> {
  const settings = readSettings(backupSettings);
  if (!existsSync(settings.FILE))
    throw new SettingError(`FILE is ${JSON.stringify(settings.FILE)}, expected a backup that is there`);
  const absent = settings.JOURNALS?.find((path) => !existsSync(path));
  if (absent !== undefined)
    throw new SettingError(`JOURNALS names ${JSON.stringify(absent)}, expected claims journals that are there`);
  // Report a damaged backup before a ledger is made for it.
  await checkBackup(settings.FILE);
  const claims = await heldClaims(settings.JOURNALS ?? [journalFile(settings.DATA_DIR)], null);
  const store = await openStore(settings);
  try {
    const noted = readNote(settings.DATA_DIR);
    const { counts, identity, withheld } = await restore(store, settings.FILE, {
      overwrite: settings.OVERWRITE,
      noted,
      claims,
    });
    await writeNote(settings.DATA_DIR, { ...identity, kind: store.kind });
    say(`${shownPlace(settings)} holds what ${settings.FILE} held: ${inWords(counts)}`);
    if (noted !== null && noted.id !== identity.id) say(`${settings.DATA_DIR} used ledger ${noted.id} before.`);
    say(`Epoch ${identity.epoch} of ledger ${identity.id}. Restart the servers that use it: they stopped selling.`);
    if (withheld > 0)
      say(
        `${withheld} leads were sold after the backup, by the claims journal. They are withheld and never sold again.`,
      );
  } finally {
    await store.close();
  }
}

const commands: Readonly<Record<string, () => Promise<void>>> = { report, backup, restore: restoration };

try {
  const command = commands[process.argv[2] ?? ''];
  if (!command)
    throw new SettingError(
      `command is ${JSON.stringify(process.argv[2] ?? null)}, expected ${Object.keys(commands).join(', ')}`,
    );
  await command();
} catch (error) {
  const known =
    error instanceof SettingError ||
    error instanceof LedgerUnavailable ||
    error instanceof LedgerRefused ||
    (error as NodeJS.ErrnoException).syscall !== undefined;
  process.stderr.write(
    `${known ? (error as Error).message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
