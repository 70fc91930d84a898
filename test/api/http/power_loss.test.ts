/**
 * Power loss during settlement: the disk has what the ledger had committed when settlement began. A server that starts
 * from those files finds the payment on the real local chain, and records the sale. SQLite's synchronous = FULL, which
 * flushes commits to disk, is checked in test/ledger/sqlite_troubles.test.ts.
 */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { localFacilitator } from '../../../api/payments/facilitator/local_facilitator.ts';
import { paymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { watchSettlements } from '../../../api/payments/audit/watchers.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { PAY_TO, ScriptedFacilitator, startApp } from '../support/test_app.ts';
import { buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';
import { BASE } from '../../../lib/network.ts';

const WAIT = { everyMs: 25, readsWithHint: 400, readsWithoutHint: 160 } as const;

describe('after a power loss', () => {
  let folder: DataFolder;
  let chain: Chain;
  let own: ReturnType<typeof localFacilitator>;
  const disk = mkdtempSync(join(tmpdir(), 'dealfeed-power-'));

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 5), leads: rowsOfTable('leads', 1) });
    chain = await startChain();
    own = localFacilitator({
      network: BASE,
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
    it(`${name} that was paid for belongs to its buyer, charged once`, async (t) => {
      const buyer = buyerWith();
      await chain.mint(buyer.address, 10_000_000n);
      const paidBefore = await chain.balanceOf(PAY_TO);
      const file = join(disk, `${path.replaceAll(/\W/g, '_')}.sqlite`);
      const copy = `${file}.copy`;
      const ledger = await openSqliteLedger(file);
      const copyFiles = (): void => {
        for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
      };
      const facilitator = Object.assign(new ScriptedFacilitator(), {
        supported: () => own.supported(),
        settle: (...args: Parameters<typeof own.settle>) => {
          copyFiles();
          return own.settle(...args);
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
      assert.equal((await ledger.find({ id: receipt }))?.state, 'sold', 'sold before the power loss');

      const ledgerAfter = await openSqliteLedger(copy);
      const found = await ledgerAfter.find({ id: receipt });
      assert.equal(found?.state, 'settling', 'the copy ends before the sale');
      const again = await startApp(folder.path, {
        facilitator: Object.assign(new ScriptedFacilitator(), {
          supported: () => own.supported(),
          settle: () => assert.fail('nothing is charged again'),
        }),
        chain: paymentChain(chain.reader),
        wait: WAIT,
        ledger: ledgerAfter,
      });
      t.after(async () => {
        await again.close();
        await ledgerAfter.close();
      });
      if (path === '/api/leads/exclusive') {
        const other = buyerWith();
        await chain.mint(other.address, 10_000_000n);
        const refused = await fetchWithPayment(again.url + path, await other.sign(again.url + path));
        assert.equal(refused.status, 404, 'the lead stays held while the outcome is unknown');
        await refused.arrayBuffer();
      }
      const reader = paymentChain(chain.reader);
      const watch = watchSettlements({
        ledger: ledgerAfter,
        chain: reader,
        money: 'test',
        nowMs: Date.now,
      });
      await watch.pass();
      await watch.stop();
      const { state, transaction } = (await ledgerAfter.find({ id: receipt })) ?? assert.fail('there is no purchase');
      assert.deepEqual(
        [state, transaction],
        ['sold', (await ledger.find({ id: receipt }))?.transaction],
        'as on the chain',
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
      assert.deepEqual(await ledgerAfter.soldLeads(), path === '/api/leads/exclusive' ? [uuid(1)] : []);
      assert.equal((await chain.balanceOf(PAY_TO)) - paidBefore, price);
    });
  }
});
