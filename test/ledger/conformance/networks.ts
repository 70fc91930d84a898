/** Payments on several networks, which one ledger keeps apart: a part of the conformance suite. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewPurchase, Payment } from '../../../ledger/ledger.ts';
import type { AuditedAccount } from '../../../ledger/transfers.ts';
import { chainIdentity, knownNetwork } from '../../../lib/network.ts';
import { all, CHAIN, GENEROUS, payment, purchaseIn, sha256, wanted } from '../purchases.ts';
import { ACCOUNT, bookAll, bookOne, current, transferFor } from '../transfer_booking.ts';
import type { OnEmptyLedger } from './place.ts';

const POLYGON = knownNetwork('eip155:137') ?? assert.fail('Polygon is not known');
/** A chain with the same block 0 as the one of the first network. */
const SECOND: AuditedAccount = { chain: chainIdentity(POLYGON, CHAIN), payTo: ACCOUNT.payTo };
const FAILED = { balance: 10_000_000n, maxOpen: 1, maxUnpaid: 1 } as const;

/** The n-th payment, with the same payer and nonce, on the second network. */
const onSecond = (n: number): Payment => ({
  ...payment(n),
  network: POLYGON.name,
  asset: POLYGON.usdc.address.toLowerCase(),
});
const second = (n: number, more: Partial<NewPurchase> = {}): Partial<NewPurchase> => ({
  payment: onSecond(n),
  chain: SECOND.chain,
  ...more,
});

export function networks(onEmpty: OnEmptyLedger): void {
  describe('payments on two networks', () => {
    test('one nonce of one payer is one payment on each network', async () => {
      await onEmpty(async (ledger) => {
        const first = await purchaseIn(ledger, 'sold', 1);
        const other = await purchaseIn(ledger, 'settling', 1, second(1));
        assert.notEqual(first.id, other.id);
        assert.equal((await ledger.find({ payment: payment(1) }))?.id, first.id);
        assert.equal((await ledger.find({ payment: onSecond(1) }))?.id, other.id);
        const begun = await ledger.begin(wanted(1, second(1)));
        assert.deepEqual([begun.kind, begun.kind === 'taken' && begun.purchase.id], ['taken', other.id]);
      });
    });

    test('a transfer pays the purchase of its own network, and no other', async () => {
      await onEmpty(async (ledger) => {
        const first = await purchaseIn(ledger, 'settling', 1);
        const other = await purchaseIn(ledger, 'settling', 1, second(1));
        assert.equal(await bookOne(ledger, transferFor(1), { account: SECOND }), 'matched');
        assert.equal((await current(ledger, other)).state, 'sold');
        assert.equal((await current(ledger, first)).state, 'settling');
        assert.equal(await bookOne(ledger, transferFor(1)), 'matched', 'the same place on the other chain');
        assert.equal((await current(ledger, first)).state, 'sold');
        assert.deepEqual(
          (await all(ledger.transfers(null))).map(({ chain, purchaseId }) => [chain, purchaseId]),
          [
            [ACCOUNT.chain, first.id],
            [SECOND.chain, other.id],
          ],
        );
      });
    });

    test('a transfer on one network pays no purchase of an older version, which recorded no chain', async () => {
      await onEmpty(async (ledger) => {
        const old = await purchaseIn(ledger, 'settling', 1, { chain: null as never });
        assert.equal(await bookOne(ledger, transferFor(1), { account: SECOND }), 'no_purchase');
        assert.equal((await current(ledger, old)).state, 'settling');
        assert.equal(await bookOne(ledger, transferFor(1)), 'matched');
      });
    });

    test("a payer's limits hold for each network: its open and its failed payments count there alone", async () => {
      await onEmpty(async (ledger) => {
        const failed = await purchaseIn(ledger, 'settling', 1);
        await ledger.markUnknown(failed.id, 'payer_without_funds', null);
        await ledger.release(failed.id, 'expired_unused', 100);
        const begin = async (n: number, more: Partial<NewPurchase>): Promise<string> => {
          const begun = await ledger.begin(wanted(n, { nowMs: 200, limits: { ...GENEROUS, ...FAILED }, ...more }));
          return begun.kind === 'refused' ? begun.reason : begun.kind;
        };
        assert.equal(await begin(2, {}), 'payer_unbilled_too_often');
        assert.equal(await begin(2, second(2)), 'reserved');
        assert.equal(await begin(3, second(3)), 'too_many_open_purchases');
      });
    });

    test('an identifier of a payer belongs to one purchase, whatever the network', async () => {
      await onEmpty(async (ledger) => {
        const identifierHash = sha256('order 1');
        const first = await purchaseIn(ledger, 'sold', 1, { identifierHash });
        const begun = await ledger.begin(wanted(2, second(2, { identifierHash })));
        assert.deepEqual(
          [begun.kind, begun.kind === 'taken' && [begun.by, begun.purchase.id]],
          ['taken', ['identifier', first.id]],
        );
      });
    });

    test('each account has its own audit; an owed transfer is settled on its own chain', async () => {
      await onEmpty(async (ledger) => {
        for (const [account, more] of [
          [ACCOUNT, {}],
          [SECOND, second(1)],
        ] as const) {
          await purchaseIn(ledger, 'sold', 1, more);
          // The second transfer of one payment pays for nothing.
          await bookAll(ledger, [transferFor(1), transferFor(1, { logIndex: 3 })], { account });
        }
        const owed = await all(ledger.transfers(null, ['owed']));
        assert.deepEqual(
          owed.map(({ chain, logIndex }) => [chain, logIndex]),
          [
            [ACCOUNT.chain, 3],
            [SECOND.chain, 3],
          ],
        );
        const [, onSecondChain] = owed;
        assert.ok(onSecondChain);
        assert.equal(await ledger.resolveOwed(onSecondChain, 'refunded'), true);
        assert.deepEqual(
          (await all(ledger.transfers(null, ['owed']))).map(({ resolution }) => resolution),
          [null, 'refunded'],
        );
        assert.deepEqual(
          (await ledger.audits()).map(({ chain }) => chain).sort(),
          [ACCOUNT.chain, SECOND.chain].sort(),
        );
      });
    });
  });
}
