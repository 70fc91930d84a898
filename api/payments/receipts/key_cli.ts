/**
 * `make receipt-key RECEIPT_KEY_FILE=...`: creates the file with the keys that sign receipts, replaces the
 * current key (ROTATE=1), or withdraws one that others may have (REVOKE=<kid>). Prints public parts only.
 */
import { print } from '../../../lib/output.ts';
import { SettingError } from '../../../lib/settings.ts';
import { changeReceiptKeys } from './key_command.ts';

try {
  for (const line of await changeReceiptKeys(process.env)) print(line);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
