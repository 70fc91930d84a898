/** Matching transfers with purchases: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Purchase } from '../../../ledger/ledger.ts';
import type { IncomingTransfer } from '../../../ledger/transfers.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { all, answer, claim, paid, payment, purchaseIn, reserve, wanted } from '../purchases.ts';
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

    test('booking a range twice changes nothing', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'sold', 1);
        await purchaseIn(ledger, 'settling', 2);
        await purchaseIn(ledger, 'released', 3);
        await purchaseIn(ledger, 'released', 4, { payment: { ...payment(4), amount: 5n } });
        const range = [1, 2, 3, 4, 5].map((n) => transferFor(n));
        const first = await bookAll(ledger, range);
        assert.deepEqual(
          first.map(({ kind }) => kind),
          ['matched', 'matched', 'matched', 'owed', 'owed'],
        );
        const before = await all(ledger.purchases());
        assert.deepEqual(await bookAll(ledger, range, { nowMs: 500 }), first);
        assert.deepEqual(await all(ledger.transfers(null)), first);
        assert.deepEqual(await all(ledger.purchases()), before);
      });
    });

    test('a transfer sells its settling purchase', async () => {
      await onEmpty(async (ledger) => {
        const settling = await purchaseIn(ledger, 'settling', 1, { lead: 'lead' });
        await ledger.markUnknown(settling.id, 'not_seen', paid(99).transaction);
        assert.equal(await bookOne(ledger, transferFor(1), { nowMs: 100 }), 'matched');
        const sold: Purchase = { ...settling, state: 'sold', endedAtMs: 100, why: null, ...paid(1) };
        assert.deepEqual(await current(ledger, settling), sold);
        assert.equal((await ledger.markSold(settling.id, paid(50), 200)).transaction, paid(1).transaction);
        assert.equal(await ledger.release(settling.id, 'expired_unused', 200), false);
      });
    });

    test('a sold purchase records the place of its payment in the final block', async () => {
      await onEmpty(async (ledger) => {
        const sold = await purchaseIn(ledger, 'sold', 1);
        assert.equal(await bookOne(ledger, transferFor(1, paid(7))), 'matched');
        assert.deepEqual(await current(ledger, sold), { ...sold, ...paid(7) });
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

    test('of two purchases of one payment, a transfer matches the one that is not released', async () => {
      await onEmpty(async (ledger) => {
        for (const [i, state] of (['settling', 'sold'] as const).entries()) {
          const released = await purchaseIn(ledger, 'released', i + 1);
          const later = await purchaseIn(ledger, state, i + 1, { nowMs: 50 });
          const [booked] = await bookAll(ledger, [transferFor(i + 1)]);
          assert.deepEqual([booked?.kind, booked?.purchaseId], ['matched', later.id]);
          assert.equal((await current(ledger, later)).state, 'sold');
          assert.equal((await current(ledger, released)).state, 'released');
        }
      });
    });

    test('a sale takes a transfer that was booked before it, in the next booking', async () => {
      await onEmpty(async (ledger) => {
        const { id } = await reserve(ledger, wanted(1));
        assert.equal(await bookOne(ledger, transferFor(1)), 'owed');
        assert.equal(await bookOne(ledger, transferFor(2, { logIndex: 7 })), 'owed');
        assert.equal(await bookOne(ledger, transferFor(1, { logIndex: 8, amount: 7n })), 'owed');
        await ledger.startSettling(id, answer('x'), 5);
        await ledger.markSold(id, paid(1), 6);
        await bookAll(ledger, []);
        const booked = (await all(ledger.transfers(null))).map((t) => [t.logIndex, t.kind, t.purchaseId]);
        assert.deepEqual(booked, [
          [1, 'matched', id],
          [8, 'owed', null],
          [7, 'owed', null],
        ]);
        assert.equal(await bookOne(ledger, transferFor(1)), 'matched', 'it stays matched when it is booked again');
      });
    });

    test('a later purchase of its payment takes an owed transfer', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'released', 1, { lead: 'lead' });
        await purchaseIn(ledger, 'sold', 2, { lead: 'lead', nowMs: 50 });
        assert.equal(await bookOne(ledger, transferFor(1)), 'owed');
        const again = await purchaseIn(ledger, 'sold', 1, { nowMs: 200 });
        await bookAll(ledger, []);
        const [booked] = await all(ledger.transfers(ACCOUNT));
        assert.deepEqual([booked?.kind, booked?.purchaseId], ['matched', again.id]);
      });
    });

    test('a later purchase does not take a refunded transfer', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'released', 1, { lead: 'lead' });
        await purchaseIn(ledger, 'sold', 2, { lead: 'lead', nowMs: 50 });
        assert.equal(await bookOne(ledger, transferFor(1)), 'owed');
        assert.equal(await ledger.resolveOwed({ ...ACCOUNT, ...transferFor(1) }, 'refunded'), true);
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

    test('a sale that runs while its transfer is booked always gets it', async () => {
      await onEmpty(async (one, two) => {
        for (let n = 1; n <= races; n += 1) {
          const { id } = await purchaseIn(one, n % 2 === 0 ? 'reserved' : 'settling', n);
          const sell = async (): Promise<void> => {
            if (n % 2 === 0) await one.startSettling(id, answer('x'), 20);
            await one.markSold(id, paid(n), 30);
          };
          await Promise.all([sell(), bookAll(two, [transferFor(n)])]);
          await bookAll(one, []);
          const [booked] = (await all(one.transfers(ACCOUNT))).filter((t) => t.block === BigInt(n));
          assert.deepEqual(
            [booked?.kind, booked?.purchaseId, (await current(one, { id })).state],
            ['matched', id, 'sold'],
          );
        }
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
