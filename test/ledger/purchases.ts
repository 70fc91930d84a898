/** Payments, purchases and answers for tests of the ledger. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type {
  Answer,
  Begun,
  LeadLimits,
  Ledger,
  NewPurchase,
  PayerLimits,
  Payment,
  Purchase,
} from '../../ledger/ledger.ts';
import type { Paid } from '../../ledger/transfers.ts';

const hex = (n: number, digits: number): string => `0x${n.toString(16).padStart(digits, '0')}`;

/** The n-th payment, of payer number `payer`. */
export const payment = (n: number, payer = 1): Payment => ({
  network: 'eip155:8453',
  asset: hex(0xa55e7, 40),
  payer: hex(payer, 40),
  nonce: hex(n, 64),
  payTo: hex(0xcafe, 40),
  amount: 1_000_000n,
  validBefore: 2_000_000_000n,
});

export const LEASE_MS = 1000;

/** The chain that payments belong to, unless said otherwise. */
export const CHAIN = `0x${'c'.repeat(64)}`;

/** Limits that no test reaches by accident. */
export const GENEROUS: PayerLimits = { balance: 1n << 300n, mostOpen: 1_000_000, mostUnpaid: 1_000_000 };
export const GENEROUS_LEADS: LeadLimits = { perPayer: 1_000_000, byNewPayers: 1_000_000 };

/** Where the chain shows payment number `n`. */
export const paid = (n: number, block = BigInt(n)): Paid => ({ transaction: hex(n, 64), block });

/** A call that is paid with the n-th payment at time 0, unless said otherwise. */
export const wanted = (n: number, more: Partial<NewPurchase> = {}): NewPurchase => ({
  payment: payment(n),
  route: 'GET /api/leads/exclusive',
  request: `/api/leads/exclusive?n=${n}`,
  snapshotId: 'run-1',
  identifierHash: null,
  nowMs: 0,
  leaseMs: LEASE_MS,
  chain: CHAIN,
  limits: GENEROUS,
  ...more,
});

export const sha256 = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** An answer with this body, which comes in pieces of `pieceBytes`. */
export function answer(body: string | Uint8Array, pieceBytes = 100_000): Answer {
  const bytes = Buffer.from(body as string);
  return {
    headers: { 'Content-Type': 'application/json', 'X-Snapshot-Id': 'run-1' },
    sha256: sha256(bytes),
    bytes: bytes.length,
    async *body() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

export async function bodyOf(stored: Answer | null): Promise<Buffer | null> {
  if (stored === null) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of stored.body()) pieces.push(piece);
  const body = Buffer.concat(pieces);
  if (stored.buffer) {
    assert.ok(body.equals(stored.buffer), 'the same bytes, however they are read');
    assert.equal(stored.buffer.buffer.byteLength, stored.buffer.byteLength, 'kept without what lay beside them');
  }
  return body;
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The purchase of a call of `begin` that was not refused: the new one, or the one that was there. */
export function purchaseOf(begun: Begun): Purchase {
  if (begun.kind === 'refused') throw new Error(`refused: ${begun.reason}`);
  return begun.purchase;
}

/** Claim the first of these leads that nobody has. @returns the lead, or null where there is none */
export async function claim(
  ledger: Ledger,
  purchaseId: string,
  leads: readonly string[],
  nowMs: number,
): Promise<string | null> {
  const claimed = await ledger.claim(purchaseId, leads, GENEROUS_LEADS, nowMs);
  if (claimed.kind === 'limited') throw new Error(`limited by ${claimed.by}`);
  return claimed.kind === 'claimed' ? claimed.leadId : null;
}

/** Begin a purchase that must be given. */
export async function reserve(ledger: Ledger, purchase: NewPurchase): Promise<Purchase> {
  const begun = await ledger.begin(purchase);
  if (begun.kind !== 'reserved') throw new Error(`payment ${purchase.payment.nonce} is ${begun.kind}`);
  return begun.purchase;
}

/** A purchase brought to a state: reserved, settling, sold, or released because it was never sent. It may have claimed a lead. */
export async function purchaseIn(
  ledger: Ledger,
  state: Purchase['state'],
  n: number,
  more: Partial<NewPurchase> & { lead?: string; body?: string } = {},
): Promise<Purchase> {
  const { lead, body = `answer ${n}`, ...rest } = more;
  const purchase = await reserve(ledger, wanted(n, rest));
  if (lead !== undefined && (await claim(ledger, purchase.id, [lead], purchase.reservedAtMs)) !== lead)
    throw new Error(`${lead} is taken`);
  if (state === 'reserved') return purchase;
  if (!(await ledger.settling(purchase.id, answer(body), purchase.reservedAtMs + 10)))
    throw new Error('not reserved any more');
  if (state === 'sold') await ledger.sold(purchase.id, paid(n), purchase.reservedAtMs + 20);
  if (state === 'released') await ledger.release(purchase.id, 'not_sent', purchase.reservedAtMs + 20);
  const found = await ledger.find({ id: purchase.id });
  if (!found) throw new Error('the purchase is gone');
  return found;
}
