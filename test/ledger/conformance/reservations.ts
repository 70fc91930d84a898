/** Reserving payments: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { NewPurchase } from '../../../ledger/ledger.ts';
import { answer, claim, LEASE_MS, payment, reserve, sha256, wanted } from '../purchases.ts';
import type { SharedLedger } from './place.ts';

export function reservations({ ledger: get, empty }: SharedLedger): void {
  describe('begin', () => {
    before(() => empty());

    test('reserves a payment once, whatever else the second call contains', async () => {
      const first = await reserve(get(), wanted(1));
      const second = await get().begin(wanted(1, { route: 'GET /api/deals', identifierHash: sha256('other') }));
      assert.deepEqual(second, { kind: 'taken', by: 'payment', purchase: first });
    });

    test('stores the request exactly, with amounts up to 256 bits', async () => {
      const max = (1n << 256n) - 1n;
      const purchase = wanted(2, {
        payment: { ...payment(2), amount: max, validBefore: max - 1n },
        identifierHash: sha256('mine'),
        nowMs: 1_795_000_000_123,
        request: '/x?a=ä&b=\'"',
      });
      const { id } = await reserve(get(), purchase);
      const { nowMs, leaseMs, limits: _, ...stored } = purchase;
      assert.deepEqual(await get().find({ id }), {
        ...stored,
        id,
        state: 'reserved',
        reservedAtMs: nowMs,
        leaseUntilMs: nowMs + leaseMs,
        settlingAtMs: null,
        endedAtMs: null,
        transaction: null,
        block: null,
        why: null,
        leadId: null,
        properties: [],
        answerSha256: null,
        refund: null,
      });
    });

    test('treats payments with another network, asset, payer or nonce as different payments', async () => {
      const base = payment(3);
      await reserve(get(), wanted(3));
      for (const other of [
        { network: 'eip155:84532' },
        { asset: payment(3, 7).payer },
        { payer: payment(3, 2).payer },
        { nonce: payment(4).nonce },
      ]) {
        const begun = await get().begin(wanted(3, { payment: { ...base, ...other } }));
        assert.equal(begun.kind, 'reserved', JSON.stringify(other));
      }
    });

    test('finds an identifier taken for another payment of the same payer, and free for another payer', async () => {
      const identifierHash = sha256('order-5');
      const first = await reserve(get(), wanted(5, { identifierHash }));
      assert.deepEqual(await get().begin(wanted(6, { identifierHash })), {
        kind: 'taken',
        by: 'identifier',
        purchase: first,
      });
      assert.equal((await get().begin(wanted(6, { identifierHash, payment: payment(6, 2) }))).kind, 'reserved');
    });

    test('refuses a spelling that would make an equal payment look different', async () => {
      const wrong: readonly Partial<NewPurchase>[] = [
        { payment: { ...payment(7), payer: payment(7).payer.toUpperCase() } },
        { payment: { ...payment(7), nonce: `0x${'AB'.repeat(32)}` } },
        { payment: { ...payment(7), network: 'EIP155:8453' } },
        { payment: { ...payment(7), amount: -1n } },
        { payment: { ...payment(7), validBefore: 1n << 256n } },
        { identifierHash: 'order-7' },
      ];
      for (const more of wrong) await assert.rejects(get().begin(wanted(7, more)), TypeError);
      assert.equal(await get().find({ payment: payment(7) }), null);
    });

    test('replaces an expired reservation, which then has no effect', async () => {
      const old = await reserve(get(), wanted(8));
      assert.equal((await get().begin(wanted(8, { nowMs: LEASE_MS - 1 }))).kind, 'taken');
      const next = await reserve(get(), wanted(8, { nowMs: LEASE_MS }));
      assert.notEqual(next.id, old.id);
      assert.equal(await get().find({ id: old.id }), null);
      assert.equal(await claim(get(), old.id, ['lead-8'], LEASE_MS), null);
      assert.equal(await get().startSettling(old.id, answer('late'), LEASE_MS), false);
      assert.equal(await get().release(old.id, 'not_settled', LEASE_MS), false);
      assert.equal(
        (await get().find({ payment: payment(8) }))?.id,
        next.id,
        'the process of the old reservation does not change the new one',
      );
    });

    test('replaces an expired reservation with the same identifier, and never a settling purchase', async () => {
      const identifierHash = sha256('order-9');
      await reserve(get(), wanted(9, { identifierHash }));
      const next = await reserve(get(), wanted(10, { identifierHash, nowMs: LEASE_MS }));
      assert.equal(await get().startSettling(next.id, answer('x'), LEASE_MS), true);
      const muchLater = 1000 * LEASE_MS;
      assert.equal((await get().begin(wanted(10, { nowMs: muchLater }))).kind, 'taken');
      assert.equal((await get().begin(wanted(11, { identifierHash, nowMs: muchLater }))).kind, 'taken');
    });
  });
}
