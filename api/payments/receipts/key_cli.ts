/**
 * `make receipt-key RECEIPT_KEY_FILE=...`: creates the file with the keys that sign receipts, replaces the current key
 * (ROTATE=1), or withdraws one that others may have (REVOKE=<kid>). Prints public parts only.
 */
import { existsSync } from 'node:fs';
import type { z } from 'zod';
import type { PrivateKey } from '../../../lib/receipt.ts';
import { runCommand } from '../../../lib/command.ts';
import { print } from '../../../lib/output.ts';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { HOUR_MS } from '../../../lib/time.ts';
import {
  newKey,
  readReceiptKeys,
  receiptKeySettings,
  revokeKey,
  rotateKeys,
  withoutEndedParts,
  writeReceiptKeys,
  type KeyFile,
} from './keys.ts';

function stateOf({ from, until, revoked: withdrawn, d }: PrivateKey, nowMs: number): string {
  if (withdrawn !== null) return `revoked at ${withdrawn}`;
  const time = `from ${from}${until === null ? '' : ` until ${until}`}`;
  if (d === undefined) return `${time}, ended`;
  return Date.parse(from) > nowMs ? `${time}, next` : `${time}, signs`;
}

function changeKeys(file: KeyFile, { ROTATE, REVOKE }: z.infer<typeof receiptKeySettings>): KeyFile {
  const nowMs = Date.now();
  if (REVOKE !== undefined) {
    if (file.keys.some((key) => key.kid === REVOKE)) return revokeKey(file, REVOKE, nowMs);
    throw new SettingError(`REVOKE is ${JSON.stringify(REVOKE)}, expected the kid of a key of the file`);
  }
  if (!ROTATE) return withoutEndedParts(file, nowMs);
  const next = file.keys.find((key) => Date.parse(key.from) > nowMs);
  if (next) throw new SettingError(`ROTATE is 1, and the key ${next.kid} replaces the current one at ${next.from}`);
  return rotateKeys(file, nowMs + HOUR_MS, nowMs);
}

/** @throws SettingError if the file cannot be changed */
async function main(): Promise<void> {
  const settings = readSettings(receiptKeySettings);
  const { RECEIPT_KEY_FILE: path } = settings;
  const isNew = !existsSync(path);
  if (isNew && (settings.ROTATE || settings.REVOKE !== undefined))
    throw new SettingError(`RECEIPT_KEY_FILE is ${JSON.stringify(path)}, expected an existing file`);
  const file = isNew ? { keys: [newKey(Date.now())] } : changeKeys(readReceiptKeys(path), settings);
  if (!(await writeReceiptKeys(path, file, !isNew))) throw new SettingError(`${path} was created by another process`);
  for (const key of file.keys) print(`${key.kid}   ${stateOf(key, Date.now())}`);
  print(`Copy ${path} to every server behind your URL, and restart each.`);
}

await runCommand(main);
