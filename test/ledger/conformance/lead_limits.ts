/** Limits on the leads of unsold purchases: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  RELEASED_MS,
  type Claimed,
  type LeadLimits,
  type Ledger,
  type Purchase,
  type ReleaseReason,
} from '../../../ledger/ledger.ts';
import { GENEROUS_LEADS, leadOf, LEASE_MS, payment, purchaseIn, reserve, wanted } from '../purchases.ts';
import type { OnEmptyLedger } from './place.ts';

const leads = Array.from({ length: 100 }, (_, i) => leadOf(`lead-${i}`));
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
