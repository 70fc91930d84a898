/**
 * After any steps in any order, chain and ledger agree once all transfers are booked: a part of the conformance suite.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import fc from 'fast-check';
import type {
  AuditedAccount,
  IncomingTransfer,
  Ledger,
  NewPurchase,
  Payment,
  ReleaseReason,
} from '../../../ledger/ledger.ts';
import { all, answer, claim, paid, payment, purchaseOf, wanted } from '../purchases.ts';
import { bookAll, LEASE_MS } from '../transfer_booking.ts';
import type { OnEmptyLedger } from './place.ts';

const PAYMENTS = 6;
const RELEASES: readonly ReleaseReason[] = ['not_settled', 'not_sent', 'expired_unused', 'used_elsewhere'];

type Step =
  | { readonly kind: 'begin' | 'settling' | 'sold'; readonly n: number }
  | { readonly kind: 'release'; readonly n: number; readonly reason: ReleaseReason }
  /** The payer sends its authorization directly, or an unrelated transfer. */
  | { readonly kind: 'pay'; readonly n: number }
  | { readonly kind: 'plain transfer' }
  /** Book the blocks that are not booked yet, or all of them again. */
  | { readonly kind: 'book'; readonly again: boolean }
  | { readonly kind: 'forget answers' };

const number = fc.nat(PAYMENTS - 1);
const release = { kind: fc.constant('release' as const), n: number, reason: fc.constantFrom(...RELEASES) };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), n: number }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settling' as const), n: number }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('sold' as const), n: number }) },
  { weight: 3, arbitrary: fc.record(release) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pay' as const), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('plain transfer' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('book' as const), again: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget answers' as const) }) },
);
/** Steps of one group run concurrently. */
const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 25 });

/** A chain, two connections to a ledger, and the state of the callers. Each run has its own chain, payers and leads. */
class Run {
  readonly account: AuditedAccount;
  readonly transfers: IncomingTransfer[] = [];
  private readonly number: number;
  private readonly ledgers: readonly [Ledger, Ledger];
  private readonly latest = new Map<number, string>();
  private readonly paidFor = new Map<number, IncomingTransfer>();
  private bookedTo = 0n;
  private nowMs = 1_000;
  private calls = 0;

  constructor(run: number, ledgers: readonly [Ledger, Ledger]) {
    this.number = run;
    this.ledgers = ledgers;
    this.account = { chain: paid(run).transaction, payTo: payment(1).payTo };
  }

  /** The two connections in turn. */
  get ledger(): Ledger {
    this.calls += 1;
    return this.ledgers[this.calls % 2 === 0 ? 0 : 1];
  }

  /** Payments of two payers, each payment with its own price. */
  private wanted(n: number): NewPurchase {
    const own: Payment = { ...payment(n, 100 * this.number + (n % 2)), amount: BigInt(100 + n), validBefore: 3n };
    return wanted(n, { payment: own, chain: this.account.chain, nowMs: this.nowMs, leaseMs: 1_000_000 });
  }

  /** The transfer of a payment: a nonce is used once. A block has two transfers. */
  private pay(n: number): IncomingTransfer {
    const known = this.paidFor.get(n);
    if (known) return known;
    const { payer, nonce, amount } = this.wanted(n).payment;
    const transfer = this.transfer({ payer, nonce, amount });
    this.paidFor.set(n, transfer);
    return transfer;
  }

  private transfer(of: Pick<IncomingTransfer, 'payer' | 'nonce' | 'amount'>): IncomingTransfer {
    const count = this.transfers.length;
    const place = paid(1000 * this.number + count, BigInt(Math.floor(count / 2) + 1));
    const transfer = { ...of, ...place, logIndex: count % 2 };
    this.transfers.push(transfer);
    return transfer;
  }

  private async begin(n: number): Promise<void> {
    const { ledger } = this;
    const { id } = purchaseOf(await ledger.begin(this.wanted(n)));
    this.latest.set(n, id);
    if (n % 3 > 0) await claim(ledger, id, [`lead ${this.number} ${n % 2}`], this.nowMs);
  }

  async book(again: boolean): Promise<void> {
    // The last block is not final: it may get another transfer.
    const final = BigInt(Math.floor(this.transfers.length / 2));
    const range = this.transfers.filter(({ block }) => block <= final && (again || block > this.bookedTo));
    this.bookedTo = final;
    const through = { block: final, seconds: 1 };
    await bookAll(this.ledger, range, { nowMs: this.nowMs, account: this.account, through });
  }

  async take(todo: Step): Promise<void> {
    this.nowMs += 10;
    const { nowMs, ledger } = this;
    switch (todo.kind) {
      case 'pay':
        this.pay(todo.n);
        return;
      case 'plain transfer':
        this.transfer({ payer: payment(1).payer, nonce: null, amount: 1n });
        return;
      case 'book':
        await this.book(todo.again);
        return;
      case 'forget answers':
        await ledger.forgetAnswers(nowMs + LEASE_MS);
        return;
      case 'begin':
        await this.begin(todo.n);
        return;
      default:
        break;
    }
    const id = this.latest.get(todo.n);
    if (id === undefined) return;
    if (todo.kind === 'settling') await ledger.startSettling(id, answer(`answer ${todo.n}`), nowMs);
    else if (todo.kind === 'release') await ledger.release(id, todo.reason, nowMs);
    // The chain shows the payment before it is sold.
    else if ((await ledger.find({ id }))?.state === 'settling') await ledger.markSold(id, this.pay(todo.n), nowMs);
  }

  /** Make the last block final, and book all transfers. */
  async end(): Promise<void> {
    while (this.transfers.length % 2 !== 0) this.transfer({ payer: payment(1).payer, nonce: null, amount: 1n });
    await this.book(false);
    await this.check();
    await this.book(true);
    await this.check();
  }

  private async check(): Promise<void> {
    const { ledger, account } = this;
    const booked = await all(ledger.transfers(account));
    const placeOf = (t: IncomingTransfer): string => `${t.block} ${t.logIndex} ${t.transaction}`;
    assert.deepEqual(booked.map(placeOf), this.transfers.map(placeOf), 'each transfer is booked once');
    const sold = (await all(ledger.purchases())).filter((p) => p.chain === account.chain && p.state === 'sold');
    const paying = booked.filter(({ kind }) => kind === 'matched');
    const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
    const [bought, received] = [sum(sold.map((p) => p.payment.amount)), sum(paying.map(({ amount }) => amount))];
    assert.equal(bought, received, 'the sum of sold purchases was paid');
    const byTransfers = paying.map((t) => [t.purchaseId, t.transaction, t.block, t.payer, t.nonce].join(' '));
    const byPurchases = sold.map((p) => [p.id, p.transaction, p.block, p.payment.payer, p.payment.nonce].join(' '));
    assert.deepEqual(
      byTransfers.sort(),
      byPurchases.sort(),
      'each sold purchase has one transfer, and records its place',
    );
    assert.deepEqual(await ledger.soldWithoutTransfer(account, 1_000_000n), []);
    const leads = sold.flatMap((p) => p.leadId ?? []);
    assert.equal(new Set(leads).size, leads.length, 'no lead is sold twice');
    const held = new Set(await ledger.soldLeads());
    assert.ok(
      leads.every((lead) => held.has(lead)),
      'the lead of a sold purchase stays sold',
    );
  }
}

let runs = 0;

/** @param sequences random sequences of steps */
export function balance(onEmpty: OnEmptyLedger, { sequences }: { readonly sequences: number }): void {
  describe('the balance', () => {
    onEmpty('of chain and ledger is equal after any steps in any order, also concurrent ones', async (one, two) => {
      await fc.assert(
        fc.asyncProperty(groups, async (todo) => {
          const run = new Run((runs += 1), [one, two]);
          for (const group of todo) await Promise.all(group.map((each) => run.take(each)));
          await run.end();
        }),
        { numRuns: sequences, endOnFailure: false },
      );
    });
  });
}
