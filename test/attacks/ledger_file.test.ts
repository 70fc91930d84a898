/** The ledger file is removed or replaced while servers sell from it. They notice and stop selling. */
import assert from 'node:assert/strict';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt, outcomes, type Attempt } from './books.ts';
import { EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';

/** By then a server must have looked at its ledger again. */
const MOST_SECONDS = 25;

describe('the ledger file', () => {
  let shop: AttackedShop;
  afterEach(() => shop.close());

  const buy = async (): Promise<Attempt> => {
    const buyer = await shop.buyer();
    return attempt(shop.url + EXCLUSIVE, await buyer.sign(shop.url + EXCLUSIVE), buyer.signIn);
  };
  /** Files of the ledger in the data folder. */
  const ledgerFiles = async (): Promise<string[]> => {
    const folder = shop.env['DATA_DIR'] ?? '';
    const all = await readdir(folder, { recursive: true });
    return all.filter((name) => /ledger\.(db|sqlite)/.test(name)).map((name) => join(folder, name));
  };
  const stopsSelling = async (): Promise<void> => {
    let health = '';
    for (let i = 0; i < MOST_SECONDS && !health.includes('ledger'); i += 1) {
      await pause(1_000);
      health = await (await fetch(`${shop.url}/health`)).text();
    }
    const attempts = [await buy(), await buy()];
    assert.deepEqual(outcomes(attempts), { '503 payments_unavailable': 2 });
    assert.match(health, /ledger/);
  };

  it('that is removed stops sales', async () => {
    shop = await openAttackedShop();
    assert.equal((await buy()).status, 200);
    const files = await ledgerFiles();
    assert.notEqual(files.length, 0, 'no ledger file was found');
    for (const file of files) await rm(file);
    await stopsSelling();
  });

  it('that is replaced by a copy stops sales', async () => {
    shop = await openAttackedShop();
    assert.equal((await buy()).status, 200);
    for (const file of await ledgerFiles()) {
      await copyFile(file, `${file}.copy`);
      await rename(`${file}.copy`, file);
    }
    await stopsSelling();
  });
});
