/** The invariants that chain and ledger must satisfy at the end of a schedule, after the last audit. */
import { differencesOf, type Difference } from '../../../ledger/differences.ts';
import type { BookedTransfer, Ledger, OfferedLead, Purchase } from '../../../ledger/ledger.ts';
import { all, bodyOf } from '../purchases.ts';
import { STRANGER, walletOf, type Scene } from './clients.ts';
import type { Lost } from './restore.ts';
import type { Limits } from './session.ts';

/** Share of purchases that are collected by wallet at the end. Of the others, only the stored answer is read. */
const COLLECTED_BY_WALLET = 0.05;

export interface End {
  readonly scene: Scene;
  readonly ledger: Ledger;
  readonly leads: readonly OfferedLead[];
  readonly limits: Limits;
  /** Purchases that were released, and sold when their money arrived. */
  readonly soldLate: ReadonlySet<string>;
  readonly lost: Lost;
  readonly finishAll: () => Promise<void>;
}

export interface EndResult {
  /** Violated invariants, each as a sentence. */
  readonly violations: readonly string[];
  /** Sold purchases whose payment a reorganization removed for good after it was seen. */
  readonly undone: number;
  readonly owed: number;
}

/** What the ledger has at the end. */
interface Books {
  readonly purchases: readonly Purchase[];
  readonly sold: readonly Purchase[];
  readonly transfers: readonly BookedTransfer[];
  readonly differences: readonly Difference[];
}

const short = (id: string): string => id.slice(-2);

/** A property is sold at most once, and a lead is sent to at most one client. */
async function leadViolations(
  { scene: { server }, ledger, leads: offered, lost }: End,
  sold: readonly Purchase[],
): Promise<string[]> {
  const violations: string[] = [];
  const clientsByLead = new Map<string, Set<string>>();
  const lostLeads = new Set<string>();
  for (const { to, body, purchase } of server.sent) {
    const lead = /^lead (\S+)/.exec(body)?.[1];
    if (lead === undefined) continue;
    clientsByLead.set(lead, (clientsByLead.get(lead) ?? new Set()).add(to));
    if (lost.purchases.has(purchase.id)) lostLeads.add(lead);
  }
  for (const [lead, clients] of clientsByLead) {
    const purchases = sold.filter((p) => p.leadId === lead).length;
    if (clients.size > 1) violations.push(`${lead} was sent to ${[...clients].join(' and ')}`);
    if (purchases !== 1 && !(purchases === 0 && lostLeads.has(lead)))
      violations.push(`${lead} was sent and has ${purchases} purchases`);
  }
  const leads = sold.flatMap((p) => (p.leadId === null ? [] : [p.leadId]));
  if (new Set(leads).size !== leads.length) violations.push(`a lead is sold twice: ${leads.join(', ')}`);
  const [soldLeads, soldProperties] = [await ledger.soldLeads(), await ledger.soldProperties()];
  const leadByKey = new Map<string, string>();
  for (const lead of leads) {
    if (!soldLeads.includes(lead)) violations.push(`${lead} is sold and may be offered again`);
    for (const key of offered.find(({ leadId }) => leadId === lead)?.properties ?? []) {
      const other = leadByKey.get(key);
      if (other !== undefined) violations.push(`${key} is sold twice: as ${other} and as ${lead}`);
      if (!soldProperties.includes(key)) violations.push(`${key} is sold with ${lead} and may be offered again`);
      leadByKey.set(key, lead);
    }
  }
  for (const key of soldProperties) {
    if (!leadByKey.has(key)) violations.push(`${key} is withheld, and no lead of it is sold`);
  }
  return violations;
}

/** No answer is sent unpaid or to a stranger, and one payment has one answer. */
function answerViolations({ scene: { server } }: End): string[] {
  const violations: string[] = [];
  const bodies = new Map<string, string>();
  for (const { to, purchase, body, wasPaid, wasWritten } of server.sent) {
    if (!wasPaid) violations.push(`${short(purchase.id)} was answered before it was paid`);
    if (!wasWritten) violations.push(`${short(purchase.id)} was answered before the ledger had it as sold`);
    if (to === STRANGER) violations.push(`the stranger got the answer of ${short(purchase.id)}`);
    else if (walletOf(to) !== purchase.payment.payer) {
      violations.push(`${to} got the answer of ${short(purchase.id)}, which another buyer paid`);
    }
    for (const key of [purchase.id, purchase.payment.nonce]) {
      if ((bodies.get(key) ?? body) !== body) violations.push(`${short(key)} has two different answers`);
      bodies.set(key, body);
    }
  }
  return violations;
}

const keyOf = (t: Pick<BookedTransfer, 'transaction' | 'logIndex' | 'block' | 'payer' | 'nonce' | 'amount'>): string =>
  [t.block, t.logIndex, t.transaction, t.payer, t.nonce, t.amount].join('|');

/** The violations of one booked transfer. */
function transferViolations(
  { scene: { chain, server }, soldLate, lost }: End,
  { purchases, transfers }: Books,
  transfer: BookedTransfer,
): string[] {
  const violations: string[] = [];
  const named = `${transfer.kind} transfer ${short(transfer.transaction)}`;
  const signed = purchases.filter(
    ({ payment: { payer, nonce } }) => payer === transfer.payer && nonce === transfer.nonce,
  );
  const own = signed.filter(({ payment }) => payment.amount === transfer.amount);
  if (transfer.kind === 'matched') {
    const purchase = own.find((p) => p.id === transfer.purchaseId);
    if (purchase?.state !== 'sold') {
      violations.push(`${named} pays no sold purchase of its own`);
    } else if (purchase.transaction !== transfer.transaction || purchase.block !== transfer.block) {
      violations.push(`${named} and purchase ${short(purchase.id)} name different blocks or transactions`);
    }
    if (transfers.filter((t) => t.purchaseId === transfer.purchaseId).length !== 1) {
      violations.push(`purchase ${short(transfer.purchaseId ?? '')} is paid twice`);
    }
  } else if ((transfer.kind === 'dust') !== (transfer.nonce === null || transfer.amount === 0n)) {
    violations.push(`${named} has nonce ${transfer.nonce} and amount ${transfer.amount}`);
  } else if (own.some((p) => p.state === 'sold' || p.state === 'settling')) {
    violations.push(`${named} pays a purchase and is not matched with it`);
  }
  const wasRequested = chain.transactions.some(
    (t) =>
      t.sender === 'facilitator' && t.calls.some((c) => c.kind === 'pay' && c.authorization.nonce === transfer.nonce),
  );
  if (transfer.nonce !== null && signed.length === 0 && wasRequested && lost.purchases.size === 0) {
    violations.push(`the server requested ${named}, which belongs to no purchase`);
  }
  const paid = own.find((p) => p.id === transfer.purchaseId || transfer.kind === 'owed');
  const isLate = transfer.kind === 'owed' || soldLate.has(paid?.id ?? '');
  if (isLate && paid && server.asked.has(paid.id) && !lost.answers.has(paid.id)) {
    violations.push(`${named} pays ${short(paid.id)}, which was sent for settlement and released before`);
  }
  return violations;
}

/** Every transfer to us is booked once, with the right kind. */
function bookingViolations(end: End, books: Books): string[] {
  const incoming = end.scene.chain.incoming();
  const onChain = new Set(
    incoming.map((t) =>
      keyOf({
        transaction: t.transaction.hash,
        logIndex: t.logIndex,
        block: BigInt(t.block),
        payer: t.from,
        nonce: t.nonce,
        amount: t.amount,
      }),
    ),
  );
  const violations: string[] = [];
  for (const key of onChain) {
    if (books.transfers.filter((t) => keyOf(t) === key).length !== 1) violations.push(`transfer ${key} is not booked`);
  }
  for (const transfer of books.transfers) {
    if (!onChain.has(keyOf(transfer))) {
      violations.push(`${transfer.kind} transfer ${short(transfer.transaction)} is not on the chain`);
    }
    violations.push(...transferViolations(end, books, transfer));
  }
  return violations;
}

/** Every buyer whose payment is on the chain can collect the answer, and it equals the one that was sent before. */
async function collectionViolations(
  { scene: { server, world, processes }, ledger, limits, lost, finishAll }: End,
  sold: readonly Purchase[],
): Promise<string[]> {
  const [process] = processes;
  const violations: string[] = [];
  for (const purchase of sold) {
    const { payer } = purchase.payment;
    const stored = await bodyOf(await ledger.answerOf(purchase.id));
    if (
      stored === null &&
      (lost.answers.has(purchase.id) || (purchase.endedAtMs ?? 0) < world.nowMs - limits.collectMs)
    )
      continue;
    const body = String(stored);
    const sent = server.sent.find((s) => s.purchase.id === purchase.id)?.body ?? body;
    if (sent !== body) violations.push(`${short(purchase.id)} was answered with other bytes than are stored`);
    // The proof of the wallet is slow, so only some buyers collect here.
    if (!process || (world.random() >= COLLECTED_BY_WALLET && stored !== null)) continue;
    const before = server.sent.length;
    const collected = server.collect(process, 'collector', purchase.id, { wallet: payer, claims: payer });
    await finishAll();
    const reply = await collected;
    server.sent.length = before;
    if (reply.kind !== 'answer' || reply.body !== body) {
      const shown = reply.kind === 'refused' ? reply.why : reply.kind;
      violations.push(`${short(purchase.id)} was paid and its buyer collects ${shown}`);
    }
  }
  return violations;
}

/** A sold purchase is paid on the chain, or the audit lists it as unpaid. */
function paymentViolations(
  { scene: { chain } }: End,
  { sold, transfers, differences }: Books,
): { readonly violations: readonly string[]; readonly undone: number } {
  const violations: string[] = [];
  const unpaid = new Set(differences.flatMap((d) => (d.kind === 'unpaid' ? [d.purchase.id] : [])));
  let undone = 0;
  for (const p of sold) {
    const isPaid = chain.isPaid(p.payment);
    // The documented exception: a reorganization removed the payment after it was seen, and no one sends it again.
    if (!isPaid && chain.wasEverPaid(p.payment)) undone += 1;
    else if (!isPaid) violations.push(`${short(p.id)} is sold and was never paid`);
    if (isPaid === unpaid.has(p.id)) {
      violations.push(`the chain has ${isPaid ? 'a' : 'no'} payment of ${short(p.id)}, and the audit contradicts it`);
    }
  }
  for (const difference of differences) {
    if (difference.kind !== 'owed') continue;
    const { transfer } = difference;
    if (!transfers.some((t) => t.kind === 'owed' && keyOf(t) === keyOf(transfer))) {
      violations.push(`the owed transfer ${short(transfer.transaction)} is booked with another kind`);
    }
  }
  return { violations, undone };
}

/** The balance on the chain equals the ledger's revenue, and no purchase stays open. */
function balanceViolations(
  { scene: { chain, world } }: End,
  { purchases, sold, transfers, differences }: Books,
): string[] {
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
  const unpaid = new Set(differences.flatMap((d) => (d.kind === 'unpaid' ? [d.purchase.id] : [])));
  const received = sum(chain.incoming().map((t) => t.amount));
  const unsold = sum(transfers.filter((t) => t.kind !== 'matched').map((t) => t.amount));
  const revenue = sum(sold.filter((p) => !unpaid.has(p.id)).map((p) => p.payment.amount));
  const violations: string[] = [];
  if (received - unsold !== revenue) {
    violations.push(`the chain has ${received}, of which ${unsold} is for no sale, and the ledger has ${revenue}`);
  }
  for (const p of purchases) {
    if (p.state === 'settling') violations.push(`${short(p.id)} is still settling`);
    if (p.state === 'reserved' && p.leaseUntilMs <= world.nowMs) violations.push(`${short(p.id)} is still reserved`);
  }
  return violations;
}

export async function checkEnd(end: End): Promise<EndResult> {
  const { ledger } = end;
  const purchases = await all(ledger.purchases());
  const sold = purchases.filter((p) => p.state === 'sold');
  const transfers = await all(ledger.transfers(end.scene.chain.account));
  const collection = await collectionViolations(end, sold);
  const books: Books = {
    purchases,
    sold,
    transfers,
    differences: await differencesOf(ledger, end.scene.chain.account),
  };
  const { violations, undone } = paymentViolations(end, books);
  const count = (kind: BookedTransfer['kind']): number => transfers.filter((t) => t.kind === kind).length;
  return {
    violations: [
      ...(await leadViolations(end, sold)),
      ...answerViolations(end),
      ...bookingViolations(end, books),
      ...collection,
      ...violations,
      ...balanceViolations(end, books),
    ],
    undone,
    owed: count('owed'),
  };
}
