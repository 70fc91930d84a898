/** The keys that sign receipts: the key in use now, the published history, and the file that has them. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { keyIdOf, PrivateKey, publicPart, type PublicKey } from '../../../lib/receipt.ts';
import { instantOf } from '../../../lib/time.ts';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, sync } from '../../../lib/files.ts';
import { readKeyFile } from '../../../lib/key_file.ts';
import { SettingError, zeroOrOne } from '../../../lib/settings.ts';

/**
 * How long a replaced key may still sign: the clocks of two servers may differ by this much. It equals the ledger's
 * limit for a clock that is ahead.
 */
const OVERLAP_MS = 600_000;

interface SigningKey {
  readonly kid: string;
  /** Ed25519 signature of these bytes. */
  sign(bytes: Uint8Array): Buffer;
}

export interface ReceiptKeys {
  /** Every key that ever signed, oldest first. */
  readonly published: readonly PublicKey[];
  /** The key that signs at this time. */
  at(nowMs: number): SigningKey;
}

const KeyFile = z.strictObject({ keys: z.array(PrivateKey).min(1, 'one key or more') });
export type KeyFile = z.infer<typeof KeyFile>;

const objectOf = ({ kty, crv, x, d }: PrivateKey): KeyObject =>
  createPrivateKey({ key: { kty, crv, x, d: d ?? '' }, format: 'jwk' });

/** Whether the private part belongs to the public one. */
function isPair(key: PrivateKey): boolean {
  try {
    return createPublicKey(objectOf(key)).export({ format: 'jwk' }).x === key.x;
  } catch {
    return false;
  }
}

const canSign = (key: PrivateKey): boolean => key.d !== undefined && key.revoked === null;

/** Why the keys of a file cannot be used; undefined if they can. It contains no key. */
function problemOf({ keys }: KeyFile): string | undefined {
  const last = keys.at(-1);
  const isInUse = ({ until, revoked }: PrivateKey): boolean => until === null && revoked === null;
  const problems: readonly (readonly [isProblem: boolean, problem: string])[] = [
    [new Set(keys.map((key) => key.kid)).size !== keys.length, 'two keys have the same kid'],
    [keys.some((key, i) => i > 0 && key.from < (keys[i - 1]?.from ?? '')), 'the keys are not in order of "from"'],
    [keys.some((key) => key.d !== undefined && !isPair(key)), 'a private part "d" does not belong to its "x"'],
    [
      !last || !canSign(last) || last.until !== null,
      'the last key must have its private part "d", and neither "until" nor "revoked"',
    ],
    [keys.slice(0, -1).some(isInUse), 'a key before the last one has neither "until" nor "revoked"'],
  ];
  return problems.find(([isProblem]) => isProblem)?.[1];
}

/** Parse the text of a key file. @throws Error that says what is wrong, without any part of a key */
export function parseKeyFile(text: string): KeyFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  const { data, error } = KeyFile.safeParse(json);
  const [issue] = error?.issues ?? [];
  const shape = issue?.code === 'unrecognized_keys' ? 'only known members' : issue?.message;
  const problem = data ? problemOf(data) : `${issue?.path.join('.') || 'it'} should be ${shape}`;
  if (!data || problem !== undefined) throw new Error(problem);
  return data;
}

/** The keys of a file, ready to sign. */
export function receiptKeysOf({ keys }: KeyFile): ReceiptKeys {
  const signers = keys.filter(canSign).map((key) => {
    const object = objectOf(key);
    return {
      fromMs: Date.parse(key.from),
      kid: key.kid,
      sign: (bytes: Uint8Array): Buffer => sign(null, bytes, object),
    };
  });
  const [first] = signers;
  if (!first) throw new Error('no key can sign');
  return {
    published: keys.map(publicPart),
    // A sold answer is never refused for its receipt: before the first key's time, the first key signs.
    at: (nowMs) => signers.findLast(({ fromMs }) => fromMs <= nowMs) ?? first,
  };
}

/** A new key that signs from this time on. */
export function newKey(fromMs: number): PrivateKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    d,
    kid: keyIdOf(x),
    from: instantOf(fromMs),
    until: null,
    revoked: null,
  };
}

/** The keys without the private parts that sign nothing any more. */
export const withoutEndedParts = ({ keys }: KeyFile, nowMs: number): KeyFile => ({
  keys: keys.map((key) =>
    key.revoked !== null || (key.until !== null && Date.parse(key.until) <= nowMs) ? publicPart(key) : key,
  ),
});

/** Add a key that replaces the current one from `fromMs` on. */
export function rotateKeys(file: KeyFile, fromMs: number, nowMs: number): KeyFile {
  const until = instantOf(fromMs + OVERLAP_MS);
  const keys = withoutEndedParts(file, nowMs).keys.map((key) =>
    key.until === null && key.revoked === null ? { ...key, until } : key,
  );
  return { keys: [...keys, newKey(fromMs)] };
}

/** Withdraw a key that others may have. The next key replaces it at once, a new one if there is none. */
export function revokeKey(file: KeyFile, kid: string, nowMs: number): KeyFile {
  const now = instantOf(nowMs);
  const keys = withoutEndedParts(file, nowMs)
    .keys.map((key) =>
      key.kid === kid ? { ...publicPart(key), until: key.until ?? now, revoked: key.revoked ?? now } : key,
    )
    .map((key) => (key.from > now && (key.until === null || key.revoked !== null) ? { ...key, from: now } : key));
  return { keys: keys.some((key) => canSign(key) && key.until === null) ? keys : [...keys, newKey(nowMs)] };
}

/** Arguments of `make receipt-key`. */
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
    await writeFile(temporary, `${JSON.stringify(file, null, 2)}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await (replaces ? rename(temporary, path) : link(temporary, path));
    await sync(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * The keys of a server. In the sandbox, without RECEIPT_KEY_FILE, the first server of a data folder creates the file.
 * @throws SettingError if the file cannot be used
 */
export async function openReceiptKeys({
  DATA_DIR,
  RECEIPT_KEY_FILE,
}: {
  readonly DATA_DIR: string;
  readonly RECEIPT_KEY_FILE?: string | undefined;
}): Promise<ReceiptKeys> {
  const path = RECEIPT_KEY_FILE ?? sandboxKeyFile(DATA_DIR);
  if (RECEIPT_KEY_FILE === undefined) await writeReceiptKeys(path, { keys: [newKey(Date.now())] }, false);
  return receiptKeysOf(readReceiptKeys(path));
}
