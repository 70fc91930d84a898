/** A buyer whose connection breaks after paying gets what was paid for, and its caps know what was spent. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { privateKeyToAccount } from 'viem/accounts';
import { createBuyer } from '../../../clients/purchase.ts';
import { openSpending, type Spending } from '../../../clients/spending.ts';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { startTestServer, type TestServer } from '../../web/server.ts';

describe('a connection that breaks', () => {
  let folder: DataFolder;
  let server: Serving;
  let between: TestServer;
  let base: string;
  let spending: Spending;
  /** What the line between does with an answer to a payment. */
  let line: 'whole' | 'lost' | 'cut' | 'request lost' = 'whole';
  let paidRequests = 0;

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 30) });
    between = await startTestServer((incoming, outgoing) => {
      const paid = incoming.headers['payment-signature'] !== undefined;
      if (paid) paidRequests += 1;
      if (paid && line === 'request lost') {
        outgoing.destroy();
        return;
      }
      const passed = request(
        new URL(incoming.url ?? '/', server.url),
        { method: incoming.method, headers: { ...incoming.headers, 'accept-encoding': 'identity' } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer
            .on('data', (chunk: Buffer) => {
              chunks.push(chunk);
            })
            .on('end', () => {
              const body = Buffer.concat(chunks);
              if (paid && line === 'lost') {
                outgoing.destroy();
                return;
              }
              outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
              if (!paid || line === 'whole') {
                outgoing.end(body);
                return;
              }
              outgoing.write(body.subarray(0, 50), () => {
                outgoing.destroy();
              });
            });
        },
      );
      incoming.pipe(passed);
    });
    base = between.url;
    const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0', PUBLIC_BASE_URL: base });
    server = await serve({ settings, payments });
    spending = openSpending(join(folder.path, 'spending.sqlite'), { perCall: 1_000_000n, total: 1_000_000n });
  });
  after(async () => {
    spending.close();
    await between.close();
    await server.close();
    await folder.remove();
  });

  const buyer = () => {
    const key = server.payments.sandbox?.buyer.privateKey;
    assert.ok(key);
    return createBuyer({
      wallet: async () => ({ account: privateKeyToAccount(key), rpcUrl: null }),
      spending,
      collectEveryMs: 50,
    });
  };
  const seller = async (): Promise<bigint> =>
    (await server.payments.sandbox?.chain.balanceOf(server.payments.payTo)) ?? 0n;

  for (const how of ['lost', 'cut'] as const) {
    it(`whose answer is ${how} is answered all the same, charged once`, async () => {
      const [had, requests] = [await seller(), paidRequests];
      line = how;
      const outcome = await buyer().call(new URL(`${base}/api/deals?limit=3`));
      line = 'whole';
      assert.equal(outcome.kind, 'response', JSON.stringify(outcome));
      assert.equal(outcome.paid_usd, '0.05');
      assert.match(outcome.transaction ?? '', /^0x[0-9a-f]{64}$/);
      assert.equal((JSON.parse(outcome.text) as { count: number }).count, 3);
      assert.deepEqual([(await seller()) - had, paidRequests - requests], [50_000n, 1]);
    });
  }

  it('before the request arrives leaves the amount counted, as nobody can say that it was not charged', async () => {
    const had = await seller();
    const { spent_usd } = await buyer().budget();
    line = 'request lost';
    const outcome = await buyer().call(new URL(`${base}/api/deals?limit=3`));
    line = 'whole';
    assert.deepEqual(
      [outcome.kind, outcome.kind === 'refused' && outcome.reason, outcome.kind === 'refused' && outcome.billed],
      ['refused', 'outcome_unknown', null],
    );
    assert.equal((await seller()) - had, 0n);
    assert.equal(Number((await buyer().budget()).spent_usd) - Number(spent_usd) > 0.049, true);
  });
});
