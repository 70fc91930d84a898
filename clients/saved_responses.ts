/** Paid responses, saved as files so that none is lost. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { saveReceipt } from './saved_receipts.ts';

const extensionOf = (type: string): string => {
  if (type.endsWith('json')) return 'json';
  return type === 'text/csv' ? 'csv' : 'txt';
};

export interface SavedResponse {
  /** First part of the file name. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly text: string;
  /** File of the signed receipt, next to the answer; null if there is none. */
  readonly receipt: string | null;
}

/** Save a response and its receipt to new files in `folder`. @returns the path of the response */
export async function saveResponse(
  folder: string,
  { name, type, text, receipt }: SavedResponse,
  at = new Date(),
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const stamp = at.toISOString().replaceAll(/[-:]/g, '').replace('.', '-').replace('Z', '');
  const path = resolve(join(folder, `${stamp}-${name}.${extensionOf(type)}`));
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  if (receipt !== null) await saveReceipt(path, receipt);
  return path;
}
