/** Paid responses, saved as files so that none is lost, and truncated for an agent's context. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { saveReceipt } from './saved_receipts.ts';

/** Largest response returned in full, in characters. */
const MAX_CHARACTERS = 60_000;
const MAX_LINES = 20;

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

export interface TruncatedBody {
  readonly body: unknown;
  /** What was left out, if anything. */
  readonly shown?: string;
}

/** The first lines or records of a large response. */
export function truncate(type: string, text: string): TruncatedBody {
  if (!type.endsWith('json')) {
    if (text.length <= MAX_CHARACTERS) return { body: text };
    const lines = text.split('\n');
    return {
      body: lines.slice(0, MAX_LINES).join('\n'),
      shown: `the first ${MAX_LINES} of ${lines.length} lines; the file has all of them`,
    };
  }
  const body = JSON.parse(text) as Record<string, unknown>;
  if (text.length <= MAX_CHARACTERS || !Array.isArray(body['records'])) return { body };
  const records = body['records'] as unknown[];
  let count = 0;
  let room = MAX_CHARACTERS;
  while (count < records.length && (room -= JSON.stringify(records[count]).length) > 0) count += 1;
  const included = Math.max(1, count);
  return {
    body: { ...body, records: records.slice(0, included) },
    shown: `the first ${included} of ${records.length} records; the file has all of them`,
  };
}
