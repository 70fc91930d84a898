/** Claiming exclusive leads: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { claim, leadOf, LEASE_MS, purchaseIn, reserve, STATES, wanted } from '../purchases.ts';
import type { SharedLedger } from './place.ts';

export function leadClaims({ ledger: get, empty, onEmpty }: SharedLedger): void {
  describe('claim', () => {
    before(() => empty());

    test('takes the first free lead, one per purchase, and returns the same lead when repeated', async () => {
      const [a, b, c] = [
        await reserve(get(), wanted(1)),
        await reserve(get(), wanted(2)),
        await reserve(get(), wanted(3)),
      ];
      assert.equal(await claim(get(), a.id, ['l1', 'l2'], 0), 'l1');
      const own = await get().claim(a.id, [leadOf('l2')], { perPayer: 0, byNewPayers: 0 }, 0);
      assert.deepEqual(own, { kind: 'claimed', leadId: 'l1' }, 'whatever the limits');
      assert.equal(await claim(get(), b.id, ['l1', 'l2'], 0), 'l2');
      assert.equal(await claim(get(), c.id, ['l2', 'l1'], 0), null);
      assert.equal(await claim(get(), c.id, [], 0), null);
      assert.equal((await get().find({ id: a.id }))?.leadId, 'l1');
      assert.equal((await get().find({ id: c.id }))?.leadId, null);
    });

    test('needs a reserved purchase', async () => {
      for (const [i, state] of STATES.slice(1).entries()) {
        const { id } = await purchaseIn(get(), state, 10 + i);
        assert.equal(await claim(get(), id, [`free-${i}`], 0), null, state);
      }
      assert.equal(await claim(get(), 'no such purchase', ['free'], 0), null);
    });

    test('finds the first free lead among several hundred', async () => {
      const leads = Array.from({ length: 350 }, (_, i) => `many-${i}`);
      for (const i of [0, 1, 2, 120, 349])
        await purchaseIn(get(), 'sold', 1000 + i, { lead: `many-${i}`, body: 'same' });
      const { id } = await reserve(get(), wanted(40));
      const taken = ['many-0', 'many-1', 'many-2', 'many-120', ...Array.from({ length: 200 }, () => 'many-349')];
      assert.equal(await claim(get(), id, [...taken, ...leads], 0), 'many-3');
    });

    test('shows which leads are claimed, and which are sold', async () => {
      await onEmpty(async (ledger) => {
        for (const [i, state] of STATES.entries()) await purchaseIn(ledger, state, i, { lead: `l-${state}` });
        await purchaseIn(ledger, 'reserved', 9);
        assert.deepEqual(
          new Map(await ledger.claimedLeads(LEASE_MS - 1)),
          new Map([
            ['l-reserved', 'reserved'],
            ['l-settling', 'settling'],
            ['l-sold', 'sold'],
          ]),
        );
        assert.deepEqual(
          new Map(await ledger.claimedLeads(LEASE_MS)),
          new Map([
            ['l-settling', 'settling'],
            ['l-sold', 'sold'],
          ]),
        );
        assert.deepEqual(await ledger.soldLeads(), ['l-settling', 'l-sold']);
      });
    });
  });
}
