/** Storing the answer and settling: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { all, answer, bodyOf, payment, purchaseIn, reserve, sha256, STATES, wanted } from '../purchases.ts';
import type { SharedLedger } from './place.ts';

const CHUNK_BYTES = 1 << 20;

export function settling({ ledger: get, openAgain, empty, onEmpty }: SharedLedger): void {
  describe('settling', () => {
    before(() => empty());

    test('stores the whole answer, byte for byte, before any money moves', async () => {
      const bodies = {
        empty: Buffer.alloc(0),
        text: Buffer.from('{"records":[]}'),
        chunk: Buffer.alloc(CHUNK_BYTES, 'c'),
        'chunk and a byte': Buffer.alloc(CHUNK_BYTES + 1, 'm'),
        large: Buffer.from(Array.from({ length: 700_000 }, (_, i) => `row ${i}`).join('\n')),
      };
      const other = await openAgain();
      for (const [i, [name, body]] of Object.entries(bodies).entries()) {
        const { id } = await reserve(get(), wanted(i));
        assert.equal(await get().answerOf(id), null);
        assert.equal(await get().startSettling(id, answer(body, 300_001), 5), true, name);
        const stored = await other.answerOf(id);
        assert.deepEqual(
          { headers: stored?.headers, sha256: stored?.sha256, bytes: stored?.bytes },
          { headers: answer(body).headers, sha256: sha256(body), bytes: body.length },
        );
        assert.equal(sha256((await bodyOf(stored)) ?? ''), sha256(body), name);
        assert.ok(stored && (await all(stored.body())).every((chunk) => chunk.length <= CHUNK_BYTES));
        const purchase = await get().find({ id });
        assert.deepEqual(
          [purchase?.state, purchase?.settlingAtMs, purchase?.answerSha256],
          ['settling', 5, sha256(body)],
        );
      }
      await other.close();
    });

    test('refuses an answer without its length or hash, and the purchase stays reserved', async () => {
      const { id } = await reserve(get(), wanted(10));
      const real = answer('the body');
      for (const wrong of [
        { ...real, sha256: sha256('another') },
        { ...real, bytes: 3 },
      ])
        await assert.rejects(get().startSettling(id, wrong, 1), TypeError);
      assert.equal((await get().find({ id }))?.state, 'reserved');
      assert.equal(await get().startSettling(id, real, 1), true);
    });

    test('happens once', async () => {
      const { id } = await purchaseIn(get(), 'settling', 11, { body: 'the first' });
      assert.equal(await get().startSettling(id, answer('a second'), 2), false);
      assert.equal(String(await bodyOf(await get().answerOf(id))), 'the first');
    });

    test('records an unknown outcome, and its transaction, until it is sold', async () => {
      const { id } = await purchaseIn(get(), 'settling', 12);
      await get().markUnknown(id, 'not_seen', '0xabc');
      await get().markUnknown(id, 'unavailable', null);
      const { state, why, transaction } = (await get().find({ id })) ?? {};
      assert.deepEqual({ state, why, transaction }, { state: 'settling', why: 'unavailable', transaction: '0xabc' });
      await get().markSold(id, { transaction: '0xdef', block: 7n }, 9);
      await get().markUnknown(id, 'not_seen', '0x111');
      const sold = await get().find({ id });
      assert.deepEqual([sold?.state, sold?.why, sold?.transaction], ['sold', null, '0xdef']);
    });

    test('lists unresolved purchases oldest first, up to a time', async () => {
      await onEmpty(async (ledger) => {
        for (const [n, atMs] of [
          [1, 300],
          [2, 100],
          [3, 200],
        ] as const)
          await purchaseIn(ledger, 'settling', n, { nowMs: atMs });
        for (const state of ['reserved', 'sold', 'released'] as const)
          await purchaseIn(ledger, state, 10 + STATES.indexOf(state));
        assert.deepEqual(
          (await ledger.unresolved(310)).map((p) => p.payment.nonce),
          [2, 3].map((n) => payment(n).nonce),
        );
        assert.equal((await ledger.unresolved(311)).length, 3);
      });
    });
  });
}
