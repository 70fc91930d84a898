/** The disk of the ledger is full: nothing is sold, nobody is charged, and sales continue once there is space. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mountDisk, openDiskShop, PATHS, unmountDisk, type DiskShop } from './sales_disk.ts';

const disk = mountDisk();

describe('a full disk of the ledger', { skip: disk === null ? 'no file system can be mounted here' : false }, () => {
  let shop: DiskShop;
  before(async () => {
    shop = await openDiskShop(disk ?? assert.fail('no disk is mounted'));
  });
  after(async () => {
    await shop.close();
    if (disk !== null) unmountDisk(disk);
  });

  test('stops sales without a charge, and new payments buy once there is space', async () => {
    const signed = await Promise.all(PATHS.map((path) => shop.sign(path)));
    shop.fillDisk();
    const refused = await Promise.all(signed.map((each) => shop.present(each)));
    for (const { status, text } of refused) {
      assert.equal(status, 503, text);
      assert.equal((JSON.parse(text) as { billed: unknown }).billed, false);
    }
    assert.equal(await shop.takings(), 0n);
    const health = await fetch(`${shop.server.url}/health`);
    assert.match(await health.text(), /ledger/u, 'health reports the ledger');

    shop.freeDisk();
    for (const path of ['/api/deals', '/api/leads/exclusive']) {
      const { status, text } = await shop.present(await shop.sign(path));
      assert.equal(status, 200, `${path}: ${text}`);
    }
    const purchases = await shop.sold();
    assert.equal(purchases.length, 2);
    assert.equal(
      await shop.takings(),
      purchases.reduce((sum, p) => sum + p.payment.amount, 0n),
      'the chain holds what the ledger says',
    );
  });
});
