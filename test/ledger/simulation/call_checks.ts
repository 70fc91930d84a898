/** Invariants that are checked each time a call of the ledger returns. */
import {
  isExpired,
  RELEASED_MS,
  type AuditedAccount,
  type Begun,
  type BookedTransfer,
  type Booking,
  type Held,
  type LeadLimits,
  type Ledger,
  type NewPurchase,
  type Purchase,
} from '../../../ledger/ledger.ts';
import { all } from '../purchases.ts';
import type { Chain } from './chain.ts';

const isOpen = ({ state }: Purchase): boolean => state === 'reserved' || state === 'settling';
const short = (id: string): string => id.slice(-2);

export class CallChecks {
  /** Violated invariants, each as a sentence. */
  readonly violations: string[] = [];
  /** Number of refusals by a limit of payers or leads. */
  refusals = 0;
  /** Released purchases whose money arrived, and that were sold after all. */
  readonly soldLate = new Set<string>();
  readonly #released = new Set<string>();
  readonly #ledger: Ledger;
  readonly #chain: Chain;
  readonly #booked = new Set<string>();
  #holder: string | undefined;
  #through = -1n;

  /** @param ledger the ledger itself, not the view of a process */
  constructor(ledger: Ledger, chain: Chain) {
    this.#ledger = ledger;
    this.#chain = chain;
  }

  must(holds: boolean, violation: string): void {
    if (!holds) this.violations.push(violation);
  }

  /** The ledger was restored: what it had booked is booked again. */
  async forget(account: AuditedAccount): Promise<void> {
    this.#booked.clear();
    this.#through = await this.#throughOf(account);
  }

  async afterCall(name: keyof Ledger, given: readonly unknown[], result: unknown): Promise<void> {
    if (name === 'begin') await this.#afterBegin(given[0] as NewPurchase, result as Begun);
    if (name === 'hold')
      await this.#afterHold(Number(given[3]), String(given[0]), given[2] as LeadLimits, result as Held);
    if (name === 'release' && result === true) await this.#afterRelease(String(given[0]), String(given[1]));
    if (name === 'leaseAudit' && result !== null) this.#holder = String(given[1]);
    if (name === 'bookTransfers') await this.#afterBooking(given[0] as Booking, result as readonly BookedTransfer[]);
  }

  /** The limits of a payer count all of its own purchases and no others. */
  async #afterBegin({ payment, nowMs, limits }: NewPurchase, begun: Begun): Promise<void> {
    if (begun.kind === 'taken') return;
    const own = begun.kind === 'reserved' ? begun.purchase.id : '';
    const open = (await all(this.#ledger.purchases())).filter(
      (p) => p.payment.payer === payment.payer && isOpen(p) && p.id !== own && !isExpired(p, nowMs),
    );
    const committed = open.reduce((sum, p) => sum + p.payment.amount, payment.amount);
    const reached = {
      too_many_open_purchases: open.length >= limits.maxOpen,
      payer_without_funds: committed > limits.balance,
    };
    const who = `payer ${payment.payer.slice(0, 6)} with ${open.length} open purchases and ${committed} committed`;
    if (begun.kind === 'refused') {
      this.refusals += 1;
      this.must(reached[begun.reason], `${who} is refused (${begun.reason}), but its own purchases allow it`);
    } else
      this.must(
        !reached.too_many_open_purchases && !reached.payer_without_funds,
        `${who} begins ${short(own)} all the same`,
      );
  }

  async #afterHold(nowMs: number, id: string, limits: LeadLimits, result: Held): Promise<void> {
    if (result.kind === 'none') return;
    const purchases = await all(this.#ledger.purchases());
    const payer = purchases.find((p) => p.id === id)?.payment.payer;
    if (payer === undefined) return;
    const ofPayer = ({ payment }: Purchase): boolean => payment.payer === payer;
    const hasBought = (buyer: string): boolean =>
      purchases.some((p) => p.state === 'sold' && p.payment.payer === buyer);
    const ofLeads = purchases.filter((p) => p.leadId !== null);
    const held = ofLeads.filter((p) => isOpen(p) && !isExpired(p, nowMs));
    const isRecent = ({ endedAtMs }: Purchase): boolean => (endedAtMs ?? 0) > nowMs - RELEASED_MS;
    const released = ofLeads.filter(
      (p) => ofPayer(p) && p.state === 'released' && p.why !== 'not_sent' && isRecent(p),
    ).length;
    const byPayer = held.filter(ofPayer).length + released;
    const byNew = held.filter((p) => !hasBought(p.payment.payer)).length;
    const who = `payer ${payer.slice(0, 6)} with ${byPayer} leads (new payers have ${byNew})`;
    if (result.kind === 'held') {
      this.must(this.#chain.wallets.get(payer)?.wasBorn !== true, `contract wallet ${who} holds a lead`);
      this.must(byPayer <= limits.perPayer, `${who} holds ${result.leadId} above the limit of a payer`);
      const isWithin = hasBought(payer) || byNew <= limits.byNewPayers;
      this.must(isWithin, `${who} holds ${result.leadId} above the limit of new payers`);
      return;
    }
    this.refusals += 1;
    const isReached = {
      payer: byPayer >= limits.perPayer,
      released: released >= limits.perPayer,
      'new payers': byNew >= limits.byNewPayers && !hasBought(payer),
    }[result.by];
    this.must(isReached, `${who} is refused a lead (limit of ${result.by}) because of other payers`);
  }

  /** A purchase that was sent for settlement is released only if a safe block proves that it cannot be paid. */
  async #afterRelease(id: string, reason: string): Promise<void> {
    const purchase = await this.#ledger.find({ id });
    if (!purchase) return;
    this.#released.add(id);
    const { payment } = purchase;
    const { blocks, safe, used } = this.#chain;
    const event = used.get(`${payment.payer}|${payment.nonce}`);
    const isUsed = event !== undefined && event.block <= safe;
    // A payment that was canceled after it expired cannot be paid either.
    const isPaidSomewhere = isUsed && event.kind === 'AuthorizationUsed';
    const isOver = !isPaidSomewhere && (blocks[safe]?.seconds ?? 0) >= payment.validBefore;
    this.must(reason !== 'expired_unused' || isOver, `${short(id)} is released and can still be paid`);
    const isElsewhere = isUsed && !this.#chain.isPaid(payment);
    this.must(
      reason !== 'used_elsewhere' || isElsewhere,
      `${short(id)} is released for a use that is in no safe block`,
    );
  }

  /** Only the lease holder audits, the audit moves forward, and no deliverable purchase is booked as owed. */
  async #afterBooking({ account, holder, nowMs }: Booking, booked: readonly BookedTransfer[]): Promise<void> {
    const through = await this.#throughOf(account);
    if (through !== this.#through) {
      this.must(holder === this.#holder, `${holder} audits while ${this.#holder} has the lease`);
      this.must(through > this.#through, `the audit went back from block ${this.#through} to ${through}`);
      this.#through = through;
    }
    for (const transfer of booked) {
      const key = `${transfer.block}|${transfer.logIndex}`;
      if (this.#booked.has(key)) continue;
      this.#booked.add(key);
      const { purchaseId, kind, transaction } = transfer;
      if (purchaseId !== null && this.#released.has(purchaseId)) this.soldLate.add(purchaseId);
      const isRight = kind !== 'owed' || (await this.#mayBeOwed(transfer, nowMs));
      this.must(isRight, `transfer ${short(transaction)} is owed although its answer can be delivered`);
    }
  }

  async #throughOf({ chain, payTo }: AuditedAccount): Promise<bigint> {
    return (await this.#ledger.audits()).find((a) => a.chain === chain && a.payTo === payTo)?.throughBlock ?? -1n;
  }

  async #mayBeOwed({ payer, nonce, amount }: BookedTransfer, nowMs: number): Promise<boolean> {
    const own = (await all(this.#ledger.purchases())).filter(
      ({ payment }) => payment.payer === payer && payment.nonce === nonce && payment.amount === amount,
    );
    if (own.some((p) => p.state === 'settling' || p.state === 'sold')) return false;
    // It takes the transfer when it is sold.
    if (own.some((p) => p.state === 'reserved')) return true;
    const [leads, properties] = [await this.#ledger.heldLeads(nowMs), await this.#ledger.heldProperties(nowMs)];
    for (const { id, leadId, properties: keys } of own) {
      const isTaken = leadId !== null && (leads.has(leadId) || keys.some((key) => properties.has(key)));
      if (!isTaken && (await this.#ledger.answerOf(id)) !== null) return false;
    }
    return true;
  }
}
