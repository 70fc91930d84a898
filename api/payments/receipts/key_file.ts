/** The file with the keys that sign receipts. The sandbox creates it, `make receipt-key` replaces it. */
import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, sync } from '../../../lib/files.ts';
import { readKeyFile } from '../../../lib/key_file.ts';
import { SettingError } from '../../../lib/settings.ts';
import { newKey, parseKeyFile, receiptKeysOf, type KeyFile, type ReceiptKeys } from './key_set.ts';

/** The sandbox's file, if RECEIPT_KEY_FILE is not set. */
export const sandboxKeyFile = (dataDir: string): string => join(dataDir, 'sandbox', 'receipt_keys.json');

/** Read a key file. @throws SettingError if it cannot be used; the message contains no key */
export function readReceiptKeys(path: string): KeyFile {
  const text = readKeyFile('RECEIPT_KEY_FILE', path);
  try {
    return parseKeyFile(text);
  } catch (error) {
    throw new SettingError(
      `RECEIPT_KEY_FILE is ${JSON.stringify(path)}, expected a file of make receipt-key: ${(error as Error).message}`,
    );
  }
}

/**
 * Write a key file that only its owner can read, completely or not at all.
 * @param replaces whether a file at `path` is replaced; otherwise it stays
 * @returns whether the file was written
 */
export async function writeReceiptKeys(path: string, file: KeyFile, replaces: boolean): Promise<boolean> {
  await makeFolder(dirname(path));
  const temporary = `${path}.${randomUUID()}.part`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (replaces) await rename(temporary, path);
    else await link(temporary, path);
    await sync(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

export interface KeyFileSettings {
  readonly DATA_DIR: string;
  readonly RECEIPT_KEY_FILE?: string | undefined;
}

/**
 * The keys of a server. In the sandbox, without RECEIPT_KEY_FILE, the first server of a data folder creates the file.
 * @throws SettingError if the file cannot be used
 */
export async function openReceiptKeys({ DATA_DIR, RECEIPT_KEY_FILE }: KeyFileSettings): Promise<ReceiptKeys> {
  const path = RECEIPT_KEY_FILE ?? sandboxKeyFile(DATA_DIR);
  if (RECEIPT_KEY_FILE === undefined) await writeReceiptKeys(path, { keys: [newKey(Date.now())] }, false);
  return receiptKeysOf(readReceiptKeys(path));
}
