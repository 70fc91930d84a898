/** The invariants that chain and ledger must satisfy at the end of a schedule, after the last audit. */
import { differencesOf } from '../../../ledger/differences.ts';
import type { BookedTransfer, Ledger, OfferedLead, Purchase } from '../../../ledger/ledger.ts';
import { all, bodyOf } from '../purchases.ts';
import { STRANGER, walletOf, type Scene } from './clients.ts';
import type { Lost } from './restore.ts';
import type { Limits } from './server.ts';

/** Share of purchases that are collected by wallet at the end. Of the others, only the stored answer is read. */
const COLLECTED_BY_WALLET = 0.05;

interface End {
  readonly scene: Scene;
  readonly ledger: Ledger;
  readonly leads: readonly OfferedLead[];
  readonly limits: Limits;
  /** Purchases that were released, and sold when their money arrived. */
  readonly soldLate: ReadonlySet<string>;
  readonly lost: Lost;
  readonly finishAll: () => Promise<void>;
  /** Notes a violation unless this holds. */
  readonly must: (holds: boolean, violation: string) => void;
}

/** What the ledger has at the end. */
interface Books {
  readonly purchases: readonly Purchase[];
  readonly sold: readonly Purchase[];
  readonly transfers: readonly BookedTransfer[];
  /** Sold purchases that the audit lists as unpaid. */
  readonly unpaid: ReadonlySet<string>;
}

const short = (id: string): string => id.slice(-2);

/** A property is sold at most once, and a lead is sent to at most one client. */
async function checkLeads(
  { scene: { server }, ledger, leads, lost, must }: End,
  sold: readonly Purchase[],
): Promise<void> {
  const sent = server.sent.flatMap(({ to, body, purchase }) => {
    const lead = /^lead (\S+)/.exec(body)?.[1];
    return lead === undefined ? [] : [{ lead, to, isLost: lost.purchases.has(purchase.id) }];
  });
  for (const [lead, answers] of Map.groupBy(sent, (each) => each.lead)) {
    const count = sold.filter((p) => p.leadId === lead).length;
    must(new Set(answers.map(({ to }) => to)).size === 1, `${lead} was sent to several clients`);
    const isLost = count === 0 && answers.some((each) => each.isLost);
    must(count === 1 || isLost, `${lead} was sent and has ${count} purchases`);
  }
  const soldLeads = await ledger.soldLeads();
  const keysOf = ({ leadId }: Purchase): readonly string[] =>
    leads.find((lead) => lead.leadId === leadId)?.properties ?? [];
  const withLead = sold.filter((p) => p.leadId !== null);
  for (const { leadId } of withLead)
    must(soldLeads.includes(leadId ?? ''), `${leadId} is sold and may be offered again`);
  must(new Set(withLead.map((p) => p.leadId)).size === withLead.length, 'a lead is sold twice');
  const keys = withLead.flatMap(keysOf);
  must(new Set(keys).size === keys.length, `a property is sold twice: ${keys.join(', ')}`);
  const withheld = [...(await ledger.soldProperties())].sort().join(', ');
  must(
    withheld === [...new Set(keys)].sort().join(', '),
    `of the sold properties ${keys.join(', ')}, ${withheld} are withheld`,
  );
}

/** No answer is sent unpaid or to a stranger, and one payment has one answer. */
function checkAnswers({ scene: { server }, must }: End): void {
  const bodies = new Map<string, string>();
  for (const { to, purchase, body, wasPaid, wasWritten } of server.sent) {
    const id = short(purchase.id);
    must(wasPaid, `${id} was answered before it was paid`);
    must(wasWritten, `${id} was answered before the ledger had it as sold`);
    must(
      to !== STRANGER && walletOf(to) === purchase.payment.payer,
      `${to} got the answer of ${id}, which it did not pay`,
    );
    for (const key of [purchase.id, purchase.payment.nonce])
      must(bodies.getOrInsert(key, body) === body, `${short(key)} has two different answers`);
  }
}

const keyOf = (t: Pick<BookedTransfer, 'transaction' | 'logIndex' | 'block' | 'payer' | 'nonce' | 'amount'>): string =>
  [t.block, t.logIndex, t.transaction, t.payer, t.nonce, t.amount].join('|');

/** A booked transfer has the right kind. */
function checkTransfer(
  { scene, soldLate, lost, must }: End,
  { purchases, transfers }: Books,
  transfer: BookedTransfer,
): void {
  const { kind, purchaseId, payer, nonce, amount } = transfer;
  const named = `${kind} transfer ${short(transfer.transaction)}`;
  const signed = purchases.filter(({ payment }) => payment.payer === payer && payment.nonce === nonce);
  const own = signed.filter(({ payment }) => payment.amount === amount);
  if (kind === 'matched') {
    const purchase = own.find((p) => p.id === purchaseId);
    must(purchase?.state === 'sold', `${named} pays no sold purchase of its own`);
    const isThere = purchase?.transaction === transfer.transaction && purchase.block === transfer.block;
    must(isThere, `${named} and its purchase name different blocks or transactions`);
    must(transfers.filter((t) => t.purchaseId === purchaseId).length === 1, `${named} pays what another one pays`);
  } else {
    must((kind === 'dust') === (nonce === null || amount === 0n), `${named} has nonce ${nonce} and amount ${amount}`);
    const isOpen = kind === 'owed' && own.some((p) => p.state === 'sold' || p.state === 'settling');
    must(!isOpen, `${named} pays a purchase and is not matched with it`);
  }
  const wasRequested = scene.chain.transactions.some(
    ({ sender, calls }) => sender === 'facilitator' && calls.some(([, terms]) => terms.nonce === nonce),
  );
  const isKnown = signed.length > 0 || !wasRequested || lost.purchases.size > 0;
  must(isKnown, `the server requested ${named}, which belongs to no purchase`);
  const paid = own.find((p) => p.id === purchaseId || kind === 'owed')?.id ?? '';
  const isLate = (kind === 'owed' || soldLate.has(paid)) && scene.server.asked.has(paid) && !lost.answers.has(paid);
  must(!isLate, `${named} pays ${short(paid)}, which was sent for settlement and released before`);
}

/** Every buyer whose payment is on the chain can collect the answer, and it equals the one that was sent before. */
async function checkCollection(end: End, sold: readonly Purchase[]): Promise<void> {
  const { scene, ledger, limits, lost, finishAll, must } = end;
  const { server, world, processes } = scene;
  for (const { id, payment, endedAtMs } of sold) {
    const stored = bodyOf(await ledger.answerOf(id));
    const isOver = lost.answers.has(id) || (endedAtMs ?? 0) < world.nowMs - limits.collectMs;
    if (stored === null && isOver) continue;
    const body = String(stored);
    const sent = server.sent.find((s) => s.purchase.id === id)?.body ?? body;
    must(sent === body, `${short(id)} was answered with other bytes than are stored`);
    const [process] = processes;
    // The proof of the wallet is slow, so only some buyers collect here.
    if (!process || (world.random() >= COLLECTED_BY_WALLET && stored !== null)) continue;
    const before = server.sent.length;
    const collected = server.collect(process, 'collector', id, { wallet: payment.payer, address: payment.payer });
    await finishAll();
    const reply = await collected;
    server.sent.length = before;
    must(reply.kind === 'answer' && reply.body === body, `${short(id)} was paid and its buyer collects ${reply.kind}`);
  }
}

/** A sold purchase is paid on the chain, or the audit lists it as unpaid. @returns how many lost their payment */
function checkPayments({ scene: { chain }, must }: End, { sold, unpaid }: Books): number {
  let undone = 0;
  for (const { id, payment } of sold) {
    const isPaid = chain.isPaid(payment);
    // The documented exception: a reorganization removed the payment after it was seen, and no one sends it again.
    if (!isPaid && chain.wasEverPaid(payment)) undone += 1;
    must(isPaid || chain.wasEverPaid(payment), `${short(id)} is sold and was never paid`);
    must(isPaid !== unpaid.has(id), `the chain has ${isPaid ? 'a' : 'no'} payment of ${short(id)}, unlike the audit`);
  }
  return undone;
}

/** The balance on the chain equals the ledger's revenue, and no purchase stays open. */
function checkBalance({ scene: { chain, world }, must }: End, { purchases, sold, transfers, unpaid }: Books): void {
  const sum = (parts: readonly { readonly amount: bigint }[]): bigint =>
    parts.reduce((total, { amount }) => total + amount, 0n);
  const unsold = sum(transfers.filter((t) => t.kind !== 'matched'));
  const revenue = sum(sold.filter((p) => !unpaid.has(p.id)).map((p) => p.payment));
  const received = sum(chain.incoming());
  must(
    received - unsold === revenue,
    `of ${received} on the chain, ${unsold} is for no sale; the ledger has ${revenue}`,
  );
  for (const { id, state, reservedUntilMs } of purchases) {
    must(state !== 'settling', `${short(id)} is still settling`);
    must(state !== 'reserved' || reservedUntilMs > world.nowMs, `${short(id)} is still reserved`);
  }
}

/** @returns sold purchases whose payment a reorganization removed for good after it was seen, and owed transfers */
export async function checkEnd(end: End): Promise<{ readonly undone: number; readonly owed: number }> {
  const { ledger, scene, must } = end;
  const { account } = scene.chain;
  const purchases = await all(ledger.purchases());
  const sold = purchases.filter((p) => p.state === 'sold');
  const transfers = await all(ledger.transfers(account));
  await checkCollection(end, sold);
  const differences = await differencesOf(ledger, account);
  const unpaid = new Set(differences.flatMap((d) => (d.kind === 'unpaid' ? [d.purchase.id] : [])));
  const books: Books = { purchases, sold, transfers, unpaid };
  await checkLeads(end, sold);
  checkAnswers(end);
  const onChain = scene.chain
    .incoming()
    .map((log) => keyOf({ ...log, transaction: log.transaction.hash, block: BigInt(log.block) }));
  must(
    onChain.sort().join(' ') === transfers.map(keyOf).sort().join(' '),
    'transfers on the chain are booked once each',
  );
  for (const transfer of transfers) checkTransfer(end, books, transfer);
  checkBalance(end, books);
  return { undone: checkPayments(end, books), owed: transfers.filter((t) => t.kind === 'owed').length };
}
