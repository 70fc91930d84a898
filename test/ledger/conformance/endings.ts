/** Selling and releasing purchases: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { PurchaseState, ReleaseReason } from '../../../ledger/ledger.ts';
import { bodyOf, claim, paid, payment, purchaseIn, reserve, sha256, STATES, wanted } from '../purchases.ts';
import type { SharedLedger } from './place.ts';

const REASONS: readonly ReleaseReason[] = ['not_settled', 'not_sent', 'expired_unused', 'used_elsewhere', 'chain_gone'];

const canRelease = (state: PurchaseState, reason: ReleaseReason): boolean =>
  state === 'reserved' || (state === 'settling' && reason !== 'not_settled');

export function endings({ ledger: get, empty }: SharedLedger): void {
  describe('the end of a purchase', () => {
    before(() => empty());

    test('is written once: the first transaction of a sale stays', async () => {
      const { id } = await purchaseIn(get(), 'settling', 1, { lead: 'l1' });
      const first = await get().markSold(id, { transaction: '0xaaa', block: 12n }, 50);
      assert.deepEqual(
        [first.state, first.transaction, first.block, first.endedAtMs, first.leadId],
        ['sold', '0xaaa', 12n, 50, 'l1'],
      );
      assert.deepEqual(await get().markSold(id, { transaction: '0xbbb', block: 13n }, 60), first);
    });

    test('is not a sale if no settlement was requested, or it was released before', async () => {
      const { id } = await purchaseIn(get(), 'reserved', 2);
      await assert.rejects(get().markSold(id, paid(1), 1), /never sent for settlement/);
      assert.equal((await get().find({ id }))?.state, 'reserved');
      await assert.rejects(get().markSold('no such purchase', paid(1), 1), /never sent for settlement/);
      const released = await purchaseIn(get(), 'released', 3);
      assert.equal((await get().markSold(released.id, paid(1), 99)).state, 'released');
    });

    for (const [s, state] of STATES.entries()) {
      for (const [r, reason] of REASONS.entries()) {
        const ends = canRelease(state, reason);
        test(`release of a ${state} purchase with ${reason} ${ends ? 'ends it' : 'does nothing'}`, async () => {
          const n = 100 + s * 10 + r;
          const identifierHash = sha256(`order-${n}`);
          const { id } = await purchaseIn(get(), state, n, { lead: `l-${n}`, identifierHash });
          assert.equal(await get().release(id, reason, 70), ends);
          const found = await get().find({ id });
          if (!ends) {
            assert.equal(found?.state, state);
            return;
          }
          if (reason === 'not_settled') assert.equal(found, null);
          else
            assert.deepEqual(
              [found?.state, found?.why, found?.endedAtMs, found?.leadId],
              ['released', reason, 70, `l-${n}`],
            );
          assert.equal(
            String(await bodyOf(await get().answerOf(id))),
            state === 'reserved' ? 'null' : `answer ${n}`,
            'a transfer that arrives later makes it collectable again',
          );
          assert.equal(await get().find({ payment: payment(n) }), null);
          assert.equal(await get().find({ payer: payment(n).payer, identifierHash }), null);
          const next = await reserve(get(), wanted(n, { identifierHash, nowMs: 71 }));
          assert.equal(await claim(get(), next.id, [`l-${n}`], 71), `l-${n}`, 'its lead is free again');
          assert.equal(await get().release(id, reason, 72), false, 'it ends once');
        });
      }
    }
  });
}
