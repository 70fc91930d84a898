/** Limits on the leads of unsold purchases: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RELEASED_MS, type Claimed, type LeadLimits } from '../../../ledger/lead_claims.ts';
import type { Ledger, Purchase, ReleaseReason } from '../../../ledger/ledger.ts';
import {
  answer,
  claim,
  GENEROUS_LEADS,
  leadOf,
  LEASE_MS,
  paid,
  payment,
  purchaseIn,
  reserve,
  wanted,
} from '../purchases.ts';
import type { OnEmptyLedger } from './place.ts';

const leads = Array.from({ length: 100 }, (_, i) => leadOf(`lead-${i}`));
const NONE: LeadLimits = { perPayer: 0, byNewPayers: 0 };
const LIMITED_BY_PAYER: Claimed = { kind: 'limited', by: 'payer' };
const LIMITED_BY_NEW: Claimed = { kind: 'limited', by: 'new payers' };

/** Begin purchase `n` of payer number `payer`. */
const begun = (ledger: Ledger, n: number, payer: number, nowMs = 0): Promise<Purchase> =>
  reserve(ledger, wanted(n, { payment: payment(n, payer), nowMs }));

/** Begin a purchase and claim any lead for it. */
async function claimedBy(
  ledger: Ledger,
  n: number,
  payer: number,
  limits: Partial<LeadLimits>,
  nowMs = 0,
): Promise<Claimed> {
  const { id } = await begun(ledger, n, payer, nowMs);
  return ledger.claim(id, leads, { ...GENEROUS_LEADS, ...limits }, nowMs);
}
const claimed = (leadId: string): Claimed => ({ kind: 'claimed', leadId });

/** A payer who bought before. */
const bought = (ledger: Ledger, n: number, payer: number): Promise<Purchase> =>
  purchaseIn(ledger, 'sold', n, { payment: payment(n, payer), lead: `bought-${n}` });

export function leadLimits(onEmpty: OnEmptyLedger): void {
  describe('limits on held leads', () => {
    test('one payer holds a limited number of unsold leads', async () => {
      await onEmpty(async (ledger) => {
        const limits = { ...GENEROUS_LEADS, perPayer: 2 };
        await bought(ledger, 1, 1);
        const [first, second] = [await begun(ledger, 2, 1), await begun(ledger, 3, 1)];
        assert.deepEqual(await ledger.claim(first.id, leads, limits, 0), claimed('lead-0'));
        assert.deepEqual(await ledger.claim(second.id, leads, limits, 0), claimed('lead-1'));
        await ledger.startSettling(first.id, answer('x'), 5);
        assert.deepEqual(await claimedBy(ledger, 4, 1, limits), LIMITED_BY_PAYER, 'one is settling, one reserved');
        assert.deepEqual(await claimedBy(ledger, 5, 2, limits), claimed('lead-2'), 'another payer is not counted');
        await ledger.markSold(first.id, paid(2), 6);
        assert.deepEqual(await claimedBy(ledger, 6, 1, limits), claimed('lead-3'), 'a sold lead is not held');
        await ledger.release(second.id, 'not_settled', 7);
        assert.deepEqual(await claimedBy(ledger, 7, 1, limits), claimed('lead-1'), 'a released lead is not held');
        assert.deepEqual(await claimedBy(ledger, 8, 1, limits), LIMITED_BY_PAYER);
        assert.deepEqual(
          await claimedBy(ledger, 9, 1, limits, LEASE_MS),
          claimed('lead-1'),
          'a lead of an expired reservation is not held',
        );
      });
    });

    test('each released purchase of a lead counts against its payer for a day', async () => {
      await onEmpty(async (ledger) => {
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
        assert.deepEqual(await claimedBy(ledger, 12, 1, limits, now + 9), claimed('lead-0'), 'two count');
        assert.deepEqual(await claimedBy(ledger, 13, 1, limits, now + 9), LIMITED_BY_PAYER, 'and one that is held');
        assert.deepEqual(await claimedBy(ledger, 14, 2, limits, now + 9), claimed('lead-1'), 'not of another payer');
        await ended(15, 'expired_unused', now + 7, 'unpaid-3');
        const later = now + LEASE_MS + 20;
        assert.deepEqual(await claimedBy(ledger, 16, 1, limits, later), {
          kind: 'limited',
          by: 'released',
          forMs: now + RELEASED_MS - later,
        });
        assert.equal((await claimedBy(ledger, 17, 1, limits, now + RELEASED_MS - 1)).kind, 'limited');
        assert.equal((await claimedBy(ledger, 18, 1, limits, now + RELEASED_MS)).kind, 'claimed');
      });
    });

    test('a purchase gets its own lead again, whatever the limits', async () => {
      await onEmpty(async (ledger) => {
        const { id } = await begun(ledger, 1, 1);
        assert.equal(await claim(ledger, id, ['lead-7'], 0), 'lead-7');
        assert.deepEqual(await ledger.claim(id, leads, NONE, 0), claimed('lead-7'));
      });
    });

    test('payers who never bought share a limit', async () => {
      await onEmpty(async (ledger) => {
        const limits = { byNewPayers: 3 };
        for (const payer of [1, 2, 3]) assert.equal((await claimedBy(ledger, payer, payer, limits)).kind, 'claimed');
        assert.deepEqual(await claimedBy(ledger, 4, 4, limits), LIMITED_BY_NEW);
        assert.deepEqual(await claimedBy(ledger, 5, 1, limits), LIMITED_BY_NEW, 'also for a payer who holds a lead');
      });
    });

    test('the shared limit neither binds nor counts payers who bought before', async () => {
      await onEmpty(async (ledger) => {
        const limits = { byNewPayers: 2 };
        await bought(ledger, 1, 1);
        for (let n = 10; n < 15; n += 1) assert.equal((await claimedBy(ledger, n, 1, limits)).kind, 'claimed');
        for (let n = 20; n < 22; n += 1) assert.equal((await claimedBy(ledger, n, 2, limits)).kind, 'claimed');
        assert.deepEqual(await claimedBy(ledger, 22, 2, limits), LIMITED_BY_NEW);
        assert.equal((await claimedBy(ledger, 15, 1, limits)).kind, 'claimed');
        const own = { ...limits, perPayer: 6 };
        assert.deepEqual(await claimedBy(ledger, 16, 1, own), LIMITED_BY_PAYER, 'the limit of one payer binds them');
      });
    });

    test("a new payer's first completed purchase removes its leads from the shared limit", async () => {
      await onEmpty(async (ledger) => {
        const limits = { byNewPayers: 2 };
        const first = await begun(ledger, 1, 1);
        await claim(ledger, first.id, leads, 0);
        assert.equal((await claimedBy(ledger, 2, 1, limits)).kind, 'claimed');
        assert.deepEqual(await claimedBy(ledger, 3, 2, limits), LIMITED_BY_NEW);
        await ledger.startSettling(first.id, answer('x'), 5);
        assert.deepEqual(await claimedBy(ledger, 4, 2, limits), LIMITED_BY_NEW, 'a settling purchase is not completed');
        await ledger.markSold(first.id, paid(1), 6);
        assert.equal((await claimedBy(ledger, 5, 2, limits)).kind, 'claimed');
      });
    });

    test('a released purchase is not a completed purchase', async () => {
      await onEmpty(async (ledger) => {
        await purchaseIn(ledger, 'released', 1, { lead: 'released' });
        assert.deepEqual(await claimedBy(ledger, 2, 1, { byNewPayers: 0 }), LIMITED_BY_NEW);
      });
    });

    test('a purchase that is no longer reserved gets no lead, and no limit is reported', async () => {
      await onEmpty(async (ledger) => {
        const { id } = await purchaseIn(ledger, 'settling', 1);
        assert.deepEqual(await ledger.claim(id, leads, NONE, 0), { kind: 'none' });
        assert.deepEqual(await ledger.claim('no such purchase', leads, NONE, 0), { kind: 'none' });
      });
    });

    for (const [name, limits, payerOf, reached] of [
      ['one payer', { perPayer: 5 }, () => 1, LIMITED_BY_PAYER],
      ['new payers', { byNewPayers: 5 }, (i: number) => i + 1, LIMITED_BY_NEW],
    ] as const) {
      test(`sixteen concurrent claims never exceed the limit of ${name}`, async () => {
        await onEmpty(async (one, two) => {
          for (let round = 0; round < 2; round += 1) {
            const numbers = Array.from({ length: 16 }, (_, i) => i);
            const purchases = await Promise.all(numbers.map((i) => begun(one, 100 * round + i, payerOf(i))));
            const claims = await Promise.all(
              purchases.map(({ id }, i) =>
                (i % 2 === 0 ? one : two).claim(id, leads, { ...GENEROUS_LEADS, ...limits }, 0),
              ),
            );
            const given = claims.filter((c) => c.kind === 'claimed');
            assert.equal(given.length, 5);
            assert.equal(new Set(given.map((c) => c.leadId)).size, 5);
            assert.deepEqual(
              claims.filter((c) => c.kind !== 'claimed'),
              Array.from({ length: 11 }, () => reached),
            );
            for (const { id } of purchases) await one.release(id, 'not_settled', 1);
          }
        });
      });
    }
  });
}
