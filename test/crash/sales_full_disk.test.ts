/**
 * The disk of the ledger fills up while a real server sells: nobody is charged for what cannot be written down, and
 * with room again everybody gets what was asked for. A real file system of limited size is mounted for it, which only
 * root may do.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import { openLedger } from '../../ledger/open.ts';
import { buyerWith, fetchWithPayment } from '../api/support/buyers.ts';
import { serverProcess, type ServerProcess } from '../api/support/server_process.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../api/support/snapshot_fixtures.ts';
import { all } from '../ledger/purchases.ts';
import { fill } from './full_disk.ts';

const PAY_TO = '0x00000000000000000000000000000000000000Ad';
const PATHS = ['/api/leads/exclusive', '/api/deals', '/api/leads', '/api/leads/exclusive'] as const;
const mountPoint = mkdtempSync(join(tmpdir(), 'dealfeed-ledger-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mountPoint]).status === 0;

describe('the disk of the ledger is full', { skip: mounted ? false : 'no file system can be mounted here' }, () => {
  const [LEDGER, filler] = [join(mountPoint, 'ledger.sqlite'), join(mountPoint, 'filler')];
  const buyer = buyerWith();
  let folder: DataFolder;
  let chain: Chain;
  let server: ServerProcess;
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { leads: rowsOfTable('leads', 50), deals: rowsOfTable('deals', 40) });
    chain = await startChain();
    await chain.mint(buyer.address, 100_000_000n);
    server = await serverProcess({
      DATA_DIR: folder.path,
      LEDGER,
      SANDBOX_RPC: chain.rpcUrl,
      PAY_TO,
      PUBLIC_BASE_URL: 'http://dealfeed.test',
      UNBILLED_PER_MINUTE: '0',
      LOG_LEVEL: 'silent',
    });
  });
  after(async () => {
    await server.end('SIGKILL');
    await chain.close();
    await folder.remove();
    spawnSync('umount', ['-l', mountPoint]);
    rmSync(mountPoint, { recursive: true });
  });

  const sold = async () => {
    const ledger = await openLedger({ DATA_DIR: folder.path, LEDGER });
    try {
      return (await all(ledger.purchases())).filter((p) => p.state === 'sold');
    } finally {
      await ledger.close();
    }
  };

  test('nothing is sold, nobody is charged, and the same payments buy it all once there is room', async () => {
    const signed = await Promise.all(
      PATHS.map(async (path) => ({
        path,
        header: await buyer.signAs(server.url + path, randomBytes(12).toString('hex')),
      })),
    );
    fill(filler);
    const refused = await Promise.all(signed.map(({ path, header }) => fetchWithPayment(server.url + path, header)));
    for (const response of refused) {
      assert.equal(response.status, 503, await response.clone().text());
      assert.equal(((await response.json()) as { billed: unknown }).billed, false);
    }
    assert.equal(await chain.balanceOf(PAY_TO), 0n);
    const health = await fetch(`${server.url}/health`);
    assert.match(await health.text(), /ledger/u, 'whoever watches over the server is told');

    rmSync(filler);
    const leads: string[] = [];
    for (const { path, header } of signed) {
      let response = await fetchWithPayment(server.url + path, header);
      // A reservation that could not be taken back stands until its lease is over.
      for (
        const untilMs = Date.now() + 60_000;
        response.status !== 200 && Date.now() < untilMs;
        response = await fetchWithPayment(server.url + path, header)
      )
        await sleep(500);
      assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
      const body = (await response.json()) as { lead?: { id: string } };
      if (body.lead) leads.push(body.lead.id);
    }
    assert.equal(new Set(leads).size, 2, 'each exclusive lead to one purchase');
    const purchases = await sold();
    assert.equal(purchases.length, PATHS.length);
    assert.equal(
      await chain.balanceOf(PAY_TO),
      purchases.reduce((sum, p) => sum + p.payment.amount, 0n),
      'the chain holds what the ledger says',
    );
  });

  test('filling up while it sells, at any moment: what was charged is in the books and can be collected', async () => {
    const soldBefore = (await sold()).length;
    let full = false;
    const filling = (async () => {
      for (let round = 0; round < 6; round += 1) {
        await sleep(60 + round * 35);
        fill(filler);
        full = true;
        await sleep(150);
        rmSync(filler);
      }
    })();
    const signed: { path: string; header: string }[] = [];
    for (let i = 0; i < 16; i += 1) {
      const path = PATHS[i % PATHS.length] ?? PATHS[0];
      signed.push({ path, header: await buyer.signAs(server.url + path, randomBytes(12).toString('hex')) });
    }
    const ask = async ({
      path,
      header,
    }: {
      path: string;
      header: string;
    }): Promise<{ status: number; text: string }> => {
      const response = await fetchWithPayment(server.url + path, header);
      return { status: response.status, text: await response.text() };
    };
    const answers = await Promise.all(
      signed.map(async (each, i) => {
        await sleep(i * 40);
        return ask(each);
      }),
    );
    assert.ok(
      answers.some(({ status }) => status === 503) && answers.some(({ status }) => status === 200),
      'some came to a full disk and some did not',
    );
    await filling;
    assert.ok(full);
    for (const [i, each] of signed.entries()) {
      let answer = answers[i];
      for (
        const untilMs = Date.now() + 90_000;
        answer?.status !== 200 && Date.now() < untilMs;
        answer = await ask(each)
      )
        await sleep(300);
      assert.equal(answer?.status, 200, `${each.path}: ${answer?.text}`);
    }
    const purchases = await sold();
    assert.equal(purchases.length, soldBefore + signed.length);
    assert.equal(
      await chain.balanceOf(PAY_TO),
      purchases.reduce((sum, p) => sum + p.payment.amount, 0n),
      'the chain holds what the ledger says',
    );
    const leads = purchases.flatMap((p) => (p.leadId === null ? [] : [p.leadId]));
    assert.equal(new Set(leads).size, leads.length, 'no lead is sold twice');
  });
});
