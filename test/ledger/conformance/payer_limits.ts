/** Limits of one payer, enforced in the transaction that reserves a purchase: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  PAYER_FAULTS,
  UNPAID_MS,
  type Begun,
  type Ledger,
  type NewPurchase,
  type PayerLimits,
  type UnknownReason,
} from '../../../ledger/ledger.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { answer, GENEROUS, LEASE_MS, paid, payment, purchaseIn, reserve, sha256, wanted } from '../purchases.ts';
import type { OnEmptyLedger } from './place.ts';

const PRICE = payment(1).amount;

/** A call of payer number `payer` with these limits. */
const limited = (n: number, limits: Partial<PayerLimits>, payer = 1, more: Partial<NewPurchase> = {}): NewPurchase =>
  wanted(n, { payment: payment(n, payer), limits: { ...GENEROUS, ...limits }, ...more });

const outcomeOf = (begun: Begun): string => (begun.kind === 'refused' ? begun.reason : begun.kind);

/** A released purchase whose outcome was unknown for this reason. */
async function unpaid(ledger: Ledger, n: number, why: UnknownReason, endedAtMs: number, payer = 1): Promise<void> {
  const { id } = await purchaseIn(ledger, 'settling', n, { payment: payment(n, payer), nowMs: endedAtMs - 10 });
  await ledger.markUnknown(id, why, null);
  assert.equal(await ledger.release(id, 'expired_unused', endedAtMs), true);
}

export function payerLimits(onEmpty: OnEmptyLedger): void {
  describe('limits of one payer', () => {
    test('reserved and settling purchases are open; sold, released and expired ones are not', async () => {
      await onEmpty(async (ledger) => {
        const begin = async (n: number, more: Partial<NewPurchase> = {}): Promise<string> =>
          outcomeOf(await ledger.begin(limited(n, { maxOpen: 2 }, 1, more)));
        await purchaseIn(ledger, 'sold', 1);
        await purchaseIn(ledger, 'released', 2);
        const reserved = await purchaseIn(ledger, 'reserved', 3);
        const settling = await purchaseIn(ledger, 'settling', 4);
        assert.equal(await begin(10), 'too_many_open_purchases');
        await ledger.markSold(settling.id, paid(4), 5);
        assert.equal(await begin(10), 'reserved');
        assert.equal(await begin(11), 'too_many_open_purchases');
        await ledger.release(reserved.id, 'not_settled', 6);
        assert.equal(await begin(11), 'reserved');
        assert.equal(await begin(12, { nowMs: LEASE_MS - 1 }), 'too_many_open_purchases');
        assert.equal(await begin(12, { nowMs: LEASE_MS }), 'reserved', 'an expired reservation is not open');
      });
    });

    test('open purchases count against the exact balance', async () => {
      await onEmpty(async (ledger) => {
        const begin = async (n: number, balance: bigint): Promise<string> =>
          outcomeOf(await ledger.begin(limited(n, { balance })));
        assert.equal(await begin(1, PRICE - 1n), 'payer_without_funds');
        assert.equal(await begin(1, PRICE), 'reserved');
        assert.equal(await begin(2, 2n * PRICE - 1n), 'payer_without_funds');
        assert.equal(await begin(2, 2n * PRICE), 'reserved');
        const { id } = await purchaseIn(ledger, 'settling', 3);
        assert.equal(await begin(4, 4n * PRICE - 1n), 'payer_without_funds');
        await ledger.markSold(id, paid(3), 5);
        assert.equal(await begin(4, 3n * PRICE), 'reserved', 'a sold purchase has already left the balance');
      });
    });

    test('amounts are added exactly, up to 256 bits', async () => {
      await onEmpty(async (ledger) => {
        const most = (1n << 256n) - 1n;
        await reserve(ledger, wanted(1, { payment: { ...payment(1), amount: most } }));
        assert.equal(outcomeOf(await ledger.begin(limited(2, { balance: most + PRICE - 1n }))), 'payer_without_funds');
        assert.equal(outcomeOf(await ledger.begin(limited(2, { balance: most + PRICE }))), 'reserved');
      });
    });

    test('unpaid purchases count for a day, and only if the payer caused them', async () => {
      await onEmpty(async (ledger) => {
        const begin = async (n: number, nowMs: number, maxUnpaid: number): Promise<string> =>
          outcomeOf(await ledger.begin(limited(n, { maxUnpaid }, 1, { nowMs })));
        const now = 10 * DAY_MS;
        for (const [i, why] of (['not_seen', 'unavailable'] as const).entries()) await unpaid(ledger, i, why, now);
        for (const [i, reason] of (['not_sent', 'expired_unused', 'chain_gone'] as const).entries()) {
          const { id } = await purchaseIn(ledger, 'settling', 10 + i, { nowMs: now });
          await ledger.release(id, reason, now);
        }
        const { id: early } = await purchaseIn(ledger, 'reserved', 15, { nowMs: now });
        await ledger.release(early, 'not_settled', now);
        assert.equal(await begin(20, now, 1), 'reserved', 'the payer caused none of these');

        for (const [i, why] of PAYER_FAULTS.entries()) await unpaid(ledger, 30 + i, why, now + i);
        const { id } = await purchaseIn(ledger, 'settling', 40, { nowMs: now });
        await ledger.release(id, 'used_elsewhere', now + 3);
        assert.equal(PAYER_FAULTS.length, 3);
        assert.equal(await begin(41, now + 10, 4), 'payer_unbilled_too_often');
        assert.equal(await begin(41, now + 10, 5), 'reserved');
        assert.equal(await begin(42, now + UNPAID_MS - 1, 4), 'payer_unbilled_too_often');
        assert.equal(await begin(42, now + UNPAID_MS, 4), 'reserved', 'the first of them is a day old');
        assert.equal(await begin(43, now + UNPAID_MS + 3, 1), 'reserved', 'all of them are');
      });
    });

    test('a recorded fault stays, and a purchase that was paid later does not count', async () => {
      await onEmpty(async (ledger) => {
        const faulty = await purchaseIn(ledger, 'settling', 1);
        await ledger.markUnknown(faulty.id, 'contract_did_not_pay', null);
        await ledger.markUnknown(faulty.id, 'not_seen', null);
        await ledger.release(faulty.id, 'expired_unused', 20);
        assert.equal(outcomeOf(await ledger.begin(limited(2, { maxUnpaid: 1 }))), 'payer_unbilled_too_often');
        const late = await purchaseIn(ledger, 'settling', 3, { payment: payment(3, 2) });
        await ledger.markUnknown(late.id, 'payer_without_funds', null);
        await ledger.markSold(late.id, paid(3), 20);
        assert.equal(outcomeOf(await ledger.begin(limited(4, { maxUnpaid: 1 }, 2))), 'reserved');
      });
    });

    test('a payer is never refused because of other payers', async () => {
      await onEmpty(async (ledger) => {
        for (let n = 0; n < 20; n += 1) await purchaseIn(ledger, n % 2 === 0 ? 'reserved' : 'settling', n);
        for (let n = 20; n < 25; n += 1) await unpaid(ledger, n, 'payer_without_funds', 20);
        const strict = { balance: PRICE, maxOpen: 1, maxUnpaid: 1 };
        assert.equal(outcomeOf(await ledger.begin(limited(30, strict, 1))), 'too_many_open_purchases');
        assert.equal(outcomeOf(await ledger.begin(limited(30, strict, 2))), 'reserved');
      });
    });

    test('a repeated request gets its own purchase, never a refusal', async () => {
      await onEmpty(async (ledger) => {
        const none = { balance: 0n, maxOpen: 0, maxUnpaid: 0 };
        const identifierHash = sha256('order 1');
        const first = await reserve(ledger, wanted(1, { identifierHash }));
        const taken = (by: 'payment' | 'identifier'): Begun => ({ kind: 'taken', by, purchase: first });
        assert.deepEqual(await ledger.begin(limited(1, none)), taken('payment'));
        assert.deepEqual(await ledger.begin(limited(2, none, 1, { identifierHash })), taken('identifier'));
        assert.equal(outcomeOf(await ledger.begin(limited(2, none))), 'too_many_open_purchases');
        await ledger.startSettling(first.id, answer('x'), 5);
        assert.equal(outcomeOf(await ledger.begin(limited(1, none))), 'taken');
        await ledger.markSold(first.id, paid(1), 6);
        assert.equal(outcomeOf(await ledger.begin(limited(1, none))), 'taken');
      });
    });

    test('a refusal writes nothing', async () => {
      await onEmpty(async (ledger) => {
        assert.equal((await ledger.begin(limited(1, { balance: 0n }))).kind, 'refused');
        assert.equal(await ledger.find({ payment: payment(1) }), null);
        assert.equal(outcomeOf(await ledger.begin(limited(1, {}))), 'reserved');
      });
    });

    for (const [name, limits, reason] of [
      ['open purchases', { maxOpen: 5 }, 'too_many_open_purchases'],
      ['funds', { balance: 5n * PRICE + 1n }, 'payer_without_funds'],
    ] as const) {
      test(`16 concurrent calls of a payer never exceed the limit on ${name}; another payer's all begin`, async () => {
        await onEmpty(async (one, two) => {
          for (let round = 0; round < 2; round += 1) {
            const payer = 10 + 2 * round;
            const begun = await Promise.all(
              Array.from({ length: 32 }, (_, i) =>
                (i % 4 < 2 ? one : two).begin(limited(i, i % 2 === 0 ? limits : {}, payer + (i % 2))),
              ),
            );
            const outcomes = begun.map(outcomeOf);
            const own = outcomes.filter((_, i) => i % 2 === 0);
            assert.equal(own.filter((outcome) => outcome === 'reserved').length, 5);
            assert.equal(own.filter((outcome) => outcome === reason).length, 11);
            assert.ok(outcomes.every((outcome, i) => i % 2 === 0 || outcome === 'reserved'));
          }
        });
      });
    }
  });
}
