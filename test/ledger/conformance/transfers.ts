/** The audit: matched and owed transfers, its lease, and reserved gas: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { AuditedAccount, IncomingTransfer, Purchase } from '../../../ledger/ledger.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { all, answer, bodyOf, hold, paid, payment, purchaseIn, reserve, sha256, wanted } from '../purchases.ts';
import { ACCOUNT, bookAll, bookOne, current, expiredPayment, LEASE_MS, transferFor } from '../transfer_booking.ts';
import type { OnEmptyLedger } from './place.ts';

const OTHER_CHAIN = `0x${'d'.repeat(64)}`;

const OTHER: AuditedAccount = { chain: OTHER_CHAIN, payTo: ACCOUNT.payTo };
const NOT_AUDITED = { firstBlock: null, throughBlock: null, throughSeconds: 0, auditedAtMs: 0 };
const through = (block: bigint): { block: bigint; seconds: number } => ({ block, seconds: Number(block) * 2 });

/** @param races repetitions of each race */
export function matching(onEmpty: OnEmptyLedger, { races }: { readonly races: number }): void {
  describe('matching transfers', () => {
    onEmpty('a transfer matches its sold purchase', async (ledger) => {
      const sold = await purchaseIn(ledger, 'sold', 1, { lead: 'lead' });
      const transfer = transferFor(1);
      const matched = { kind: 'matched', purchaseId: sold.id, resolution: null, bookedAtMs: 100 };
      const booked = { ...transfer, ...ACCOUNT, ...matched };
      assert.deepEqual(await bookAll(ledger, [transfer]), [booked]);
      assert.deepEqual(await all(ledger.transfers(null)), [booked]);
      assert.deepEqual(await current(ledger, sold), sold, 'the purchase is unchanged');
    });

    onEmpty('a transfer of another amount is owed, and changes no purchase', async (ledger) => {
      for (const [n, state] of (['reserved', 'settling', 'sold', 'released'] as const).entries()) {
        const purchase = await purchaseIn(ledger, state, n);
        for (const [i, difference] of [-1n, 1n].entries()) {
          const transfer = transferFor(n, { logIndex: 10 + i, amount: payment(n).amount + difference });
          assert.equal(await bookOne(ledger, transfer), 'owed', state);
        }
        assert.deepEqual(await current(ledger, purchase), purchase);
      }
    });

    onEmpty('a transfer without authorization or amount is dust; one without a purchase is owed', async (ledger) => {
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

    onEmpty('one purchase never matches two transfers', async (ledger) => {
      for (const [i, state] of (['settling', 'sold', 'released'] as const).entries()) {
        const purchase = await purchaseIn(ledger, state, i + 1);
        const [first, second] = await bookAll(ledger, [transferFor(i + 1), transferFor(i + 1, { logIndex: 2 })]);
        assert.equal(first?.kind, 'matched');
        assert.equal(first.purchaseId, purchase.id);
        assert.deepEqual([second?.kind, second?.purchaseId], ['owed', null]);
      }
    });

    onEmpty('a later purchase does not take a refunded transfer', async (ledger) => {
      await purchaseIn(ledger, 'released', 1, { lead: 'lead' });
      await purchaseIn(ledger, 'sold', 2, { lead: 'lead', nowMs: 50 });
      assert.equal(await bookOne(ledger, transferFor(1)), 'owed');
      assert.equal(await ledger.settleDebt({ ...ACCOUNT, ...transferFor(1) }, 'refunded'), true);
      const again = await purchaseIn(ledger, 'sold', 1, { nowMs: 200 });
      await bookAll(ledger, []);
      const [booked] = await all(ledger.transfers(null));
      assert.deepEqual([booked?.kind, booked?.purchaseId, booked?.resolution], ['resolved', null, 'refunded']);
      assert.equal(again.state, 'sold');
    });

    onEmpty('purchases on another chain, or of another account, never match', async (ledger) => {
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

    onEmpty('a late transfer sells a released purchase: lead, answer, payment and identifier', async (ledger) => {
      const identifierHash = sha256('order 1');
      const released = await purchaseIn(ledger, 'released', 1, { lead: 'lead', identifierHash, body: 'the answer' });
      assert.deepEqual(await ledger.soldLeads(), []);
      assert.equal(await bookOne(ledger, transferFor(1), { nowMs: 100 }), 'matched');
      const good: Purchase = { ...released, state: 'sold', endedAtMs: 100, why: null, ...paid(1) };
      assert.deepEqual(await current(ledger, released), good);
      assert.deepEqual(await ledger.soldLeads(), ['lead']);
      assert.equal(String(bodyOf(await ledger.answerOf(released.id))), 'the answer');
      assert.deepEqual(await ledger.find({ payment: payment(1) }), good);
      assert.deepEqual(await ledger.find({ payer: payment(1).payer, identifierHash }), good);
      assert.equal((await ledger.begin(wanted(1, { nowMs: 200 }))).kind, 'taken');
      const rival = await reserve(ledger, wanted(2, { nowMs: 200 }));
      assert.equal(await hold(ledger, rival.id, ['lead'], 200), null);
      assert.deepEqual(
        (await all(ledger.transfers(null, ['matched']))).map((t) => t.purchaseId),
        [released.id],
      );
    });

    onEmpty('the answer of a purchase sold late is stored as long as that of a new sale', async (ledger) => {
      const { id } = await purchaseIn(ledger, 'released', 1, { payment: expiredPayment(1), nowMs: 1000 });
      assert.equal(await bookOne(ledger, transferFor(1), { nowMs: 9000 }), 'matched');
      assert.equal(await ledger.forgetAnswers(9000), 0);
      assert.ok(await ledger.answerOf(id));
      assert.equal(await ledger.forgetAnswers(9001), 1);
    });

    onEmpty(
      'an identifier that another purchase uses by then stays there; the wallet finds both purchases',
      async (ledger) => {
        const identifierHash = sha256('order 1');
        const released = await purchaseIn(ledger, 'released', 1, { identifierHash });
        const second = await purchaseIn(ledger, 'sold', 2, { identifierHash, nowMs: 50 });
        assert.equal(await bookOne(ledger, transferFor(1)), 'matched');
        assert.equal((await ledger.find({ payer: payment(1).payer, identifierHash }))?.id, second.id);
        assert.equal((await ledger.find({ payment: payment(1) }))?.id, released.id);
      },
    );

    onEmpty('a purchase that changes while its transfer is recorded is sold or owed', async (one, two) => {
      for (let n = 1; n <= races; n += 1) {
        const before = n % 2 === 0 ? 'settling' : 'released';
        const purchase = await purchaseIn(one, before, n, { lead: `l-${n}`, payment: expiredPayment(n) });
        const rival = await reserve(one, wanted(1000 + n));
        const end = async (): Promise<unknown> =>
          n % 2 === 0 ? one.release(purchase.id, 'not_sent', 30) : one.forgetAnswers(DAY_MS);
        const taking = hold(one, rival.id, [`l-${n}`], 40);
        await Promise.all([end(), taking, bookAll(two, [transferFor(n)], { nowMs: 2 * DAY_MS })]);
        const given = await taking;
        const [booked] = (await all(one.transfers(ACCOUNT))).filter((t) => t.block === BigInt(n));
        const { state } = await current(one, purchase);
        assert.equal(state, booked?.kind === 'owed' ? 'released' : 'sold', booked?.kind ?? 'not booked');
        if (state !== 'sold') continue;
        assert.ok(await one.answerOf(purchase.id), 'a sold purchase has its answer');
        // A reservation that held the lead loses it, before a settlement is requested.
        if (given !== null) assert.equal(await one.startSettling(rival.id, answer('the lead'), 50), false);
        assert.notEqual((await one.find({ id: rival.id }))?.leadId, `l-${n}`, 'a sold purchase has its lead');
        assert.ok((await one.soldLeads()).includes(`l-${n}`));
      }
    });
  });
}

export function audit(onEmpty: OnEmptyLedger): void {
  describe('the audit', () => {
    onEmpty('one server holds the lease until it expires, and can extend it', async (one, two) => {
      assert.deepEqual(await one.leaseAudit(ACCOUNT, 'a', 0, LEASE_MS), NOT_AUDITED);
      assert.equal(await two.leaseAudit(ACCOUNT, 'b', LEASE_MS - 1, LEASE_MS), null);
      assert.deepEqual(await one.leaseAudit(ACCOUNT, 'a', LEASE_MS - 1, LEASE_MS), NOT_AUDITED);
      assert.equal(await two.leaseAudit(ACCOUNT, 'b', 2 * LEASE_MS - 2, LEASE_MS), null);
      assert.deepEqual(await two.leaseAudit(ACCOUNT, 'b', 2 * LEASE_MS - 1, LEASE_MS), NOT_AUDITED);
      assert.equal(await one.leaseAudit(ACCOUNT, 'a', 2 * LEASE_MS, LEASE_MS), null);
      assert.deepEqual(await one.leaseAudit(OTHER, 'a', 0, LEASE_MS), NOT_AUDITED, 'each account has its own lease');
    });

    onEmpty('one of several concurrent callers gets the lease', async (one, two) => {
      for (let round = 0; round < 3; round += 1) {
        const startMs = round * LEASE_MS;
        const given = await Promise.all(
          Array.from({ length: 12 }, (_, i) =>
            (i % 2 === 0 ? one : two).leaseAudit(ACCOUNT, `${round} ${i}`, startMs, LEASE_MS),
          ),
        );
        assert.equal(given.filter((state) => state !== null).length, 1);
      }
    });

    onEmpty('a lease from a clock that was far ahead does not last until that time', async (one, two) => {
      const ahead = 10 ** 9;
      await one.leaseAudit(ACCOUNT, 'ahead', ahead, LEASE_MS);
      // Clocks may differ by less than a lease.
      assert.equal(await two.leaseAudit(ACCOUNT, 'b', ahead - LEASE_MS, LEASE_MS), null);
      assert.deepEqual(await two.leaseAudit(ACCOUNT, 'b', ahead - LEASE_MS - 1, LEASE_MS), NOT_AUDITED);
      assert.equal(await one.leaseAudit(ACCOUNT, 'c', ahead - LEASE_MS - 1, LEASE_MS), null);
    });

    onEmpty(
      'a refund is recorded once, for a sold purchase, up to its price, and paid by one transaction',
      async (one, two) => {
        const [sold, other] = [await purchaseIn(one, 'sold', 1), await purchaseIn(one, 'sold', 2)];
        const open = await purchaseIn(one, 'settling', 3);
        const half = { amount: 500_000n, proof: '{"ended":1}' };
        await assert.rejects(one.bookRefund(sold.id, { ...half, amount: 1_000_001n }));
        assert.equal(await one.bookRefund(open.id, half), false);
        const booked = await Promise.all([one, two, one, two].map((ledger) => ledger.bookRefund(sold.id, half)));
        assert.equal(booked.filter(Boolean).length, 1);
        assert.equal(await two.bookRefund(other.id, { ...half, amount: 1_000_000n }), true);
        const hash = `0x${'a'.repeat(64)}`;
        const settled = await Promise.all([one, two].map((l) => l.settleDebt({ purchaseId: sold.id }, hash)));
        assert.equal(settled.filter(Boolean).length, 1);
        assert.equal(await one.settleDebt({ purchaseId: other.id }, hash), false, 'it pays another one');
        assert.equal(await one.settleDebt({ purchaseId: open.id }, 'nothing is due'), false);
        assert.deepEqual(
          (await all(two.refunds())).map(({ id, refund }) => [id, refund.amount, refund.paid]).sort(),
          [
            [sold.id, 500_000n, hash],
            [other.id, 1_000_000n, null],
          ].sort(),
        );
      },
    );

    onEmpty('lists the state of all audits, the latest first', async (ledger) => {
      await bookAll(ledger, [], { nowMs: 100, account: ACCOUNT, through: through(5n) });
      await bookAll(ledger, [], { nowMs: 200, account: OTHER, through: through(7n) });
      assert.deepEqual(await ledger.audits(), [
        { ...OTHER, firstBlock: 0n, throughBlock: 7n, throughSeconds: 14, auditedAtMs: 200 },
        { ...ACCOUNT, firstBlock: 0n, throughBlock: 5n, throughSeconds: 10, auditedAtMs: 100 },
      ]);
    });

    onEmpty('transfers are listed in the order of the chain, by account and kind, across pages', async (ledger) => {
      const many = 505;
      const transfers = Array.from({ length: many }, (_, i) =>
        transferFor(i, { block: BigInt(Math.floor(i / 7)), logIndex: i % 7, nonce: null }),
      );
      await bookAll(ledger, transfers.toReversed());
      await purchaseIn(ledger, 'sold', 5000);
      await bookAll(ledger, [transferFor(5000)]);
      await bookAll(ledger, [transferFor(1)], { account: OTHER });
      const [own, others] = [await all(ledger.transfers(ACCOUNT)), await all(ledger.transfers(OTHER))];
      const places = [...Array.from({ length: many }, (_, i) => i), 35_001];
      assert.deepEqual(
        own.map((t) => Number(t.block) * 7 + t.logIndex),
        places,
      );
      assert.equal(others.length, 1);
      assert.deepEqual(await all(ledger.transfers(null)), [...own, ...others]);
      assert.equal((await all(ledger.transfers(ACCOUNT, ['dust']))).length, many);
      assert.deepEqual(
        (await all(ledger.transfers(null, ['matched', 'owed']))).map(({ kind }) => kind),
        ['matched', 'owed'],
      );
      assert.deepEqual(await all(ledger.transfers(null, ['resolved'])), []);
    });

    onEmpty(
      'a transaction refunds one transfer, even if two are recorded at once; a note may settle many',
      async (ledger) => {
        const owed = [1, 2, 3, 4].map((n) => transferFor(n));
        await bookAll(ledger, owed);
        const settle = (resolution: string, ...numbers: number[]): Promise<boolean[]> =>
          Promise.all(
            numbers.map((n) =>
              ledger.settleDebt({ chain: ACCOUNT.chain, ...paid(n), logIndex: transferFor(n).logIndex }, resolution),
            ),
          );
        const refund = `0x${'f'.repeat(64)}`;
        assert.deepEqual((await settle(refund, 1, 2)).sort(), [false, true]);
        assert.deepEqual(await settle('by hand', 3, 4), [true, true]);
        const resolved = await all(ledger.transfers(ACCOUNT, ['resolved']));
        assert.deepEqual(resolved.map(({ resolution }) => resolution).sort(), [refund, 'by hand', 'by hand'].sort());
        assert.equal((await all(ledger.transfers(ACCOUNT, ['owed']))).length, 1);
      },
    );

    onEmpty('an owed transfer is resolved once; other transfers cannot be resolved', async (ledger) => {
      await purchaseIn(ledger, 'sold', 1);
      await bookAll(ledger, [transferFor(1), transferFor(2, { nonce: null }), transferFor(1, { logIndex: 5 })]);
      const { transaction } = paid(1);
      const at = (hash: string, logIndex: number) => ({ chain: ACCOUNT.chain, transaction: hash, logIndex });
      assert.equal(await ledger.settleDebt(at(transaction, 1), 'refunded'), false, 'it is matched');
      assert.equal(await ledger.settleDebt(at(paid(2).transaction, 1), 'refunded'), false, 'it is dust');
      assert.equal(await ledger.settleDebt(at(transaction, 6), 'refunded'), false, 'there is none');
      assert.equal(await ledger.settleDebt(at(transaction, 5), 'refunded by 0xabc'), true);
      assert.equal(await ledger.settleDebt(at(transaction, 5), 'again'), false);
      const [resolved] = await all(ledger.transfers(ACCOUNT, ['resolved']));
      assert.equal(resolved?.resolution, 'refunded by 0xabc');
      assert.equal(
        await bookOne(ledger, transferFor(1, { logIndex: 5 })),
        'resolved',
        'it stays resolved when it is booked again',
      );
      assert.equal((await all(ledger.transfers(ACCOUNT, ['resolved'])))[0]?.resolution, 'refunded by 0xabc');
    });

    onEmpty('lists sold purchases without a transfer, by account and up to a block', async (ledger) => {
      for (const n of [1, 2, 3]) await purchaseIn(ledger, 'sold', n);
      for (const [i, state] of (['reserved', 'settling', 'released'] as const).entries()) {
        await purchaseIn(ledger, state, 10 + i);
      }
      await purchaseIn(ledger, 'sold', 20, { chain: OTHER.chain });
      await purchaseIn(ledger, 'sold', 21, { payment: { ...payment(21), payTo: payment(1, 9).payer } });
      const unpaid = async (block: bigint): Promise<string[]> =>
        (await ledger.soldWithoutTransfer(ACCOUNT, block)).map((p) => p.payment.nonce).sort();
      assert.deepEqual(await unpaid(0n), []);
      assert.deepEqual(
        await unpaid(2n),
        [1, 2].map((n) => payment(n).nonce),
      );
      assert.deepEqual(
        await unpaid(99n),
        [1, 2, 3].map((n) => payment(n).nonce),
      );
      await bookAll(ledger, [transferFor(2), transferFor(3, { amount: 1n })]);
      // A transfer of another amount does not pay.
      assert.deepEqual(
        await unpaid(99n),
        [1, 3].map((n) => payment(n).nonce),
      );
    });
  });

  describe('gas', () => {
    onEmpty('is reserved up to the exact limit per day and account', async (ledger) => {
      assert.equal(await ledger.gasReserved('0xa', '2026-11-20'), 0n);
      assert.equal(await ledger.reserveGas('0xa', '2026-11-20', 101n, 100n), false);
      assert.equal(await ledger.gasReserved('0xa', '2026-11-20'), 0n);
      assert.equal(await ledger.reserveGas('0xa', '2026-11-20', 60n, 100n), true);
      assert.equal(await ledger.reserveGas('0xa', '2026-11-20', 41n, 100n), false);
      assert.equal(await ledger.gasReserved('0xa', '2026-11-20'), 60n, 'a refused reservation changes nothing');
      assert.equal(await ledger.reserveGas('0xa', '2026-11-20', 40n, 100n), true);
      assert.equal(await ledger.reserveGas('0xa', '2026-11-20', 1n, 100n), false);
      assert.equal(await ledger.reserveGas('0xa', '2026-11-21', 100n, 100n), true, 'another day');
      assert.equal(await ledger.reserveGas('0xb', '2026-11-20', 100n, 100n), true, 'another account');
      assert.equal(await ledger.gasReserved('0xa', '2026-11-20'), 100n);
    });

    onEmpty('is never reserved above the limit by concurrent callers', async (one, two) => {
      const given = await Promise.all(
        Array.from({ length: 32 }, (_, i) => (i % 2 === 0 ? one : two).reserveGas('0xa', '2026-11-20', 7n, 50n)),
      );
      assert.equal(given.filter(Boolean).length, 7);
      assert.equal(await one.gasReserved('0xa', '2026-11-20'), 49n);
    });
  });
}
