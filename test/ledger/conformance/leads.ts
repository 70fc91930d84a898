/** Holds of leads and their properties, and limits on held leads: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Held,
  type LeadLimits,
  type Ledger,
  type Purchase,
  RELEASED_MS,
  type ReleaseReason,
} from '../../../ledger/ledger.ts';
import {
  answer,
  hold,
  GENEROUS_LEADS,
  leadOf,
  RESERVE_MS,
  payment,
  purchaseIn,
  reserve,
  STATES,
  wanted,
} from '../purchases.ts';
import { bookOne, transferFor } from '../transfer_booking.ts';
import type { OnEmptyLedger, SharedLedger } from './place.ts';

/** The debt and the sale of one house, the sale known by its case, and another house. */
const DEBT = leadOf('debt', 'parcel-1', 'address-1');
const SALE = leadOf('sale', 'address-1', 'case-1');
const CASE = leadOf('case', 'case-1');
const OTHER = leadOf('other', 'parcel-2');

const leads = Array.from({ length: 100 }, (_, i) => leadOf(`lead-${i}`));
const LIMITED_BY_PAYER: Held = { kind: 'limited', by: 'payer' };
const LIMITED_BY_NEW: Held = { kind: 'limited', by: 'new payers' };

/** Begin purchase `n` of payer number `payer`. */
const begun = (ledger: Ledger, n: number, payer: number, nowMs = 0): Promise<Purchase> =>
  reserve(ledger, wanted(n, { payment: payment(n, payer), nowMs }));

/** Begin a purchase and hold any lead for it. */
async function heldBy(ledger: Ledger, n: number, payer: number, limits: Partial<LeadLimits>, nowMs = 0): Promise<Held> {
  const { id } = await begun(ledger, n, payer, nowMs);
  return ledger.hold(id, leads, { ...GENEROUS_LEADS, ...limits }, nowMs);
}
const held = (leadId: string): Held => ({ kind: 'held', leadId });

/** A payer who bought before. */
const bought = (ledger: Ledger, n: number, payer: number): Promise<Purchase> =>
  purchaseIn(ledger, 'sold', n, { payment: payment(n, payer), lead: `bought-${n}` });

export function leadHolds({ ledger: get, empty, onEmpty }: SharedLedger): void {
  describe('hold', () => {
    before(() => empty());

    test('takes the first free lead, one per purchase, and returns the same lead when repeated', async () => {
      const [a, b, c] = [
        await reserve(get(), wanted(1)),
        await reserve(get(), wanted(2)),
        await reserve(get(), wanted(3)),
      ];
      assert.equal(await hold(get(), a.id, ['l1', 'l2'], 0), 'l1');
      const own = await get().hold(a.id, [leadOf('l2')], { perPayer: 0, byNewPayers: 0 }, 0);
      assert.deepEqual(own, { kind: 'held', leadId: 'l1' }, 'whatever the limits');
      assert.equal(await hold(get(), b.id, ['l1', 'l2'], 0), 'l2');
      assert.equal(await hold(get(), c.id, ['l2', 'l1'], 0), null);
      assert.equal(await hold(get(), c.id, [], 0), null);
      assert.equal((await get().find({ id: a.id }))?.leadId, 'l1');
      assert.equal((await get().find({ id: c.id }))?.leadId, null);
    });

    test('needs a reserved purchase', async () => {
      for (const [i, state] of STATES.slice(1).entries()) {
        const { id } = await purchaseIn(get(), state, 10 + i);
        assert.equal(await hold(get(), id, [`free-${i}`], 0), null, state);
      }
      assert.equal(await hold(get(), 'no such purchase', ['free'], 0), null);
    });

    test('finds the first free lead among several hundred', async () => {
      const many = Array.from({ length: 350 }, (_, i) => `many-${i}`);
      for (const i of [0, 1, 2, 120, 349])
        await purchaseIn(get(), 'sold', 1000 + i, { lead: `many-${i}`, body: 'same' });
      const { id } = await reserve(get(), wanted(40));
      const taken = ['many-0', 'many-1', 'many-2', 'many-120', ...Array.from({ length: 200 }, () => 'many-349')];
      assert.equal(await hold(get(), id, [...taken, ...many], 0), 'many-3');
    });

    onEmpty('shows which leads are held, and which are sold', async (ledger) => {
      for (const [i, state] of STATES.entries()) await purchaseIn(ledger, state, i, { lead: `l-${state}` });
      await purchaseIn(ledger, 'reserved', 9);
      assert.deepEqual(
        new Map(await ledger.heldLeads(RESERVE_MS - 1)),
        new Map([
          ['l-reserved', 'reserved'],
          ['l-settling', 'settling'],
          ['l-sold', 'sold'],
        ]),
      );
      assert.deepEqual(
        new Map(await ledger.heldLeads(RESERVE_MS)),
        new Map([
          ['l-settling', 'settling'],
          ['l-sold', 'sold'],
        ]),
      );
      assert.deepEqual(await ledger.soldLeads(), ['l-settling', 'l-sold']);
    });
  });
}

export function properties(onEmpty: OnEmptyLedger): void {
  describe('a property', () => {
    for (const state of ['reserved', 'settling', 'sold'] as const) {
      onEmpty(`is held with a lead: no other lead with a key of it is, of a ${state} purchase`, async (ledger) => {
        await purchaseIn(ledger, state, 1, { lead: 'debt', properties: DEBT.properties });
        const next = await reserve(ledger, wanted(2));
        assert.equal(await hold(ledger, next.id, [DEBT, SALE], 0), null, state);
        assert.equal(await hold(ledger, next.id, [SALE, OTHER], 0), 'other', state);
        assert.deepEqual((await ledger.find({ id: next.id }))?.properties, ['parcel-2']);
        assert.deepEqual(
          await ledger.heldProperties(0),
          new Map([
            ['address-1', state],
            ['parcel-1', state],
            ['parcel-2', 'reserved'],
          ]),
        );
        assert.deepEqual(await ledger.soldProperties(), state === 'reserved' ? [] : ['address-1', 'parcel-1']);
      });
    }

    onEmpty('is free again with its lead after a release or an expired reservation', async (ledger) => {
      await purchaseIn(ledger, 'released', 1, { lead: 'debt', properties: DEBT.properties });
      assert.deepEqual([...(await ledger.heldProperties(0))], []);
      const { id } = await reserve(ledger, wanted(2));
      assert.equal(await hold(ledger, id, [SALE], 0), 'sale');
      const late = await reserve(ledger, wanted(3, { nowMs: RESERVE_MS }));
      assert.equal(await hold(ledger, late.id, [DEBT], RESERVE_MS - 1), null);
      assert.equal(await hold(ledger, late.id, [DEBT], RESERVE_MS), 'debt');
      assert.equal(await ledger.startSettling(id, answer('x'), RESERVE_MS), false, 'the expired purchase has ended');
    });

    onEmpty('of two expired reservations is free too', async (ledger) => {
      await purchaseIn(ledger, 'reserved', 1, { lead: 'debt', properties: DEBT.properties });
      await purchaseIn(ledger, 'reserved', 2, { lead: 'case', properties: CASE.properties });
      const late = await reserve(ledger, wanted(3, { nowMs: RESERVE_MS }));
      assert.equal(await hold(ledger, late.id, [SALE], RESERVE_MS), 'sale');
    });

    onEmpty('is sold to one of sixteen buyers of its leads on two servers', async (one, two) => {
      const purchases = await Promise.all(
        Array.from({ length: 16 }, (_, i) => reserve(one, wanted(i, { payment: payment(i, i) }))),
      );
      const results = await Promise.all(
        purchases.map(({ id }, i) => hold(i % 2 === 0 ? one : two, id, i % 3 === 0 ? [DEBT] : [SALE], 0)),
      );
      assert.equal(results.filter((leadId) => leadId !== null).length, 1, JSON.stringify(results));
    });

    for (const isTaken of [false, true]) {
      const how = isTaken ? 'is owed, as another lead took it' : 'is delivered';
      onEmpty(`of a released purchase whose money arrives late ${how}`, async (ledger) => {
        const late = await purchaseIn(ledger, 'released', 1, { lead: 'debt', properties: DEBT.properties });
        if (isTaken) await purchaseIn(ledger, 'sold', 10, { lead: 'sale', properties: SALE.properties });
        assert.equal(await bookOne(ledger, transferFor(1)), isTaken ? 'owed' : 'matched');
        assert.equal((await ledger.find({ id: late.id }))?.state, isTaken ? 'released' : 'sold');
        assert.deepEqual(await ledger.soldLeads(), [isTaken ? 'sale' : 'debt']);
      });
    }

    onEmpty('with a late payment takes precedence over a reservation of another of its leads', async (ledger) => {
      await purchaseIn(ledger, 'released', 1, { lead: 'debt', properties: DEBT.properties });
      const rival = await purchaseIn(ledger, 'reserved', 2, { lead: 'sale', properties: SALE.properties });
      assert.equal(await bookOne(ledger, transferFor(1)), 'matched');
      assert.deepEqual(await ledger.soldProperties(), ['address-1', 'parcel-1']);
      assert.equal(await ledger.startSettling(rival.id, answer('x'), 1), false);
    });
  });
}

export function leadLimits(onEmpty: OnEmptyLedger): void {
  describe('limits on held leads', () => {
    onEmpty('each released purchase of a lead counts against its payer for a day', async (ledger) => {
      const limits = { perPayer: 3 };
      const now = 10 * RELEASED_MS;
      /** A purchase that ended at this time, for this reason. */
      const ended = async (n: number, reason: ReleaseReason, endedAtMs: number, lead?: string): Promise<void> => {
        const { id } = await purchaseIn(ledger, 'settling', n, {
          payment: payment(n, 1),
          nowMs: endedAtMs - 10,
          ...(lead === undefined ? {} : { lead }),
        });
        assert.equal(await ledger.release(id, reason, endedAtMs), true);
      };
      for (let n = 1; n < 5; n += 1) await ended(n, 'expired_unused', now);
      for (let n = 5; n < 9; n += 1) await ended(n, 'not_sent', now, `unsent-${n}`);
      await bought(ledger, 9, 1);
      await ended(10, 'expired_unused', now, 'unpaid-1');
      await ended(11, 'used_elsewhere', now + 5, 'unpaid-2');
      assert.deepEqual(await heldBy(ledger, 12, 1, limits, now + 9), held('lead-0'), 'two count');
      assert.deepEqual(await heldBy(ledger, 13, 1, limits, now + 9), LIMITED_BY_PAYER, 'and one that is held');
      assert.deepEqual(await heldBy(ledger, 14, 2, limits, now + 9), held('lead-1'), 'not of another payer');
      await ended(15, 'expired_unused', now + 7, 'unpaid-3');
      const later = now + RESERVE_MS + 20;
      assert.deepEqual(await heldBy(ledger, 16, 1, limits, later), {
        kind: 'limited',
        by: 'released',
        forMs: now + RELEASED_MS - later,
      });
      assert.equal((await heldBy(ledger, 17, 1, limits, now + RELEASED_MS - 1)).kind, 'limited');
      assert.equal((await heldBy(ledger, 18, 1, limits, now + RELEASED_MS)).kind, 'held');
    });

    onEmpty('the shared limit neither binds nor counts payers who bought before', async (ledger) => {
      const limits = { byNewPayers: 2 };
      await bought(ledger, 1, 1);
      for (let n = 10; n < 15; n += 1) assert.equal((await heldBy(ledger, n, 1, limits)).kind, 'held');
      for (let n = 20; n < 22; n += 1) assert.equal((await heldBy(ledger, n, 2, limits)).kind, 'held');
      assert.deepEqual(await heldBy(ledger, 22, 2, limits), LIMITED_BY_NEW);
      assert.equal((await heldBy(ledger, 15, 1, limits)).kind, 'held');
      const own = { ...limits, perPayer: 6 };
      assert.deepEqual(await heldBy(ledger, 16, 1, own), LIMITED_BY_PAYER, 'the limit of one payer binds them');
    });

    for (const [name, limits, payerOf, reached] of [
      ['one payer', { perPayer: 5 }, () => 1, LIMITED_BY_PAYER],
      ['new payers', { byNewPayers: 5 }, (i: number) => i + 1, LIMITED_BY_NEW],
    ] as const) {
      onEmpty(`sixteen concurrent holds never exceed the limit of ${name}`, async (one, two) => {
        for (let round = 0; round < 2; round += 1) {
          const numbers = Array.from({ length: 16 }, (_, i) => i);
          const purchases = await Promise.all(numbers.map((i) => begun(one, 100 * round + i, payerOf(i))));
          const results = await Promise.all(
            purchases.map(({ id }, i) =>
              (i % 2 === 0 ? one : two).hold(id, leads, { ...GENEROUS_LEADS, ...limits }, 0),
            ),
          );
          const given = results.filter((c) => c.kind === 'held');
          assert.equal(given.length, 5);
          assert.equal(new Set(given.map((c) => c.leadId)).size, 5);
          assert.deepEqual(
            results.filter((c) => c.kind !== 'held'),
            Array.from({ length: 11 }, () => reached),
          );
          for (const { id } of purchases) await one.release(id, 'not_settled', 1);
        }
      });
    }
  });
}
