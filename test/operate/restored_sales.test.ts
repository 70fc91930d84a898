/** From outside: sales after a backup are neither gifts nor sold again when the ledger is restored. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createWalletClient, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { serve, type Serving } from '../../api/http/serve.ts';
import { joinOn } from '../api/support/base.ts';
import { base } from '../api/support/base.ts';
import { readServerSettings } from '../../api/settings.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { reportLines } from '../../ledger/report.ts';
import { USDC } from '../../lib/network.ts';
import { authorizationIn, fetchWithPayment, type Buyer } from '../api/support/buyers.ts';
import { openSales, passOnChain, type SalesWorld } from '../crash/sales_world.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { backUpTo, newPath, restoreTo } from './backup_folders.ts';

const PROPERTIES = 4;

interface Bought {
  readonly buyer: Buyer;
  readonly nonce: string;
  readonly body: string;
}

/** A restored folder and its ledger. */
interface Place {
  readonly DATA_DIR: string;
  readonly LEDGER: string;
}

for (const target of ['SQLite', 'PostgreSQL'] as const) {
  describe(`a ledger that is restored in ${target} after sales that its backup lacks`, () => {
    let world: SalesWorld;
    let postgres: PostgresServer | undefined;
    let backups = '';
    let server: Serving;
    const servers: Serving[] = [];
    let first: Bought;
    /** Two leads and a list that were bought after the backup, and everything bought later. */
    const later: Bought[] = [];

    const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
      const { settings, payments } = readServerSettings({ ...world.env, PORT: '0', ...env });
      await joinOn(settings.DATA_DIR, world.chain);
      server = await serve({ settings, payments });
      servers.push(server);
    };
    /** Pay for a call. @returns the reason if it is not sold */
    const tryToBuy = async (n: number, path: string): Promise<Bought | string> => {
      const buyer = world.buyers[n] ?? assert.fail('no buyer');
      const header = await buyer.sign(server.url + path);
      const response = await fetchWithPayment(server.url + path, header);
      const body = await response.text();
      if (response.status !== 200) return String((JSON.parse(body) as { reason: string }).reason);
      const bought = { buyer, body, nonce: authorizationIn(header).nonce };
      later.push(bought);
      return bought;
    };
    const LEAD = '/api/leads/exclusive';
    const buy = async (n: number, path: string): Promise<Bought> => {
      const bought = await tryToBuy(n, path);
      assert.ok(typeof bought !== 'string', String(bought));
      return bought;
    };
    const leadIn = ({ body }: Pick<Bought, 'body'>): string => (JSON.parse(body) as { lead: { id: string } }).lead.id;
    const collect = async ({ buyer, nonce }: Bought): Promise<{ status: number; body: string }> => {
      const url = `${server.url}/api/purchases/${nonce}`;
      const response = await fetch(url, { headers: { 'SIGN-IN-WITH-X': await buyer.signIn(url) } });
      return { status: response.status, body: await response.text() };
    };
    /** Let the blocks become final, and audit them. */
    const audit = async (): Promise<{ owed: number; unpaid: number }> => {
      await passOnChain(world.chain, 2);
      const { owed, unpaid, failure } = await server.running.audit.pass();
      assert.equal(failure, null);
      return { owed, unpaid };
    };
    /** Restore the backup at a new place, with these files of the old folder, and start a server there. */
    const startRestored = async (env: Readonly<Record<string, string>>): Promise<Place> => {
      const folder = newPath('restored');
      const LEDGER = target === 'SQLite' ? join(folder, 'ledger.sqlite') : ((await postgres?.database()) ?? '');
      const place = { DATA_DIR: folder, LEDGER };
      await restoreTo(folder, backups, { LEDGER, ...env });
      await start(place);
      return place;
    };
    const propertyOf = (lead: string): number => Math.ceil(Number(lead.slice(-12)) / 2);

    before(async () => {
      world = await openSales('sqlite', { properties: PROPERTIES, buyers: 8 });
      postgres = target === 'PostgreSQL' ? await startPostgres() : undefined;
      backups = newPath('backups');
      await start();
      const stranger = createWalletClient({
        account: privateKeyToAccount(world.chain.gasKey),
        chain: base,
        transport: http(world.chain.rpcUrl),
      });
      await world.chain.mint(stranger.account.address, 1n);
      const abi = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);
      const to = world.env['PAY_TO'] as `0x${string}`;
      await stranger.writeContract({ address: USDC, abi, functionName: 'transfer', args: [to, 1n] });
      first = await buy(0, LEAD);
      later.length = 0;
      assert.deepEqual(await audit(), { owed: 0, unpaid: 0 });
      await backUpTo(world.env['DATA_DIR'] ?? '', backups, world.env);
      await buy(1, LEAD);
      await buy(2, LEAD);
      await buy(3, '/api/deals');
      await server.close();
    });
    after(async () => {
      for (const each of servers) await each.close();
      await postgres?.remove();
      await world.close();
    });

    const withLedger = async <T>(place: Place, work: (ledger: Ledger) => Promise<T>): Promise<T> => {
      const ledger = await openLedger(place);
      return work(ledger).finally(() => ledger.close());
    };
    /** The owed transfers on the screen of `make ledger`: payer, nonce and place. */
    const owedIn = async (place: Place): Promise<string[][]> => {
      const options = { nowMs: Date.now(), days: 1, settlementCost: '0' };
      const out = (await withLedger(place, (ledger) => reportLines(ledger, '', options))).join('\n');
      const line = /^ +owed +\$\S+ +to (0x[0-9a-f]{40}) +(\S+) +block \d+, nonce (0x[0-9a-f]{64}): /gmu;
      return [...out.matchAll(line)].map(([, payer = '', where = '', nonce = '']) => [payer, nonce, where]);
    };
    const expectOwed = (owed: readonly string[][], bought: readonly Bought[]): void =>
      assert.deepEqual(
        owed.map(([payer, nonce]) => [payer, nonce]).sort(),
        bought.map(({ buyer, nonce }) => [buyer.address.toLowerCase(), nonce]).sort(),
      );
    /** What `make ledger REFUNDED=...` notes for each. api/payments/refunds.test.ts has the command. */
    const resolve = (place: Place, owed: readonly string[][]): Promise<void> =>
      withLedger(place, async (ledger) => {
        for await (const each of ledger.transfers(null, ['owed']))
          if (owed.some(([, , where]) => where === `${each.transaction}:${each.logIndex}`))
            assert.equal(await ledger.settleDebt(each, 'refunded in cash'), true);
      });

    test('has them if the journal survived: a sold lead is collected, and never sold again', async () => {
      const [one, two, list] = later;
      assert.ok(one && two && list);
      const env = await startRestored({ JOURNALS: join(world.env['DATA_DIR'] ?? '', 'ledger.journal') });
      assert.equal(await tryToBuy(4, LEAD), 'exclusive_paused');
      // The journal has the answers of leads only.
      assert.deepEqual(await audit(), { owed: 1, unpaid: 0 });
      const owed = await owedIn(env);
      expectOwed(owed, [list]);
      for (const bought of [first, one, two])
        assert.deepEqual(await collect(bought), { status: 200, body: bought.body });
      assert.equal((await collect(list)).status, 410);
      assert.equal(await tryToBuy(4, LEAD), 'exclusive_paused');
      await resolve(env, owed);
      // The window of the restore ends with a block that the first audit saw as the latest one, and the next as final.
      assert.deepEqual(await audit(), { owed: 0, unpaid: 0 });
      const sold = [first, one, two, await buy(4, LEAD)].map(leadIn);
      assert.deepEqual(sold.map(propertyOf).sort(), [1, 2, 3, 4]);
      assert.equal(await tryToBuy(5, LEAD), 'no_matches');
      await server.close();
    });

    test('owes their buyers if the journal was lost too, and sells no lead until they are refunded', async () => {
      const env = await startRestored({});
      assert.equal(await tryToBuy(5, LEAD), 'exclusive_paused');
      assert.deepEqual(await audit(), { owed: later.length, unpaid: 0 });
      assert.equal(await tryToBuy(5, LEAD), 'exclusive_paused');
      assert.deepEqual(await collect(first), { status: 200, body: first.body });
      const [lost] = later;
      const { status, body } = await collect(lost ?? assert.fail('nothing was bought'));
      assert.equal(status, 410);
      assert.match(body, /owes this wallet 1\.000000 USDC/u);
      const owed = await owedIn(env);
      expectOwed(owed, later);
      await resolve(env, owed);
      assert.deepEqual(await owedIn(env), []);
      assert.deepEqual(await audit(), { owed: 0, unpaid: 0 });
      await buy(5, LEAD);
    });
  });
}
