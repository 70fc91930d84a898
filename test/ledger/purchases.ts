/** Payments, purchases and answers for tests of the ledger. */
import { createHash } from 'node:crypto';
import { TABLES } from '../../ledger/copy.ts';
import type {
  Answer,
  Begun,
  LeadLimits,
  Ledger,
  NewPurchase,
  OfferedLead,
  Paid,
  PayerLimits,
  Payment,
  Purchase,
  PurchaseState,
} from '../../ledger/ledger.ts';

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

export const STATES: readonly PurchaseState[] = ['reserved', 'settling', 'sold', 'released'];

/** The tables that servers fill, in an order in which they can be emptied. */
export const SALES_TABLES = Object.keys(TABLES)
  .filter((table) => table !== 'ledger_identity' && table !== 'heartbeat')
  .reverse();

export const RESERVE_MS = 1000;

/** The default chain of payments. */
export const CHAIN = `0x${'c'.repeat(64)}`;

/** Limits too high for a test to reach by accident. */
export const GENEROUS: PayerLimits = { balance: 1n << 300n, maxOpen: 1_000_000 };
export const GENEROUS_LEADS: LeadLimits = { perPayer: 1_000_000, byNewPayers: 1_000_000 };

/** The place of payment number `n` on the chain. */
export const paid = (n: number, block = BigInt(n)): Paid => ({ transaction: hex(n, 64), block });

/** A call that is paid with the n-th payment, by default at time 0. */
export const wanted = (n: number, more: Partial<NewPurchase> = {}): NewPurchase => ({
  payment: payment(n),
  route: 'GET /api/leads/exclusive',
  request: `/api/leads/exclusive?n=${n}`,
  snapshotId: 'run-1',
  identifierHash: null,
  nowMs: 0,
  reserveMs: RESERVE_MS,
  chain: CHAIN,
  limits: GENEROUS,
  ...more,
});

export const sha256 = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** An answer with this body. */
export const answer = (body: string | Uint8Array): Answer => ({
  headers: { 'Content-Type': 'application/json', 'X-Snapshot-Id': 'run-1' },
  sha256: sha256(body),
  body: Buffer.from(body as string),
});

export const bodyOf = (stored: Answer | null): Buffer | null => stored && Buffer.from(stored.body);

export const all = <T>(items: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(items);

/** The purchase that `begin` returned: the new one, or an earlier one. */
export function purchaseOf(begun: Begun): Purchase {
  if (begun.kind === 'refused') throw new Error(`refused: ${begun.reason}`);
  return begun.purchase;
}

/** A lead as it is offered, with the keys of its property. */
export const leadOf = (leadId: string, ...properties: readonly string[]): OfferedLead => ({ leadId, properties });

/** Hold the first free lead. A lead without keys is given by its id. @returns the lead, or null if none is free */
export async function hold(
  ledger: Ledger,
  purchaseId: string,
  leads: readonly (string | OfferedLead)[],
  nowMs: number,
): Promise<string | null> {
  const offered = leads.map((one) => (typeof one === 'string' ? leadOf(one) : one));
  const result = await ledger.hold(purchaseId, offered, GENEROUS_LEADS, nowMs);
  if (result.kind === 'limited') throw new Error(`limited by ${result.by}`);
  return result.kind === 'held' ? result.leadId : null;
}

/** Begin a purchase that must be reserved. */
export async function reserve(ledger: Ledger, purchase: NewPurchase): Promise<Purchase> {
  const begun = await ledger.begin(purchase);
  if (begun.kind !== 'reserved') throw new Error(`payment ${purchase.payment.nonce} is ${begun.kind}`);
  return begun.purchase;
}

/** A purchase in this state, optionally with a lead. A released one was never sent for settlement. */
export async function purchaseIn(
  ledger: Ledger,
  state: Purchase['state'],
  n: number,
  more: Partial<NewPurchase> & { lead?: string; properties?: readonly string[]; body?: string } = {},
): Promise<Purchase> {
  const { lead: leadId, properties = [], body = `answer ${n}`, ...rest } = more;
  const purchase = await reserve(ledger, wanted(n, rest));
  const offered = leadId === undefined ? [] : [leadOf(leadId, ...properties)];
  if (leadId !== undefined && (await hold(ledger, purchase.id, offered, purchase.reservedAtMs)) !== leadId)
    throw new Error(`${leadId} is not free`);
  if (state === 'reserved') return purchase;
  if (!(await ledger.startSettling(purchase.id, answer(body), purchase.reservedAtMs + 10)))
    throw new Error('the purchase is no longer reserved');
  if (state === 'sold') await ledger.markSold(purchase.id, paid(n), purchase.reservedAtMs + 20);
  if (state === 'released') await ledger.release(purchase.id, 'not_sent', purchase.reservedAtMs + 20);
  const found = await ledger.find({ id: purchase.id });
  if (!found) throw new Error('the purchase is gone');
  return found;
}
