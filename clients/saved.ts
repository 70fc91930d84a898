/**
 * Saves paid responses as files, so that none is lost, with their receipts next to them and the server's keys, so that
 * `make verify` works offline later.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeWhole } from '../lib/files.ts';
import { NotProven, parseKeys } from './verify.ts';

/** Name of the saved keys in the folder of the answers. */
export const KEYS_FILE = 'jwks.json';
const KEYS_PATH = '/.well-known/jwks.json';
const KEYS_MS = 5_000;

/** Path of the receipt of a saved answer: the same name, with the ending .jws. */
export const receiptPath = (answerPath: string): string => answerPath.replace(/\.\w+$/, '.jws');

/**
 * Save the keys of the server at `base` in the folder of an answer. A server never removes a key, so a set without a
 * key that was saved earlier is not the server's, and is refused.
 * @returns why they were not saved; null if they were
 */
export async function saveKeys(base: string, answerPath: string): Promise<string | null> {
  const path = join(dirname(answerPath), KEYS_FILE);
  try {
    const response = await fetch(base + KEYS_PATH, { redirect: 'error', signal: AbortSignal.timeout(KEYS_MS) });
    if (response.status !== 200) return `${base}${KEYS_PATH} responded with ${response.status}`;
    const text = await response.text();
    const published = new Set(parseKeys(text).map((key) => key.kid));
    const saved = await readFile(path, 'utf8').then(parseKeys, () => []);
    const removed = saved.find((key) => !published.has(key.kid));
    if (removed) return `${base} no longer publishes the key ${removed.kid}, which ${path} has`;
    await writeWhole(path, text);
    return null;
  } catch (error) {
    return error instanceof NotProven ? error.message : `${base}${KEYS_PATH} did not respond`;
  }
}

const extensionOf = (type: string): string => {
  if (type.endsWith('json')) return 'json';
  return type === 'text/csv' ? 'csv' : 'txt';
};

interface SavedResponse {
  /** First part of the file name. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly text: string;
  /** File of the signed receipt, next to the answer; null if there is none. */
  readonly receipt: string | null;
}

/** Save a response and its receipt to new files in `folder`. @returns the path of the response */
export async function saveResponse(folder: string, { name, type, text, receipt }: SavedResponse): Promise<string> {
  await mkdir(folder, { recursive: true });
  const stamp = new Date().toISOString().replaceAll(/[-:]/g, '').replace('.', '-').replace('Z', '');
  // Several clients of one folder may buy the same call in the same millisecond.
  const path = resolve(join(folder, `${stamp}-${randomBytes(3).toString('hex')}-${name}.${extensionOf(type)}`));
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  if (receipt !== null) await writeFile(receiptPath(path), `${receipt}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}
