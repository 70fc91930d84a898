/** `make ledger AUDIT=1`, on a chain that the command reads. refunds.test.ts has REFUNDS and REFUNDED. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTestClient, http } from 'viem';
import { serve } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { openStore } from '../../../ledger/open.ts';
import { runHere } from '../../process/here.ts';
import { buyerWith } from '../support/buyers.ts';
import { dataFolder, rowsOfTable } from '../support/snapshot_fixtures.ts';

const AUDIT = fileURLToPath(new URL('../../../api/payments/audit/cli.ts', import.meta.url));

test('finds nothing wrong in a shop that sells, and names a sale whose row was changed', async () => {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 2), leads: rowsOfTable('leads', 3) });
  const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
  const server = await serve({ settings, payments });
  const audit = async (): Promise<string> => {
    const { code, out, err } = await runHere(AUDIT, { env: { DATA_DIR: folder.path } });
    return `${out}${err}exit status ${code}`;
  };
  try {
    const { sandbox } = server.payments;
    assert.ok(sandbox);
    const buyer = buyerWith(sandbox.buyer.privateKey);
    // A stranger sends next to nothing.
    await sandbox.chain.mint(server.payments.payTo, 1n);
    for (const path of ['/api/deals', '/api/leads/exclusive', '/api/leads/exclusive'])
      assert.equal((await buyer.fetch(server.url + path)).status, 200);
    await createTestClient({ mode: 'anvil', transport: http(sandbox.chain.rpcUrl) }).mine({ blocks: 3 });
    await server.running.audit.pass();
    const [blocks = '', ...lines] = (await audit()).split('\n');
    assert.match(blocks, /^Blocks 0 to \d+: transfers to 0x\w{40}$/);
    assert.deepEqual(lines, [
      '  4 transfers of 2.050001 USDC, 1 of them pay for nothing',
      '  3 purchases, 3 answers, 12 lines of the journal',
      '0 differences',
      'exit status 0',
    ]);
    const store = await openStore({ DATA_DIR: folder.path });
    const [row] = await store.write((query) =>
      query("UPDATE purchases SET route = 'GET /x' WHERE route = 'GET /api/deals' RETURNING id"),
    );
    await store.close();
    const changed = `purchase ${String(row?.['id'])}: route is GET /x, and the journal says GET /api/deals`;
    assert.deepEqual((await audit()).split('\n').slice(-3), [`  ${changed}`, '1 differences', 'exit status 1']);
  } finally {
    await server.close();
    await folder.remove();
  }
});
