/** Of servers with real money: a receiving address, and a key for receipts with its file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { newKey, receiptKeysOf, type KeyFile } from '../../../api/payments/receipts/keys.ts';

/** The key has signed since before any test clock begins. */
const SINCE_MS = Date.parse('2020-01-01T00:00:00Z');

export const PAY_TO = privateKeyToAccount(generatePrivateKey()).address;

export const testKeyFile: KeyFile = { keys: [newKey(SINCE_MS)] };

export const testReceiptKeys = receiptKeysOf(testKeyFile);

let path: string | undefined;

/** Path of a key file that this process writes once and removes when it ends. */
export function receiptKeyPath(): string {
  if (path !== undefined) return path;
  const folder = mkdtempSync(join(tmpdir(), 'receipt-key-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  path = join(folder, 'keys.json');
  writeFileSync(path, JSON.stringify(testKeyFile), { mode: 0o600 });
  return path;
}
