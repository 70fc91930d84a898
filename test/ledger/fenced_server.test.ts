/** A whole server whose ledger file is removed while it sells: the next sale is refused, nobody is charged, and health says why. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fetchWithPayment } from '../api/support/buyers.ts';
import { openShop } from '../api/support/sandbox_shop.ts';
import { rowsOfTable } from '../api/support/snapshot_fixtures.ts';

test('a server whose ledger file is removed sells nothing more', async () => {
  const shop = await openShop({ deals: rowsOfTable('deals', 5), leads: rowsOfTable('leads', 2) });
  try {
    const buyer = await shop.buyer();
    const paid = await buyer.fetch(`${shop.url}/api/leads/exclusive`);
    assert.equal(paid.status, 200, await paid.text());
    const takings = await shop.takings();
    const payments = await Promise.all(
      ['/api/leads/exclusive', '/api/deals?limit=3'].map(
        async (path) => [path, await buyer.sign(shop.url + path)] as const,
      ),
    );
    for (const end of ['', '-wal', '-shm']) rmSync(join(shop.folder.path, `ledger.sqlite${end}`));
    for (const [path, payment] of payments) {
      const refused = await fetchWithPayment(shop.url + path, payment);
      const body = await refused.text();
      assert.equal(refused.status, 503, body);
      assert.match(body, /"billed":false/);
    }
    assert.equal(await shop.takings(), takings);
    const health = await (await fetch(`${shop.url}/health`)).text();
    assert.match(health, /The ledger file was replaced or removed while the server ran\. Restart the server\./);
  } finally {
    await shop.close();
  }
});
