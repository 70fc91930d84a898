/** The ledger file is removed or replaced while a server sells. The server stops selling before its next sale. */
import assert from 'node:assert/strict';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { attempt, outcomes, type Attempt } from './books.ts';
import { DEALS, EXCLUSIVE, openShop, type Shop } from '../shop/shop.ts';

let shop: Shop;
afterEach(() => shop.close());

const sign = async (path: string): Promise<() => Promise<Attempt>> => {
  const buyer = await shop.buyer();
  const header = await buyer.sign(shop.url + path);
  return () => attempt(shop.url + path, header, buyer.signIn);
};

async function stopsSales(change: (ledgerFile: string) => Promise<void>): Promise<void> {
  shop = await openShop();
  const present = await sign(EXCLUSIVE);
  assert.equal((await present()).status, 200);
  const received = await shop.chain.balanceOf(shop.payTo);
  const presents = await Promise.all([EXCLUSIVE, DEALS].map(sign));

  const folder = shop.env['DATA_DIR'] ?? '';
  const files = (await readdir(folder)).filter((name) => name.startsWith('ledger.sqlite'));
  assert.notEqual(files.length, 0, 'no ledger file was found');
  for (const file of files) await change(join(folder, file));

  const attempts: Attempt[] = [];
  for (const next of presents) attempts.push(await next());
  assert.deepEqual(outcomes(attempts), { '503 payments_unavailable': 2 });
  for (const { json } of attempts) assert.equal(json['billed'], false);
  assert.equal(await shop.chain.balanceOf(shop.payTo), received);
  const health = await (await fetch(`${shop.url}/health`)).text();
  assert.match(health, /The ledger file was replaced or removed while the server ran\. Restart the server\./);
}

test('a server whose ledger file is removed sells nothing more', () => stopsSales((file) => rm(file)));

test('a server whose ledger file is replaced by a copy sells nothing more', () =>
  stopsSales(async (file) => {
    await copyFile(file, `${file}.copy`);
    await rename(`${file}.copy`, file);
  }));
