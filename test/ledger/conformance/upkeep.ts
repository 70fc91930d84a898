/** What is deleted and what stays, and callers whose clocks jump: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { FUTURE_MS } from '../../../ledger/ledger.ts';
import {
  all,
  answer,
  bodyOf,
  hold,
  RESERVE_MS,
  payment,
  purchaseIn,
  reserve,
  sha256,
  STATES,
  wanted,
} from '../purchases.ts';
import type { OnEmptyLedger } from './place.ts';

export function retention(onEmpty: OnEmptyLedger): void {
  describe('retention', () => {
    onEmpty('expired reservations are deleted with their holds, and nothing else', async (ledger) => {
      for (const [i, state] of STATES.entries()) await purchaseIn(ledger, state, i, { lead: `l-${i}` });
      await reserve(ledger, wanted(10, { nowMs: 500 }));
      assert.equal(await ledger.deleteExpiredReservations(RESERVE_MS - 1), 0);
      assert.equal(await ledger.deleteExpiredReservations(RESERVE_MS), 1);
      assert.deepEqual((await all(ledger.purchases())).map((p) => p.state).sort(), [
        'released',
        'reserved',
        'settling',
        'sold',
      ]);
      const { id } = await reserve(ledger, wanted(0, { nowMs: RESERVE_MS }));
      assert.equal(await hold(ledger, id, ['l-0'], RESERVE_MS), 'l-0');
    });

    onEmpty(
      'old answers are deleted, purchases never; equal bytes stay while a purchase refers to them',
      async (ledger) => {
        const large = 'z'.repeat(2_500_000);
        const old = await purchaseIn(ledger, 'sold', 1, {
          payment: { ...payment(1), validBefore: 3n },
          nowMs: 1000,
          body: large,
        });
        const young = await purchaseIn(ledger, 'sold', 2, {
          payment: { ...payment(2), validBefore: 3n },
          nowMs: 9000,
          body: large,
        });
        const misdated = await purchaseIn(ledger, 'sold', 5, {
          nowMs: 1000,
          body: 'sold by a server whose clock was behind',
        });
        const open = await purchaseIn(ledger, 'settling', 3, { nowMs: 1000 });
        for (const early of [old.endedAtMs ?? 0, 3000]) assert.equal(await ledger.forgetAnswers(early), 0);
        assert.equal(await ledger.forgetAnswers(5000), 1);
        assert.equal(await ledger.forgetAnswers(5000), 0);
        assert.equal(await ledger.answerOf(old.id), null);
        assert.deepEqual(await ledger.find({ id: old.id }), old);
        assert.equal(sha256(bodyOf(await ledger.answerOf(young.id)) ?? ''), sha256(large));
        assert.equal(String(bodyOf(await ledger.answerOf(open.id))), 'answer 3');
        assert.ok(await ledger.answerOf(misdated.id));
        assert.equal(await ledger.forgetAnswers(10 ** 13), 2);
        const again = await purchaseIn(ledger, 'sold', 4, { body: large });
        assert.equal(
          sha256(bodyOf(await ledger.answerOf(again.id)) ?? ''),
          sha256(large),
          'deleted bytes can be stored again',
        );
      },
    );

    onEmpty('purchases are listed once, across pages', async (ledger) => {
      for (let n = 0; n < 505; n += 1) await reserve(ledger, wanted(n));
      assert.equal(new Set((await all(ledger.purchases())).map((p) => p.id)).size, 505);
    });

    onEmpty('a token works once, until long after it expires', async (ledger) => {
      const used = await Promise.all(Array.from({ length: 8 }, () => ledger.useOnce('nonce', 100)));
      assert.equal(used.filter(Boolean).length, 1);
      assert.equal(await ledger.useOnce('another', 300), true);
      assert.equal(await ledger.useOnce('nonce', 100), false);
      await ledger.forgetAnswers(101);
      assert.equal(await ledger.useOnce('nonce', 100), true);
      assert.equal(await ledger.useOnce('another', 300), false);
    });

    onEmpty('the first recorded kind of money stays', async (ledger) => {
      assert.deepEqual(
        new Set(await Promise.all(Array.from({ length: 4 }, () => ledger.recordMoney('test')))),
        new Set(['test']),
      );
      assert.equal(await ledger.recordMoney('real'), 'test');
    });
  });
}

export function clocks(onEmpty: OnEmptyLedger): void {
  describe('a clock that jumps', () => {
    onEmpty('back by minutes loses no settled purchase, and a lease lasts a little longer', async (ledger) => {
      const later = FUTURE_MS;
      await purchaseIn(ledger, 'sold', 1, { nowMs: later, lead: 'sold' });
      await purchaseIn(ledger, 'settling', 2, { nowMs: later, lead: 'settling' });
      await purchaseIn(ledger, 'reserved', 3, { nowMs: later, lead: 'reserved' });
      assert.equal((await ledger.heldLeads(0)).size, 3);
      assert.equal(await ledger.deleteExpiredReservations(0), 0);
      assert.equal(await ledger.forgetAnswers(0), 0);
      const { id } = await reserve(ledger, wanted(4));
      assert.equal(await hold(ledger, id, ['sold', 'settling', 'reserved', 'free'], 0), 'free');
    });

    onEmpty('back by hours does not let a reservation from the future keep its lead', async (ledger) => {
      const later = 10 ** 9;
      for (const [n, state] of (['sold', 'settling', 'reserved'] as const).entries())
        await purchaseIn(ledger, state, n, { nowMs: later, lead: state });
      assert.deepEqual([...(await ledger.heldLeads(0)).keys()].sort(), ['settling', 'sold']);
      const { id } = await reserve(ledger, wanted(4));
      assert.equal(await hold(ledger, id, ['sold', 'settling', 'reserved'], 0), 'reserved');
      await purchaseIn(ledger, 'reserved', 5, { nowMs: later });
      assert.equal((await ledger.begin(wanted(5))).kind, 'reserved', 'nor its payment');
      await purchaseIn(ledger, 'reserved', 6, { nowMs: later });
      assert.equal(await ledger.deleteExpiredReservations(0), 1);
    });

    onEmpty('forward expires only reservations', async (ledger) => {
      const slow = await purchaseIn(ledger, 'reserved', 1, { lead: 'reserved' });
      await purchaseIn(ledger, 'settling', 2, { lead: 'settling' });
      await purchaseIn(ledger, 'sold', 3, { lead: 'sold' });
      const jumped = 10 ** 12;
      assert.equal(await ledger.deleteExpiredReservations(jumped), 1);
      const { id } = await reserve(ledger, wanted(4, { nowMs: jumped }));
      assert.equal(await hold(ledger, id, ['sold', 'settling', 'reserved'], jumped), 'reserved');
      assert.equal(
        await ledger.startSettling(slow.id, answer('x'), 5),
        false,
        'its lease is valid by its own clock, but it was deleted',
      );
    });
  });
}
