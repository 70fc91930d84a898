/** The keys that sign receipts: the key in use now, and the published history. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { keyIdOf, PrivateKey, publicPart, type PublicKey } from '../../../lib/receipt.ts';
import { instantOf } from '../../../lib/time.ts';

/**
 * How long a replaced key may still sign: the clocks of two servers may differ by this much. It equals the ledger's
 * limit for a clock that is ahead.
 */
const OVERLAP_MS = 600_000;

export interface SigningKey {
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

/** Why the keys of a file cannot be used; null if they can. It contains no key. */
function problemOf({ keys }: KeyFile): string | null {
  if (new Set(keys.map((key) => key.kid)).size !== keys.length) return 'two keys have the same kid';
  if (keys.some((key, i) => i > 0 && key.from < (keys[i - 1]?.from ?? '')))
    return 'the keys are not in order of "from"';
  if (keys.some((key) => key.d !== undefined && !isPair(key))) return 'a private part "d" does not belong to its "x"';
  const last = keys.at(-1);
  if (!last || !canSign(last) || last.until !== null)
    return 'the last key must have its private part "d", and neither "until" nor "revoked"';
  return keys.slice(0, -1).some((key) => key.until === null && key.revoked === null)
    ? 'a key before the last one has neither "until" nor "revoked"'
    : null;
}

/** Parse the text of a key file. @throws Error that says what is wrong, without any part of a key */
export function parseKeyFile(text: string): KeyFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  const parsed = KeyFile.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === 'unrecognized_keys' ? 'only known members' : issue?.message;
    throw new Error(`${issue?.path.join('.') || 'it'} should be ${unknown ?? 'another value'}`);
  }
  const problem = problemOf(parsed.data);
  if (problem !== null) throw new Error(problem);
  return parsed.data;
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
