/** Reserving payments, limits of a payer, storing answers, selling and releasing: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, test } from 'node:test';
import type { Begun, NewPurchase, PayerLimits, PurchaseState, ReleaseReason } from '../../../ledger/ledger.ts';
import {
  answer,
  bodyOf,
  hold,
  GENEROUS,
  RESERVE_MS,
  paid,
  payment,
  purchaseIn,
  reserve,
  sha256,
  STATES,
  wanted,
} from '../purchases.ts';
import type { OnEmptyLedger, SharedLedger } from './place.ts';

const PRICE = payment(1).amount;

/** A call of payer number `payer` with these limits. */
const limited = (n: number, limits: Partial<PayerLimits>, payer = 1, more: Partial<NewPurchase> = {}): NewPurchase =>
  wanted(n, { payment: payment(n, payer), limits: { ...GENEROUS, ...limits }, ...more });

const outcomeOf = (begun: Begun): string => (begun.kind === 'refused' ? begun.reason : begun.kind);

const REASONS: readonly ReleaseReason[] = ['not_settled', 'not_sent', 'expired_unused', 'used_elsewhere', 'chain_gone'];

const canRelease = (state: PurchaseState, reason: ReleaseReason): boolean =>
  state === 'reserved' || (state === 'settling' && reason !== 'not_settled');

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
      const { nowMs, reserveMs, limits: _, ...stored } = purchase;
      assert.deepEqual(await get().find({ id }), {
        ...stored,
        id,
        state: 'reserved',
        reservedAtMs: nowMs,
        reservedUntilMs: nowMs + reserveMs,
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
      assert.equal((await get().begin(wanted(8, { nowMs: RESERVE_MS - 1 }))).kind, 'taken');
      const next = await reserve(get(), wanted(8, { nowMs: RESERVE_MS }));
      assert.notEqual(next.id, old.id);
      assert.equal(await get().find({ id: old.id }), null);
      assert.equal(await hold(get(), old.id, ['lead-8'], RESERVE_MS), null);
      assert.equal(await get().startSettling(old.id, answer('late'), RESERVE_MS), false);
      assert.equal(await get().release(old.id, 'not_settled', RESERVE_MS), false);
      assert.equal(
        (await get().find({ payment: payment(8) }))?.id,
        next.id,
        'the process of the old reservation does not change the new one',
      );
    });

    test('replaces an expired reservation with the same identifier, and never a settling purchase', async () => {
      const identifierHash = sha256('order-9');
      await reserve(get(), wanted(9, { identifierHash }));
      const next = await reserve(get(), wanted(10, { identifierHash, nowMs: RESERVE_MS }));
      assert.equal(await get().startSettling(next.id, answer('x'), RESERVE_MS), true);
      const muchLater = 1000 * RESERVE_MS;
      assert.equal((await get().begin(wanted(10, { nowMs: muchLater }))).kind, 'taken');
      assert.equal((await get().begin(wanted(11, { identifierHash, nowMs: muchLater }))).kind, 'taken');
    });
  });
}

export function payerLimits(onEmpty: OnEmptyLedger): void {
  describe('limits of one payer', () => {
    onEmpty('amounts are added exactly, up to 256 bits', async (ledger) => {
      const most = (1n << 256n) - 1n;
      await reserve(ledger, wanted(1, { payment: { ...payment(1), amount: most } }));
      assert.equal(outcomeOf(await ledger.begin(limited(2, { balance: most + PRICE - 1n }))), 'payer_without_funds');
      assert.equal(outcomeOf(await ledger.begin(limited(2, { balance: most + PRICE }))), 'reserved');
    });

    onEmpty('a repeated request gets its own purchase, never a refusal', async (ledger) => {
      const none = { balance: 0n, maxOpen: 0 };
      const identifierHash = sha256('order 1');
      const first = await reserve(ledger, wanted(1, { identifierHash }));
      const taken = (by: 'payment' | 'identifier'): Begun => ({ kind: 'taken', by, purchase: first });
      assert.deepEqual(await ledger.begin(limited(1, none)), taken('payment'));
      assert.deepEqual(await ledger.begin(limited(2, none, 1, { identifierHash })), taken('identifier'));
      assert.equal(outcomeOf(await ledger.begin(limited(2, none))), 'too_many_open_purchases');
      await ledger.startSettling(first.id, answer('x'), 5);
      assert.equal(outcomeOf(await ledger.begin(limited(1, none))), 'taken');
      await ledger.markSold(first.id, paid(1), 6);
      assert.equal(outcomeOf(await ledger.begin(limited(1, none))), 'taken');
    });

    for (const [name, limits, reason] of [
      ['open purchases', { maxOpen: 5 }, 'too_many_open_purchases'],
      ['funds', { balance: 5n * PRICE + 1n }, 'payer_without_funds'],
    ] as const) {
      onEmpty(
        `16 concurrent calls of a payer never exceed the limit on ${name}; another payer's all begin`,
        async (one, two) => {
          for (let round = 0; round < 2; round += 1) {
            const payer = 10 + 2 * round;
            const begun = await Promise.all(
              Array.from({ length: 32 }, (_, i) =>
                (i % 4 < 2 ? one : two).begin(limited(i, i % 2 === 0 ? limits : {}, payer + (i % 2))),
              ),
            );
            const outcomes = begun.map(outcomeOf);
            const own = outcomes.filter((_, i) => i % 2 === 0);
            assert.equal(own.filter((outcome) => outcome === 'reserved').length, 5);
            assert.equal(own.filter((outcome) => outcome === reason).length, 11);
            assert.ok(outcomes.every((outcome, i) => i % 2 === 0 || outcome === 'reserved'));
          }
        },
      );
    }
  });
}

export function settling({ ledger: get, openAgain, empty, onEmpty }: SharedLedger): void {
  describe('settling', () => {
    before(() => empty());

    test('stores the whole answer, byte for byte, before any money moves', async () => {
      const bodies = {
        empty: Buffer.alloc(0),
        text: Buffer.from('{"records":[]}'),
        noise: randomBytes(2_000_000),
        large: Buffer.from(Array.from({ length: 700_000 }, (_, i) => `row ${i}`).join('\n')),
      };
      const other = await openAgain();
      for (const [i, [name, body]] of Object.entries(bodies).entries()) {
        const { id } = await reserve(get(), wanted(i));
        assert.equal(await get().answerOf(id), null);
        assert.equal(await get().startSettling(id, answer(body), 5), true, name);
        const stored = await other.answerOf(id);
        assert.deepEqual(
          { headers: stored?.headers, sha256: stored?.sha256 },
          { headers: answer(body).headers, sha256: sha256(body) },
        );
        assert.equal(sha256(bodyOf(stored) ?? ''), sha256(body), name);
        const purchase = await get().find({ id });
        assert.deepEqual(
          [purchase?.state, purchase?.settlingAtMs, purchase?.answerSha256],
          ['settling', 5, sha256(body)],
        );
      }
      await other.close();
    });

    test('refuses an answer without its hash, and the purchase stays reserved', async () => {
      const { id } = await reserve(get(), wanted(10));
      const real = answer('the body');
      await assert.rejects(get().startSettling(id, { ...real, sha256: sha256('another') }, 1), TypeError);
      assert.equal((await get().find({ id }))?.state, 'reserved');
      assert.equal(await get().startSettling(id, real, 1), true);
    });

    test('happens once', async () => {
      const { id } = await purchaseIn(get(), 'settling', 11, { body: 'the first' });
      assert.equal(await get().startSettling(id, answer('a second'), 2), false);
      assert.equal(String(bodyOf(await get().answerOf(id))), 'the first');
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

    onEmpty('lists unresolved purchases oldest first, up to a time', async (ledger) => {
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
}

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
            String(bodyOf(await get().answerOf(id))),
            state === 'reserved' ? 'null' : `answer ${n}`,
            'a transfer that arrives later makes it collectable again',
          );
          assert.equal(await get().find({ payment: payment(n) }), null);
          assert.equal(await get().find({ payer: payment(n).payer, identifierHash }), null);
          const next = await reserve(get(), wanted(n, { identifierHash, nowMs: 71 }));
          assert.equal(await hold(get(), next.id, [`l-${n}`], 71), `l-${n}`, 'its lead is free again');
          assert.equal(await get().release(id, reason, 72), false, 'it ends once');
        });
      }
    }
  });
}
