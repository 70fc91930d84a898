/** Claims of properties: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OfferedLead } from '../../../ledger/ledger.ts';
import { answer, claim, leadOf, LEASE_MS, payment, purchaseIn, reserve, wanted } from '../purchases.ts';
import { bookOne, transferFor } from '../transfer_booking.ts';
import type { OnEmptyLedger } from './place.ts';

/** The debt and the sale of one house, the sale known by its case, and another house. */
const DEBT = leadOf('debt', 'parcel-1', 'address-1');
const SALE = leadOf('sale', 'address-1', 'case-1');
const CASE = leadOf('case', 'case-1');
const OTHER = leadOf('other', 'parcel-2');

export function properties(onEmpty: OnEmptyLedger): void {
  describe('a property', () => {
    test('is claimed with a lead: no other lead with a key of it is, whatever the state of the purchase', async () => {
      for (const state of ['reserved', 'settling', 'sold'] as const) {
        await onEmpty(async (ledger) => {
          await purchaseIn(ledger, state, 1, { lead: 'debt', properties: DEBT.properties });
          const next = await reserve(ledger, wanted(2));
          assert.equal(await claim(ledger, next.id, [DEBT, SALE], 0), null, state);
          assert.equal(await claim(ledger, next.id, [SALE, OTHER], 0), 'other', state);
          assert.deepEqual((await ledger.find({ id: next.id }))?.properties, ['parcel-2']);
          assert.deepEqual(
            await ledger.claimedProperties(0),
            new Map([
              ['address-1', state],
              ['parcel-1', state],
              ['parcel-2', 'reserved'],
            ]),
          );
          assert.deepEqual(await ledger.soldProperties(), state === 'reserved' ? [] : ['address-1', 'parcel-1']);
        });
      }
    });

    test('is free again with its lead: after a release, and when the reservation has expired', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'released', 1, { lead: 'debt', properties: DEBT.properties });
        assert.deepEqual([...(await ledger.claimedProperties(0))], []);
        const { id } = await reserve(ledger, wanted(2));
        assert.equal(await claim(ledger, id, [SALE], 0), 'sale');
        const late = await reserve(ledger, wanted(3, { nowMs: LEASE_MS }));
        assert.equal(await claim(ledger, late.id, [DEBT], LEASE_MS - 1), null);
        assert.equal(await claim(ledger, late.id, [DEBT], LEASE_MS), 'debt');
        assert.equal(await ledger.startSettling(id, answer('x'), LEASE_MS), false, 'the expired purchase has ended');
      });
    });

    test('of two expired reservations is free too', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'reserved', 1, { lead: 'debt', properties: DEBT.properties });
        await purchaseIn(ledger, 'reserved', 2, { lead: 'case', properties: CASE.properties });
        const late = await reserve(ledger, wanted(3, { nowMs: LEASE_MS }));
        assert.equal(await claim(ledger, late.id, [SALE], LEASE_MS), 'sale');
      });
    });

    test('is sold to one of sixteen buyers of its leads on two servers', async () => {
      await onEmpty(async (one, two) => {
        const purchases = await Promise.all(
          Array.from({ length: 16 }, (_, i) => reserve(one, wanted(i, { payment: payment(i, i) }))),
        );
        const claims = await Promise.all(
          purchases.map(({ id }, i) => claim(i % 2 === 0 ? one : two, id, i % 3 === 0 ? [DEBT] : [SALE], 0)),
        );
        assert.equal(claims.filter((leadId) => leadId !== null).length, 1, JSON.stringify(claims));
      });
    });

    test('of a released purchase whose money arrives late is delivered, unless another lead took it', async () => {
      for (const taken of [[], [SALE]] as OfferedLead[][]) {
        await onEmpty(async (ledger) => {
          const late = await purchaseIn(ledger, 'released', 1, { lead: 'debt', properties: DEBT.properties });
          for (const [i, other] of taken.entries())
            await purchaseIn(ledger, 'sold', 10 + i, { lead: other.leadId, properties: other.properties });
          assert.equal(await bookOne(ledger, transferFor(1)), taken.length === 0 ? 'matched' : 'owed');
          assert.equal((await ledger.find({ id: late.id }))?.state, taken.length === 0 ? 'sold' : 'released');
          assert.deepEqual(await ledger.soldLeads(), taken.length === 0 ? ['debt'] : ['sale']);
        });
      }
    });

    test('that arrives late takes precedence over a reservation of another lead of it', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'released', 1, { lead: 'debt', properties: DEBT.properties });
        const rival = await purchaseIn(ledger, 'reserved', 2, { lead: 'sale', properties: SALE.properties });
        assert.equal(await bookOne(ledger, transferFor(1)), 'matched');
        assert.deepEqual(await ledger.soldProperties(), ['address-1', 'parcel-1']);
        assert.equal(await ledger.startSettling(rival.id, answer('x'), 1), false);
      });
    });
  });
}
