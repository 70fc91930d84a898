/**
 * `make verify FILE=answer.json RECEIPT=receipt.jws`: verifies offline that a server sold this answer, and looks up the
 * pages that the answer names. Exit status 1 if something is not proven.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ArchiveDamage, hasArchive, openArchive } from '../lib/archive.ts';
import { runCommand } from '../lib/command.ts';
import { sha256OfFile } from '../lib/files.ts';
import { print } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { NotProven, parseKeys, verifyContent, verifyReceipt, type VerifiedReceipt } from './verify.ts';
import { KEYS_FILE } from './saved.ts';

const file = (expected: string) => z.string(expected).min(1, expected);

const verifySettings = z.object({
  FILE: file('the file of a paid answer'),
  RECEIPT: file('the file with its Signed-Receipt'),
  KEYS: file('a saved /.well-known/jwks.json').optional(),
  FOLDER: file('a folder of pages').optional(),
  DATA_DIR: z.string().min(1, 'a folder').default('data'),
});
type VerifySettings = z.infer<typeof verifySettings>;

const read = (setting: keyof VerifySettings, path: string): Promise<Buffer> =>
  readFile(path).catch(() => {
    throw new SettingError(`${setting} is ${JSON.stringify(path)}, expected a file that can be read`);
  });

/** The saved keys: KEYS, or those next to the receipt. */
async function keysText({ KEYS, RECEIPT }: VerifySettings): Promise<string> {
  if (KEYS !== undefined) return (await read('KEYS', KEYS)).toString('utf8');
  const path = join(dirname(RECEIPT), KEYS_FILE);
  return readFile(path, 'utf8').catch(() => {
    throw new SettingError(
      `KEYS is not set, expected a saved /.well-known/jwks.json of the server that sold the answer, because ${path} ` +
        'does not exist',
    );
  });
}

function printReceipt({ payload, key, isSignedAgain }: VerifiedReceipt): void {
  const { iss, receipt_id, sold_at, price, payment, request, snapshot_id } = payload;
  const query = request.query ?? `(SHA-256 ${request.query_sha256})`;
  print(`signature  valid, EdDSA by ${key.kid}`);
  print(`key        signs from ${key.from}${key.until === null ? '' : ` until ${key.until}`}`);
  if (isSignedAgain) print('           newer than the sale: the server signed this receipt again after a key rotation');
  print(`seller     ${iss}`);
  print(`sold       ${sold_at}, receipt ${receipt_id}, snapshot ${snapshot_id}`);
  print(`request    ${request.method} ${request.path}${query === '' ? '' : `?${query}`} as ${request.media_type}`);
  print(`price      ${price} USD: ${payment.amount} of ${payment.asset} on ${payment.network}`);
  print(`payment    ${payment.payer} to ${payment.pay_to}, nonce ${payment.nonce}`);
  print(`           transaction ${payment.transaction ?? 'not recorded'}, block ${payment.block ?? 'not recorded'}`);
}

interface NamedPage {
  readonly sha256: string;
  /** Where the answer names it: "distress.matches.0.signal". */
  readonly place: string;
  /** URL of the page, if the answer has it next to the hash. */
  readonly url: string | null;
}

/** State of the page with this hash. found: the bytes have it; different: a file has this name and other bytes. */
type StateOf = (sha256: string) => Promise<'found' | 'missing' | 'different'>;

const SHA256 = /^[0-9a-f]{64}$/;

function* pagesIn(value: unknown, place: readonly string[]): Generator<NamedPage> {
  if (typeof value !== 'object' || value === null) return;
  const record = value as Readonly<Record<string, unknown>>;
  const { page_sha256: sha256, source_url: url } = record;
  if (typeof sha256 === 'string' && SHA256.test(sha256))
    yield { sha256, place: place.join('.'), url: typeof url === 'string' ? url : null };
  for (const [name, inner] of Object.entries(record)) yield* pagesIn(inner, [...place, name]);
}

/** The pages that an answer names, each once. Empty if it is not JSON. */
function namedPages(text: string): readonly NamedPage[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [];
  }
  const pages = new Map<string, NamedPage>();
  for (const page of pagesIn(json, [])) if (!pages.has(page.sha256)) pages.set(page.sha256, page);
  return [...pages.values()];
}

/** The archive of a data folder; null if it has none. */
async function archivedPages(dataDir: string): Promise<StateOf | null> {
  if (!hasArchive(dataDir)) return null;
  const archive = await openArchive(dataDir);
  return async (sha256) => {
    if (archive.size(sha256) === null) return 'missing';
    try {
      await archive.read(sha256);
      return 'found';
    } catch (error) {
      if (error instanceof ArchiveDamage) return 'different';
      throw error;
    }
  };
}

/** A folder of saved pages with any names, and its subfolders; null if it cannot be read. */
async function folderPages(folder: string): Promise<StateOf | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  if (entries === null) return null;
  const files = entries.filter((entry) => entry.isFile());
  const hashes = new Set<string | null>();
  for (const { parentPath, name } of files) hashes.add(await sha256OfFile(join(parentPath, name)).catch(() => null));
  return async (sha256) => {
    if (hashes.has(sha256)) return 'found';
    return files.some(({ name }) => name === sha256) ? 'different' : 'missing';
  };
}

/** Look up the pages that the answer names. @returns whether all were found, or no archive or folder was given */
async function verifyPages(text: string, { FOLDER, DATA_DIR }: VerifySettings): Promise<boolean> {
  const pages = namedPages(text);
  if (pages.length === 0) {
    print('pages      none: the answer names no page');
    return true;
  }
  const stateOf = await (FOLDER === undefined ? archivedPages(DATA_DIR) : folderPages(FOLDER));
  if (stateOf === null) {
    if (FOLDER !== undefined) throw new SettingError(`FOLDER is ${JSON.stringify(FOLDER)}, expected a folder of pages`);
    print(`pages      ${pages.length} named, not looked up: ${DATA_DIR} has no archive. Set FOLDER to saved pages`);
    return true;
  }
  const checked = await Promise.all(pages.map(async (page) => ({ ...page, state: await stateOf(page.sha256) })));
  const found = checked.filter(({ state }) => state === 'found');
  print(`pages      ${found.length} of ${pages.length} found, byte for byte`);
  for (const { state, sha256, place, url } of checked) print(`  ${state.padEnd(9)} ${sha256}  ${place}  ${url ?? ''}`);
  return found.length === pages.length;
}

const PROVEN =
  'This proves that the holder of the key states that it sold exactly these bytes for this request and payment. ' +
  'It does not prove that the data are true: compare them with the pages that were found. Check that the key is the ' +
  "seller's: get the keys over https and compare them with a copy that you saved earlier. Look the transaction up on " +
  'the chain to check that the money moved.';

async function verify(): Promise<number> {
  const settings = readSettings(verifySettings);
  const content = await read('FILE', settings.FILE);
  const receipt = (await read('RECEIPT', settings.RECEIPT)).toString('utf8').trim();
  try {
    const verified = await verifyReceipt(receipt, parseKeys(await keysText(settings)), Date.now());
    printReceipt(verified);
    verifyContent(verified.payload, content);
    print(`content    ${content.length} bytes, SHA-256 ${verified.payload.content.sha256}: identical`);
  } catch (error) {
    if (!(error instanceof NotProven)) throw error;
    print(`NOT PROVEN: ${error.message}.`);
    return 1;
  }
  const hasPages = await verifyPages(content.toString('utf8'), settings);
  print('');
  print(PROVEN);
  return hasPages ? 0 : 1;
}

await runCommand(verify);
