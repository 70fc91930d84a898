/** Matching transfers with purchases: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IncomingTransfer, Purchase } from '../../../ledger/ledger.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { all, answer, bodyOf, claim, paid, payment, purchaseIn, reserve, sha256, wanted } from '../purchases.ts';
import { ACCOUNT, bookAll, bookOne, current, expiredPayment, transferFor } from '../transfer_booking.ts';
import type { OnEmptyLedger } from './place.ts';

const OTHER_CHAIN = `0x${'d'.repeat(64)}`;

/** @param races repetitions of each race */
export function transfers(onEmpty: OnEmptyLedger, { races }: { readonly races: number }): void {
  describe('matching transfers', () => {
    test('a transfer matches its sold purchase', async () => {
      await onEmpty(async (ledger) => {
        const sold = await purchaseIn(ledger, 'sold', 1, { lead: 'lead' });
        const transfer = transferFor(1);
        const matched = { kind: 'matched', purchaseId: sold.id, resolution: null, bookedAtMs: 100 };
        const booked = { ...transfer, ...ACCOUNT, ...matched };
        assert.deepEqual(await bookAll(ledger, [transfer]), [booked]);
        assert.deepEqual(await all(ledger.transfers(null)), [booked]);
        assert.deepEqual(await current(ledger, sold), sold, 'the purchase is unchanged');
      });
    });

    test('a transfer of another amount is owed, and changes no purchase', async () => {
      await onEmpty(async (ledger) => {
        for (const [n, state] of (['reserved', 'settling', 'sold', 'released'] as const).entries()) {
          const purchase = await purchaseIn(ledger, state, n);
          for (const [i, difference] of [-1n, 1n].entries()) {
            const transfer = transferFor(n, { logIndex: 10 + i, amount: payment(n).amount + difference });
            assert.equal(await bookOne(ledger, transfer), 'owed', state);
          }
          assert.deepEqual(await current(ledger, purchase), purchase);
        }
      });
    });

    test('a transfer without authorization or amount is dust; one without a purchase is owed', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'settling', 1);
        const others: readonly (readonly ['dust' | 'owed', Partial<IncomingTransfer>])[] = [
          ['dust', { nonce: null }],
          ['dust', { amount: 0n }],
          ['dust', { payer: payment(1, 2).payer, nonce: null }],
          ['owed', { nonce: payment(2).nonce }],
          ['owed', { payer: payment(1, 2).payer }],
        ];
        for (const [i, [kind, other]] of others.entries())
          assert.equal(await bookOne(ledger, transferFor(1, { logIndex: 10 + i, ...other })), kind);
        assert.equal(await bookOne(ledger, transferFor(1, { logIndex: 9 })), 'matched');
      });
    });

    test('one purchase never matches two transfers', async () => {
      await onEmpty(async (ledger) => {
        for (const [i, state] of (['settling', 'sold', 'released'] as const).entries()) {
          const purchase = await purchaseIn(ledger, state, i + 1);
          const [first, second] = await bookAll(ledger, [transferFor(i + 1), transferFor(i + 1, { logIndex: 2 })]);
          assert.equal(first?.kind, 'matched');
          assert.equal(first.purchaseId, purchase.id);
          assert.deepEqual([second?.kind, second?.purchaseId], ['owed', null]);
        }
      });
    });

    test('a later purchase does not take a refunded transfer', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'released', 1, { lead: 'lead' });
        await purchaseIn(ledger, 'sold', 2, { lead: 'lead', nowMs: 50 });
        assert.equal(await bookOne(ledger, transferFor(1)), 'owed');
        assert.equal(await ledger.settleDebt({ ...ACCOUNT, ...transferFor(1) }, 'refunded'), true);
        const again = await purchaseIn(ledger, 'sold', 1, { nowMs: 200 });
        await bookAll(ledger, []);
        const [booked] = await all(ledger.transfers(null));
        assert.deepEqual([booked?.kind, booked?.purchaseId, booked?.resolution], ['resolved', null, 'refunded']);
        assert.equal(again.state, 'sold');
      });
    });

    test('purchases on another chain, or of another account, never match', async () => {
      await onEmpty(async (ledger) => {
        for (const state of ['settling', 'released'] as const) {
          const n = state === 'settling' ? 1 : 2;
          const purchase = await purchaseIn(ledger, state, n, { chain: OTHER_CHAIN });
          assert.equal(await bookOne(ledger, transferFor(n)), 'owed', state);
          const stranger = { chain: OTHER_CHAIN, payTo: payment(8, 8).payer };
          assert.equal(await bookOne(ledger, transferFor(n), { account: stranger }), 'owed');
          assert.deepEqual(await current(ledger, purchase), purchase);
          const ownAccount = { ...ACCOUNT, chain: OTHER_CHAIN };
          assert.equal(await bookOne(ledger, transferFor(n), { account: ownAccount }), 'matched');
          assert.equal((await current(ledger, purchase)).state, 'sold');
        }
        const elsewhere = await purchaseIn(ledger, 'settling', 3, { chain: OTHER_CHAIN });
        assert.equal(await bookOne(ledger, transferFor(3)), 'owed');
        await ledger.markSold(elsewhere.id, paid(3), 5);
        const third = (await all(ledger.transfers(ACCOUNT))).find((t) => t.block === 3n);
        assert.equal(third?.kind, 'owed', 'its sale does not take it either');
      });
    });

    test('a late transfer sells a released purchase: lead, answer, payment and identifier', async () => {
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

    test('a purchase that changes while its transfer is booked is sold or owed', async () => {
      await onEmpty(async (one, two) => {
        for (let n = 1; n <= races; n += 1) {
          const before = n % 2 === 0 ? 'settling' : 'released';
          const purchase = await purchaseIn(one, before, n, { lead: `l-${n}`, payment: expiredPayment(n) });
          const rival = await reserve(one, wanted(1000 + n));
          const end = async (): Promise<unknown> =>
            n % 2 === 0 ? one.release(purchase.id, 'not_sent', 30) : one.forgetAnswers(DAY_MS);
          const taking = claim(one, rival.id, [`l-${n}`], 40);
          await Promise.all([end(), taking, bookAll(two, [transferFor(n)], { nowMs: 2 * DAY_MS })]);
          const given = await taking;
          const [booked] = (await all(one.transfers(ACCOUNT))).filter((t) => t.block === BigInt(n));
          const { state } = await current(one, purchase);
          assert.equal(state, booked?.kind === 'owed' ? 'released' : 'sold', booked?.kind ?? 'not booked');
          if (state !== 'sold') continue;
          assert.ok(await one.answerOf(purchase.id), 'a sold purchase has its answer');
          // A reservation that had claimed the lead loses it, before a settlement is requested.
          if (given !== null) assert.equal(await one.startSettling(rival.id, answer('the lead'), 50), false);
          assert.notEqual((await one.find({ id: rival.id }))?.leadId, `l-${n}`, 'a sold purchase has its lead');
          assert.ok((await one.soldLeads()).includes(`l-${n}`));
        }
      });
    });
  });
}
