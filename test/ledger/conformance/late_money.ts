/** Released purchases whose money arrives: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Purchase } from '../../../ledger/ledger.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { all, bodyOf, claim, paid, payment, purchaseIn, reserve, sha256, wanted } from '../purchases.ts';
import { bookAll, bookOne, current, expiredPayment, transferFor } from '../transfer_booking.ts';
import type { OnEmptyLedger } from './place.ts';

export function lateMoney(onEmpty: OnEmptyLedger): void {
  describe('money that arrives late', () => {
    test('sells a released purchase: lead, answer, payment and identifier', async () => {
      await onEmpty(async (ledger) => {
        const identifierHash = sha256('order 1');
        const released = await purchaseIn(ledger, 'released', 1, { lead: 'lead', identifierHash, body: 'the answer' });
        assert.deepEqual(await ledger.soldLeads(), []);
        assert.equal(await bookOne(ledger, transferFor(1), { nowMs: 100 }), 'matched');
        const good: Purchase = { ...released, state: 'sold', endedAtMs: 100, why: null, ...paid(1) };
        assert.deepEqual(await current(ledger, released), good);
        assert.deepEqual(await ledger.soldLeads(), ['lead']);
        assert.equal(String(await bodyOf(await ledger.answerOf(released.id))), 'the answer');
        assert.deepEqual(await ledger.find({ payment: payment(1) }), good);
        assert.deepEqual(await ledger.find({ payer: payment(1).payer, identifierHash }), good);
        assert.equal((await ledger.begin(wanted(1, { nowMs: 200 }))).kind, 'taken');
        const rival = await reserve(ledger, wanted(2, { nowMs: 200 }));
        assert.equal(await claim(ledger, rival.id, ['lead'], 200), null);
        assert.deepEqual(
          (await all(ledger.transfers(null, ['matched']))).map((t) => t.purchaseId),
          [released.id],
        );
      });
    });

    test('the answer of a purchase sold late is stored as long as that of a new sale', async () => {
      await onEmpty(async (ledger) => {
        const { id } = await purchaseIn(ledger, 'released', 1, { payment: expiredPayment(1), nowMs: 1000 });
        assert.equal(await bookOne(ledger, transferFor(1), { nowMs: 9000 }), 'matched');
        assert.equal(await ledger.forgetAnswers(9000), 0);
        assert.ok(await ledger.answerOf(id));
        assert.equal(await ledger.forgetAnswers(9001), 1);
      });
    });

    test('an identifier that another purchase uses by then stays there; the wallet finds both purchases', async () => {
      await onEmpty(async (ledger) => {
        const identifierHash = sha256('order 1');
        const released = await purchaseIn(ledger, 'released', 1, { identifierHash });
        const second = await purchaseIn(ledger, 'sold', 2, { identifierHash, nowMs: 50 });
        assert.equal(await bookOne(ledger, transferFor(1)), 'matched');
        assert.equal((await ledger.find({ payer: payment(1).payer, identifierHash }))?.id, second.id);
        assert.equal((await ledger.find({ payment: payment(1) }))?.id, released.id);
      });
    });

    test('a transfer is owed if the lead of its released purchase was sold to another payer', async () => {
      await onEmpty(async (ledger) => {
        const released = await purchaseIn(ledger, 'released', 1, { lead: 'lead' });
        const winner = await purchaseIn(ledger, 'sold', 2, { lead: 'lead', payment: payment(2, 2), nowMs: 50 });
        const [booked] = await bookAll(ledger, [transferFor(1)]);
        assert.deepEqual([booked?.kind, booked?.purchaseId], ['owed', null]);
        assert.deepEqual(await current(ledger, released), released);
        assert.equal((await current(ledger, winner)).leadId, 'lead');
        assert.deepEqual(await ledger.soldLeads(), ['lead']);
      });
    });

    test('a transfer is owed if the answer of its released purchase was deleted; the lead stays free', async () => {
      await onEmpty(async (ledger) => {
        const released = await purchaseIn(ledger, 'released', 1, { lead: 'lead', payment: expiredPayment(1) });
        assert.equal(await ledger.forgetAnswers(DAY_MS), 1);
        assert.equal(await bookOne(ledger, transferFor(1), { nowMs: DAY_MS }), 'owed');
        assert.equal((await current(ledger, released)).state, 'released');
        assert.deepEqual(await ledger.soldLeads(), []);
      });
    });

    test('a transfer for a reservation that was released without an answer is owed; its lead stays free', async () => {
      await onEmpty(async (ledger) => {
        const { id } = await purchaseIn(ledger, 'reserved', 1, { lead: 'lead' });
        assert.equal(await ledger.release(id, 'not_sent', 5), true);
        assert.equal(await bookOne(ledger, transferFor(1)), 'owed');
        const found = await current(ledger, { id });
        assert.deepEqual([found.state, found.why, found.leadId], ['released', 'not_sent', 'lead']);
        assert.deepEqual([...(await ledger.claimedLeads(0))], []);
      });
    });

    test('of two released purchases of one payment, a transfer sells only the later one', async () => {
      await onEmpty(async (ledger) => {
        const first = await purchaseIn(ledger, 'released', 1);
        const second = await purchaseIn(ledger, 'released', 1, { nowMs: 50 });
        assert.equal(await bookOne(ledger, transferFor(1)), 'matched');
        assert.deepEqual(
          [(await current(ledger, first)).state, (await current(ledger, second)).state],
          ['released', 'sold'],
        );
      });
    });
  });
}
