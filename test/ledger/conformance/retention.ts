/** Deleting reservations, answers and tokens, and keeping everything else: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { all, bodyOf, claim, LEASE_MS, payment, purchaseIn, reserve, sha256, STATES, wanted } from '../purchases.ts';
import type { OnEmptyLedger } from './place.ts';

export function retention(onEmpty: OnEmptyLedger): void {
  describe('retention', () => {
    test('expired reservations are deleted with their claims, and nothing else', async () => {
      await onEmpty(async (ledger) => {
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

    test('old answers are deleted, purchases never; equal bytes stay while a purchase refers to them', async () => {
      await onEmpty(async (ledger) => {
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
        assert.equal(sha256((await bodyOf(await ledger.answerOf(young.id))) ?? ''), sha256(large));
        assert.equal(String(await bodyOf(await ledger.answerOf(open.id))), 'answer 3');
        assert.ok(await ledger.answerOf(misdated.id));
        assert.equal(await ledger.forgetAnswers(10 ** 13), 2);
        const again = await purchaseIn(ledger, 'sold', 4, { body: large });
        assert.equal(
          sha256((await bodyOf(await ledger.answerOf(again.id))) ?? ''),
          sha256(large),
          'deleted bytes can be stored again',
        );
      });
    });

    test('a reader of a long answer that is deleted meanwhile gets no chunk of another answer', async () => {
      await onEmpty(async (ledger) => {
        const ended = { payment: { ...payment(1), validBefore: 3n }, nowMs: 1000 };
        const [one, other] = ['a', 'b'].map((letter) => letter.repeat(2_500_000));
        const bought = await purchaseIn(ledger, 'sold', 1, { ...ended, body: one ?? '' });
        const chunks = (await ledger.answerOf(bought.id))?.body()[Symbol.asyncIterator]();
        assert.equal(
          Buffer.from((await chunks?.next())?.value ?? '')
            .subarray(0, 1)
            .toString(),
          'a',
        );
        assert.equal(await ledger.forgetAnswers(5000), 1);
        await purchaseIn(ledger, 'sold', 2, { body: other ?? '' });
        await assert.rejects(async () => chunks?.next(), /forgotten/);
      });
    });

    test('purchases and deliveries are listed once, across pages', async () => {
      await onEmpty(async (ledger) => {
        const many = 505;
        for (let n = 0; n < many; n += 1) await reserve(ledger, wanted(n));
        const purchases = await all(ledger.purchases());
        assert.equal(new Set(purchases.map((p) => p.id)).size, many);
        const sold = await purchaseIn(ledger, 'sold', 5000);
        for (let n = 0; n < 502; n += 1)
          await ledger.recordDelivery({
            purchaseId: sold.id,
            kind: n === 0 ? 'first' : 'wallet',
            atMs: n,
            isComplete: n % 2 === 0,
          });
        const deliveries = await all(ledger.deliveries());
        assert.deepEqual(deliveries.slice(0, 2), [
          { purchaseId: sold.id, kind: 'first', atMs: 0, isComplete: true },
          { purchaseId: sold.id, kind: 'wallet', atMs: 1, isComplete: false },
        ]);
        assert.deepEqual(
          deliveries.map((d) => d.atMs),
          Array.from({ length: 502 }, (_, n) => n),
        );
      });
    });

    test('a token works once, until long after it expires', async () => {
      await onEmpty(async (ledger) => {
        const used = await Promise.all(Array.from({ length: 8 }, () => ledger.useOnce('nonce', 100)));
        assert.equal(used.filter(Boolean).length, 1);
        assert.equal(await ledger.useOnce('another', 300), true);
        assert.equal(await ledger.useOnce('nonce', 100), false);
        await ledger.forgetAnswers(101);
        assert.equal(await ledger.useOnce('nonce', 100), true);
        assert.equal(await ledger.useOnce('another', 300), false);
      });
    });

    test('the first recorded kind of money stays', async () => {
      await onEmpty(async (ledger) => {
        assert.deepEqual(
          new Set(await Promise.all(Array.from({ length: 4 }, () => ledger.recordMoney('test')))),
          new Set(['test']),
        );
        assert.equal(await ledger.recordMoney('real'), 'test');
      });
    });
  });
}
