/**
 * Two servers as on two hosts: separate snapshots, data folders and connections, and one ledger in PostgreSQL. They run
 * in this process; ledger/postgres_troubles.test.ts has processes that race, payments/replicas.proof.ts two servers.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { openPostgresLedger } from '../../../ledger/postgres/store.ts';
import { startPostgres, type PostgresServer } from '../../ledger/postgres_started.ts';
import { bodyOf, buyerWith, fetchWithPayment, type Buyer } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const [DEALS, PAGE, LEADS] = [5, 2, 2];

describe('two hosts on one ledger', () => {
  let postgres: PostgresServer;
  let database = '';
  let chain: Chain;
  const folders: DataFolder[] = [];
  const servers: Serving[] = [];
  const payTo = privateKeyToAccount(generatePrivateKey()).address;
  const at = (i: number): string => servers[i % 2]?.url ?? '';
  const buyer = async (): Promise<Buyer> => {
    const newBuyer = buyerWith();
    await chain.mint(newBuyer.address, 10_000_000n);
    return newBuyer;
  };

  before(async () => {
    [postgres, chain] = await Promise.all([startPostgres(), startChain()]);
    database = await postgres.schema();
    for (let i = 0; i < 2; i += 1) {
      const folder = await dataFolder();
      await folder.publish('2026-11-20.01', {
        deals: rowsOfTable('deals', DEALS, (n) => ({ deal_score: n })),
        leads: rowsOfTable('leads', LEADS, (n) => ({ lead_score: n })),
      });
      folders.push(folder);
    }
    for (const { path } of folders)
      servers.push(
        await serve(
          readServerSettings({
            DATA_DIR: path,
            PORT: '0',
            LEDGER: database,
            SANDBOX_RPC: chain.rpcUrl,
            PAY_TO: payTo,
            CURSOR_SECRET: 'the same on both hosts',
            PUBLIC_BASE_URL: 'http://dealfeed.test',
          }),
        ),
      );
  });
  after(async () => {
    await Promise.all(servers.map((s) => s.close()));
    await chain.close();
    await postgres.remove();
    for (const folder of folders) await folder.remove();
  });

  it('charge copies of one payment once, and return the response again on either host', async () => {
    const payer = await buyer();
    const payment = await payer.signAs(`${at(0)}/api/deals`, `order-${generatePrivateKey().slice(2, 20)}`);
    const responses = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => fetchWithPayment(`${at(i)}/api/deals`, payment)));
    // A copy that arrives after the sale has the identifier, and gets the response again.
    const sold = responses.filter((r) => r.status === 200);
    assert.equal(sold.filter((r) => r.headers.get('Delivery') === 'first').length, 1);
    assert.ok(responses.every((r) => r.status === 200 || r.status === 409));
    assert.equal(await chain.balanceOf(payTo), 50_000n);
    const [first] = await Promise.all(
      sold.map(async (r) => ({
        host: responses.indexOf(r),
        text: await r.text(),
        receipt: r.headers.get('Receipt-Id') ?? '',
      })),
    );
    assert.ok(first);
    const url = `${at(first.host + 1)}/api/purchases/${first.receipt}`;
    const again = await fetch(url, {
      headers: { 'SIGN-IN-WITH-X': await payer.signIn(`${at(first.host)}/api/purchases/${first.receipt}`) },
    });
    assert.equal(again.status, 200, 'a challenge of one host is valid on the other');
    assert.equal(await again.text(), first.text);
    assert.equal(await chain.balanceOf(payTo), 50_000n);
  });

  it("sell each lead to one buyer, and exclude each other's sales from lists", async () => {
    const buyers = await Promise.all(Array.from({ length: 2 * LEADS }, buyer));
    // New payers may hold only a few leads together. These have bought before.
    for (const [i, known] of buyers.entries()) assert.equal((await known.fetch(`${at(i)}/api/deals`)).status, 200);
    const start = await chain.balanceOf(payTo);
    const payments = await Promise.all(buyers.map((b, i) => b.sign(`${at(i)}/api/leads/exclusive`)));
    const responses = await Promise.all(payments.map((p, i) => fetchWithPayment(`${at(i)}/api/leads/exclusive`, p)));
    const leads = (await Promise.all(responses.filter((r) => r.status === 200).map(bodyOf))).map(
      (b) => (b['lead'] as { id: string }).id,
    );
    assert.equal(new Set(leads).size, LEADS);
    assert.equal(leads.length, LEADS);
    assert.ok(responses.every((r) => r.status === 200 || r.status === 404));
    assert.equal((await chain.balanceOf(payTo)) - start, BigInt(LEADS) * 1_000_000n);
    for (const i of [0, 1])
      assert.equal(
        (await fetchWithPayment(`${at(i)}/api/leads`, await (await buyer()).sign(`${at(i)}/api/leads`))).status,
        404,
      );
  });

  it('continue the pages of the other host', async () => {
    const payer = await buyer();
    const ids: string[] = [];
    for (let [page, cursor]: [number, string | null] = [0, '']; cursor !== null; page += 1) {
      const response = await payer.fetch(`${at(page)}/api/deals?limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
      assert.equal(response.status, 200, await response.clone().text());
      const body = await bodyOf(response);
      ids.push(...(body['records'] as { id: string }[]).map(({ id }) => id));
      cursor = body['next_cursor'] as string | null;
    }
    assert.equal(ids.length, DEALS);
    assert.equal(new Set(ids).size, DEALS);
  });

  it('have a ledger equal to the chain', async () => {
    const ledger = await openPostgresLedger(database);
    try {
      let sold = 0n;
      for await (const { state, payment } of ledger.purchases()) {
        assert.equal(state, 'sold');
        sold += payment.amount;
      }
      assert.equal(sold, await chain.balanceOf(payTo));
    } finally {
      await ledger.close();
    }
  });
});
