/** Command line of `make backup`, with VERIFY=1 its check, and `make restore`. */
import { LedgerRefused } from '../../../ledger/sql/schema.ts';
import { runCommand } from '../../../lib/command.ts';
import { messageOf } from '../../../lib/errors.ts';
import { print } from '../../../lib/output.ts';
import { inFolder, readSettings, SettingError } from '../../../lib/settings.ts';
import { failureText } from '../../failure.ts';
import { bytesShort, number } from '../../format.ts';
import { layoutOf } from '../../layout.ts';
import { backUp } from './back_up.ts';
import { noteBackup } from '../notes.ts';
import { restoreFolder, verifyBackup } from './restore.ts';
import { backUpSettings, restoreSettings, verifySettings } from './settings.ts';

const DISK_FULL = /ENOSPC|EDQUOT|disk of the ledger is full/u;

/** @returns the exit status of each command */
async function backUpCommand(): Promise<number> {
  const settings = readSettings(backUpSettings);
  const { DATA_DIR, TO, WITHOUT_LEDGER, KEEP_BACKUPS } = settings;
  const at = new Date();
  const { name, files, bytes, damage, removed, notCopied } = await backUp(settings, at);
  print(`backup ${name} in ${TO}: ${number(files)} files, ${bytesShort(bytes)}, every hash verified`);
  if (WITHOUT_LEDGER) print('The backup has no ledger (WITHOUT_LEDGER=1).');
  if (notCopied.length > 0) print(`not copied: ${notCopied.join(', ')}`);
  if (removed.length > 0) print(`removed ${removed.length} older backups (KEEP_BACKUPS=${KEEP_BACKUPS})`);
  for (const line of damage) print(`damaged: ${line}`);
  if (damage.length === 0)
    await noteBackup(layoutOf(DATA_DIR), TO, at).catch((error: unknown) =>
      print(`make status will not show this backup: it cannot write to DATA_DIR (${messageOf(error)})`),
    );
  else print('make status does not count this backup: it lacks damaged files.');
  return damage.length === 0 ? 0 : 1;
}

async function verifyCommand(): Promise<number> {
  const { FROM, BACKUP } = readSettings(verifySettings);
  const { name, backup } = await verifyBackup(FROM, BACKUP);
  const bytes = backup.files.reduce((sum, file) => sum + file.bytes, 0);
  print(`backup ${name} in ${FROM} is intact: ${number(backup.files.length)} files, ${bytesShort(bytes)}`);
  for (const path of backup.missing) print(`missing: ${path} was damaged when the backup was made`);
  return backup.missing.length === 0 ? 0 : 1;
}

async function restoreCommand(): Promise<number> {
  const settings = readSettings(restoreSettings);
  const { name, backup, ledger } = await restoreFolder(settings);
  const { files, current, missing } = backup;
  print(`restored ${settings.DATA_DIR} from backup ${name}: ${number(files.length)} files, every hash verified`);
  print(current === null ? 'The backup has no current snapshot.' : `current snapshot: ${current}`);
  if (ledger === null) print('The ledger was not restored: the backup has none, or WITHOUT_LEDGER is 1.');
  else {
    const { counts, identity, replayed } = ledger;
    print(`ledger ${identity.id}, epoch ${identity.epoch}: ${number(counts['purchases'] ?? 0)} purchases`);
    if (replayed > 0)
      print(`${replayed} purchases changed after the ledger's backup, by the journal: they are put back`);
  }
  print('The backup has no private keys. Put back RECEIPT_KEY_FILE and SETTLE_KEY_FILE.');
  for (const path of missing) print(`missing: ${path} was damaged when the backup was made`);
  print(`next: make status${inFolder(settings.DATA_DIR)}`);
  return 0;
}

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  backup: backUpCommand,
  verify: verifyCommand,
  restore: restoreCommand,
};

/** Text for an error. A full disk is that of the copy, not of the data folder. */
function textOf(error: unknown): string {
  if (error instanceof Error && DISK_FULL.test(error.message))
    return `The disk is full: ${error.message.split('\n', 1)[0]}. Nothing was changed. Free some space and try again.`;
  return error instanceof LedgerRefused ? error.message : failureText(error);
}

async function main(): Promise<number> {
  const [name = ''] = process.argv.slice(2);
  const command = COMMANDS[name];
  if (!command) throw new SettingError(`command is ${JSON.stringify(name)}, expected backup, verify or restore`);
  return command();
}

await runCommand(main, textOf);
