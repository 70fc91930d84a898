/** Promises that can be seen only at the moment a call of the ledger returns, in the order in which the ledger did it. */
import {
  isOver,
  UNPAID_MS,
  type Begun,
  type Claimed,
  type LeadLimits,
  type Ledger,
  type NewPurchase,
  type Purchase,
} from '../../../ledger/ledger.ts';
import type { AuditedAccount, BookedTransfer, Booking } from '../../../ledger/transfers.ts';
import { all } from '../purchases.ts';
import type { Chain } from './chain.ts';

const isOpen = ({ state }: Purchase): boolean => state === 'reserved' || state === 'settling';
const shortId = (id: string): string => id.slice(-2);

export class Moments {
  readonly broken: string[] = [];
  /** Payers and leads refused by a limit, by reason. */
  readonly refused = new Map<string, number>();
  readonly #ledger: Ledger;
  readonly #chain: Chain;
  readonly #booked = new Set<string>();
  #holder: string | undefined;
  #through = -1n;

  /** @param ledger the true one, without anything that a process does to it */
  constructor(ledger: Ledger, chain: Chain) {
    this.#ledger = ledger;
    this.#chain = chain;
  }

  async saw(name: keyof Ledger, given: readonly unknown[], result: unknown): Promise<void> {
    switch (name) {
      case 'begin':
        await this.#began(given[0] as NewPurchase, result as Begun);
        break;
      case 'claim':
        await this.#claimed(Number(given[3]), String(given[0]), given[2] as LeadLimits, result as Claimed);
        break;
      case 'release':
        if (result === true) await this.#released(String(given[0]), String(given[1]));
        break;
      case 'leaseAudit':
        if (result !== null) this.#holder = String(given[1]);
        break;
      case 'bookTransfers':
        await this.#booking(given[0] as Booking, result as readonly BookedTransfer[]);
        break;
      default:
    }
  }

  /** The limits of a payer count its own purchases, all of them and no others. */
  async #began({ payment, nowMs, limits }: NewPurchase, begun: Begun): Promise<void> {
    if (begun.kind === 'taken') return;
    const own = (await all(this.#ledger.purchases())).filter(
      (p) => p.payment.payer === payment.payer && !isOver(p, nowMs),
    );
    const open = own.filter((p) => isOpen(p) && (begun.kind === 'refused' || p.id !== begun.purchase.id));
    const committed = open.reduce((sum, p) => sum + p.payment.amount, 0n);
    const recent = own.filter((p) => p.state === 'released' && (p.endedAtMs ?? 0) > nowMs - UNPAID_MS);
    const who = payment.payer.slice(0, 6);
    if (begun.kind === 'reserved') {
      const id = shortId(begun.purchase.id);
      if (open.length >= limits.mostOpen) {
        this.broken.push(`${id}: payer ${who} has ${open.length + 1} purchases open, and may have ${limits.mostOpen}`);
      }
      if (committed + payment.amount > limits.balance) {
        this.broken.push(
          `${id}: payer ${who} has ${limits.balance}, and ${committed + payment.amount} of it committed`,
        );
      }
      const unpaid = recent.filter((p) => p.why === 'used_elsewhere').length;
      if (unpaid >= limits.mostUnpaid) {
        this.broken.push(`${id}: payer ${who} left ${unpaid} purchases unpaid, and may buy again`);
      }
      return;
    }
    this.#count(begun.reason);
    const isTrue = {
      too_many_open_purchases: open.length >= limits.mostOpen,
      payer_unbilled_too_often: recent.length >= limits.mostUnpaid,
      payer_without_funds: committed + payment.amount > limits.balance,
    }[begun.reason];
    if (!isTrue) this.broken.push(`payer ${who} is refused (${begun.reason}) for what is not its own`);
  }

  #count(reason: string): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }

  async #claimed(nowMs: number, id: string, limits: LeadLimits, claimed: Claimed): Promise<void> {
    if (claimed.kind === 'none') return;
    const purchases = await all(this.#ledger.purchases());
    const own = purchases.find((p) => p.id === id);
    if (!own) return;
    const { payer } = own.payment;
    const held = purchases.filter((p) => p.leadId !== null && isOpen(p) && !isOver(p, nowMs));
    const hasBought = (who: string): boolean => purchases.some((p) => p.state === 'sold' && p.payment.payer === who);
    const byPayer = held.filter((p) => p.payment.payer === payer).length;
    const byNew = held.filter((p) => !hasBought(p.payment.payer)).length;
    if (claimed.kind === 'claimed') {
      if (this.#chain.wallets.get(payer)?.wasBorn) {
        this.broken.push(`contract wallet ${payer.slice(0, 6)} claimed ${claimed.leadId}`);
      }
      if (byPayer > limits.perPayer) {
        this.broken.push(`payer ${payer.slice(0, 6)} holds ${byPayer} leads, and may hold ${limits.perPayer}`);
      }
      if (!hasBought(payer) && byNew > limits.byNewPayers) {
        this.broken.push(`new payers hold ${byNew} leads, and may hold ${limits.byNewPayers}`);
      }
      return;
    }
    this.#count(`leads of ${claimed.by}`);
    if (claimed.by === 'payer' ? byPayer < limits.perPayer : byNew < limits.byNewPayers || hasBought(payer)) {
      this.broken.push(`payer ${payer.slice(0, 6)} may hold no lead because of others (${claimed.by})`);
    }
  }

  /** What was sent is released only by what a safe block shows. */
  async #released(id: string, reason: string): Promise<void> {
    const purchase = await this.#ledger.find({ id });
    if (!purchase) return;
    const { payment } = purchase;
    const safe = this.#chain.blocks[this.#chain.safe];
    const used = this.#chain.used.get(`${payment.payer}|${payment.nonce}`);
    const isUsed = used !== undefined && used.block <= this.#chain.safe;
    // To cancel what has expired is harmless.
    const isPaidSomewhere = isUsed && used.kind === 'AuthorizationUsed';
    if (reason === 'expired_unused' && (isPaidSomewhere || (safe?.seconds ?? 0) < payment.validBefore)) {
      this.broken.push(`${shortId(id)} is released, and can still be paid`);
    }
    if (reason === 'used_elsewhere' && (!isUsed || this.#chain.isPaid(payment))) {
      this.broken.push(`${shortId(id)} is released for a use that no safe block shows`);
    }
  }

  /** One auditor at a time, which goes forward; and nothing is owed that could still be given. */
  async #booking({ account, holder, nowMs }: Booking, booked: readonly BookedTransfer[]): Promise<void> {
    const through = await this.#throughOf(account);
    if (through !== this.#through) {
      if (holder !== this.#holder) this.broken.push(`${holder} audits, and ${this.#holder} has the lease`);
      if (through < this.#through) this.broken.push(`the audit went back from block ${this.#through} to ${through}`);
      this.#through = through;
    }
    for (const transfer of booked) {
      const key = `${transfer.block}|${transfer.logIndex}`;
      if (this.#booked.has(key)) continue;
      this.#booked.add(key);
      if (transfer.kind === 'owed' && !(await this.#mayBeOwed(transfer, nowMs))) {
        this.broken.push(`transfer ${transfer.transaction.slice(-2)} is owed, and its answer could be given`);
      }
    }
  }

  async #throughOf({ chain, payTo }: AuditedAccount): Promise<bigint> {
    return (await this.#ledger.audits()).find((a) => a.chain === chain && a.payTo === payTo)?.throughBlock ?? -1n;
  }

  async #mayBeOwed(transfer: BookedTransfer, nowMs: number): Promise<boolean> {
    const purchases = await all(this.#ledger.purchases());
    const own = purchases.filter((p) => p.payment.payer === transfer.payer && p.payment.nonce === transfer.nonce);
    const released = own.filter((p) => p.state === 'released' && p.payment.amount === transfer.amount);
    if (released.length === 0) return own.some((p) => p.payment.amount !== transfer.amount);
    const claimed = await this.#ledger.claimedLeads(nowMs);
    for (const p of released) {
      if ((await this.#ledger.answerOf(p.id)) !== null && (p.leadId === null || !claimed.has(p.leadId))) return false;
    }
    return true;
  }
}
