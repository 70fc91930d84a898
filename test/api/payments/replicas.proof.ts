/**
 * Two processes on one data folder and one PostgreSQL ledger, behind a proxy that asks them in turn. The fast cases of
 * two servers on one ledger are in collect.test.ts and exclusive.test.ts. Here the snapshot changes and the servers
 * restart one by one while three buyers buy.
 */
import assert from 'node:assert/strict';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { openPostgresLedger } from '../../../ledger/postgres/store.ts';
import { startPostgres, type PostgresServer } from '../../ledger/postgres_started.ts';
import { bodyOf, buyerWith, type Buyer } from '../support/buyers.ts';
import { serverProcess, type ServerProcess } from '../../process/program.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { startTestServer } from '../../web/server.ts';

const [DEALS, PAGE] = [12, 5];
const PRICE = 50_000n;
const [FIRST, SECOND] = ['2026-11-20.01', '2026-11-20.02'];

interface Proxy {
  readonly url: string;
  /** Servers to ask in turn. One that does not answer is skipped, as with `proxy_next_upstream error`. */
  upstream: string[];
  close(): void;
}

async function startProxy(): Promise<Proxy> {
  let turn = 0;
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, left: number): void => {
    const to = proxy.upstream[(turn += 1) % proxy.upstream.length] ?? '';
    const asked = request(
      to + (incoming.url ?? '/'),
      {
        method: incoming.method,
        headers: { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' },
      },
      (answer) => {
        answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers));
      },
    );
    asked.on('error', () => {
      if (left > 0 && !outgoing.headersSent) pass(incoming, outgoing, left - 1);
      else outgoing.destroy();
    });
    asked.end();
  };
  const server = await startTestServer((incoming, outgoing) => {
    pass(incoming, outgoing, 3);
  });
  const proxy: Proxy = {
    url: server.url,
    upstream: [],
    close: () => server.close(),
  };
  return proxy;
}

describe('two replicas behind a proxy', () => {
  let postgres: PostgresServer;
  let chain: Chain;
  let folder: DataFolder;
  let proxy: Proxy;
  let database = '';
  const servers: ServerProcess[] = [];
  const payTo = privateKeyToAccount(generatePrivateKey()).address;
  const start = (): Promise<ServerProcess> =>
    serverProcess({
      DATA_DIR: folder.path,
      LEDGER: database,
      SANDBOX_RPC: chain.rpcUrl,
      PAY_TO: payTo,
      CURSOR_SECRET: 'the same on both',
      PUBLIC_BASE_URL: proxy.url,
      PROXY_HOPS: '1',
      UNBILLED_PER_MINUTE: '0',
      LOG_LEVEL: 'silent',
    });
  const buyer = async (): Promise<Buyer> => {
    const made = buyerWith();
    await chain.mint(made.address, 20_000_000n);
    return made;
  };

  before(async () => {
    [postgres, chain, folder, proxy] = await Promise.all([startPostgres(), startChain(), dataFolder(), startProxy()]);
    database = await postgres.database();
    await folder.publish(FIRST, { deals: rowsOfTable('deals', DEALS, (i) => ({ deal_score: i })) });
    await folder.publish(
      SECOND,
      { deals: rowsOfTable('deals', DEALS, (i) => ({ deal_score: i })) },
      { current: false },
    );
    servers.push(...(await Promise.all([start(), start()])));
    proxy.upstream = servers.map(({ url }) => url);
  });
  after(async () => {
    proxy.close();
    await Promise.all(servers.map((s) => s.end('SIGTERM')));
    await chain.close();
    await postgres.remove();
    await folder.remove();
  });

  it('change the snapshot and restart one by one without a failed request or a second charge', async () => {
    const start0 = await chain.balanceOf(payTo);
    const traffic = { goes: true, bought: 0, ids: new Set<string>() };
    const customer = async (): Promise<void> => {
      const who = await buyer();
      while (traffic.goes) {
        const response = await who.fetch(`${proxy.url}/api/deals?limit=${PAGE}`);
        assert.equal(response.status, 200, await response.clone().text());
        traffic.ids.add(String((await bodyOf(response))['snapshot_id']));
        traffic.bought += 1;
      }
    };
    const customers = Promise.all([customer(), customer(), customer()]);
    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds()) await Promise.race([sleep(20), customers]);
    };
    try {
      await until(() => traffic.bought >= 3);
      await folder.switchTo(SECOND);
      await until(() => traffic.ids.has(SECOND));
      const first = servers.slice();
      for (const old of first) {
        const fresh = await start();
        servers.push(fresh);
        proxy.upstream = [...proxy.upstream.filter((url) => url !== old.url), fresh.url, old.url];
        // The proxy still asks it while it stops; another server answers what it no longer accepts.
        await old.end('SIGTERM');
        servers.splice(servers.indexOf(old), 1);
        proxy.upstream = servers.map(({ url }) => url);
        const bought = traffic.bought;
        await until(() => traffic.bought >= bought + 3);
      }
    } finally {
      traffic.goes = false;
    }
    await customers;
    assert.equal((await chain.balanceOf(payTo)) - start0, BigInt(traffic.bought) * PRICE, 'each answer was paid once');
    const ledger = await openPostgresLedger(database);
    try {
      let sold = 0n;
      for await (const { state, payment } of ledger.purchases()) {
        assert.equal(state, 'sold');
        sold += payment.amount;
      }
      assert.equal(sold, await chain.balanceOf(payTo), 'the ledger equals the chain');
    } finally {
      await ledger.close();
    }
  });
});
