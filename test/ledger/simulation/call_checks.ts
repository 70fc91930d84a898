/** Invariants that are checked each time a call of the ledger returns. */
import {
  isExpired,
  RELEASED_MS,
  type AuditedAccount,
  type Begun,
  type BookedTransfer,
  type Booking,
  type Claimed,
  type LeadLimits,
  type Ledger,
  type NewPurchase,
  type Purchase,
} from '../../../ledger/ledger.ts';
import { all } from '../purchases.ts';
import type { Chain } from './chain.ts';

const isOpen = ({ state }: Purchase): boolean => state === 'reserved' || state === 'settling';
const sumOf = (purchases: readonly Purchase[]): bigint => purchases.reduce((sum, p) => sum + p.payment.amount, 0n);
const shortId = (id: string): string => id.slice(-2);
const shortPayer = (payer: string): string => payer.slice(0, 6);

export class CallChecks {
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

  /** The ledger was restored: what it had booked is booked again. */
  async forget(account: AuditedAccount): Promise<void> {
    this.#booked.clear();
    this.#through = await this.#throughOf(account);
  }

  async afterCall(name: keyof Ledger, given: readonly unknown[], result: unknown): Promise<void> {
    switch (name) {
      case 'begin':
        await this.#afterBegin(given[0] as NewPurchase, result as Begun);
        break;
      case 'claim':
        await this.#afterClaim(Number(given[3]), String(given[0]), given[2] as LeadLimits, result as Claimed);
        break;
      case 'release':
        if (result === true) await this.#afterRelease(String(given[0]), String(given[1]));
        break;
      case 'leaseAudit':
        if (result !== null) this.#holder = String(given[1]);
        break;
      case 'bookTransfers':
        await this.#afterBooking(given[0] as Booking, result as readonly BookedTransfer[]);
        break;
      default:
    }
  }

  /** The limits of a payer count all of its own purchases and no others. */
  async #afterBegin({ payment, nowMs, limits }: NewPurchase, begun: Begun): Promise<void> {
    if (begun.kind === 'taken') return;
    const own = (await all(this.#ledger.purchases())).filter(
      (p) => p.payment.payer === payment.payer && !isExpired(p, nowMs),
    );
    const open = own.filter((p) => isOpen(p) && (begun.kind === 'refused' || p.id !== begun.purchase.id));
    const committed = sumOf(open);
    const payer = shortPayer(payment.payer);
    if (begun.kind === 'reserved') {
      const id = shortId(begun.purchase.id);
      if (open.length >= limits.maxOpen) {
        this.violations.push(`${id}: payer ${payer} has ${open.length + 1} open purchases, limit ${limits.maxOpen}`);
      }
      if (committed + payment.amount > limits.balance) {
        const total = committed + payment.amount;
        this.violations.push(`${id}: payer ${payer} has committed ${total} with a balance of ${limits.balance}`);
      }
      return;
    }
    this.refusals += 1;
    const isTrue = {
      too_many_open_purchases: open.length >= limits.maxOpen,
      payer_without_funds: committed + payment.amount > limits.balance,
    }[begun.reason];
    if (!isTrue) this.violations.push(`payer ${payer} is refused (${begun.reason}), but its own purchases allow it`);
  }

  async #afterClaim(nowMs: number, id: string, limits: LeadLimits, claimed: Claimed): Promise<void> {
    if (claimed.kind === 'none') return;
    const purchases = await all(this.#ledger.purchases());
    const own = purchases.find((p) => p.id === id);
    if (!own) return;
    const { payer } = own.payment;
    const shownPayer = shortPayer(payer);
    const claims = purchases.filter((p) => p.leadId !== null && isOpen(p) && !isExpired(p, nowMs));
    const hasBought = (buyer: string): boolean =>
      purchases.some((p) => p.state === 'sold' && p.payment.payer === buyer);
    const released = purchases.filter(
      (p) =>
        p.payment.payer === payer &&
        p.state === 'released' &&
        p.leadId !== null &&
        p.why !== 'not_sent' &&
        (p.endedAtMs ?? 0) > nowMs - RELEASED_MS,
    ).length;
    const byPayer = claims.filter((p) => p.payment.payer === payer).length + released;
    const byNew = claims.filter((p) => !hasBought(p.payment.payer)).length;
    if (claimed.kind === 'claimed') {
      if (this.#chain.wallets.get(payer)?.wasBorn) {
        this.violations.push(`contract wallet ${shownPayer} claimed ${claimed.leadId}`);
      }
      if (byPayer > limits.perPayer) {
        this.violations.push(`payer ${shownPayer} holds or let go ${byPayer} leads, limit ${limits.perPayer}`);
      }
      if (!hasBought(payer) && byNew > limits.byNewPayers) {
        this.violations.push(`new payers have claimed ${byNew} leads, limit ${limits.byNewPayers}`);
      }
      return;
    }
    this.refusals += 1;
    const isTrue = {
      payer: byPayer >= limits.perPayer,
      released: released >= limits.perPayer,
      'new payers': byNew >= limits.byNewPayers && !hasBought(payer),
    }[claimed.by];
    if (!isTrue) {
      this.violations.push(`payer ${shownPayer} is refused a lead (limit of ${claimed.by}) because of other payers`);
    }
  }

  /** A purchase that was sent for settlement is released only if a safe block proves that it cannot be paid. */
  async #afterRelease(id: string, reason: string): Promise<void> {
    const purchase = await this.#ledger.find({ id });
    if (!purchase) return;
    this.#released.add(id);
    const { payment } = purchase;
    const safe = this.#chain.blocks[this.#chain.safe];
    const used = this.#chain.used.get(`${payment.payer}|${payment.nonce}`);
    const isUsed = used !== undefined && used.block <= this.#chain.safe;
    // A payment that was canceled after it expired cannot be paid either.
    const isPaidSomewhere = isUsed && used.kind === 'AuthorizationUsed';
    if (reason === 'expired_unused' && (isPaidSomewhere || (safe?.seconds ?? 0) < payment.validBefore)) {
      this.violations.push(`${shortId(id)} is released and can still be paid`);
    }
    if (reason === 'used_elsewhere' && (!isUsed || this.#chain.isPaid(payment))) {
      this.violations.push(`${shortId(id)} is released for a use that is in no safe block`);
    }
  }

  /** Only the lease holder audits, the audit moves forward, and no deliverable purchase is booked as owed. */
  async #afterBooking({ account, holder, nowMs }: Booking, booked: readonly BookedTransfer[]): Promise<void> {
    const through = await this.#throughOf(account);
    if (through !== this.#through) {
      if (holder !== this.#holder) this.violations.push(`${holder} audits while ${this.#holder} has the lease`);
      if (through < this.#through) {
        this.violations.push(`the audit went back from block ${this.#through} to ${through}`);
      }
      this.#through = through;
    }
    for (const transfer of booked) {
      const key = `${transfer.block}|${transfer.logIndex}`;
      if (this.#booked.has(key)) continue;
      this.#booked.add(key);
      if (transfer.purchaseId !== null && this.#released.has(transfer.purchaseId))
        this.soldLate.add(transfer.purchaseId);
      if (transfer.kind === 'owed' && !(await this.#mayBeOwed(transfer, nowMs))) {
        this.violations.push(`transfer ${shortId(transfer.transaction)} is owed although its answer can be delivered`);
      }
    }
  }

  async #throughOf({ chain, payTo }: AuditedAccount): Promise<bigint> {
    return (await this.#ledger.audits()).find((a) => a.chain === chain && a.payTo === payTo)?.throughBlock ?? -1n;
  }

  async #mayBeOwed(transfer: BookedTransfer, nowMs: number): Promise<boolean> {
    const purchases = await all(this.#ledger.purchases());
    const own = purchases.filter(
      ({ payment: { payer, nonce, amount } }) =>
        payer === transfer.payer && nonce === transfer.nonce && amount === transfer.amount,
    );
    if (own.some((p) => p.state === 'settling' || p.state === 'sold')) return false;
    // It takes the transfer when it is sold.
    if (own.some((p) => p.state === 'reserved')) return true;
    const released = own.filter((p) => p.state === 'released');
    const [leads, properties] = [await this.#ledger.claimedLeads(nowMs), await this.#ledger.claimedProperties(nowMs)];
    const isTaken = (p: Purchase): boolean =>
      p.leadId !== null && (leads.has(p.leadId) || p.properties.some((key) => properties.has(key)));
    for (const p of released) {
      if ((await this.#ledger.answerOf(p.id)) !== null && !isTaken(p)) return false;
    }
    return true;
  }
}
