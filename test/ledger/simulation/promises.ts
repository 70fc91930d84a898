/** What is held against chain and ledger at the end of a schedule, when everything has calmed down and is audited. */
import { differencesOf } from '../../../ledger/differences.ts';
import type { Ledger, Purchase } from '../../../ledger/ledger.ts';
import type { BookedTransfer } from '../../../ledger/transfers.ts';
import { all, bodyOf } from '../purchases.ts';
import { STRANGER, walletOf, type Scene } from './people.ts';
import { ACCOUNT, type Limits } from './server.ts';

/** Share of paid purchases that are collected by their wallet at the end; of the others the stored answer is read. */
const WALLETS_ASKED = 0.05;

export interface End {
  readonly scene: Scene;
  readonly ledger: Ledger;
  readonly limits: Limits;
  readonly untilStill: () => Promise<void>;
}

export interface Found {
  readonly broken: readonly string[];
  /** Sold purchases whose payment was undone by a reorganization after it was seen, and never came back. */
  readonly undone: number;
  readonly madeGood: number;
  readonly owed: number;
}

const short = (id: string): string => id.slice(-2);

/** A lead is sold at most once, and known to one wallet at most. */
async function leadsOnce({ scene: { server }, ledger }: End, sold: readonly Purchase[]): Promise<string[]> {
  const broken: string[] = [];
  const knownTo = new Map<string, Set<string>>();
  for (const { to, body } of server.sent) {
    const lead = /^lead (\S+)/.exec(body)?.[1];
    if (lead !== undefined) knownTo.set(lead, (knownTo.get(lead) ?? new Set()).add(to));
  }
  for (const [lead, people] of knownTo) {
    const purchases = sold.filter((p) => p.leadId === lead).length;
    if (people.size > 1) broken.push(`${lead} was given to ${[...people].join(' and ')}`);
    if (purchases !== 1) broken.push(`${lead} was given out and has ${purchases} purchases`);
  }
  const leads = sold.flatMap((p) => (p.leadId === null ? [] : [p.leadId]));
  if (new Set(leads).size !== leads.length) broken.push(`a lead is sold twice: ${leads.join(', ')}`);
  const soldLeads = await ledger.soldLeads();
  for (const p of sold) {
    if (p.leadId !== null && !soldLeads.includes(p.leadId)) broken.push(`${p.leadId} is sold and may be offered again`);
  }
  return broken;
}

/** No answer without payment; a stranger gets nothing; one payment, one answer. */
function answersPaid({ scene: { server } }: End): string[] {
  const broken: string[] = [];
  const bodies = new Map<string, string>();
  for (const { to, purchase, body, wasPaid, wasWritten } of server.sent) {
    if (!wasPaid) broken.push(`${short(purchase.id)} was answered before it was paid`);
    if (!wasWritten) broken.push(`${short(purchase.id)} was answered before it was written down as sold`);
    if (to === STRANGER) broken.push(`the stranger was given what ${short(purchase.id)} bought`);
    else if (walletOf(to) !== purchase.payment.payer) {
      broken.push(`${to} was given what another bought with ${short(purchase.id)}`);
    }
    for (const key of [purchase.id, purchase.payment.nonce]) {
      if ((bodies.get(key) ?? body) !== body) broken.push(`${short(key)} was answered twice, differently`);
      bodies.set(key, body);
    }
  }
  return broken;
}

const keyOf = (t: Pick<BookedTransfer, 'transaction' | 'logIndex' | 'block' | 'payer' | 'nonce' | 'amount'>): string =>
  [t.block, t.logIndex, t.transaction, t.payer, t.nonce, t.amount].join('|');

/** Every transfer to us is booked once, as what it is. */
function transfersBooked(
  { scene: { chain, server } }: End,
  purchases: readonly Purchase[],
  booked: readonly BookedTransfer[],
): string[] {
  const broken: string[] = [];
  const onChain = new Set(
    chain.incoming().map((t) =>
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
  for (const key of onChain) {
    if (booked.filter((t) => keyOf(t) === key).length !== 1) broken.push(`transfer ${key} is not booked`);
  }
  const byId = new Map(purchases.map((p) => [p.id, p]));
  for (const transfer of booked) {
    const what = `${transfer.kind} transfer ${short(transfer.transaction)}`;
    if (!onChain.has(keyOf(transfer))) broken.push(`${what} is not on the chain`);
    const own = purchases.filter(
      (p) =>
        p.payment.payer === transfer.payer &&
        p.payment.nonce === transfer.nonce &&
        p.payment.amount === transfer.amount,
    );
    if (transfer.kind === 'matched' || transfer.kind === 'made_good') {
      const purchase = byId.get(transfer.purchaseId ?? '');
      if (!purchase || !own.includes(purchase) || purchase.state !== 'sold') {
        broken.push(`${what} pays no sold purchase of its own`);
      } else if (purchase.transaction !== transfer.transaction || purchase.block !== transfer.block) {
        broken.push(`${what} and purchase ${short(purchase.id)} name different places`);
      }
      if (booked.filter((t) => t.purchaseId === transfer.purchaseId).length !== 1) {
        broken.push(`purchase ${short(transfer.purchaseId ?? '')} is paid twice`);
      }
    } else if (own.some((p) => p.state === 'sold' || p.state === 'settling')) {
      broken.push(`${what} pays a purchase, and is not matched with it`);
    }
    const wasSent = chain.transactions.some(
      (t) =>
        t.sender === 'facilitator' && t.calls.some((c) => c.kind === 'pay' && c.authorization.nonce === transfer.nonce),
    );
    if (transfer.kind === 'no_purchase' && transfer.nonce !== null && wasSent) {
      broken.push(`${what} was asked for, and belongs to no purchase`);
    }
    const pays = own.find((p) => p.id === transfer.purchaseId || transfer.kind === 'owed');
    if ((transfer.kind === 'made_good' || transfer.kind === 'owed') && pays && server.asked.has(pays.id)) {
      broken.push(`${what} pays ${short(pays.id)}, which was sent and released before`);
    }
  }
  return broken;
}

/** Everybody whose payment is on the chain can collect the answer, the same as any that was sent before. */
async function answersKept(
  {
    scene: {
      server,
      world,
      processes: [process],
    },
    ledger,
    limits,
    untilStill,
  }: End,
  sold: readonly Purchase[],
): Promise<string[]> {
  const broken: string[] = [];
  for (const purchase of sold) {
    const kept = String(await bodyOf(await ledger.answerOf(purchase.id)));
    if (kept === 'null' && (purchase.endedAtMs ?? 0) < world.nowMs - limits.collectMs) continue;
    const sent = server.sent.find((s) => s.purchase.id === purchase.id)?.body ?? kept;
    if (sent !== kept) broken.push(`${short(purchase.id)} was answered with something else than is kept`);
    // The proof of the wallet is slow: one in so many buyers collects here.
    if (!process || (world.random() >= WALLETS_ASKED && kept !== 'null')) continue;
    const before = server.sent.length;
    const collected = server.collect(process, 'collector', purchase.id, purchase.payment.payer);
    await untilStill();
    const reply = await collected;
    server.sent.length = before;
    if (reply.kind !== 'answer' || reply.body !== kept) {
      broken.push(
        `${short(purchase.id)} was paid and its buyer collects ${reply.kind === 'refused' ? reply.why : reply.kind}`,
      );
    }
  }
  return broken;
}

/** The promises, each as a sentence where it was broken. */
export async function heldAtEnd(end: End): Promise<Found> {
  const {
    scene: { chain, world },
    ledger,
  } = end;
  const purchases = await all(ledger.purchases());
  const booked = await all(ledger.transfers(ACCOUNT));
  const sold = purchases.filter((p) => p.state === 'sold');
  const broken = [
    ...(await leadsOnce(end, sold)),
    ...answersPaid(end),
    ...transfersBooked(end, purchases, booked),
    ...(await answersKept(end, sold)),
  ];

  const differences = await differencesOf(ledger, ACCOUNT);
  const unpaid = new Set(differences.flatMap((d) => (d.kind === 'unpaid' ? [d.purchase.id] : [])));
  let undone = 0;
  for (const p of sold) {
    const isPaid = chain.isPaid(p.payment);
    // The declared exception: a reorganization undid the payment after it was seen, and nobody sends it again.
    if (!isPaid && chain.wasEverPaid(p.payment)) undone += 1;
    else if (!isPaid) broken.push(`${short(p.id)} is sold and was never paid`);
    if (isPaid === unpaid.has(p.id)) {
      broken.push(`${short(p.id)} is ${isPaid ? '' : 'not '}paid, and the audit says otherwise`);
    }
  }
  for (const { kind, transfer } of differences.filter((d) => d.kind === 'owed')) {
    if (!booked.some((t) => t.kind === 'owed' && keyOf(t) === keyOf(transfer))) {
      broken.push(`${kind} ${short(transfer.transaction)} is not booked so`);
    }
  }

  // Money on the chain is what the ledger says, and nothing stays open.
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
  const revenue = sum(chain.incoming().map((t) => t.amount));
  const unasked = sum(booked.filter((t) => t.kind === 'owed' || t.kind === 'no_purchase').map((t) => t.amount));
  const written = sum(sold.filter((p) => !unpaid.has(p.id)).map((p) => p.payment.amount));
  if (revenue - unasked !== written) {
    broken.push(`the chain holds ${revenue}, ${unasked} of it for no purchase, and the ledger ${written}`);
  }
  for (const p of purchases) {
    if (p.state === 'settling') broken.push(`${short(p.id)} is still settling`);
    if (p.state === 'reserved' && p.leaseUntilMs <= world.nowMs) broken.push(`${short(p.id)} is still reserved`);
  }
  const count = (kind: BookedTransfer['kind']): number => booked.filter((t) => t.kind === kind).length;
  return { broken, undone, madeGood: count('made_good'), owed: count('owed') };
}
