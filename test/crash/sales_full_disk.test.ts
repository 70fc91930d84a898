/**
 * The disk of the ledger is full: nothing is sold, nobody is charged, and sales continue once there is space. `make
 * prove` presents the refused payments again until their leases end, and fills the disk six times during purchases.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { thorough } from '../thorough.ts';
import { mountDisk, openDiskShop, PATHS, unmountDisk, type DiskShop, type Signed } from './sales_disk.ts';

const RETRY_MS = 300;
/** Presentations of one payment. A reservation that could not be deleted stays until its lease ends. */
const MAX_TRIES = 300;
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

  /** Present a payment until it buys its answer. @returns the answer */
  const presentUntilSold = async (signed: Signed): Promise<string> => {
    let { status, text } = await shop.present(signed);
    for (let tries = 1; status !== 200 && tries < MAX_TRIES; tries += 1) {
      await sleep(RETRY_MS);
      ({ status, text } = await shop.present(signed));
    }
    assert.equal(status, 200, `${signed.path}: ${text}`);
    return text;
  };
  const booksMatchChain = async (count: number): Promise<void> => {
    const purchases = await shop.sold();
    assert.equal(purchases.length, count);
    assert.equal(
      await shop.takings(),
      purchases.reduce((sum, p) => sum + p.payment.amount, 0n),
      'the chain holds what the ledger says',
    );
    const leads = purchases.flatMap((p) => (p.leadId === null ? [] : [p.leadId]));
    assert.equal(new Set(leads).size, leads.length, 'no lead is sold twice');
  };

  test('stops sales without a charge, and payments buy once there is space', async () => {
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
    const fresh = await Promise.all(PATHS.slice(0, 2).map((path) => shop.sign(path)));
    for (const each of fresh) {
      const { status, text } = await shop.present(each);
      assert.equal(status, 200, `${each.path}: ${text}`);
    }
    const again = thorough([], signed);
    for (const each of again) await presentUntilSold(each);
    await booksMatchChain(fresh.length + again.length);
  });

  const fillsUp = async (): Promise<void> => {
    const soldBefore = (await shop.sold()).length;
    const filling = (async () => {
      for (let round = 0; round < 6; round += 1) {
        await sleep(60 + round * 35);
        shop.fillDisk();
        await sleep(150);
        shop.freeDisk();
      }
    })();
    const signed: Signed[] = [];
    for (let i = 0; i < 16; i += 1) signed.push(await shop.sign(PATHS[i % PATHS.length] ?? PATHS[0]));
    const answers = await Promise.all(
      signed.map(async (each, i) => {
        await sleep(i * 40);
        return shop.present(each);
      }),
    );
    assert.ok(
      answers.some(({ status }) => status === 503) && answers.some(({ status }) => status === 200),
      'some requests met a full disk and some did not',
    );
    await filling;
    for (const each of signed) await presentUntilSold(each);
    await booksMatchChain(soldBefore + signed.length);
  };
  if (thorough(false, true)) {
    test('fills up during sales: every charge is in the books and its answer can be collected', fillsUp);
  }
});
