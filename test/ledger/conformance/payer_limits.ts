/** Limits of one payer, enforced in the transaction that reserves a purchase: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Begun, NewPurchase, PayerLimits } from '../../../ledger/ledger.ts';
import { answer, GENEROUS, paid, payment, reserve, sha256, wanted } from '../purchases.ts';
import type { OnEmptyLedger } from './place.ts';

const PRICE = payment(1).amount;

/** A call of payer number `payer` with these limits. */
const limited = (n: number, limits: Partial<PayerLimits>, payer = 1, more: Partial<NewPurchase> = {}): NewPurchase =>
  wanted(n, { payment: payment(n, payer), limits: { ...GENEROUS, ...limits }, ...more });

const outcomeOf = (begun: Begun): string => (begun.kind === 'refused' ? begun.reason : begun.kind);

export function payerLimits(onEmpty: OnEmptyLedger): void {
  describe('limits of one payer', () => {
    test('amounts are added exactly, up to 256 bits', async () => {
      await onEmpty(async (ledger) => {
        const most = (1n << 256n) - 1n;
        await reserve(ledger, wanted(1, { payment: { ...payment(1), amount: most } }));
        assert.equal(outcomeOf(await ledger.begin(limited(2, { balance: most + PRICE - 1n }))), 'payer_without_funds');
        assert.equal(outcomeOf(await ledger.begin(limited(2, { balance: most + PRICE }))), 'reserved');
      });
    });

    test('a repeated request gets its own purchase, never a refusal', async () => {
      await onEmpty(async (ledger) => {
        const none = { balance: 0n, maxOpen: 0 };
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
