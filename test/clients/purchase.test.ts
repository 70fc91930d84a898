/** Purchases from a real server on a real local chain, with @x402/fetch. Token balances prove what was billed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { privateKeyToAccount } from 'viem/accounts';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { createBuyer } from '../../clients/purchase.ts';
import { openSpending } from '../../clients/spending.ts';
import { buyerWith, type Buyer } from '../api/support/buyers.ts';
import { runHere, type Ended } from '../support/run_here.ts';
import { BARE } from '../environment.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../api/support/snapshot_fixtures.ts';

const PRICE = 50_000n;
const DOLLAR = 1_000_000n;

describe('a purchase', () => {
  let folder: DataFolder;
  let server: Serving;
  let buyer: Buyer;

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 3, (i) => ({
        deal_score: 10 * i,
        state: i === 3 ? 'MI' : 'OH',
        cap_rate: '9.00',
        dscr: '1.30',
      })),
    });
    const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
    server = await serve({ settings, payments, checkResponses: true });
    const wallet = JSON.parse(await readFile(join(folder.path, 'sandbox', 'wallet.json'), 'utf8')) as {
      private_key: `0x${string}`;
    };
    buyer = buyerWith(wallet.private_key);
  });
  after(async () => {
    await server.close();
    await folder.remove();
  });

  const balances = async (): Promise<{ buyer: bigint; seller: bigint }> => {
    const chain = server.payments.sandbox?.chain;
    assert.ok(chain);
    return { buyer: await chain.balanceOf(buyer.address), seller: await chain.balanceOf(server.payments.payTo) };
  };
  /** The amount that an action moved from buyer to seller. */
  const amountMoved = async (action: () => Promise<void>): Promise<bigint> => {
    const start = await balances();
    await action();
    const end = await balances();
    assert.equal(start.buyer - end.buyer, end.seller - start.seller);
    return end.seller - start.seller;
  };
  const deals = (query = ''): string => `${server.url}/api/deals${query}`;

  it('whose answer is lost or cut is still served, and charged once; a lost request still counts', async (t) => {
    const spending = openSpending(':memory:', { perCall: DOLLAR, total: DOLLAR });
    const account = privateKeyToAccount(server.payments.sandbox?.buyer.privateKey ?? assert.fail());
    const client = createBuyer({ wallet: async () => ({ account, rpcUrl: null }), spending, collectEveryMs: 50 });
    const { fetch: real } = globalThis;
    let line: 'lost' | 'cut' | 'request lost';
    let paidRequests = 0;
    t.mock.method(globalThis, 'fetch', async (...[url, init]: Parameters<typeof fetch>) => {
      const isPaid = new Headers(init?.headers).has('PAYMENT-SIGNATURE');
      if (isPaid) paidRequests += 1;
      if (isPaid && line === 'request lost') throw new TypeError('fetch failed');
      const response = await real(url, init);
      if (!isPaid) return response;
      const start = Buffer.from(await response.arrayBuffer()).subarray(0, line === 'lost' ? 0 : 50);
      if (line === 'lost') throw new TypeError('fetch failed');
      const cut = new ReadableStream({
        pull(controller) {
          controller.enqueue(start);
          controller.error(new TypeError('terminated'));
        },
      });
      return new Response(cut, response);
    });
    for (line of ['lost', 'cut'] as const) {
      const paid = await amountMoved(async () => {
        const outcome = await client.call(new URL(deals('?limit=3')));
        assert.ok(outcome.kind === 'response', JSON.stringify(outcome));
        assert.equal(outcome.paid_usd, '0.05');
        assert.match(outcome.transaction ?? '', /^0x[0-9a-f]{64}$/);
        assert.equal((JSON.parse(outcome.text) as { count: number }).count, 3);
      });
      assert.equal(paid, PRICE);
    }
    line = 'request lost';
    const paid = await amountMoved(async () => {
      const outcome = await client.call(new URL(deals('?limit=3')));
      assert.ok(outcome.kind === 'refused', JSON.stringify(outcome));
      assert.deepEqual([outcome.reason, outcome.billed], ['outcome_unknown', null]);
    });
    assert.deepEqual([paid, paidRequests, (await client.budget()).spent_usd], [0n, 3, '0.15']);
    spending.close();
  });

  it('works from the command line, which can collect its answer again', async () => {
    const program = fileURLToPath(new URL('../../clients/buy.ts', import.meta.url));
    const run = (env: Record<string, string>, ...args: string[]): Promise<Ended> => runHere(program, { env, args });
    const paid = await amountMoved(async () => {
      const env = { ...BARE, DATA_DIR: folder.path, URL: '/api/deals?state=OH' };
      const { stdout: out } = await promisify(execFile)(process.execPath, [program], { env });
      assert.match(out, /required {3}402, price 0\.05 USDC/);
      assert.match(out, /transaction 0x[0-9a-f]{64}/);
      assert.match(out, /"total_matches": 2/);
      const receipt = /receipt {4}([0-9a-f-]{36}) /.exec(out)?.[1] ?? '';
      const SERVER = server.url.replace('127.0.0.1', 'localhost');
      const again = await run({ DATA_DIR: folder.path, SERVER, RECEIPT: receipt }, 'collect');
      assert.equal(again.code, 0, again.err);
      assert.match(again.out, /hash {7}as the server stated it/);
      assert.match(again.out, /"total_matches": 2/);
    });
    assert.equal(paid, PRICE);
    const noServer = await run({ DATA_DIR: join(folder.path, 'nothing-here'), URL: '/api/deals' });
    assert.equal(noServer.code, 1);
    assert.match(noServer.err, /^no sandbox server is running .*\n$/);
    const elsewhere = await run({ DATA_DIR: folder.path, SERVER: 'http://localhost:1', URL: '/api/deals' });
    assert.match(elsewhere.err, /^no server responds at http:\/\/localhost:1: start one .*set SERVER to the address/);
  });
});
