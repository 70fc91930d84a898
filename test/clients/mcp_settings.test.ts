/** Wallets and settings of the MCP server: the buyer's own key, no wallet, and invalid settings. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runHere } from '../process/here.ts';
import { MCP_PROGRAM, openAgentShop, type AgentShop } from './mcp_agents.ts';

describe('the MCP server', () => {
  let shop: AgentShop;
  before(async () => {
    shop = await openAgentShop();
  });
  after(() => shop.close());

  it("pays with the buyer's own key from a file, and never prints it", async () => {
    const own = await mkdtemp(join(tmpdir(), 'dealfeed-buyer-'));
    try {
      const file = join(own, 'key');
      await writeFile(file, `${shop.key}\n`, { mode: 0o600 });
      await shop.withAgentProcess(
        { DATA_DIR: own, SERVER_URL: shop.server.url, BUYER_KEY_FILE: file },
        async ({ call, client, stderr }) => {
          assert.equal(
            await shop.amountPaid(async () => {
              assert.equal((await call('signals')).isError, false);
            }),
            30_000n,
          );
          const everything = JSON.stringify([
            client.getInstructions(),
            await client.listTools(),
            await call('spending'),
            stderr(),
          ]);
          assert.ok(!everything.toLowerCase().includes(shop.key.slice(2, 20).toLowerCase()));
        },
      );
      for (const name of await readdir(own, { recursive: true })) {
        if (name === 'key' || !(await stat(join(own, name))).isFile()) continue;
        assert.ok(
          !(await readFile(join(own, name)))
            .toString('latin1')
            .toLowerCase()
            .includes(shop.key.slice(2, 20).toLowerCase()),
          name,
        );
      }
      await shop.withAgent({ DATA_DIR: own, SERVER_URL: shop.server.url }, async ({ call }) => {
        const { content } = await call('signals');
        assert.deepEqual([content['reason'], content['price_usd']], ['no_wallet', '0.03']);
        assert.equal((await call('deal_ids')).isError, false);
      });
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  });

  it('stops with one line that names the invalid setting, without the key', async () => {
    const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ BUYER_KEY: `${shop.key}0` }, /^BUYER_KEY does not hold a private key, expected 0x and 64 hex digits\n$/],
      [{ DATA_DIR: '/nowhere' }, /^no sandbox server is running on DATA_DIR .*\n$/],
      [{ SERVER_URL: 'http://127.0.0.1:9' }, /^SERVER_URL is .*expected the URL of a running Dealfeed server\n$/],
      [{ MAX_PER_CALL: 'lots' }, /^MAX_PER_CALL is "lots", expected dollars/],
    ];
    for (const [env, line] of cases) {
      const { code, out, err } = await runHere(MCP_PROGRAM, { env });
      assert.deepEqual([code, out], [1, ''], err);
      assert.match(err, line);
      assert.ok(!err.includes(shop.key.slice(2, 20)));
    }
  });
});
