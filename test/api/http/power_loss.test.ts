/**
 * The power fails while the money moves: the disk holds what the ledger had committed when settlement was asked for.
 * A server that starts from those files finds the payment on the real local chain, and knows what it sold to whom.
 * SQLite's synchronous = FULL, which puts a commit on the disk, is checked in test/ledger/sqlite_troubles.test.ts.
 */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { localFacilitator } from '../../../api/payments/facilitator/local_facilitator.ts';
import { paymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { watchSettlements } from '../../../api/payments/audit/settlement_watcher.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { PAY_TO, ScriptedFacilitator, startApp } from '../support/test_app.ts';
import { buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';

const WAIT = { everyMs: 25, looksWithHint: 400, looksWithoutHint: 160 } as const;

describe('after a power cut', () => {
  let folder: DataFolder;
  let chain: Chain;
  let own: ReturnType<typeof localFacilitator>;
  const disk = mkdtempSync(join(tmpdir(), 'dealfeed-power-'));

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 5), leads: rowsOfTable('leads', 1) });
    chain = await startChain();
    own = localFacilitator({
      rpcUrl: chain.rpcUrl,
      key: chain.gasKey,
      gas: { perSettlement: 150_000n, reserve: async () => true, hasLeft: async () => true },
    });
  });
  after(async () => {
    await chain.close();
    await folder.remove();
    rmSync(disk, { recursive: true });
  });

  for (const [name, path, price] of [
    ['a list', '/api/deals?limit=3', 50_000n],
    ['an exclusive lead', '/api/leads/exclusive', 1_000_000n],
  ] as const) {
    it(`${name} that was paid for is its buyer's, charged once`, async (t) => {
      const buyer = buyerWith();
      await chain.mint(buyer.address, 10_000_000n);
      const paidBefore = await chain.balanceOf(PAY_TO);
      const file = join(disk, `${path.replaceAll(/\W/g, '_')}.sqlite`);
      const left = `${file}.left`;
      const ledger = await openSqliteLedger(file);
      const powerFails = (): void => {
        for (const end of ['', '-wal']) if (existsSync(file + end)) copyFileSync(file + end, left + end);
      };
      const facilitator = Object.assign(new ScriptedFacilitator(), {
        supported: () => own.supported(),
        verify: (...asked: Parameters<typeof own.verify>) => own.verify(...asked),
        settle: (...asked: Parameters<typeof own.settle>) => {
          powerFails();
          return own.settle(...asked);
        },
      });
      const app = await startApp(folder.path, { facilitator, chain: paymentChain(chain.reader), wait: WAIT, ledger });
      t.after(async () => {
        await app.close();
        await ledger.close();
      });
      const payment = await buyer.signAs(app.url + path, 'an-order-of-this-buyer');
      const first = await fetchWithPayment(app.url + path, payment);
      const sold = await first.text();
      assert.equal(first.status, 200, sold);
      const receipt = first.headers.get('Receipt-Id') ?? '';
      assert.equal((await ledger.find({ id: receipt }))?.state, 'sold', 'seen by everybody');

      const ledgerLeft = await openSqliteLedger(left);
      const found = await ledgerLeft.find({ id: receipt });
      assert.equal(found?.state, 'settling', 'the power cut took what came after');
      const again = await startApp(folder.path, {
        facilitator: Object.assign(new ScriptedFacilitator(), {
          supported: () => own.supported(),
          verify: facilitator.verify,
          settle: () => assert.fail('nothing more is charged'),
        }),
        chain: paymentChain(chain.reader),
        wait: WAIT,
        ledger: ledgerLeft,
      });
      t.after(async () => {
        await again.close();
        await ledgerLeft.close();
      });
      if (path === '/api/leads/exclusive') {
        const other = buyerWith();
        await chain.mint(other.address, 10_000_000n);
        const refused = await fetchWithPayment(again.url + path, await other.sign(again.url + path));
        assert.equal(refused.status, 404, "the lead is nobody else's while that is found out");
        await refused.arrayBuffer();
      }
      const shown = paymentChain(chain.reader);
      const watch = watchSettlements({
        ledger: ledgerLeft,
        chain: shown,
        chainId: () => shown.id(),
        money: 'test',
        chainSeconds: async () => (await shown.latestBlock()).seconds,
        nowMs: Date.now,
        collectDays: 30,
      });
      await watch.pass();
      await watch.stop();
      const { state, transaction } = (await ledgerLeft.find({ id: receipt })) ?? assert.fail('the purchase is gone');
      assert.deepEqual(
        [state, transaction],
        ['sold', (await ledger.find({ id: receipt }))?.transaction],
        'as the chain tells',
      );
      const collected = await fetchWithPayment(again.url + path, payment);
      assert.deepEqual(
        [
          collected.status,
          collected.headers.get('Delivery'),
          collected.headers.get('Receipt-Id'),
          await collected.text(),
        ],
        [200, 'identifier', receipt, sold],
      );
      assert.deepEqual(await ledgerLeft.soldLeads(), path === '/api/leads/exclusive' ? [uuid(1)] : []);
      assert.equal((await chain.balanceOf(PAY_TO)) - paidBefore, price);
    });
  }
});
