/**
 * After any steps in any order, chain and ledger agree once all transfers are booked: a part of the conformance suite.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import fc from 'fast-check';
import type { IncomingTransfer, Ledger, NewPurchase, ReleaseReason } from '../../../ledger/ledger.ts';
import { all, answer, hold, paid, payment, purchaseOf, RESERVE_MS, wanted } from '../purchases.ts';
import { bookAll } from '../transfer_booking.ts';
import type { OnEmptyLedger } from './place.ts';

const PAYMENTS = 6;
const RELEASES: readonly ReleaseReason[] = ['not_settled', 'not_sent', 'expired_unused', 'used_elsewhere'];
/** Steps by how often they come. `pay`: the payer sends its authorization directly; `book again`: all blocks. */
const WEIGHTS = {
  begin: 4,
  settle: 4,
  sell: 3,
  release: 3,
  pay: 2,
  'plain transfer': 1,
  book: 2,
  'book again': 1,
  'forget answers': 1,
};
type Kind = keyof typeof WEIGHTS;

/** A step is of one payment, and a release has a reason. */
const step = fc.tuple(
  fc.constantFrom(...(Object.keys(WEIGHTS) as Kind[]).flatMap((kind) => Array<Kind>(WEIGHTS[kind]).fill(kind))),
  fc.nat(PAYMENTS - 1),
  fc.constantFrom(...RELEASES),
);
/** Steps of one group run concurrently. */
const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 25 });

/** A chain, two connections to a ledger, and the state of the callers. Each run has its own chain, payers and leads. */
function newRun(number: number, ledgers: readonly [Ledger, Ledger]) {
  const account = { chain: paid(number).transaction, payTo: payment(1).payTo };
  const transfers: IncomingTransfer[] = [];
  const latest = new Map<number, string>();
  const paidFor = new Map<number, IncomingTransfer>();
  let [bookedTo, nowMs, calls] = [0n, 1_000, 0];
  /** The two connections in turn. */
  const connection = (): Ledger => ledgers[(calls += 1) % 2 === 0 ? 0 : 1];

  /** Payments of two payers, each payment with its own price. */
  const wantedBy = (n: number): NewPurchase => {
    const own = { ...payment(n, 100 * number + (n % 2)), amount: BigInt(100 + n), validBefore: 3n };
    return wanted(n, { payment: own, chain: account.chain, nowMs, reserveMs: 1_000_000 });
  };
  /** A block has two transfers. */
  const transfer = (of: Pick<IncomingTransfer, 'payer' | 'nonce' | 'amount'>): IncomingTransfer => {
    const count = transfers.length;
    const { payer, nonce, amount } = of;
    const place = { ...paid(1000 * number + count, BigInt(Math.floor(count / 2) + 1)), logIndex: count % 2 };
    transfers.push({ payer, nonce, amount, ...place });
    return { payer, nonce, amount, ...place };
  };
  const plain = (): IncomingTransfer => transfer({ payer: payment(1).payer, nonce: null, amount: 1n });
  /** The transfer of a payment: a nonce is used once. */
  const pay = (n: number): IncomingTransfer => paidFor.getOrInsertComputed(n, () => transfer(wantedBy(n).payment));

  const book = async (again: boolean): Promise<void> => {
    // The last block is not final: it may get another transfer.
    const final = BigInt(Math.floor(transfers.length / 2));
    const range = transfers.filter(({ block }) => block <= final && (again || block > bookedTo));
    bookedTo = final;
    await bookAll(connection(), range, { nowMs, account, through: { block: final, seconds: 1 } });
  };

  const take = async ([kind, n, reason]: readonly [Kind, number, ReleaseReason]): Promise<void> => {
    nowMs += 10;
    const [atMs, ledger] = [nowMs, connection()];
    const id = latest.get(n);
    if (kind === 'pay') pay(n);
    else if (kind === 'plain transfer') plain();
    else if (kind === 'book' || kind === 'book again') await book(kind === 'book again');
    else if (kind === 'forget answers') await ledger.forgetAnswers(atMs + RESERVE_MS);
    else if (kind === 'begin') {
      const begun = purchaseOf(await ledger.begin(wantedBy(n)));
      latest.set(n, begun.id);
      if (n % 3 > 0) await hold(ledger, begun.id, [`lead ${number} ${n % 2}`], atMs);
    } else if (id === undefined) return;
    else if (kind === 'settle') await ledger.startSettling(id, answer(`answer ${n}`), atMs);
    else if (kind === 'release') await ledger.release(id, reason, atMs);
    // The chain shows the payment before it is sold.
    else if ((await ledger.find({ id }))?.state === 'settling') await ledger.markSold(id, pay(n), atMs);
  };

  const check = async (): Promise<void> => {
    const ledger = connection();
    const booked = await all(ledger.transfers(account));
    const placeOf = (t: IncomingTransfer): string => `${t.block} ${t.logIndex} ${t.transaction}`;
    assert.deepEqual(booked.map(placeOf), transfers.map(placeOf), 'each transfer is booked once');
    const sold = (await all(ledger.purchases())).filter((p) => p.chain === account.chain && p.state === 'sold');
    const received = booked
      .filter(({ kind }) => kind === 'matched')
      .map((t) => [t.purchaseId, t.transaction, t.block, t.payer, t.nonce, t.amount].join(' '));
    const bought = sold.map((p) =>
      [p.id, p.transaction, p.block, p.payment.payer, p.payment.nonce, p.payment.amount].join(' '),
    );
    assert.deepEqual(received.sort(), bought.sort(), 'each sold purchase has one transfer, and records its place');
    assert.deepEqual(await ledger.soldWithoutTransfer(account, 1_000_000n), []);
    const leads = sold.flatMap((p) => p.leadId ?? []);
    assert.equal(new Set(leads).size, leads.length, 'no lead is sold twice');
    const held = await ledger.soldLeads();
    assert.ok(new Set(held).isSupersetOf(new Set(leads)), 'the lead of a sold purchase stays sold');
  };

  /** Make the last block final, and book all transfers. */
  const end = async (): Promise<void> => {
    if (transfers.length % 2 !== 0) plain();
    for (const again of [false, true]) {
      await book(again);
      await check();
    }
  };
  return { take, end };
}

let runs = 0;

/** @param sequences random sequences of steps */
export function balance(onEmpty: OnEmptyLedger, { sequences }: { readonly sequences: number }): void {
  describe('the balance', () => {
    onEmpty('of chain and ledger is equal after any steps in any order, also concurrent ones', async (one, two) => {
      await fc.assert(
        fc.asyncProperty(groups, async (todo) => {
          const run = newRun((runs += 1), [one, two]);
          for (const group of todo) await Promise.all(group.map((each) => run.take(each)));
          await run.end();
        }),
        { numRuns: sequences, endOnFailure: false },
      );
    });
  });
}
