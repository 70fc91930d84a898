/** Which transfer paid which purchase: a part of conformance.ts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ledger, Payment, Purchase } from '../../ledger/ledger.ts';
import type { IncomingTransfer } from '../../ledger/transfers.ts';
import { ACCOUNT, book, kindOf, now, transferOf } from './book.ts';
import { all, answer, bodyOf, claim, paid, payment, purchaseIn, reserve, sha256, wanted } from './purchases.ts';

type OnTwo = (work: (ledger: Ledger, other: Ledger) => Promise<void>) => Promise<void>;

const DAY_MS = 86_400_000;
const OTHER_CHAIN = `0x${'d'.repeat(64)}`;

/** A payment that can be settled no more when its answer is forgotten. */
const expired = (n: number): Payment => ({ ...payment(n), validBefore: 3n });

/** @param inNew runs its work on two connections to one new ledger */
export function transferMatching(inNew: OnTwo): void {
  describe('matching transfers', () => {
    test('the transfer of a sold purchase is matched with it', async () => {
      await inNew(async (ledger) => {
        const sold = await purchaseIn(ledger, 'sold', 1, { lead: 'lead' });
        const transfer = transferOf(1);
        const matched = { kind: 'matched', purchaseId: sold.id, resolution: null, bookedAtMs: 100 };
        const booked = { ...transfer, ...ACCOUNT, ...matched };
        assert.deepEqual(await book(ledger, [transfer]), [booked]);
        assert.deepEqual(await all(ledger.transfers(null)), [booked]);
        assert.deepEqual(await now(ledger, sold), sold, 'the purchase is as it was');
      });
    });

    test('booking a range twice changes nothing, whatever became of its transfers', async () => {
      await inNew(async (ledger) => {
        await purchaseIn(ledger, 'sold', 1);
        await purchaseIn(ledger, 'settling', 2);
        await purchaseIn(ledger, 'released', 3);
        await purchaseIn(ledger, 'released', 4, { payment: { ...payment(4), amount: 5n } });
        const transfers = [1, 2, 3, 4, 5].map((n) => transferOf(n));
        const first = await book(ledger, transfers);
        assert.deepEqual(
          first.map(({ kind }) => kind),
          ['matched', 'matched', 'made_good', 'owed', 'no_purchase'],
        );
        const before = await all(ledger.purchases());
        assert.deepEqual(await book(ledger, transfers, 500), first);
        assert.deepEqual(await all(ledger.transfers(null)), first);
        assert.deepEqual(await all(ledger.purchases()), before);
      });
    });

    test('a settling purchase is sold by its transfer', async () => {
      await inNew(async (ledger) => {
        const settling = await purchaseIn(ledger, 'settling', 1, { lead: 'lead' });
        await ledger.unknown(settling.id, 'not_seen', paid(99).transaction);
        assert.equal(await kindOf(ledger, transferOf(1), 100), 'matched');
        const sold: Purchase = { ...settling, state: 'sold', endedAtMs: 100, why: null, ...paid(1) };
        assert.deepEqual(await now(ledger, settling), sold);
        assert.equal((await ledger.sold(settling.id, paid(50), 200)).transaction, paid(1).transaction);
        assert.equal(await ledger.release(settling.id, 'expired_unused', 200), false);
      });
    });

    test('a sold purchase takes the place of its payment from the final block', async () => {
      await inNew(async (ledger) => {
        const sold = await purchaseIn(ledger, 'sold', 1);
        assert.equal(await kindOf(ledger, transferOf(1, paid(7))), 'matched');
        assert.deepEqual(await now(ledger, sold), { ...sold, ...paid(7) });
      });
    });

    test('a released purchase whose money arrives is made good: lead, answer, payment and identifier', async () => {
      await inNew(async (ledger) => {
        const identifierHash = sha256('order 1');
        const released = await purchaseIn(ledger, 'released', 1, { lead: 'lead', identifierHash, body: 'the answer' });
        assert.deepEqual(await ledger.soldLeads(), []);
        assert.equal(await kindOf(ledger, transferOf(1), 100), 'made_good');
        const good: Purchase = { ...released, state: 'sold', endedAtMs: 100, why: null, ...paid(1) };
        assert.deepEqual(await now(ledger, released), good);
        assert.deepEqual(await ledger.soldLeads(), ['lead']);
        assert.equal(String(await bodyOf(await ledger.answerOf(released.id))), 'the answer');
        assert.deepEqual(await ledger.find({ payment: payment(1) }), good);
        assert.deepEqual(await ledger.find({ payer: payment(1).payer, identifierHash }), good);
        assert.equal((await ledger.begin(wanted(1, { nowMs: 200 }))).kind, 'taken');
        const rival = await reserve(ledger, wanted(2, { nowMs: 200 }));
        assert.equal(await claim(ledger, rival.id, ['lead'], 200), null);
        assert.deepEqual(
          (await all(ledger.transfers(null, ['made_good']))).map((t) => t.purchaseId),
          [released.id],
        );
      });
    });

    test('its answer is kept as long as that of a purchase sold then', async () => {
      await inNew(async (ledger) => {
        const { id } = await purchaseIn(ledger, 'released', 1, { payment: expired(1), nowMs: 1000 });
        assert.equal(await kindOf(ledger, transferOf(1), 9000), 'made_good');
        assert.equal(await ledger.forgetAnswers(9000), 0);
        assert.ok(await ledger.answerOf(id));
        assert.equal(await ledger.forgetAnswers(9001), 1);
      });
    });

    test('an identifier that another purchase has by then stays with it; the wallet finds both', async () => {
      await inNew(async (ledger) => {
        const identifierHash = sha256('order 1');
        const released = await purchaseIn(ledger, 'released', 1, { identifierHash });
        const second = await purchaseIn(ledger, 'sold', 2, { identifierHash, nowMs: 50 });
        assert.equal(await kindOf(ledger, transferOf(1)), 'made_good');
        assert.equal((await ledger.find({ payer: payment(1).payer, identifierHash }))?.id, second.id);
        assert.equal((await ledger.find({ payment: payment(1) }))?.id, released.id);
      });
    });

    test('released, and its lead was sold to someone else: the money is owed', async () => {
      await inNew(async (ledger) => {
        const released = await purchaseIn(ledger, 'released', 1, { lead: 'lead' });
        const winner = await purchaseIn(ledger, 'sold', 2, { lead: 'lead', payment: payment(2, 2), nowMs: 50 });
        const [booked] = await book(ledger, [transferOf(1)]);
        assert.deepEqual([booked?.kind, booked?.purchaseId], ['owed', null]);
        assert.deepEqual(await now(ledger, released), released);
        assert.equal((await now(ledger, winner)).leadId, 'lead');
        assert.deepEqual(await ledger.soldLeads(), ['lead']);
      });
    });

    test('released, and its answer was forgotten: the money is owed, and its lead stays free', async () => {
      await inNew(async (ledger) => {
        const released = await purchaseIn(ledger, 'released', 1, { lead: 'lead', payment: expired(1) });
        assert.equal(await ledger.forgetAnswers(DAY_MS), 1);
        assert.equal(await kindOf(ledger, transferOf(1), DAY_MS), 'owed');
        assert.equal((await now(ledger, released)).state, 'released');
        assert.deepEqual(await ledger.soldLeads(), []);
      });
    });

    test('another amount than the price is owed, and ends nothing', async () => {
      await inNew(async (ledger) => {
        for (const [n, state] of (['reserved', 'settling', 'sold', 'released'] as const).entries()) {
          const purchase = await purchaseIn(ledger, state, n);
          for (const [i, difference] of [-1n, 1n].entries()) {
            const transfer = transferOf(n, { logIndex: 10 + i, amount: payment(n).amount + difference });
            assert.equal(await kindOf(ledger, transfer), 'owed', state);
          }
          assert.deepEqual(await now(ledger, purchase), purchase);
        }
      });
    });

    test('plain transfers, and authorizations that nobody bought with, are no purchase', async () => {
      await inNew(async (ledger) => {
        await purchaseIn(ledger, 'settling', 1);
        const others: readonly Partial<IncomingTransfer>[] = [
          { nonce: null },
          { nonce: payment(2).nonce },
          { payer: payment(1, 2).payer },
          { payer: payment(1, 2).payer, nonce: null },
        ];
        for (const [i, other] of others.entries()) {
          assert.equal(await kindOf(ledger, transferOf(1, { logIndex: i, ...other })), 'no_purchase');
        }
        assert.equal(await kindOf(ledger, transferOf(1, { logIndex: 9 })), 'matched');
      });
    });

    test('two transfers never match one purchase', async () => {
      await inNew(async (ledger) => {
        for (const [i, state] of (['settling', 'sold', 'released'] as const).entries()) {
          const purchase = await purchaseIn(ledger, state, i + 1);
          const [first, second] = await book(ledger, [transferOf(i + 1), transferOf(i + 1, { logIndex: 2 })]);
          assert.equal(first?.kind, state === 'released' ? 'made_good' : 'matched');
          assert.equal(first.purchaseId, purchase.id);
          assert.deepEqual([second?.kind, second?.purchaseId], ['owed', null]);
        }
      });
    });

    test('one transfer never matches two purchases: of two of one payment, the one not released', async () => {
      await inNew(async (ledger) => {
        for (const [i, state] of (['settling', 'sold'] as const).entries()) {
          const released = await purchaseIn(ledger, 'released', i + 1);
          const later = await purchaseIn(ledger, state, i + 1, { nowMs: 50 });
          const [booked] = await book(ledger, [transferOf(i + 1)]);
          assert.deepEqual([booked?.kind, booked?.purchaseId], ['matched', later.id]);
          assert.equal((await now(ledger, later)).state, 'sold');
          assert.equal((await now(ledger, released)).state, 'released');
        }
      });
    });

    test('of one payment released twice, the later purchase is made good, and only that one', async () => {
      await inNew(async (ledger) => {
        const first = await purchaseIn(ledger, 'released', 1);
        const second = await purchaseIn(ledger, 'released', 1, { nowMs: 50 });
        assert.equal(await kindOf(ledger, transferOf(1)), 'made_good');
        assert.deepEqual([(await now(ledger, first)).state, (await now(ledger, second)).state], ['released', 'sold']);
      });
    });

    test('a transfer booked before its purchase was sold is taken over by it', async () => {
      await inNew(async (ledger) => {
        const { id } = await reserve(ledger, wanted(1));
        assert.equal(await kindOf(ledger, transferOf(1)), 'no_purchase');
        assert.equal(await kindOf(ledger, transferOf(2, { logIndex: 7 })), 'no_purchase');
        assert.equal(await kindOf(ledger, transferOf(1, { logIndex: 8, amount: 7n })), 'owed');
        await ledger.settling(id, answer('x'), 5);
        await ledger.sold(id, paid(1), 6);
        const booked = (await all(ledger.transfers(null))).map((t) => [t.logIndex, t.kind, t.purchaseId]);
        assert.deepEqual(booked, [
          [1, 'matched', id],
          [8, 'owed', null],
          [7, 'no_purchase', null],
        ]);
        assert.equal(await kindOf(ledger, transferOf(1)), 'matched', 'booked again it stays so');
      });
    });

    test('an owed transfer is taken over by a later purchase of its payment', async () => {
      await inNew(async (ledger) => {
        await purchaseIn(ledger, 'released', 1, { lead: 'lead' });
        await purchaseIn(ledger, 'sold', 2, { lead: 'lead', nowMs: 50 });
        assert.equal(await kindOf(ledger, transferOf(1)), 'owed');
        const again = await purchaseIn(ledger, 'sold', 1, { nowMs: 200 });
        const [booked] = await all(ledger.transfers(ACCOUNT));
        assert.deepEqual([booked?.kind, booked?.purchaseId], ['matched', again.id]);
      });
    });

    test('a transfer that was refunded is not taken over', async () => {
      await inNew(async (ledger) => {
        await purchaseIn(ledger, 'released', 1, { lead: 'lead' });
        await purchaseIn(ledger, 'sold', 2, { lead: 'lead', nowMs: 50 });
        assert.equal(await kindOf(ledger, transferOf(1)), 'owed');
        assert.equal(await ledger.resolveOwed(paid(1).transaction, 1, 'refunded'), true);
        const again = await purchaseIn(ledger, 'sold', 1, { nowMs: 200 });
        const [booked] = await all(ledger.transfers(null));
        assert.deepEqual([booked?.kind, booked?.purchaseId, booked?.resolution], ['owed', null, 'refunded']);
        assert.equal(again.state, 'sold');
      });
    });

    test('purchases of another chain, or paid to another account, never match', async () => {
      await inNew(async (ledger) => {
        for (const state of ['settling', 'released'] as const) {
          const n = state === 'settling' ? 1 : 2;
          const purchase = await purchaseIn(ledger, state, n, { chain: OTHER_CHAIN });
          assert.equal(await kindOf(ledger, transferOf(n)), 'no_purchase', state);
          const stranger = { chain: OTHER_CHAIN, payTo: payment(8, 8).payer };
          assert.equal(await kindOf(ledger, transferOf(n), 100, stranger), 'no_purchase');
          assert.deepEqual(await now(ledger, purchase), purchase);
          const own = { ...ACCOUNT, chain: OTHER_CHAIN };
          assert.notEqual(await kindOf(ledger, transferOf(n), 100, own), 'no_purchase');
          assert.equal((await now(ledger, purchase)).state, 'sold');
        }
        const elsewhere = await purchaseIn(ledger, 'settling', 3, { chain: OTHER_CHAIN });
        assert.equal(await kindOf(ledger, transferOf(3)), 'no_purchase');
        await ledger.sold(elsewhere.id, paid(3), 5);
        const third = (await all(ledger.transfers(ACCOUNT))).find((t) => t.block === 3n);
        assert.equal(third?.kind, 'no_purchase', 'nor does sold() take it');
      });
    });

    test('a sale that goes on while its transfer is booked always gets it', async () => {
      await inNew(async (one, two) => {
        for (let n = 1; n <= 25; n += 1) {
          const { id } = await purchaseIn(one, n % 2 === 0 ? 'reserved' : 'settling', n);
          const sell = async (): Promise<void> => {
            if (n % 2 === 0) await one.settling(id, answer('x'), 20);
            await one.sold(id, paid(n), 30);
          };
          await Promise.all([sell(), book(two, [transferOf(n)])]);
          const [booked] = (await all(one.transfers(ACCOUNT))).filter((t) => t.block === BigInt(n));
          assert.deepEqual([booked?.kind, booked?.purchaseId, (await now(one, { id })).state], ['matched', id, 'sold']);
        }
      });
    });

    test('a purchase released or forgotten while its transfer is booked is made good or owed as a whole', async () => {
      await inNew(async (one, two) => {
        for (let n = 1; n <= 24; n += 1) {
          const before = n % 2 === 0 ? 'settling' : 'released';
          const purchase = await purchaseIn(one, before, n, { lead: `l-${n}`, payment: expired(n) });
          const rival = await reserve(one, wanted(1000 + n));
          const end = async (): Promise<unknown> =>
            n % 2 === 0 ? one.release(purchase.id, 'not_sent', 30) : one.forgetAnswers(DAY_MS);
          const taking = claim(one, rival.id, [`l-${n}`], 40);
          await Promise.all([end(), taking, book(two, [transferOf(n)], 2 * DAY_MS)]);
          const given = await taking;
          const [booked] = (await all(one.transfers(ACCOUNT))).filter((t) => t.block === BigInt(n));
          const { state } = await now(one, purchase);
          assert.equal(state, booked?.kind === 'owed' ? 'released' : 'sold', booked?.kind ?? 'not booked');
          if (state !== 'sold') continue;
          assert.ok(await one.answerOf(purchase.id), 'sold, it has its answer');
          // A rival that had only reserved the lead loses it, before anything is sent.
          if (given !== null) assert.equal(await one.settling(rival.id, answer('the lead'), 50), false);
          assert.notEqual((await one.find({ id: rival.id }))?.leadId, `l-${n}`, 'sold, it has its lead');
          assert.ok((await one.soldLeads()).includes(`l-${n}`));
        }
      });
    });
  });
}
