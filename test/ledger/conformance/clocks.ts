/** Callers whose clocks jump: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FUTURE_MS } from '../../../ledger/ledger.ts';
import { answer, claim, purchaseIn, reserve, wanted } from '../purchases.ts';
import type { OnEmptyLedger } from './place.ts';

export function clocks(onEmpty: OnEmptyLedger): void {
  describe('clocks that jump', () => {
    test('back by minutes: settled purchases stay, and a lease lasts a little longer', async () => {
      await onEmpty(async (ledger) => {
        const later = FUTURE_MS;
        await purchaseIn(ledger, 'sold', 1, { nowMs: later, lead: 'sold' });
        await purchaseIn(ledger, 'settling', 2, { nowMs: later, lead: 'settling' });
        await purchaseIn(ledger, 'reserved', 3, { nowMs: later, lead: 'reserved' });
        assert.equal((await ledger.claimedLeads(0)).size, 3);
        assert.equal(await ledger.deleteExpiredReservations(0), 0);
        assert.equal(await ledger.forgetAnswers(0), 0);
        const { id } = await reserve(ledger, wanted(4));
        assert.equal(await claim(ledger, id, ['sold', 'settling', 'reserved', 'free'], 0), 'free');
      });
    });

    test('back by hours: a reservation from the future does not keep its lead', async () => {
      await onEmpty(async (ledger) => {
        const later = 10 ** 9;
        for (const [n, state] of (['sold', 'settling', 'reserved'] as const).entries())
          await purchaseIn(ledger, state, n, { nowMs: later, lead: state });
        assert.deepEqual([...(await ledger.claimedLeads(0)).keys()].sort(), ['settling', 'sold']);
        const { id } = await reserve(ledger, wanted(4));
        assert.equal(await claim(ledger, id, ['sold', 'settling', 'reserved'], 0), 'reserved');
        await purchaseIn(ledger, 'reserved', 5, { nowMs: later });
        assert.equal((await ledger.begin(wanted(5))).kind, 'reserved', 'nor its payment');
        await purchaseIn(ledger, 'reserved', 6, { nowMs: later });
        assert.equal(await ledger.deleteExpiredReservations(0), 1);
      });
    });

    test('forward: only reservations expire', async () => {
      await onEmpty(async (ledger) => {
        const slow = await purchaseIn(ledger, 'reserved', 1, { lead: 'reserved' });
        await purchaseIn(ledger, 'settling', 2, { lead: 'settling' });
        await purchaseIn(ledger, 'sold', 3, { lead: 'sold' });
        const jumped = 10 ** 12;
        assert.equal(await ledger.deleteExpiredReservations(jumped), 1);
        const { id } = await reserve(ledger, wanted(4, { nowMs: jumped }));
        assert.equal(await claim(ledger, id, ['sold', 'settling', 'reserved'], jumped), 'reserved');
        assert.equal(
          await ledger.startSettling(slow.id, answer('x'), 5),
          false,
          'its lease is valid by its own clock, but it was deleted',
        );
      });
    });
  });
}
