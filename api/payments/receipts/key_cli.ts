/**
 * `make receipt-key RECEIPT_KEY_FILE=...`: creates the file with the keys that sign receipts, replaces the current key
 * (ROTATE=1), or withdraws one that others may have (REVOKE=<kid>). Prints public parts only.
 */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { PrivateKey } from '../../../lib/receipt.ts';
import { print } from '../../../lib/output.ts';
import { readSettings, SettingError, zeroOrOne } from '../../../lib/settings.ts';
import { HOUR_MS } from '../../../lib/time.ts';
import {
  newKey,
  readReceiptKeys,
  revokeKey,
  rotateKeys,
  withoutEndedParts,
  writeReceiptKeys,
  type KeyFile,
} from './keys.ts';

export const receiptKeySettings = z.object({
  RECEIPT_KEY_FILE: z.string('the file of the keys').min(1, 'the file of the keys'),
  ROTATE: zeroOrOne
    .default(false)
    .describe(
      '`make receipt-key`: 1 adds a key that signs in an hour. Restart every server before, so that each shows it.',
    ),
  REVOKE: z
    .string()
    .optional()
    .describe('`make receipt-key`: kid of a key that others may have. Its receipts prove nothing from then on.'),
});

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

/** @returns lines for the operator, with public parts only. @throws SettingError if the file cannot be changed */
export async function changeReceiptKeys(env: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  const settings = readSettings(receiptKeySettings, env);
  const { RECEIPT_KEY_FILE: path } = settings;
  const isNew = !existsSync(path);
  if (isNew && (settings.ROTATE || settings.REVOKE !== undefined))
    throw new SettingError(`RECEIPT_KEY_FILE is ${JSON.stringify(path)}, expected an existing file`);
  const file = isNew ? { keys: [newKey(Date.now())] } : changeKeys(readReceiptKeys(path), settings);
  if (!(await writeReceiptKeys(path, file, !isNew))) throw new SettingError(`${path} was created by another process`);
  return [
    ...file.keys.map((key) => `${key.kid}   ${stateOf(key, Date.now())}`),
    `Copy ${path} to every server behind your URL, and restart each.`,
  ];
}

if (import.meta.main) {
  try {
    for (const line of await changeReceiptKeys(process.env)) print(line);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
