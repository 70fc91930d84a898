/**
 * A contract wallet that accepts any bytes signs many payments with the same bytes. A facilitator that remembers
 * pending settlements by signature reports one transaction for all of them.
 */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Hex } from 'viem';
import { fetchPaymentRequired } from '../api/support/buyers.ts';
import { attempt, checkBooks, outcomes, type Attempt } from './books.ts';
import { gated } from './facilitators.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';
import { codeOf, headerOf, randomAddress, signInAs } from './wallets.ts';

const SIGNATURE = '0x1234';
const NONCES = 30;
const PRICES: Readonly<Record<Path, bigint>> = { [DEALS]: DOLLAR / 20n, [EXCLUSIVE]: DOLLAR };

type Path = typeof DEALS | typeof EXCLUSIVE;

describe('one signature for many payments of a wallet that accepts anything', () => {
  let shop: AttackedShop;
  afterEach(() => shop.close());

  const wallet = async (units: bigint): Promise<Hex> => {
    const address = randomAddress();
    await shop.contract(address, codeOf('AcceptsAnything'), units);
    return address;
  };
  const present = async (payer: Hex, path: string, count: number): Promise<Attempt[]> => {
    const asked = await fetchPaymentRequired(shop.url + path);
    const headers = Array.from({ length: count }, () => headerOf(asked, payer, SIGNATURE));
    return Promise.all(headers.map((header) => attempt(shop.url + path, header, signInAs(payer))));
  };
  /** One payment goes pending while blocks stop. Once it is mined, 30 others follow with its signature. */
  const collideOnce = async (path: Path, payer: Hex): Promise<Attempt[]> => {
    await shop.stopBlocks();
    const pending = await present(payer, path, 1);
    await shop.mine();
    await shop.admin.setAutomine(true);
    return [...pending, ...(await present(payer, path, NONCES))];
  };
  /** The same over HTTP; the facilitator takes up in one go what arrived. */
  const collideTogether = async (path: Path): Promise<Attempt[]> => {
    const payer = await wallet(2n * PRICES[path]);
    await shop.stopBlocks();
    const pending = await present(payer, path, 1);
    await shop.mine();
    await shop.admin.setAutomine(true);
    const gate = gated();
    shop.facilitator.behave(gate.behavior);
    const before = shop.facilitator.settlements();
    const others = present(payer, path, NONCES);
    for (let i = 0; i < 60 && shop.facilitator.settlements() < before + NONCES; i += 1) await pause(50);
    gate.open();
    const attempts = [...pending, ...(await others)];
    await checkBooks(shop, attempts);
    return attempts;
  };
  const isContractWalletRefused = (attempts: readonly Attempt[]): void => {
    assert.deepEqual(outcomes(attempts), { '402 contract_wallet_refused': attempts.length });
    for (const { json } of attempts) assert.equal(json['billed'], false);
  };
  const isPaidOrRefused = (attempts: readonly Attempt[]): void => {
    const told = JSON.stringify(outcomes(attempts));
    for (const { status } of attempts) assert.ok([200, 402, 429, 502].includes(status), told);
    assert.ok(attempts.filter(({ status }) => status === 200).length <= 2);
  };

  it('over HTTP buys no exclusive lead', async () => {
    shop = await openAttackedShop({ receiptTimeoutMs: 300 });
    isContractWalletRefused(await collideTogether(EXCLUSIVE));
  });

  it('over HTTP buys no answer that was not paid', async () => {
    shop = await openAttackedShop({ receiptTimeoutMs: 300 });
    const attempts = await collideTogether(DEALS);
    isPaidOrRefused(attempts);
  });

  it('in the sandbox buys no exclusive lead', async () => {
    shop = await openAttackedShop({ mode: 'sandbox' });
    const attempts = await collideOnce(EXCLUSIVE, await wallet(2n * DOLLAR));
    await checkBooks(shop, attempts);
    isContractWalletRefused(attempts);
  });

  it('in the sandbox buys no answer that was not paid', async () => {
    shop = await openAttackedShop({ mode: 'sandbox' });
    const attempts = await collideOnce(DEALS, await wallet(2n * PRICES[DEALS]));
    await checkBooks(shop, attempts);
    isPaidOrRefused(attempts);
  });

  it('is refused everywhere with CONTRACT_WALLETS=0', async () => {
    shop = await openAttackedShop({ env: { CONTRACT_WALLETS: '0' } });
    isContractWalletRefused(await present(await wallet(DOLLAR), DEALS, 3));
    assert.deepEqual(await shop.purchases(), []);
  });
});
