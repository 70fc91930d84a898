/**
 * A contract wallet that accepts any bytes signs many payments with the same bytes. A facilitator that remembers pending
 * settlements by signature reports one transaction for all of them.
 */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Hex } from 'viem';
import { askedFor } from '../api/buyers.ts';
import { attempt, checkBooks, outcomes, reasonOf, type Attempt } from './books.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';
import { codeOf, headerOf, randomAddress, signInAs } from './wallets.ts';

const SIGNATURE = '0x1234';
const NONCES = 30;
const PRICES = { [DEALS]: DOLLAR / 20n, [EXCLUSIVE]: DOLLAR };
/** How long the facilitator inside the server waits for a block. */
const SANDBOX_RECEIPT_MS = 30_000;

describe('one signature for many payments of a wallet that accepts anything', () => {
  let shop: AttackedShop;
  afterEach(() => shop.close());

  const wallet = async (units: bigint): Promise<Hex> => {
    const address = randomAddress();
    await shop.contract(address, codeOf('AcceptsAnything'), units);
    return address;
  };
  const present = async (payer: Hex, path: string, count: number): Promise<Attempt[]> => {
    const asked = await askedFor(shop.url + path);
    const headers = Array.from({ length: count }, () => headerOf(asked, payer, SIGNATURE));
    return Promise.all(headers.map((header) => attempt(shop.url + path, header, signInAs(payer))));
  };
  /** One payment goes pending, is mined, and 30 others follow with its signature; then 30 while blocks stop. */
  const collide = async (path: keyof typeof PRICES, pendingMs: number): Promise<Attempt[]> => {
    const payer = await wallet(2n * (PRICES[path] ?? 0n));
    await shop.stopBlocks();
    const pending = await present(payer, path, 1);
    await shop.mine();
    const afterwards = await present(payer, path, NONCES);
    const stopped = present(payer, path, NONCES);
    await pause(pendingMs);
    await shop.mine();
    await shop.admin.setAutomine(true);
    const attempts = [...pending, ...afterwards, ...await stopped];
    await checkBooks(shop, attempts);
    return attempts;
  };
  const isContractWalletRefused = (attempts: readonly Attempt[]): void => {
    assert.deepEqual(outcomes(attempts), { '402 contract_wallet_refused': attempts.length });
    for (const { json } of attempts) assert.equal(json['billed'], false);
  };

  it('over HTTP buys no exclusive lead', async () => {
    shop = await openAttackedShop({ receiptTimeoutMs: 300 });
    isContractWalletRefused(await collide(EXCLUSIVE, 500));
  });

  it('over HTTP buys no answer that was not paid', async () => {
    shop = await openAttackedShop({ receiptTimeoutMs: 300 });
    const attempts = await collide(DEALS, 500);
    for (const made of attempts) assert.ok([200, 402, 429, 502].includes(made.status), `${made.status} ${reasonOf(made)}`);
    assert.ok(attempts.filter((made) => made.status === 200).length <= 2);
  });

  it('in the sandbox buys no exclusive lead', async () => {
    shop = await openAttackedShop({ mode: 'sandbox' });
    isContractWalletRefused(await collide(EXCLUSIVE, SANDBOX_RECEIPT_MS + 1_000));
  });

  it('in the sandbox buys no answer that was not paid', async () => {
    shop = await openAttackedShop({ mode: 'sandbox' });
    const attempts = await collide(DEALS, SANDBOX_RECEIPT_MS + 1_000);
    for (const made of attempts) assert.ok([200, 402, 429, 502].includes(made.status), `${made.status} ${reasonOf(made)}`);
  });

  it('is refused everywhere with CONTRACT_WALLETS=0', async () => {
    shop = await openAttackedShop({ env: { CONTRACT_WALLETS: '0' } });
    isContractWalletRefused(await present(await wallet(DOLLAR), DEALS, 3));
    assert.deepEqual(await shop.purchases(), []);
  });
});
