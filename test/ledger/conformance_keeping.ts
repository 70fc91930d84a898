/** What a ledger keeps, and what it forgets: a part of conformance.ts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ledger, PurchaseState } from '../../ledger/ledger.ts';
import type { Place } from './conformance.ts';
import { all, bodyOf, claim, LEASE_MS, payment, purchaseIn, reserve, sha256, wanted } from './purchases.ts';

const STATES: readonly PurchaseState[] = ['reserved', 'settling', 'sold', 'released'];

/** @param inNew runs its work on a new ledger */
export function keepingAndForgetting(
  inNew: (work: (ledger: Ledger) => Promise<void>) => Promise<void>,
  place: Place,
): void {
  describe('keeping and forgetting', () => {
    test('abandoned reservations go with their claims, and nothing else does', async () => {
      await inNew(async (ledger) => {
        for (const [i, state] of STATES.entries()) await purchaseIn(ledger, state, i, { lead: `l-${i}` });
        await reserve(ledger, wanted(10, { nowMs: 500 }));
        assert.equal(await ledger.deleteExpiredReservations(LEASE_MS - 1), 0);
        assert.equal(await ledger.deleteExpiredReservations(LEASE_MS), 1);
        assert.deepEqual((await all(ledger.purchases())).map((p) => p.state).sort(), [
          'released',
          'reserved',
          'settling',
          'sold',
        ]);
        const { id } = await reserve(ledger, wanted(0, { nowMs: LEASE_MS }));
        assert.equal(await claim(ledger, id, ['l-0'], LEASE_MS), 'l-0');
      });
    });

    test('an answer is forgotten when its time is over, the purchase never; equal bytes stay while anybody may collect them', async () => {
      await inNew(async (ledger) => {
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
          body: 'sold on a server whose clock was behind',
        });
        const open = await purchaseIn(ledger, 'settling', 3, { nowMs: 1000 });
        for (const early of [old.endedAtMs ?? 0, 3000]) assert.equal(await ledger.forgetAnswers(early), 0);
        assert.equal(await ledger.forgetAnswers(5000), 1);
        assert.equal(await ledger.forgetAnswers(5000), 0);
        assert.equal(await ledger.answerOf(old.id), null);
        assert.deepEqual(await ledger.find({ id: old.id }), old);
        assert.equal(sha256((await bodyOf(await ledger.answerOf(young.id))) ?? ''), sha256(large));
        assert.equal(String(await bodyOf(await ledger.answerOf(open.id))), 'answer 3');
        assert.ok(await ledger.answerOf(misdated.id));
        assert.equal(await ledger.forgetAnswers(10 ** 13), 2);
        const again = await purchaseIn(ledger, 'sold', 4, { body: large });
        assert.equal(
          sha256((await bodyOf(await ledger.answerOf(again.id))) ?? ''),
          sha256(large),
          'forgotten bytes can be kept anew',
        );
      });
    });

    test('who reads a long answer while it is forgotten is given no part of another', async () => {
      await inNew(async (ledger) => {
        const ended = { payment: { ...payment(1), validBefore: 3n }, nowMs: 1000 };
        const [one, other] = ['a', 'b'].map((letter) => letter.repeat(2_500_000));
        const bought = await purchaseIn(ledger, 'sold', 1, { ...ended, body: one ?? '' });
        const pieces = (await ledger.answerOf(bought.id))?.body()[Symbol.asyncIterator]();
        assert.equal(
          Buffer.from((await pieces?.next())?.value ?? '')
            .subarray(0, 1)
            .toString(),
          'a',
        );
        assert.equal(await ledger.forgetAnswers(5000), 1);
        await purchaseIn(ledger, 'sold', 2, { body: other ?? '' });
        await assert.rejects(async () => pieces?.next(), /forgotten/);
      });
    });

    test('every purchase and every delivery comes once, in order, also when there are more than one page', async () => {
      await inNew(async (ledger) => {
        const many = 1203;
        for (let n = 0; n < many; n += 1) await reserve(ledger, wanted(n, { nowMs: Math.floor(n / 7) }));
        const purchases = await all(ledger.purchases());
        assert.equal(new Set(purchases.map((p) => p.id)).size, many);
        assert.deepEqual(
          purchases.map((p) => p.reservedAtMs),
          Array.from({ length: many }, (_, n) => Math.floor(n / 7)),
        );
        const sold = await purchaseIn(ledger, 'sold', 5000);
        for (let n = 0; n < 502; n += 1)
          await ledger.delivered({
            purchaseId: sold.id,
            kind: n === 0 ? 'first' : 'wallet',
            atMs: n,
            complete: n % 2 === 0,
          });
        const deliveries = await all(ledger.deliveries());
        assert.deepEqual(deliveries.slice(0, 2), [
          { purchaseId: sold.id, kind: 'first', atMs: 0, complete: true },
          { purchaseId: sold.id, kind: 'wallet', atMs: 1, complete: false },
        ]);
        assert.deepEqual(
          deliveries.map((d) => d.atMs),
          Array.from({ length: 502 }, (_, n) => n),
        );
      });
    });

    test('a token works once, until long after its owner refuses it by its age', async () => {
      await inNew(async (ledger) => {
        const used = await Promise.all(Array.from({ length: 8 }, () => ledger.useOnce('nonce', 100)));
        assert.equal(used.filter(Boolean).length, 1);
        assert.equal(await ledger.useOnce('another', 300), true);
        assert.equal(await ledger.useOnce('nonce', 100), false);
        await ledger.forgetAnswers(101);
        assert.equal(await ledger.useOnce('nonce', 100), true);
        assert.equal(await ledger.useOnce('another', 300), false);
      });
    });

    test('one kind of money, whoever asks first, and for good', async () => {
      await inNew(async (ledger) => {
        assert.deepEqual(
          new Set(await Promise.all(Array.from({ length: 4 }, () => ledger.recordMoney('test')))),
          new Set(['test']),
        );
        assert.equal(await ledger.recordMoney('real'), 'test');
      });
    });

    test('what is closed and opened again is the same ledger', async () => {
      const name = await place.fresh();
      const first = await place.open(name);
      for (const [i, state] of STATES.entries()) await purchaseIn(first, state, i, { lead: `l-${i}` });
      const before_ = await all(first.purchases());
      await first.close();
      const second = await place.open(name);
      assert.deepEqual(await all(second.purchases()), before_);
      await second.ping();
      await second.close();
    });
  });
}
