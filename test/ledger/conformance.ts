/** What every ledger must do. SQLite and PostgreSQL are held to it, each by its own test file. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Ledger, NewPurchase, PurchaseState, ReleaseReason } from '../../ledger/ledger.ts';
import { clocksThatJump } from './conformance_clocks.ts';
import { keepingAndForgetting } from './conformance_keeping.ts';
import { leadLimits } from './conformance_lead_limits.ts';
import { payerLimits } from './conformance_limits.ts';
import { transferMatching } from './conformance_transfers.ts';
import { auditBook } from './conformance_audit.ts';
import { balancedBooks } from './conformance_books.ts';
import {
  all,
  answer,
  bodyOf,
  claim,
  LEASE_MS,
  paid,
  payment,
  purchaseIn,
  reserve,
  sha256,
  wanted,
} from './purchases.ts';

/** Where ledgers of one kind are made. */
export interface Place {
  /** Setting LEDGER of a new, empty one. */
  fresh(): Promise<string>;
  open(ledger: string): Promise<Ledger>;
}

const STATES: readonly PurchaseState[] = ['reserved', 'settling', 'sold', 'released'];
const REASONS: readonly ReleaseReason[] = ['not_settled', 'not_sent', 'expired_unused', 'used_elsewhere', 'chain_gone'];

export function conformance(place: Place): void {
  /** One ledger for a group of tests, whose payments and leads do not meet. */
  const shared = (): { get: () => Ledger; again: () => Promise<Ledger> } => {
    let [name, ledger]: [string, Ledger | undefined] = ['', undefined];
    before(async () => {
      ledger = await place.open((name = await place.fresh()));
    });
    after(() => ledger?.close());
    return {
      get: () => {
        if (!ledger) throw new Error('not open');
        return ledger;
      },
      again: () => place.open(name),
    };
  };
  const inNew = async (work: (ledger: Ledger) => Promise<void>): Promise<void> => {
    const ledger = await place.open(await place.fresh());
    try {
      await work(ledger);
    } finally {
      await ledger.close();
    }
  };

  /** Two connections to one new ledger. */
  const onTwo = async (work: (one: Ledger, two: Ledger) => Promise<void>): Promise<void> => {
    const name = await place.fresh();
    const [one, two] = [await place.open(name), await place.open(name)];
    try {
      await work(one, two);
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  };

  describe('beginning', () => {
    const { get } = shared();

    test('a payment is reserved once, whatever else the second call says', async () => {
      const first = await reserve(get(), wanted(1));
      const second = await get().begin(wanted(1, { route: 'GET /api/deals', identifierHash: sha256('other') }));
      assert.deepEqual(second, { kind: 'taken', by: 'payment', purchase: first });
    });

    test('what was asked for is written down exactly, amounts to the last of 256 bits', async () => {
      const most = (1n << 256n) - 1n;
      const asked = wanted(2, {
        payment: { ...payment(2), amount: most, validBefore: most - 1n },
        identifierHash: sha256('mine'),
        nowMs: 1_795_000_000_123,
        request: '/x?a=ä&b=\'"',
      });
      const { id } = await reserve(get(), asked);
      const { nowMs, leaseMs, limits: _, ...kept } = asked;
      assert.deepEqual(await get().find({ id }), {
        ...kept,
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
        answerSha256: null,
      });
    });

    test('payments that differ in network, asset, payer or nonce are different payments', async () => {
      const base = payment(3);
      await reserve(get(), wanted(3));
      for (const other of [
        { network: 'eip155:84532' },
        { asset: payment(3, 7).payer },
        { payer: payment(3, 2).payer },
        { nonce: payment(4).nonce },
      ]) {
        assert.equal(
          (await get().begin(wanted(3, { payment: { ...base, ...other } }))).kind,
          'reserved',
          JSON.stringify(other),
        );
      }
    });

    test("an identifier is the payer's own: another payment of that payer finds it taken, another payer does not", async () => {
      const identifierHash = sha256('order-5');
      const first = await reserve(get(), wanted(5, { identifierHash }));
      assert.deepEqual(await get().begin(wanted(6, { identifierHash })), {
        kind: 'taken',
        by: 'identifier',
        purchase: first,
      });
      assert.equal((await get().begin(wanted(6, { identifierHash, payment: payment(6, 2) }))).kind, 'reserved');
    });

    test('what could pass for another payment by its spelling is refused', async () => {
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

    test('a reservation whose lease has run out is given up for a new one, and may do nothing any more', async () => {
      const old = await reserve(get(), wanted(8));
      assert.equal((await get().begin(wanted(8, { nowMs: LEASE_MS - 1 }))).kind, 'taken');
      const next = await reserve(get(), wanted(8, { nowMs: LEASE_MS }));
      assert.notEqual(next.id, old.id);
      assert.equal(await get().find({ id: old.id }), null);
      assert.equal(await claim(get(), old.id, ['lead-8'], LEASE_MS), null);
      assert.equal(await get().settling(old.id, answer('late'), LEASE_MS), false);
      assert.equal(await get().release(old.id, 'not_settled', LEASE_MS), false);
      assert.equal(
        (await get().find({ payment: payment(8) }))?.id,
        next.id,
        "the new one is untouched by the old one's process",
      );
    });

    test('a lease that has run out gives up by its identifier too, and never one that is settling', async () => {
      const identifierHash = sha256('order-9');
      await reserve(get(), wanted(9, { identifierHash }));
      const next = await reserve(get(), wanted(10, { identifierHash, nowMs: LEASE_MS }));
      assert.equal(await get().settling(next.id, answer('x'), LEASE_MS), true);
      const muchLater = 1000 * LEASE_MS;
      assert.equal((await get().begin(wanted(10, { nowMs: muchLater }))).kind, 'taken');
      assert.equal((await get().begin(wanted(11, { identifierHash, nowMs: muchLater }))).kind, 'taken');
    });
  });

  describe('claiming a lead', () => {
    const { get } = shared();

    test('the first that nobody has, one a purchase, and the same when asked again', async () => {
      const [a, b, c] = [
        await reserve(get(), wanted(1)),
        await reserve(get(), wanted(2)),
        await reserve(get(), wanted(3)),
      ];
      assert.equal(await claim(get(), a.id, ['l1', 'l2'], 0), 'l1');
      assert.equal(await claim(get(), a.id, ['l2'], 0), 'l1');
      assert.equal(await claim(get(), b.id, ['l1', 'l2'], 0), 'l2');
      assert.equal(await claim(get(), c.id, ['l2', 'l1'], 0), null);
      assert.equal(await claim(get(), c.id, [], 0), null);
      assert.equal((await get().find({ id: a.id }))?.leadId, 'l1');
      assert.equal((await get().find({ id: c.id }))?.leadId, null);
    });

    test('only for a purchase that is reserved', async () => {
      for (const [i, state] of STATES.slice(1).entries()) {
        const { id } = await purchaseIn(get(), state, 10 + i);
        assert.equal(await claim(get(), id, [`free-${i}`], 0), null, state);
      }
      assert.equal(await claim(get(), 'no such purchase', ['free'], 0), null);
    });

    test('a lead whose reservation has run out is free, and that reservation is over', async () => {
      const old = await purchaseIn(get(), 'reserved', 20, { lead: 'l20' });
      const next = await reserve(get(), wanted(21, { nowMs: LEASE_MS - 1 }));
      assert.equal(await claim(get(), next.id, ['l20'], LEASE_MS - 1), null);
      assert.equal(await claim(get(), next.id, ['l20'], LEASE_MS), 'l20');
      assert.equal(await get().settling(old.id, answer('x'), LEASE_MS), false);
    });

    test('a lead that is settling or sold is taken at any time', async () => {
      for (const state of ['settling', 'sold'] as const) {
        await purchaseIn(get(), state, state === 'sold' ? 30 : 31, { lead: `l-${state}` });
        const late = await reserve(get(), wanted(state === 'sold' ? 32 : 33, { nowMs: 10 ** 12 }));
        assert.equal(await claim(get(), late.id, [`l-${state}`], 10 ** 12), null);
      }
    });

    test('out of several hundred the first free one is found', async () => {
      const leads = Array.from({ length: 350 }, (_, i) => `many-${i}`);
      for (const i of [0, 1, 2, 120, 349])
        await purchaseIn(get(), 'sold', 1000 + i, { lead: `many-${i}`, body: 'same' });
      const { id } = await reserve(get(), wanted(40));
      assert.equal(
        await claim(
          get(),
          id,
          [
            'many-0',
            'many-1',
            'many-2',
            ...leads.slice(120, 121),
            ...Array.from({ length: 200 }, () => 'many-349'),
            ...leads,
          ],
          0,
        ),
        'many-3',
      );
    });

    test('which leads are claimed, and which are sold for good', async () => {
      await inNew(async (ledger) => {
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

  describe('settling', () => {
    const { get, again } = shared();

    test('keeps the whole answer, byte for byte, before any money moves', async () => {
      const bodies = {
        empty: Buffer.alloc(0),
        text: Buffer.from('{"records":[]}'),
        chunk: Buffer.alloc(1 << 20, 'c'),
        more: Buffer.alloc((1 << 20) + 1, 'm'),
        large: Buffer.from(Array.from({ length: 700_000 }, (_, i) => `row ${i}`).join('\n')),
      };
      for (const [i, [name, body]] of Object.entries(bodies).entries()) {
        const { id } = await reserve(get(), wanted(i));
        assert.equal(await get().answerOf(id), null);
        assert.equal(await get().settling(id, answer(body, 300_001), 5), true, name);
        const other = await again();
        const stored = await other.answerOf(id);
        assert.deepEqual(
          { headers: stored?.headers, sha256: stored?.sha256, bytes: stored?.bytes },
          { headers: answer(body).headers, sha256: sha256(body), bytes: body.length },
        );
        assert.equal(sha256((await bodyOf(stored)) ?? ''), sha256(body), name);
        assert.ok(stored && (await all(stored.body())).every((piece) => piece.length <= 1 << 20));
        await other.close();
        const purchase = await get().find({ id });
        assert.deepEqual(
          [purchase?.state, purchase?.settlingAtMs, purchase?.answerSha256],
          ['settling', 5, sha256(body)],
        );
      }
    });

    test('an answer that is not what it says of itself is refused, and the purchase stays reserved', async () => {
      const { id } = await reserve(get(), wanted(10));
      const real = answer('the body');
      for (const wrong of [
        { ...real, sha256: sha256('another') },
        { ...real, bytes: 3 },
      ])
        await assert.rejects(get().settling(id, wrong, 1), TypeError);
      assert.equal((await get().find({ id }))?.state, 'reserved');
      assert.equal(await get().settling(id, real, 1), true);
    });

    test('happens once', async () => {
      const { id } = await purchaseIn(get(), 'settling', 11, { body: 'the first' });
      assert.equal(await get().settling(id, answer('a second'), 2), false);
      assert.equal(String(await bodyOf(await get().answerOf(id))), 'the first');
    });

    test('an unknown outcome is noted, with the transaction where one is named, and stays until evidence comes', async () => {
      const { id } = await purchaseIn(get(), 'settling', 12);
      await get().unknown(id, 'not_seen', '0xabc');
      await get().unknown(id, 'unavailable', null);
      const { state, why, transaction } = (await get().find({ id })) ?? {};
      assert.deepEqual({ state, why, transaction }, { state: 'settling', why: 'unavailable', transaction: '0xabc' });
      await get().sold(id, { transaction: '0xdef', block: 7n }, 9);
      await get().unknown(id, 'not_seen', '0x111');
      const after_ = await get().find({ id });
      assert.deepEqual([after_?.state, after_?.why, after_?.transaction], ['sold', null, '0xdef']);
    });

    test('the unresolved come oldest first, as far back as is asked', async () => {
      await inNew(async (ledger) => {
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

  describe('the end of a purchase', () => {
    const { get } = shared();

    test('sold is written once, and the first transaction stays', async () => {
      const { id } = await purchaseIn(get(), 'settling', 1, { lead: 'l1' });
      const first = await get().sold(id, { transaction: '0xaaa', block: 12n }, 50);
      assert.deepEqual(
        [first.state, first.transaction, first.block, first.endedAtMs, first.leadId],
        ['sold', '0xaaa', 12n, 50, 'l1'],
      );
      assert.deepEqual(await get().sold(id, { transaction: '0xbbb', block: 13n }, 60), first);
    });

    test('what was never sent for settlement cannot be sold; what was released stays released', async () => {
      const { id } = await purchaseIn(get(), 'reserved', 2);
      await assert.rejects(get().sold(id, paid(1), 1), /never sent for settlement/);
      assert.equal((await get().find({ id }))?.state, 'reserved');
      await assert.rejects(get().sold('no such purchase', paid(1), 1), /never sent for settlement/);
      const released = await purchaseIn(get(), 'released', 3);
      assert.equal((await get().sold(released.id, paid(1), 99)).state, 'released');
    });

    for (const [s, state] of STATES.entries()) {
      for (const [r, reason] of REASONS.entries()) {
        const ends = state === 'reserved' ? reason === 'not_settled' : state === 'settling' && reason !== 'not_settled';
        test(`release of a ${state} purchase with ${reason}: ${ends ? 'ends it' : 'nothing'}`, async () => {
          const n = 100 + s * 10 + r;
          const identifierHash = sha256(`order-${n}`);
          const { id } = await purchaseIn(get(), state, n, { lead: `l-${n}`, identifierHash });
          assert.equal(await get().release(id, reason, 70), ends);
          const kept = await get().find({ id });
          if (!ends) {
            assert.equal(kept?.state, state);
            return;
          }
          if (reason === 'not_settled') assert.equal(kept, null);
          else
            assert.deepEqual(
              [kept?.state, kept?.why, kept?.endedAtMs, kept?.leadId],
              ['released', reason, 70, `l-${n}`],
            );
          assert.equal(
            String(await bodyOf(await get().answerOf(id))),
            reason === 'not_settled' ? 'null' : `answer ${n}`,
            'money that arrives after all makes it collectable again',
          );
          assert.equal(await get().find({ payment: payment(n) }), null);
          assert.equal(await get().find({ payer: payment(n).payer, identifierHash }), null);
          const next = await reserve(get(), wanted(n, { identifierHash, nowMs: 71 }));
          assert.equal(await claim(get(), next.id, [`l-${n}`], 71), `l-${n}`, 'its lead is free again');
          assert.equal(await get().release(id, reason, 72), false, 'it ends once');
        });
      }
    }

    test("a purchase is found by its id, its payment and its payer's identifier", async () => {
      const identifierHash = sha256('order-50');
      const sold = await purchaseIn(get(), 'sold', 50, { identifierHash });
      assert.deepEqual(await get().find({ id: sold.id }), sold);
      assert.deepEqual(await get().find({ payment: payment(50) }), sold);
      assert.deepEqual(await get().find({ payer: payment(50).payer, identifierHash }), sold);
      assert.equal(await get().find({ payer: payment(50, 2).payer, identifierHash }), null);
      assert.equal(await get().find({ payment: payment(51) }), null);
    });
  });

  keepingAndForgetting(inNew, place);
  clocksThatJump(inNew);
  payerLimits(onTwo);
  leadLimits(onTwo);
  balancedBooks(onTwo);
  auditBook(onTwo);
  transferMatching(onTwo);
}
