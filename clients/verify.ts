/** Verifies a signed receipt offline: its signature, the time of its key, and the answer that it is for. */
import { hash } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import { PublicKeys, RECEIPT_ALGORITHM, RECEIPT_TYPE, ReceiptPayload, type PublicKey } from '../lib/receipt.ts';

export interface VerifiedReceipt {
  readonly payload: ReceiptPayload;
  readonly key: PublicKey;
  /** Whether the key is newer than the sale: the server signed the receipt again after a rotation. */
  readonly isSignedAgain: boolean;
}

/** The receipt, the answer or the keys do not prove the sale. The message says why. */
export class NotProven extends Error {
  override readonly name = 'NotProven';
}

/** Parse a saved /.well-known/jwks.json. @throws NotProven */
export function parseKeys(text: string): readonly PublicKey[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new NotProven('the keys are not JSON, expected a saved /.well-known/jwks.json');
  }
  const parsed = PublicKeys.safeParse(json);
  if (parsed.success) return parsed.data.keys;
  const [issue] = parsed.error.issues;
  throw new NotProven(`the keys are not a /.well-known/jwks.json: ${issue?.path.join('.') || 'it'}: ${issue?.message}`);
}

/** The key that the header names, if the header is that of a receipt. Nothing in the header chooses the algorithm. */
function keyOf(jws: string, keys: readonly PublicKey[]): PublicKey {
  let header: ReturnType<typeof decodeProtectedHeader>;
  try {
    header = decodeProtectedHeader(jws);
  } catch {
    throw new NotProven('the receipt is not a compact JWS');
  }
  const { alg, typ, kid } = header;
  if (alg !== RECEIPT_ALGORITHM) throw new NotProven(`alg is ${JSON.stringify(alg)}, expected "${RECEIPT_ALGORITHM}"`);
  if (typ !== RECEIPT_TYPE) throw new NotProven(`typ is ${JSON.stringify(typ)}, expected "${RECEIPT_TYPE}"`);
  const key = keys.find((one) => one.kid === kid);
  if (!key) throw new NotProven(`the key ${JSON.stringify(kid)} is not among the saved keys`);
  return key;
}

/** Why this key does not count for a sale at this time; null if it does. */
function timeProblem({ kid, from, until, revoked }: PublicKey, soldAtMs: number, nowMs: number): string | null {
  if (revoked !== null) return `the key ${kid} was revoked at ${revoked}: others may have it. Collect the answer again`;
  if (Date.parse(from) > nowMs) return `the key ${kid} signs from ${from}, which is in the future`;
  if (until !== null && soldAtMs > Date.parse(until))
    return `the sale is of ${new Date(soldAtMs).toISOString()}, and the key ${kid} signed until ${until}`;
  return null;
}

/**
 * Verify a receipt with saved keys.
 * @throws NotProven
 */
export async function verifyReceipt(jws: string, keys: readonly PublicKey[], nowMs: number): Promise<VerifiedReceipt> {
  const key = keyOf(jws, keys);
  const { kty, crv, x } = key;
  let payload: Uint8Array;
  try {
    const imported = await importJWK({ kty, crv, x }, RECEIPT_ALGORITHM);
    ({ payload } = await compactVerify(jws, imported, { algorithms: [RECEIPT_ALGORITHM] }));
  } catch {
    throw new NotProven(`the signature is not by the key ${key.kid}`);
  }
  const parsed = ReceiptPayload.safeParse(JSON.parse(Buffer.from(payload).toString('utf8')));
  if (!parsed.success) throw new NotProven(`the receipt has no ${parsed.error.issues[0]?.path.join('.')}`);
  const { data } = parsed;
  const soldAtMs = Date.parse(data.sold_at);
  const problem = timeProblem(key, soldAtMs, nowMs);
  if (problem !== null) throw new NotProven(problem);
  return { payload: data, key, isSignedAgain: soldAtMs < Date.parse(key.from) };
}

/** Check that the receipt is for this content. @throws NotProven */
export function verifyContent({ content }: ReceiptPayload, bytes: Uint8Array): void {
  if (bytes.length !== content.bytes)
    throw new NotProven(`the file has ${bytes.length} bytes, the receipt is for ${content.bytes}`);
  const sha256 = hash('sha256', bytes, 'hex');
  if (sha256 !== content.sha256)
    throw new NotProven(`the SHA-256 of the file is ${sha256}, the receipt is for ${content.sha256}`);
}
